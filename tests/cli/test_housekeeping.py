"""A seat taken from its player, a game deleted, a sender who is read no more: by command."""

import io
import sqlite3
from contextlib import closing

import pytest
from sqlalchemy import inspect, text

from pbem.cli.assembly import open_server
from pbem.cli.settings import load
from pbem.runtime.blocklist import Blocklist
from pbem.runtime.transaction import UserError
from pbem.server import game_cards
from pbem.store.erasure import remove_game
from tests.harness.command_line import MOROCCO, SPAIN
from tests.harness.game import PlayedGame
from tests.postgresql import cluster, url

PASS = "ORDERS T1\nPASS\nEND\n"


@pytest.fixture
def playing(hand, begun):
    hand.seats = begun
    return hand


def rows(hand, question, *values):
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as opened:
        return opened.execute(question, values).fetchall()


# Seats


def test_a_seat_is_taken_from_its_player_who_is_told_and_heard_no_more(playing):
    output = playing.fine("seat", "vacate", "ceuta-1", "spain")
    assert f"spain of ceuta-1 is free; {SPAIN} is told" in output
    letters = rows(
        playing,
        "SELECT recipient, model FROM outbox JOIN content ON outbox_id = id WHERE kind = 'announcement' ORDER BY id",
    )
    assert [who for who, _ in letters] == [SPAIN, MOROCCO]
    assert "was taken from you" in letters[0][1]
    assert "has no player any more" in letters[1][1]
    assert playing.deliver(SPAIN, playing.seats["spain"], PASS)[0] == 1
    code, _, err = playing("seat", "vacate", "ceuta-1", "spain")
    assert (code, err) == (2, "pbem: Nobody sits at: spain.\n")
    address = playing.fine("seat", "invite", "ceuta-1", "spain", SPAIN).strip()
    assert address != playing.seats["spain"]
    assert playing.deliver(SPAIN, address, PASS)[0] == 0


def test_who_stands_by_hears_of_a_seat_that_was_vacated(playing):
    with closing(sqlite3.connect(playing.folder / "data" / "pbem.sqlite3")) as opened, opened:
        opened.execute("INSERT INTO person (id, name, language, zone, rating_public) VALUES (9, 'Eva', 'es', 'UTC', 0)")
        opened.execute("INSERT INTO address (person_id, email) VALUES (9, 'eva@players.test')")
        opened.execute("INSERT INTO standby (person_id) VALUES (9)")
    playing.fine("seat", "vacate", "ceuta-1", "morocco")
    (model,) = rows(
        playing, "SELECT model FROM outbox JOIN content ON outbox_id = id WHERE recipient = 'eva@players.test'"
    )
    assert "RELEVAR ceuta-1 COMO morocco" in model[0]


# Games


def test_a_game_that_is_being_played_is_not_deleted(playing):
    code, _, err = playing("game", "delete", "ceuta-1", "--yes")
    assert (code, "End it first" in err) == (2, True)
    assert playing("game", "delete", "ceuta-9", "--yes")[2] == "pbem: There is no game ceuta-9.\n"


def test_a_game_that_has_not_begun_goes_without_a_trace(playing):
    playing.fine("game", "new", "ceuta-2", "--scenario", "castillejos")
    playing.fine("seat", "invite", "ceuta-2", "spain", SPAIN)
    before = playing.fine("log", "show")
    playing.fine("game", "delete", "ceuta-2", "--yes")
    assert rows(playing, "SELECT id FROM game") == [("ceuta-1",)]
    assert rows(playing, "SELECT count(*) FROM outbox WHERE game_id = 'ceuta-2'") == [(0,)]
    assert playing.fine("log", "show") == before
    playing.fine("game", "new", "ceuta-2", "--scenario", "castillejos")


def test_a_game_that_is_over_goes_and_the_log_keeps_what_it_has_of_it(playing, monkeypatch):
    playing.fine("game", "new", "ceuta-2", "--scenario", "castillejos")
    playing.fine("seat", "invite", "ceuta-2", "spain", SPAIN)
    playing.deliver(SPAIN, playing.seats["spain"], PASS)
    playing.deliver(MOROCCO, playing.seats["morocco"], PASS)
    code, _, error = playing("game", "rule", "ceuta-1", "ADJUDICATE a draw BECAUSE ...")
    assert code == 2
    assert "write your reason in place of the dots" in error
    playing.fine("game", "rule", "ceuta-1", "ADJUDICATE a draw BECAUSE the players agreed")
    leaves = playing.fine("log", "show", "ceuta-1")
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert playing("game", "delete", "ceuta-1")[::2] == (
        2,
        "pbem: nothing was done; where nobody can type, --yes answers\n",
    )
    monkeypatch.setattr("typer.prompt", lambda *a, **k: "ceuta")
    assert playing("game", "delete", "ceuta-1")[2] == "pbem: nothing was done\n"
    monkeypatch.setattr("typer.prompt", lambda *a, **k: "ceuta-1")
    playing.fine("game", "delete", "ceuta-1")
    assert "ceuta-1" not in playing.fine("game", "list")
    with closing(sqlite3.connect(playing.folder / "data" / "pbem.sqlite3")) as opened:
        assert opened.execute("PRAGMA foreign_key_check").fetchall() == []
        left = {"inbox", "raw", "event", "basis", "order_set", "phase", "snapshot", "press", "due", "attempt"}
        tables = {name for (name,) in opened.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        for table in left & tables:
            assert opened.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table  # noqa: S608
        # What is left is as well guarded as before.
        guarded = opened.execute("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'event'")
        assert guarded.fetchone() == (2,)
    assert rows(playing, "SELECT DISTINCT game_id FROM seat") == [("ceuta-2",)]
    assert playing.fine("log", "show", "ceuta-1") == leaves
    assert playing.fine("log", "check").endswith("all is as it was signed\n")
    code, _, err = playing("game", "new", "ceuta-1", "--scenario", "castillejos")
    assert (code, "its leaves are in the log" in err) == (2, True)


@pytest.mark.full
def test_a_game_is_deleted_from_postgresql_too(tmp_path):
    from pbem.store.engine import open_engine
    from pbem.store.migrations import upgrade

    with cluster() as folder:
        engine = open_engine(url(folder))
        upgrade(engine)
        house = PlayedGame(tmp_path, engine=engine)
        house.write("north", "ORDERS T1\nMOVE Ant TO s2\nEND\n")
        house.clock.forward(hours=2)
        house.tick()
        with house.server.session() as session:
            remove_game(session, "g1")
        with house.server.session() as session:
            for table in ("game", "event", "phase", "inbox"):
                assert session.connection().execute(text(f"SELECT count(*) FROM {table}")).scalar() == 0  # noqa: S608
            assert "leaf" in inspect(engine).get_table_names()
            disabled = "SELECT count(*) FROM pg_trigger WHERE tgname LIKE '%append_only' AND tgenabled = 'D'"
            assert session.connection().execute(text(disabled)).scalar() == 0
        engine.dispose()


# Senders


def test_a_sender_who_is_blocked_is_neither_read_nor_answered(playing):
    eve = "eve+x@spam.example"
    playing.fine("mail", "block", "EVE@spam.example")
    code, out, err = playing.deliver(eve, "pbem@example.org", "LIST\n")
    assert (code, "blocked" in err, out) == (1, True, "")
    assert playing.deliver("mallory@spam.example", "pbem@example.org", "LIST\n")[0] == 0
    playing.fine("mail", "block", "spam.example")
    assert playing.deliver("mallory@deep.spam.example", "pbem@example.org", "LIST\n")[0] == 1
    assert playing.deliver("mallory@notspam.example", "pbem@example.org", "LIST\n")[0] == 0
    # Not even with the address of a seat.
    assert playing.deliver(eve, playing.seats["spain"], PASS)[0] == 1
    assert playing.fine("mail", "block") == "eve@spam.example\nspam.example\n"
    (kept,) = rows(playing, "SELECT body FROM raw ORDER BY rowid LIMIT 1")
    assert b"LIST" not in kept[0]
    playing.fine("mail", "block", "spam.example", "--remove")
    assert playing.deliver("mallory2@spam.example", "pbem@example.org", "LIST\n")[0] == 0


def test_nobody_who_plays_is_blocked_by_accident(playing):
    for whose in ("players.test", "test", SPAIN):
        code, _, err = playing("mail", "block", whose)
        assert code == 2, err
    assert "people who play here write from there (2)" in playing("mail", "block", "players.test")[2]
    playing.fine("mail", "block", SPAIN, "--yes")
    assert playing.deliver(SPAIN, playing.seats["spain"], PASS)[0] == 1


@pytest.mark.parametrize("whose", ["", "a@b@c", "x y", "spam", "@", "a@b\r\nc@d", "*.example", "../../etc", "\x00"])
def test_what_is_neither_address_nor_domain_blocks_nobody(playing, whose):
    code, _, err = playing("mail", "block", whose)
    assert (code == 0) is (whose == "")
    assert "\x00" not in err
    assert playing.fine("mail", "block") == ""


def test_the_list_is_a_file_that_people_may_write(tmp_path):
    blocked = Blocklist(tmp_path / "blocked.txt")
    assert not blocked.has("a@b.example")
    blocked.path.write_bytes(b"# all\n\xff\xfe\na@b.example # he\n  C.Example\nnonsense\n")
    assert blocked.senders() == ("a@b.example", "c.example")
    assert blocked.has("A+z@b.example")
    assert blocked.has("x@y.c.example")
    assert not blocked.has("b@b.example")
    assert not blocked.has("")


def test_a_game_that_is_played_cannot_be_deleted_by_whatever_way(playing):
    server = open_server(load(playing.folder / "pbem.toml"))
    with pytest.raises(UserError, match="is being played"), server.work() as work:
        game_cards.delete_game(work, "ceuta-1")
    server.engine.dispose()
