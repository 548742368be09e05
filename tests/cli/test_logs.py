"""`pbem log`: shown, recomputed, begun anew after the database was put back from a backup, by hand."""

import re
import shutil
import sqlite3
from contextlib import closing

import pytest
import typer

from pbem.runtime.signed_tree import SignedTreeRecord
from pbem.store.external_record import FileRecord
from tests.harness.command_line import MOROCCO, SPAIN


@pytest.fixture
def playing(hand, begun):
    """A recorded game that has begun, its first letters rendered and so signed for; and its backup."""
    hand.seats = begun
    assert hand.deliver(SPAIN, hand.seats["spain"], "ORDERS T1\nPASS\nEND\n")[0] == 0
    return hand


def copied(hand, back=False):
    """The database kept, or put back as it was kept."""
    path, old = hand.folder / "data" / "pbem.sqlite3", hand.folder / "old"
    if not back:
        with closing(sqlite3.connect(path)) as now, closing(sqlite3.connect(old)) as to:
            now.backup(to)
        return
    for ending in ("", "-wal", "-shm"):
        path.with_name(f"{path.name}{ending}").unlink(missing_ok=True)
    shutil.copy(old, path)


def signed(hand):
    known = SignedTreeRecord(FileRecord(hand.folder / "log.signed")).read()
    assert known is not None
    return known.tree


def test_a_log_shown_checked_lost_and_begun_anew(playing, monkeypatch):
    """One game through all of it: each command opens a database, which takes its time."""
    assert re.search(r"^the newest signed tree: \d+ leaves of example.org/pbem, root ", playing.fine("log", "show"))
    listed = playing.fine("log", "show", "ceuta-1").splitlines()
    assert listed[0].split() == ["leaf", "seq", "kind", "phase", "written"]
    assert listed[1].split()[1:4] == ["0", "open", "T1.spain~1"]
    checked = playing.fine("log", "check")
    assert checked.endswith("all is as it was signed\n")
    assert re.search(r"^leaves \d+, nodes \d+, signed trees \d+, games 1$", checked, re.M), checked
    for asked in ((), ("--yes",)):
        code, out, err = playing("log", "recover", *asked)
        assert (code, err.startswith("pbem: The log is whole as far as is known."), "Type" in out) == (2, True, False)
    assert playing("log", "recover", "--size", "9")[0] == 2
    assert playing("log", "recover", "--size", "9", "--root", "x")[0] == 2

    (playing.folder / "log.signed").unlink()
    code, out, err = playing.deliver(MOROCCO, playing.seats["morocco"], "STANDING FOR Nizam\nFLEE\nENDSTANDING\n")
    assert (code, "Next: pbem log recover" in playing("log", "show")[2]) == (1, True)
    assert "is written anew" in playing.fine("log", "recover", "--intact")

    copied(playing)
    assert playing.deliver(MOROCCO, playing.seats["morocco"], "ORDERS T1\nPASS\nEND\n")[0] == 0
    newest = signed(playing)
    copied(playing, back=True)
    assert playing("log", "check")[0] == 1
    monkeypatch.setattr(typer, "prompt", lambda *words, **more: "no")
    code, out, err = playing("log", "recover")
    assert (code, err) == (2, "pbem: nothing was done\n")
    size = int(out.partition("the database has: ")[2].split(" ")[0])
    assert f"gone are {newest.size - size} leaves, number {size} to {newest.size - 1}" in out
    assert "spain: was shown" in out
    monkeypatch.setattr(typer, "prompt", lambda *words, **more: "RECOVER")
    output = playing.fine("log", "recover")
    assert f"its leaf `rotate` admits to {newest.size} before" in output
    assert signed(playing).origin.endswith("/2")

    with closing(sqlite3.connect(playing.folder / "data" / "pbem.sqlite3")) as database, database:
        kinds = [kind for (kind,) in database.execute("SELECT kind FROM outbox WHERE state = 'queued'")]
        for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            database.execute(f"DROP TRIGGER {name}")
        database.execute(
            "UPDATE leaf SET body = CAST(replace(body, 'ceuta-1', 'ceuta-2') AS BLOB) WHERE kind = 'order'"
        )
    assert kinds.count("announcement") == 2
    code, out, err = playing("log", "check")
    assert (code, err.startswith("pbem: things that are not as they were signed: ")) == (1, True)
    assert "was signed with another root" in out
    assert "is not what its leaves give" in out


@pytest.mark.parametrize("gone", [("log.key", "dice.key"), ("log.key",), ("dice.key",)])
def test_a_server_without_the_keys_of_its_log_says_how_they_are_made(hand, gone):
    for name in gone:
        (hand.folder / name).unlink()
    for command in (("serve",), ("game", "list")):
        code, _, err = hand(*command)
        assert code != 0
        assert str(hand.folder / gone[0]) in err
        assert "`pbem init`" in err


def test_the_log_is_written_as_files_for_everybody(playing):
    out = playing.folder / "www"
    assert re.search(r": [1-9]\d* leaves more\n$", playing.fine("log", "tiles", "--out", str(out)))
    assert playing.fine("log", "tiles", "--out", str(out)).endswith(": 0 leaves more\n")
    assert (out / "checkpoint").read_text("utf-8").startswith("example.org/pbem\n")
    (out / "checkpoint").write_text("nothing\n")
    assert playing("log", "tiles", "--out", str(out))[0] == 2


def keys_in(hand):
    return {path.name for path in hand.folder.glob("*.key*")}


def test_new_keys_and_the_old_ones_kept(playing):
    before = (playing.folder / "log.key").read_bytes()
    assert playing("log", "rotate", "--yes")[0] == 0
    assert {"log.key", "log.key.1", "dice.key", "dice.key.1"} <= keys_in(playing)
    assert not any(name.endswith(".new") for name in keys_in(playing))
    assert (playing.folder / "log.key.1").read_bytes() == before
    assert playing.deliver(MOROCCO, playing.seats["morocco"], "ORDERS T1\nPASS\nEND\n")[0] == 0
    assert playing.fine("log", "check").endswith("all is as it was signed\n")
    assert signed(playing).origin.endswith("/2")
    output = playing.fine("log", "rotate", "--yes")
    assert re.search(r"\nexample.org/pbem/3\+[0-9a-f]{8}\+\S+\n$", output)
    assert playing.fine("replay", "ceuta-1")


@pytest.mark.parametrize("step", ["before the leaf", "after the leaf", "between the files"])
def test_a_change_of_keys_that_was_cut_short_is_ended_by_the_next(step, playing, monkeypatch):
    class Cut(Exception):
        pass

    moved: list[str] = []

    def cut(path, fresh):
        if step == "after the leaf" or moved:
            raise Cut
        moved.append(path)
        return replace(path, fresh)

    def no_leaf(*_):
        raise Cut

    from pbem.cli import log
    from pbem.log import keyring

    replace = log._replace_keys
    with monkeypatch.context() as patched:
        patched.setattr(log, "_replace_keys", cut)
        if step == "before the leaf":
            patched.setattr(keyring, "rotate", no_leaf)
        assert playing("log", "rotate", "--yes")[0] == 70
    if step != "before the leaf":
        code, _, err = playing("log", "show")
        assert (code, "pbem log rotate" in err) == (2, True)
    assert playing("log", "rotate", "--yes")[0] == 0
    assert playing.fine("log", "check").endswith("all is as it was signed\n")
    assert sorted(keys_in(playing) & {"log.key.1", "log.key.2", "dice.key.1"}) == ["dice.key.1", "log.key.1"]
