"""`pbem backup` and `pbem restore`, and a database that cannot be served: said in a sentence, with the way out."""

import io
import os
import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from pbem.cli.alerts import LAST_BACKUP, is_backup_late
from pbem.cli.assembly import database_error
from pbem.cli.exit_codes import TEMPORARY
from pbem.cli.settings import load
from pbem.store import upkeep
from pbem.store.coordination import DatabaseLock
from pbem.store.engine import open_engine
from pbem.store.migrations import newest_version
from tests.cli.conftest import command_output
from tests.harness.command_line import MOROCCO, SPAIN
from tests.postgresql import cluster, url

PASS = "ORDERS T1\nPASS\nEND\n"


@pytest.fixture
def playing(hand, begun):
    """A game that has begun, with one letter taken in."""
    hand.seats = begun
    hand.database = hand.folder / "data" / "pbem.sqlite3"
    hand.kept = hand.folder / "kept.sqlite3"
    assert hand.deliver(SPAIN, begun["spain"], PASS)[0] == 0
    return hand


def letters(path):
    with closing(sqlite3.connect(path)) as opened:
        return opened.execute("SELECT count(*) FROM inbox").fetchone()[0]


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def crashed(hand):
    """The database as a killed server leaves it: its newest changes in a file beside it."""
    with closing(sqlite3.connect(hand.database)) as served:
        served.execute("PRAGMA journal_mode = WAL")
        served.execute("PRAGMA wal_autocheckpoint = 0")
        with served:
            served.execute("CREATE TABLE late AS SELECT * FROM inbox")
        for ending in ("", "-wal", "-shm"):
            path = hand.database.with_name(hand.database.name + ending)
            shutil.copy(path, hand.folder / f"crashed{ending}")
    for ending in ("", "-wal", "-shm"):
        shutil.copy(hand.folder / f"crashed{ending}", hand.database.with_name(hand.database.name + ending))
    assert hand.database.with_name(f"{hand.database.name}-wal").stat().st_size > 0


def test_a_backup_is_whole_while_somebody_writes_and_its_owners_alone(playing):
    before = os.umask(0)
    try:
        with closing(sqlite3.connect(playing.database)) as writing:
            writing.execute("BEGIN IMMEDIATE")
            writing.execute("DELETE FROM outbox")
            output = playing.fine("backup", playing.kept)
            writing.rollback()
    finally:
        os.umask(before)
    assert f"{playing.kept}: " in output
    assert "pbem.key, log.key and dice.key are no part of it" in output
    assert mode(playing.kept) == 0o600
    assert upkeep.check_file(playing.kept) == "ok"
    assert letters(playing.kept) == 1
    assert sorted(path.name for path in playing.folder.glob("kept*")) == ["kept.sqlite3"]


def test_a_backup_overwrites_nothing_and_is_named_by_date_in_a_folder(playing):
    playing.kept.write_text("precious")
    code, _, err = playing("backup", playing.kept)
    assert (code, playing.kept.read_text()) == (2, "precious")
    assert "exists already, and is left as it is" in err
    folder = playing.folder / "backups"
    folder.mkdir()
    playing.fine("backup", folder)
    (made,) = folder.iterdir()
    assert (made.suffix, letters(made)) == (".sqlite3", 1)


def test_a_backup_of_a_damaged_database_is_none(playing):
    damage(playing.database)
    code, _, err = playing("backup", playing.kept)
    assert code == 1
    assert "nothing was written" in err
    assert "is damaged" in err
    assert not list(playing.folder.glob("kept*"))


def test_a_backup_takes_the_place_of_a_database_with_all_that_lies_beside_it(playing):
    """Put there by hand, it would be changed by what the killed server left, into something that was never so."""
    playing.fine("backup", playing.kept)
    assert playing.deliver(MOROCCO, playing.seats["morocco"], PASS)[0] == 0
    crashed(playing)
    output = playing.fine("restore", playing.kept, "--yes")
    assert letters(playing.database) == 1
    assert mode(playing.database) == 0o600
    with closing(sqlite3.connect(playing.database)) as opened:
        assert opened.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'late'").fetchone() == (0,)
    (aside,) = playing.database.parent.glob("*.replaced-*Z")
    assert f"What was replaced is kept as {aside}" in output
    with closing(sqlite3.connect(aside)) as opened:
        assert opened.execute("SELECT count(*) FROM late").fetchone() == (2,)
    assert "pbem mail retake" in output
    assert "pbem log recover" in output
    assert not upkeep.staged_path(playing.database).exists()


def test_a_restore_asks_first(playing, monkeypatch):
    playing.fine("backup", playing.kept)
    monkeypatch.setattr("typer.prompt", lambda *a, **k: "yes")
    code, _, err = playing("restore", playing.kept)
    assert (code, err) == (2, "pbem: nothing was done\n")
    monkeypatch.setattr("typer.prompt", lambda *a, **k: "RESTORE")
    playing.fine("restore", playing.kept)


def test_a_restore_waits_for_the_server_to_be_stopped(playing):
    playing.fine("backup", playing.kept)
    serving = DatabaseLock(open_engine(f"sqlite:///{playing.database}"), "host:7")
    serving.take()
    code, _, err = playing("restore", playing.kept, "--yes")
    assert (code, "`pbem serve` runs" in err, "host:7" in err) == (2, True, True)
    serving.release()
    with closing(sqlite3.connect(playing.database)) as other:
        other.execute("SELECT count(*) FROM inbox").fetchone()
        code, _, err = playing("restore", playing.kept, "--yes")
    assert (code, "another program has" in err) == (2, True)


def test_what_is_no_whole_backup_of_ours_is_not_put_back(playing):
    before = playing.database.read_bytes()
    damaged, alien, later = (playing.folder / name for name in ("damaged", "alien", "later"))
    for path in (damaged, later):
        playing.fine("backup", path)
    damage(damaged)
    with closing(sqlite3.connect(alien)) as opened:
        opened.execute("CREATE TABLE inbox (id)")
    set_version(later, "9999")
    text = playing.folder / "text"
    text.write_text("no database at all" * 1000)
    refusals = {
        damaged: "is no whole database",
        alien: "is no database of pbem",
        later: "is newer than this program",
        text: "is no whole database",
        playing.database: "is the database itself",
    }
    for path, words in refusals.items():
        code, _, err = playing("restore", path, "--yes")
        assert (code, words in err) == (2, True), err
    assert playing.database.read_bytes() == before
    assert not list(playing.database.parent.glob("*.replaced-*"))


def test_a_restore_that_was_cut_short_is_not_served_but_done_again(playing, monkeypatch):
    playing.fine("backup", playing.kept)
    moved = type(playing.database).replace

    def cut(self, to):
        if self == upkeep.staged_path(playing.database):
            raise KeyboardInterrupt
        return moved(self, to)

    with monkeypatch.context() as power:
        power.setattr(type(playing.database), "replace", cut)
        with pytest.raises(KeyboardInterrupt):
            upkeep.replace_database(playing.kept, playing.database, playing.database.with_name("aside"))
    assert not playing.database.exists()
    code, _, err = playing("serve")
    assert (code, "a `pbem restore` was begun here and not ended" in err) == (2, True)
    assert not playing.database.exists()
    playing.fine("restore", playing.kept, "--yes")
    assert letters(playing.database) == 1


def damage(path):
    """Some pages in the middle are overwritten."""
    with closing(sqlite3.connect(path)) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xa5" * 4096 * 20)


def set_version(path, version):
    with closing(sqlite3.connect(path)) as opened, opened:
        opened.execute("UPDATE alembic_version SET version_num = ?", (version,))


def test_a_damaged_database_is_not_served(playing):
    damage(playing.database)
    code, _, err = playing("serve")
    assert code == 2
    assert f"{playing.database} is damaged: " in err
    assert "`pbem restore FILE`" in err
    assert "Traceback" not in err


@pytest.mark.parametrize("content", [b"\xa5" * 40960, b"SQLite format 3\0" + b"\xa5" * 40960])
def test_what_is_no_database_is_said_to_be_none_by_every_command(playing, content):
    playing.database.write_bytes(content)
    for command in (["serve"], ["game", "list"], ["mail", "queue"], ["log", "check"]):
        code, _, err = playing(*command)
        assert (code, "is damaged" in err, "Traceback" in err) == (2, True, False), err


def test_a_newer_database_is_said_to_be_newer_and_left_alone(playing):
    set_version(playing.database, "9999")
    for command in (["serve"], ["game", "list"]):
        code, _, err = playing(*command)
        assert code == 2
        words = "the database is newer than this program: its tables are of version 9999, and this program knows "
        assert words in err
        assert f"up to {newest_version()}" in err
        assert "Traceback" not in err


def test_a_database_that_cannot_be_written_to_is_said_to_be_so(playing, monkeypatch):
    """A file of another user, or a disk that is mounted to be read: SQLite itself is told so here."""

    def only_read(where):
        engine = open_engine(where)
        event.listen(engine, "connect", lambda driver, record: driver.execute("PRAGMA query_only = ON"))
        return engine

    monkeypatch.setattr("pbem.cli.assembly.open_engine", only_read)
    code, _, err = playing.deliver(SPAIN, playing.seats["spain"], "STATUS\n")
    assert (code, "Traceback" in err) == (2, False), err
    assert "cannot be written to" in err


def test_what_a_server_makes_is_its_owners_alone(tmp_path):
    """Whatever the umask is: there are tokens in the database, and passwords in the settings."""
    made = tmp_path / "made"
    before = os.umask(0)
    try:
        command_output("init", made)
        command_output("game", "list", "--config", made / "pbem.toml")
    finally:
        os.umask(before)
    open_to_others = [path for path in (made, *made.rglob("*")) if mode(path) & 0o077]
    assert open_to_others == []
    assert (made / "data" / "pbem.sqlite3").exists()


def test_nothing_of_a_database_is_touched_while_another_server_works_on_it(playing):
    """Neither its tables by a migration nor its mail; another data folder and another name of the file do not help."""
    serving = DatabaseLock(open_engine(f"sqlite:///{playing.database}"), "host:7")
    serving.take()
    set_version(playing.database, "0020")
    alias = playing.folder / "alias.sqlite3"
    alias.symlink_to(playing.database)
    config = playing.folder / "pbem.toml"
    config.write_text(config.read_text().replace('url = ""', f'url = "sqlite:///{alias}"'))
    code, _, err = playing("serve")
    assert (code, "another `pbem serve` works on this database" in err, "host:7" in err) == (TEMPORARY, True, True)
    with closing(sqlite3.connect(playing.database)) as opened:
        assert opened.execute("SELECT version_num FROM alembic_version").fetchone() == ("0020",)
    serving.release()


def test_workers_want_a_database_that_several_can_write_to(playing):
    code, _, err = playing("serve", "--worker")
    assert (code, "database.url" in err, "PostgreSQL" in err) == (2, True, True)


@pytest.mark.full
def test_postgresql_is_dumped_and_put_back_by_its_own_programs(hand):
    with cluster() as folder:
        config = hand.folder / "pbem.toml"
        config.write_text(config.read_text().replace('url = ""', f'url = "{url(folder)}"'))
        hand.fine("game", "new", "ceuta-1", "--scenario", "castillejos")
        hand.fine("backup", hand.folder / "kept.dump")
        assert mode(hand.folder / "kept.dump") == 0o600
        assert ": whole; its log is NOT CHECKED" in hand.fine("backup", "--check")
        torn = hand.folder / "torn.dump"
        torn.write_bytes((hand.folder / "kept.dump").read_bytes()[:-2000])
        code, _, err = hand("backup", torn, "--check")
        assert (code, "is no whole backup" in err) == (1, True)
        hand.fine("game", "new", "ceuta-2", "--scenario", "castillejos")
        serving = DatabaseLock(open_engine(url(folder)), "far:7")
        serving.take()
        for command in (("restore", hand.folder / "kept.dump"), ("server", "rekey")):
            assert "far:7 (since " in hand(*command, "--yes")[2]
        serving.release()
        output = hand.fine("restore", hand.folder / "kept.dump", "--yes")
        assert "What was replaced is kept as " in output
        listed = hand.fine("game", "list")
        assert ("ceuta-1" in listed, "ceuta-2" in listed) == (True, False)


def test_a_password_is_no_argument_of_a_program(hand, monkeypatch, tmp_path):
    """Whoever is on the machine can read the arguments of its processes; and no shell sees any of them."""
    program = tmp_path / "bin" / "pg_dump"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" "$PGPASSWORD" > {tmp_path}/told\nexit 3\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    config = hand.folder / "pbem.toml"
    config.write_text(config.read_text().replace('url = ""', 'url = "postgresql+psycopg://pbem:s3cret@db/$(touch x)"'))
    code, _, err = hand("backup", hand.folder / "kept.dump")
    assert (code, "pg_dump ended with 3" in err) == (2, True)
    arguments = (tmp_path / "told").read_text().splitlines()
    assert arguments[-1] == "s3cret"
    assert all("s3cret" not in argument for argument in arguments[:-1])
    assert any("$(touch" in argument or "%24%28touch" in argument for argument in arguments)


@pytest.mark.parametrize("code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN])
def test_a_full_disk_is_called_one_whatever_the_database_calls_it(playing, monkeypatch, code):
    """What lies beside a database cannot grow either, and of that it is only said that it cannot be read or written."""

    class Told(sqlite3.OperationalError):
        sqlite_errorcode = code

    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(total=10**9, used=10**9, free=0))
    message = str(database_error(OperationalError("x", {}, Told("disk I/O error")), load(playing.folder / "pbem.toml")))
    assert "the disk is full: nothing was done and nothing is lost" in message
    monkeypatch.undo()
    if code != sqlite3.SQLITE_FULL:
        message = str(
            database_error(OperationalError("x", {}, Told("disk I/O error")), load(playing.folder / "pbem.toml"))
        )
        cannot = "cannot be opened: it, the folder" if code == sqlite3.SQLITE_CANTOPEN else "cannot be used: disk I/O"
        assert cannot in message


def test_old_backups_of_a_folder_are_deleted_and_nothing_else(playing, capsys):
    folder = playing.folder / "backups"
    folder.mkdir()
    others = [folder / name for name in ("pbem-2001-01-01T000000Z.txt", "pbem-mine.sqlite3", "notes.sqlite3")]
    old = [folder / f"pbem-2001-01-0{day}T000000Z.{ending}" for day, ending in ((1, "sqlite3"), (2, "dump"))]
    for file in (*others, *old):
        file.touch()
    assert playing("backup", folder, "--keep", "30")[0] == 0
    left = {*folder.iterdir()}
    assert {*others} < left
    assert not {*old} & left
    assert len(left) == len(others) + 1
    code, _, output = playing("backup", playing.kept, "--keep", "30")
    assert code == 2
    assert "--keep goes with a folder" in output
    assert not playing.kept.exists()


def aged(path, days):
    """The same backup as made some days ago."""
    moment = datetime.now(UTC) - timedelta(days=days)
    return path.rename(path.with_name(f"pbem-{moment:%Y-%m-%dT%H%M%SZ}{path.suffix}"))


def test_a_backup_is_checked_by_its_name_in_its_folder_or_as_the_last(playing):
    code, _, err = playing("backup", "--check")
    assert (code, err) == (2, "pbem: no backup was made here: name its file, or its folder\n")
    code, _, err = playing("backup", playing.folder / "data", "--check")
    assert (code, err) == (1, f"pbem: there is no backup in {playing.folder / 'data'}\n")
    folder = playing.folder / "backups"
    folder.mkdir()
    playing.fine("backup", folder)
    (made,) = folder.iterdir()
    playing.fine("backup", playing.kept)
    older = aged(shutil.copy(made, folder / "older.sqlite3"), 3)
    words = f": whole, tables {newest_version()}, 9 leaves of the log as they were signed, "
    assert playing.fine("backup", "--check") == f"{playing.kept}{words}0 minutes old\n"
    assert playing.fine("backup", folder, "--check") == f"{made}{words}0 minutes old\n"
    assert playing.fine("backup", older, "--check") == f"{older}{words}4320 minutes old\n"
    assert len([*folder.iterdir()]) == 2, "none was made"
    config = playing.folder / "pbem.toml"
    config.write_text(config.read_text().replace("backup_hours = 0", "backup_hours = 71"))
    assert playing("backup", folder, "--check")[0] == 0
    code, _, err = playing("backup", older, "--check")
    assert (code, "4320 minutes old: alerts.backup_hours allows 71 hours" in err) == (1, True)


def damaged_leaf(path):
    with closing(sqlite3.connect(path)) as opened, opened:
        for (name,) in opened.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            opened.execute(f"DROP TRIGGER {name}")
        opened.execute("UPDATE leaf SET body = CAST(replace(body, 'ceuta-1', 'ceuta-2') AS BLOB) WHERE number = 3")


def emptied(path):
    path.write_bytes(b"")


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda path: damage(path), "is no whole backup: "),
        (emptied, "is no database of pbem"),
        (lambda path: path.unlink(), "cannot be read: No such file or directory"),
        (lambda path: path.write_text("a list of groceries"), "is no whole backup: file is not a database"),
        (lambda path: set_version(path, "9999"), "is newer than this program (tables 9999)"),
        (damaged_leaf, "its log is not as it was signed: "),
    ],
)
def test_a_backup_that_is_none_is_found(playing, spoil, why):
    playing.fine("backup", playing.kept)
    spoil(playing.kept)
    code, output, err = playing("backup", "--check")
    assert (code, output, why in err) == (1, "", True), err
    assert len(err.splitlines()) == 1


def test_a_backup_of_another_server_or_version_is_found(playing):
    playing.fine("backup", playing.kept)
    set_version(playing.kept, "0000")
    assert "tables 0000, which `pbem restore` brings up to date; its log is NOT CHECKED" in playing.fine(
        "backup", "--check"
    )
    set_version(playing.kept, newest_version())
    (playing.folder / "log.key").write_text("77" * 32)
    code, _, err = playing("backup", "--check")
    assert (code, "is not the key that the log was begun with" in err) == (1, True)


def test_without_a_terminal_a_restore_says_what_answers(playing, monkeypatch):
    playing.fine("backup", playing.kept)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    code, _, err = playing("restore", playing.kept)
    assert (code, "nothing was done; where nobody can type, --yes answers" in err) == (2, True)
    assert letters(playing.database) == 1


def test_a_backup_that_is_late_is_a_trouble(playing, tmp_path):
    data = playing.folder / "data"
    now = datetime.now(UTC)
    assert is_backup_late(data, 3, now)
    assert not is_backup_late(data, 0, now)
    assert playing("backup", playing.kept)[0] == 0
    made = datetime.fromtimestamp((data / LAST_BACKUP).stat().st_mtime, UTC)
    assert not is_backup_late(data, 3, made + timedelta(hours=3))
    assert is_backup_late(data, 3, made + timedelta(hours=3, seconds=1))
