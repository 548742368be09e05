"""`pbem server move` and `pbem server rekey`: other addresses in the middle of a game, and the game goes on."""

import re
import sqlite3
import stat
from contextlib import closing

import pytest

from pbem.cli.exit_codes import CommandError
from pbem.cli.server import with_setting
from pbem.cli.settings import load
from pbem.mail.address import OwnAddresses
from pbem.store.coordination import DatabaseLock
from pbem.store.engine import open_engine
from tests.harness.command_line import MOROCCO, SPAIN

PASS = "ORDERS T1\nPASS\nEND\n"
NEW = "wargames@new.example"


@pytest.fixture
def playing(hand, begun):
    hand.seats = begun
    assert hand.deliver(SPAIN, begun["spain"], "STATUS\n")[0] == 0
    return hand


def queued(hand, kind):
    """Recipient and text of the letters of a kind that wait."""
    with closing(sqlite3.connect(hand.folder / "data" / "pbem.sqlite3")) as opened:
        rows = opened.execute(
            "SELECT recipient, reply_to, model FROM outbox JOIN content ON outbox_id = id WHERE kind = ? ORDER BY id",
            (kind,),
        )
        return rows.fetchall()


def seat_of(hand, seat):
    (address,) = re.findall(rf"\S+\+ceuta-1-{seat}-\S+@\S+", hand.fine("game", "show", "ceuta-1"))
    return str(address)


def test_a_server_moves_and_its_game_goes_on(playing):
    """Every player is told his new address; tokens are the same, and letters to the old address still count."""
    log = playing.fine("log", "show").splitlines()[0].split()[7]
    output = playing.fine("server", "move", "--address", NEW, "--yes")
    assert f"The server is at {NEW}. Letters that say so: 2" in output
    read = load(playing.folder / "pbem.toml")
    assert (read.server.address, read.server.former) == (NEW, ("pbem@example.org",))
    assert stat.S_IMODE((playing.folder / "pbem.toml").stat().st_mode) == 0o600
    assert "# Where players write." in (playing.folder / "pbem.toml").read_text()

    letters = queued(playing, "settings")
    assert [to for to, _, _ in letters] == [SPAIN, MOROCCO]
    token = playing.seats["spain"].rpartition("-")[2].partition("@")[0]
    assert seat_of(playing, "spain") == f"wargames+ceuta-1-spain-{token}@new.example" == letters[0][1]
    assert NEW in letters[0][2]
    text = playing.fine("mail", "read", SPAIN)
    assert "Este servidor se ha mudado de pbem@example.org a wargames@new.example." in " ".join(text.split())

    code, out, _ = playing.deliver(SPAIN, playing.seats["spain"], PASS)
    assert (code, "wargames+ceuta-1-spain" in out) == (0, True)
    assert playing.deliver(MOROCCO, seat_of(playing, "morocco"), PASS)[0] == 0
    assert playing.fine("log", "show").splitlines()[0].split()[7] == log
    assert playing.fine("log", "check").endswith("all is as it was signed\n")
    assert "T2.spain" in playing.fine("game", "show", "ceuta-1")


def test_a_bounce_of_a_letter_from_before_is_known(playing):
    with closing(sqlite3.connect(playing.folder / "data" / "pbem.sqlite3")) as opened:
        (sender,) = opened.execute("SELECT envelope_sender FROM outbox WHERE recipient = ?", (SPAIN,)).fetchone()
    playing.fine("server", "move", "--address", NEW, "--yes")
    head = 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\nMIME-Version: 1.0\n'
    status = "Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; a@b\nAction: failed\nStatus: 5.1.1\n"
    body = f"--b\n\nIt came back.\n--b\nContent-Type: message/delivery-status\n\n{status}\n--b--\n"
    assert "bounced" in playing.deliver("mailer-daemon@x.example", sender, body, head)[2]


def test_moving_twice_and_back_keeps_all_addresses_and_the_name_of_the_log(playing):
    playing.fine("server", "move", "--address", NEW, "--yes")
    playing.fine("server", "move", "--address", "third@third.example", "--yes")
    playing.fine("server", "move", "--address", "pbem@example.org", "--yes")
    read = load(playing.folder / "pbem.toml").server
    assert read.former == ("third@third.example", NEW)
    assert read.origin == "example.org/pbem"
    assert playing.fine("log", "check").endswith("all is as it was signed\n")


def test_a_move_that_was_cut_short_behind_the_settings_is_told_when_it_is_done_again(playing):
    playing.fine("server", "move", "--address", NEW, "--yes")
    with closing(sqlite3.connect(playing.folder / "data" / "pbem.sqlite3")) as opened, opened:
        opened.execute("DELETE FROM content WHERE outbox_id IN (SELECT id FROM outbox WHERE kind = 'settings')")
        opened.execute("DELETE FROM outbox WHERE kind = 'settings'")
    assert "Letters that say so: 2" in playing.fine("server", "move", "--address", NEW, "--yes")
    assert len(queued(playing, "settings")) == 2


@pytest.mark.parametrize("address", ["no address", "a+b@example.org", "x@y\r\nBcc: z@z", "pbem@example.org"])
def test_no_move_to_what_is_no_address_or_the_same(playing, address):
    before = (playing.folder / "pbem.toml").read_text()
    assert playing("server", "move", "--address", address, "--yes")[0] == 2
    assert (playing.folder / "pbem.toml").read_text() == before


def test_neither_is_done_while_the_server_runs_or_unasked(playing, monkeypatch):
    key = (playing.folder / "pbem.key").read_text()
    serving = DatabaseLock(open_engine(f"sqlite:///{playing.folder}/data/pbem.sqlite3"), "host:7")
    serving.take()
    for command in (("server", "move", "--address", NEW), ("server", "rekey")):
        assert "`pbem serve` runs" in playing(*command, "--yes")[2]
    serving.release()
    monkeypatch.setattr("typer.prompt", lambda *a, **k: "no")
    for command in (("server", "move", "--address", NEW), ("server", "rekey")):
        assert playing(*command)[2] == "pbem: nothing was done\n"
    monkeypatch.setenv("PBEM_SERVER__ADDRESS", "pbem@example.org")
    assert "from the environment" in playing("server", "move", "--address", NEW, "--yes")[2]
    assert (playing.folder / "pbem.key").read_text() == key


def test_another_key_makes_all_addresses_worthless_and_everybody_is_told_his_new_one(playing):
    output = playing.fine("server", "rekey", "--yes")
    assert "Letters with new addresses: 2" in output
    path = playing.folder / "pbem.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [to for to, _, _ in queued(playing, "settings")] == [SPAIN, MOROCCO]
    new = seat_of(playing, "spain")
    assert new != playing.seats["spain"]
    assert playing.deliver(SPAIN, playing.seats["spain"], PASS)[0] == 1
    assert playing.deliver(SPAIN, new, PASS)[0] == 0
    assert playing.deliver(MOROCCO, seat_of(playing, "morocco"), PASS)[0] == 0
    assert playing.fine("log", "check").endswith("all is as it was signed\n")
    assert playing.fine("replay", "ceuta-1")


def test_a_setting_is_changed_and_nothing_else():
    text = '# top\n[server]\n# about it\naddress = "a@b"  # mine\nx = 1\n[imap]\naddress = "other"\n'
    made = with_setting(text, "server", "address", 'q"\\1@d')
    assert made == '# top\n[server]\n# about it\naddress = "q\\"\\\\1@d"\nx = 1\n[imap]\naddress = "other"\n'
    assert with_setting(text, "server", "former", ["a", "b"]).splitlines()[2] == 'former = ["a", "b"]'
    with pytest.raises(CommandError, match="no section"):
        with_setting(text, "smtp", "host", "h")
    with pytest.raises(CommandError, match="by hand"):
        with_setting('[server]\naddress = """a\n@b"""\n', "server", "address", "c@d")


def test_former_addresses_are_ours():
    own = OwnAddresses("pbem", "new.example", former=("old@old.example",))
    assert own.holds("Old+x@OLD.example")
    assert not own.holds("old@new.example")
    assert not own.holds("pbem@old.example")
    assert own.seat("old+g1-north-abcdefghijklmnop@old.example") is not None
    assert own.bounce("old+bounce-abcd1234@old.example") == "abcd1234"
    assert own.bounces("abcd1234") == ("pbem+bounce-abcd1234@new.example", "old+bounce-abcd1234@old.example")
