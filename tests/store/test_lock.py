"""One daemon a database: the second is refused, the one after a crash is not."""

import os
import signal

import pytest
from sqlalchemy import create_engine, text

from pbem.store.coordination import DatabaseLock, LockTaken
from pbem.store.engine import open_engine
from tests.postgresql import cluster, url


@pytest.fixture(scope="module")
def postgresql():
    with cluster() as folder:
        yield url(folder)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def database(request, tmp_path):
    return f"sqlite:///{tmp_path}/pbem.db" if request.param == "sqlite" else request.getfixturevalue("postgresql")


def lock(database, owner):
    return DatabaseLock(open_engine(database), owner)


def test_the_second_is_refused_and_told_who_is_the_first(database):
    first, second = lock(database, "host:1"), lock(database, "host:2")
    first.take()
    first.take()
    for _ in range(2):
        with pytest.raises(LockTaken, match=r"host:1 \(since \d{4}-"):
            second.take()
    first.release()
    second.take()
    with pytest.raises(LockTaken, match="host:2"):
        first.take()
    second.release()


@pytest.mark.full
def test_workers_share_the_lock_with_the_daemon_and_nobody_who_wants_to_be_alone_gets_in(postgresql):
    def part(owner, as_):
        return DatabaseLock(open_engine(postgresql), owner, as_)

    daemon, alone = part("host:1", "daemon"), part("host:4", "alone")
    workers = [part(f"host:{number}", "worker") for number in (2, 3)]
    for lock in (daemon, *workers):
        lock.take()
    with pytest.raises(LockTaken, match=r"host:1 \(since \d{4}-\d\d-\d\d \d\d:\d\d UTC\)"):
        part("host:5", "daemon").take()
    for lock in (daemon, *workers):
        with pytest.raises(LockTaken, match=r"host:[123] "):
            alone.take()
        lock.release()
    alone.take()
    with pytest.raises(LockTaken, match="host:4"):
        workers[0].take()
    alone.release()


@pytest.mark.full
def test_who_is_refused_or_has_ended_holds_nothing_from_then_on(postgresql):
    """A server that is closed by its client lives on for a while, and must not keep the next one out."""
    worker, alone = DatabaseLock(open_engine(postgresql), "host:1", "worker"), lock(postgresql, "host:2")
    held = "SELECT count(*) FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid WHERE l.locktype = 'advisory'"
    with create_engine(postgresql).connect() as looking:
        worker.take()
        for _ in range(20):
            with pytest.raises(LockTaken, match="host:1"):
                alone.take()
            assert looking.execute(text(held)).scalar() == 1
        worker.release()
        assert looking.execute(text(held)).scalar() == 0


def test_whoever_crashed_is_not_waited_for(database):
    ready, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        lock(database, "host:1").take()
        os.write(write_end, b"!")
        signal.pause()
    assert os.read(ready, 1) == b"!"
    second = lock(database, "host:2")
    with pytest.raises(LockTaken):
        second.take()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    # A database sees the end of a connection a moment after it.
    for _ in range(1_000):
        try:
            second.take()
        except LockTaken:
            continue
        break
    second.take()
    second.release()


@pytest.mark.full
def test_a_connection_that_was_cut_is_made_again_and_whoever_came_first_has_the_lock(postgresql):
    first, second = lock(postgresql, "host:1"), lock(postgresql, "host:2")
    first.take()
    cut(postgresql, "pbem host:1")
    first.take()
    with pytest.raises(LockTaken, match="host:1"):
        second.take()
    cut(postgresql, "pbem host:1")
    taken = False
    while not taken:
        try:
            second.take()
            taken = True
        except LockTaken:
            taken = False
    with pytest.raises(LockTaken, match="host:2"):
        first.take()
    second.release()


def cut(database, name):
    with create_engine(database).connect() as connection:
        asked = text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = :name")
        connection.execute(asked, {"name": name})
