"""Hints that there is something to do: heard by the others, never relied on."""

import select

import pytest
from sqlalchemy import text

from pbem.store.coordination import Hints, HintsLost, send_hint
from pbem.store.engine import open_engine
from tests.postgresql import cluster, url

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def database():
    with cluster() as folder:
        yield url(folder)


def readable(descriptor):
    """Whether anything comes there, waited for."""
    return bool(select.select([descriptor], [], [], 20)[0])


def listen(hints, descriptor):
    """Whatever comes, to the end."""
    while readable(descriptor):
        hints.has_hint()


def test_a_hint_is_heard_once_by_all_but_who_gave_it(database):
    engine = open_engine(database)
    hints = [Hints(engine, owner) for owner in ("worker 1", "worker 2")]
    descriptors = [one.open() for one in hints]
    assert not any(one.has_hint() for one in hints)
    send_hint(engine, "worker 1")
    send_hint(engine, "worker 1")
    assert all(map(readable, descriptors))
    assert [one.has_hint() for one in hints] == [False, True]
    for one in hints:
        one.close()
        assert not one.is_open
    engine.dispose()


def test_a_connection_that_was_cut_is_told_and_made_again(database):
    engine = open_engine(database)
    hints = Hints(engine, "worker 1")
    descriptor = hints.open()
    with open_engine(database).begin() as other:
        other.execute(text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"))
    with pytest.raises(HintsLost):
        listen(hints, descriptor)
    descriptor = hints.open()
    send_hint(engine, "worker 2")
    assert readable(descriptor)
    assert hints.has_hint()
    hints.close()
    with pytest.raises(HintsLost):
        hints.has_hint()
    engine.dispose()


def test_in_a_file_nobody_listens(tmp_path):
    send_hint(open_engine(f"sqlite:///{tmp_path / 'pbem.db'}"), "alone")
    assert not (tmp_path / "pbem.db").exists()
