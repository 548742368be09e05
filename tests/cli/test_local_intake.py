"""Where letters are handed over there is no mailbox: settings, the pipe's exit codes, what commands and doctor say."""

from __future__ import annotations

import asyncio
import json
import smtplib

import pytest
from sqlalchemy.exc import OperationalError

from pbem.cli.daemon import Daemon, DaemonSettings
from pbem.cli.exit_codes import TEMPORARY
from pbem.cli.local_intake import LocalWay
from pbem.cli.log_output import open_log
from pbem.cli.serve import daemon_settings
from pbem.cli.settings import Settings, load
from pbem.mail.lmtp import LmtpSettings
from pbem.mail.smtp import SmtpSettings
from pbem.server import local_delivery
from pbem.store import tables
from tests.harness.command_line import SPAIN
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail

SERVER = '[server]\naddress = "pbem@example.org"\noperator = "op@example.org"\n[smtp]\nhost = "localhost"\n'


@pytest.fixture
def write(tmp_path):
    def written(lines):
        path = tmp_path / "pbem.toml"
        path.write_text(SERVER + lines)
        return path

    return written


def test_without_a_mailbox_none_has_to_be_named(write, tmp_path):
    duties = daemon_settings(load(write('[mail]\nin = "lmtp"\nlisten = "lmtp.sock"\ngroup = "mail"\n')))
    assert (duties.imap, duties.local.lmtp) == (None, LmtpSettings(str(tmp_path / "lmtp.sock"), 0o660, "mail"))
    duties = daemon_settings(load(write('[mail]\nin = "none"\n[imap]\nauthserv_id = "mx.example.org"\n')))
    assert (duties.imap, duties.local.lmtp) == (None, None)


def test_a_mailbox_is_read_where_nothing_else_is_said(write):
    duties = daemon_settings(load(write('[imap]\nhost = "localhost"\nuser = "pbem"\n')))
    assert duties.imap is not None
    assert duties.imap.user == "pbem"
    with pytest.raises(ValueError, match="imap: is missing"):
        load(write(""))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ('in = "pop"', "mail.in: Input should be 'imap', 'lmtp' or 'none'"),
        ('way_in = "lmtp"', "mail.way_in: there is no such setting"),
        ('in = "lmtp"\nlisten = "0.0.0.0:24"', "mail.listen: LMTP is for this machine alone"),
        ('in = "lmtp"\nlisten = "mail.example.org:24"', "mail.listen: LMTP is for this machine alone"),
        ('in = "lmtp"\nmode = "rw"', "mail.mode: String should match pattern"),
    ],
)
def test_what_is_wrong_is_named(write, lines, message):
    with pytest.raises(ValueError, match="cannot be used") as refused:
        load(write(f'[imap]\nhost = "localhost"\nuser = "pbem"\n[mail]\n{lines}\n'))
    assert message in str(refused.value)


def test_the_way_in_can_come_from_the_environment(write, monkeypatch):
    monkeypatch.setenv("PBEM_MAIL__IN", "none")
    assert load(write("")).mail.way_in == "none"


def test_a_process_beside_the_server_gets_the_same_settings(write):
    """As that which reviews games does."""
    settings = load(write('[mail]\nin = "lmtp"\n'))
    assert Settings.model_validate(settings.model_dump()).model_dump() == settings.model_dump()


@pytest.fixture
def piped(hand, begun, monkeypatch):
    """The command line of a server that has a game and no mailbox, and a letter for it."""
    command, seats = hand, begun
    path = command.folder / "pbem.toml"
    path.write_text(path.read_text().replace('in = "imap"', 'in = "none"'))
    letter = command.folder / "letter.eml"
    letter.write_bytes(mail(SPAIN, seats["spain"], "STATUS\n", Message_ID="<1@players.test>"))
    return command, letter


def test_a_pipe_prints_nothing_and_ends_with_0_once_the_letter_is_stored(piped):
    command, letter = piped

    def answers():
        return [
            row for row in json.loads(command.fine("mail", "queue", "--json"))["letters"] if row["kind"] == "status"
        ]

    assert command("mail", "deliver", letter, "--pipe")[:2] == (0, "")
    assert len(answers()) == 1
    # The mail server never heard that it was stored.
    assert command("mail", "deliver", letter, "--pipe")[:2] == (0, "")
    assert len(answers()) == 1


@pytest.mark.parametrize("fault", [OperationalError("", {}, Exception("locked")), LookupError("a bug"), None])
def test_whatever_keeps_a_letter_from_being_stored_the_mail_server_is_to_try_again(piped, monkeypatch, fault):
    command, letter = piped

    def fails(*arguments):
        raise fault or local_delivery.NotStored("not noted")

    monkeypatch.setattr(local_delivery, "store_letter", fails)
    code, out, err = command("mail", "deliver", letter, "--pipe")
    assert (code, out) == (TEMPORARY, "")
    assert "the letter is not stored" in err


def test_a_mistake_in_the_settings_sends_no_letter_back(piped):
    command, letter = piped
    path = command.folder / "pbem.toml"
    path.write_text(f"{path.read_text()}\n[nothing]\n")
    assert command("mail", "deliver", letter, "--pipe")[0] == TEMPORARY
    assert command("mail", "deliver", command.folder / "none.eml", "--pipe")[0] == TEMPORARY


@pytest.mark.parametrize("words", [("mail", "claim", "--yes"), ("mail", "retake")])
def test_what_is_about_a_mailbox_says_that_there_is_none(piped, words):
    code, _, err = piped[0](*words)
    assert (code, err) == (2, 'pbem: there is no mailbox: mail.in is "none"\n')


async def test_a_daemon_takes_answers_and_closes_without_a_mailbox(tmp_path):
    (tmp_path / "house").mkdir()
    house = PlayedGame(tmp_path / "house")
    path = tmp_path / "lmtp.sock"
    way = LocalWay(LmtpSettings(str(path)), 0.05)
    duties = DaemonSettings(None, SmtpSettings(host="mail.example", port=1), 1.0, look=0.05, local=way)
    daemon = Daemon(house.server, duties, open_log())

    def hand_over():
        raw = mail(ANN, house.addresses["north"], "STATUS")
        while daemon.polled is None or not path.exists():
            daemon.stopping.wait(0.02)
        with smtplib.LMTP(str(path)) as line:
            refused = line.sendmail(ANN, [house.addresses["north"]], raw)
            assert refused == {}

    serving = asyncio.ensure_future(daemon.run())
    await asyncio.to_thread(hand_over)
    daemon.stopped.set()
    await serving
    assert not path.exists()
    assert [row.outcome for row in house.all(tables.Inbox)] == ["status"]
    assert daemon.ousted == ""
