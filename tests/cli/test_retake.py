"""`pbem mail retake`: after a restore, letters of the mailbox that the database does not know, and those too early."""

import re
import sqlite3
from contextlib import closing

import pytest

from pbem.cli.assembly import open_server
from pbem.cli.mail_servers import imap_settings
from pbem.cli.settings import load
from pbem.mail.embedded import EmbeddedMail
from pbem.mail.imap import ImapMailbox
from pbem.server.mailbox_poller import MailboxPoller
from pbem.server.scheduler import run_due_jobs
from tests.harness.command_line import MOROCCO, SPAIN

JUDGE = "pbem@example.org"
PASS = "ORDERS T{}\nPASS\nEND\n"


@pytest.fixture
def mail():
    with EmbeddedMail({JUDGE: "judge"}) as server:
        yield server


@pytest.fixture
def playing(hand, begun, mail):
    """A game that waits for Spain, and the mailbox of its server."""
    hand.seats, hand.mail = begun, mail
    path = hand.folder / "pbem.toml"
    text = path.read_text()
    for section, port in (("imap", mail.imap_port), ("smtp", mail.smtp_port)):
        head, tail = text.split(f"[{section}]", 1)
        tail = re.sub(r"^host = .*$", f'host = "{mail.host}"', tail, count=1, flags=re.M)
        tail = re.sub(r"^port = .*$", f"port = {port}", tail, count=1, flags=re.M)
        tail = re.sub(r"^security = .*$", 'security = "none"', tail, count=1, flags=re.M)
        tail = re.sub(r"^password = .*$", 'password = "judge"', tail, count=1, flags=re.M)
        text = f"{head}[{section}]{tail}"
    path.write_text(text)
    return hand


def polled(hand):
    """One look into the mailbox, as the daemon looks, and then at the clock."""
    read = load(hand.folder / "pbem.toml")
    server = open_server(read)
    with closing(ImapMailbox(imap_settings(read))) as mailbox:
        assert MailboxPoller(server, mailbox).step().retry_in is None
    run_due_jobs(server)
    server.engine.dispose()
    # What is logged meanwhile is not what a command says.
    hand.capsys.readouterr()


def write(hand, sender, seat, turn, number):
    letter = f"From: {sender}\nTo: {hand.seats[seat]}\nMessage-ID: <{number}@players.test>\n\n{PASS.format(turn)}"
    hand.mail.deliver(JUDGE, letter.replace("\n", "\r\n").encode(), sender)


def phase(hand):
    match = re.search(r"T\d\.\w+", hand.fine("game", "show", "ceuta-1"))
    assert match is not None
    return match[0]


@pytest.mark.full
def test_a_backup_of_yesterday_in_the_middle_of_a_game(playing):
    """Three letters have come since; all are found in Processed, and the game comes to where it was."""
    playing.fine("backup", playing.folder / "kept")
    for number, (sender, seat, turn) in enumerate(((SPAIN, "spain", 1), (MOROCCO, "morocco", 1), (SPAIN, "spain", 2))):
        write(playing, sender, seat, turn, number)
        polled(playing)
    assert phase(playing) == "T2.morocco"
    assert len(playing.mail.letters_in(JUDGE, "Processed")) == 3
    playing.fine("restore", playing.folder / "kept", "--yes")
    assert phase(playing) == "T1.spain"
    assert "since" in playing.fine("mail", "retake")
    assert len(playing.mail.letters_in(JUDGE)) == 3
    assert playing.fine("mail", "retake").splitlines()[0].endswith(": 0")
    playing("log", "recover", "--yes")
    polled(playing)
    assert phase(playing) == "T1.morocco"
    output = playing.fine("mail", "retake", "ceuta-1")
    assert re.fullmatch(r"letter \d+ of morocco: receipt\nread anew: 1\n", output)
    assert phase(playing) == "T2.spain"
    playing.fine("mail", "retake", "ceuta-1")
    assert phase(playing) == "T2.morocco"
    assert playing.fine("mail", "retake", "ceuta-1") == "read anew: 0\n"
    # Nothing is moved back that is known by now.
    assert playing.fine("mail", "retake").splitlines()[0].endswith(": 0")
    assert playing.fine("log", "check").endswith("all is as it was signed\n")


def test_what_cannot_be_asked_for_is_said(playing):
    assert playing("mail", "retake", "--since", "yesterday")[0] == 2
    assert playing("mail", "retake", "ceuta-1", "--since", "2031-01-01")[0] == 2
    playing.mail.stop_imap()
    code, _, err = playing("mail", "retake")
    assert (code, "the mailbox is away" in err) == (2, True)


def test_a_letter_is_not_moved_for_being_old(playing):
    write(playing, SPAIN, "spain", 1, 1)
    polled(playing)
    with closing(sqlite3.connect(playing.folder / "data" / "pbem.sqlite3")) as opened, opened:
        opened.execute("PRAGMA foreign_keys = OFF")
        opened.execute("UPDATE inbox SET message_id = '<other>'")
    assert playing.fine("mail", "retake", "--since", "2099-01-01").splitlines()[0].endswith(": 0")
    assert playing.fine("mail", "retake").splitlines()[0].endswith(": 1")
