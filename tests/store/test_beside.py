"""Bytes outside the database, in a file or in a row elsewhere: exchanged only by who knows what they are."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from pbem.store import migrations
from pbem.store.engine import open_engine
from pbem.store.external_record import FileRecord, RowRecord, SameDatabase
from tests.postgresql import cluster, url


def in_file(folder):
    return lambda: FileRecord(folder / "word")


def in_row(address):
    return lambda: RowRecord(open_engine(address), "games.example/pbem")


@pytest.fixture(params=["file", "sqlite", pytest.param("postgresql", marks=pytest.mark.full)])
def place(request, tmp_path):
    """What opens the same place again, as another process or another machine does."""
    if request.param == "postgresql":
        with cluster() as folder:
            yield in_row(url(folder))
    else:
        yield in_file(tmp_path) if request.param == "file" else in_row(f"sqlite:///{tmp_path / 'other'}")


def test_exchanged_put_and_read_by_another(place):
    first, other = place(), place()
    assert first.read() is other.read() is None
    assert not first.exchange(b"something", b"new")
    assert first.exchange(None, b"first")
    assert not other.exchange(None, b"also first")
    assert not other.exchange(b"fir", b"second")
    assert other.exchange(b"first", b"second\n\x00\xff")
    assert first.read() == other.read() == b"second\n\x00\xff"
    other.put(b"third")
    assert first.read() == b"third"
    first.close()
    assert first.read() == b"third"
    first.close()
    other.close()


def test_of_all_that_exchange_at_once_each_is_counted_once(place):
    place().put(b"0")

    def count(times):
        mine, done = place(), 0
        while done < times:
            before = mine.read()
            done += mine.exchange(before, b"%d" % (int(before) + 1))
        mine.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(count, [8] * 4))
    assert place().read() == b"32"


def test_names_lie_beside_each_other(tmp_path):
    engine = open_engine(f"sqlite:///{tmp_path / 'other'}")
    RowRecord(engine, "a").put(b"of a")
    assert RowRecord(engine, "b").read() is None
    assert RowRecord(engine, "a").read() == b"of a"


def test_a_database_that_has_a_log_is_none_to_remember_it_in(tmp_path):
    engine = open_engine(f"sqlite:///{tmp_path / 'pbem.sqlite3'}")
    migrations.upgrade(engine)
    with pytest.raises(SameDatabase, match=r"games.example/pbem in sqlite:///.*: the log itself lies in that database"):
        RowRecord(engine, "games.example/pbem").read()


def test_a_password_is_not_told():
    assert "secret" not in RowRecord(open_engine("postgresql+psycopg://pbem:secret@db2/signed"), "x").place


def test_who_reads_waits_for_no_writer(tmp_path):
    address = f"sqlite:///{tmp_path / 'other'}"
    row = RowRecord(open_engine(address), "a")
    row.put(b"before")
    assert row.read() == b"before"
    with open_engine(address).begin() as writing:
        writing.exec_driver_sql("UPDATE beside SET said = CAST('after' AS BLOB)")
        assert row.read() == b"before"
    assert row.read() == b"after"
