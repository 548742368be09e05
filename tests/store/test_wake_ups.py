"""Check that wake-ups reach every other process once."""

import select

import pytest
from sqlalchemy import text

from pbem.store.coordination import WakeUps, WakeUpsLost, wake_others
from pbem.store.engine import open_engine
from tests.postgresql import cluster, url

pytestmark = pytest.mark.full


@pytest.fixture(scope="module")
def database():
    with cluster() as folder:
        yield url(folder)


def readable(descriptor):
    """Wait for a message at a descriptor; return whether one came."""
    return bool(select.select([descriptor], [], [], 20)[0])


def listen(wake_ups, descriptor):
    """Read wake-ups to the end."""
    while readable(descriptor):
        wake_ups.was_woken()


def test_a_wake_up_reaches_every_other_process_once(database):
    engine = open_engine(database)
    listeners = [WakeUps(engine, owner) for owner in ("worker 1", "worker 2")]
    descriptors = [listener.open() for listener in listeners]
    assert not any(listener.was_woken() for listener in listeners)
    wake_others(engine, "worker 1")
    wake_others(engine, "worker 1")
    assert all(map(readable, descriptors))
    assert [listener.was_woken() for listener in listeners] == [False, True]
    for listener in listeners:
        listener.close()
        assert not listener.is_open
    engine.dispose()


def test_a_lost_connection_raises_and_can_be_opened_again(database):
    engine = open_engine(database)
    listener = WakeUps(engine, "worker 1")
    descriptor = listener.open()
    with open_engine(database).begin() as other:
        other.execute(text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"))
    with pytest.raises(WakeUpsLost):
        listen(listener, descriptor)
    descriptor = listener.open()
    wake_others(engine, "worker 2")
    assert readable(descriptor)
    assert listener.was_woken()
    listener.close()
    with pytest.raises(WakeUpsLost):
        listener.was_woken()
    engine.dispose()


def test_in_a_file_nobody_listens(tmp_path):
    wake_others(open_engine(f"sqlite:///{tmp_path / 'pbem.db'}"), "alone")
    assert not (tmp_path / "pbem.db").exists()
