"""Dovecot with a small quota: letters are taken and answered while there is no room, and the operator is told."""

from __future__ import annotations

import smtplib
from contextlib import closing

import pytest
from imapclient import IMAPClient

from pbem.mail.imap import ImapMailbox, ImapSettings
from pbem.server.mailbox_poller import MailboxPoller
from pbem.store import tables
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail as written
from tests.harness.processes import OPERATOR, ServerFolder
from tests.servers.conftest import JUDGE, USERS, need_real_servers
from tests.servers.real import RealMail, closing_imap, until

pytestmark = pytest.mark.full

HEAVY = "HELP\r\n\r\n-- \r\n" + "A long signature.\r\n" * 7000


def operator_subjects(office: ServerFolder) -> list[str]:
    return [str(letter["Subject"]) for letter in office.got(OPERATOR)]


def emptied(mail: RealMail) -> None:
    """Delete what is done."""
    with closing_imap(mail.host, mail.imap_port) as client:
        client.login(JUDGE, "secret")
        client.select("Processed")
        client.store("1:*", "+FLAGS", r"(\Deleted)")
        client.expunge()


def test_a_mailbox_over_its_quota_loses_no_letter_and_its_operator_is_told(tmp_path):
    need_real_servers()
    with RealMail(USERS, quota="600K") as mail, ServerFolder(tmp_path, mail) as office:
        office.play()
        mail.set_quota("2M")
        office.write(3, text=HEAVY)
        office.write(1, to="judge+nobody@war.test", text="x" * 100)
        mail.set_quota("340K")
        first = office.serve()
        # Too much lies there already: what came is moved or stays, and is answered either way.
        assert until(lambda: len(office.answers()) == 4), office.said()
        assert until(lambda: "pbem needs you: full" in operator_subjects(office)), office.said()
        with pytest.raises(smtplib.SMTPDataError, match="Quota exceeded"):
            office.write()
        code, output = office.command("doctor")
        assert code == 1
        assert "of its room is used; when all is, letters of players are refused" in " ".join(output.split())
        assert first.stop() == 0
        assert len(mail.letters_in(JUDGE)) + len(mail.letters_in(JUDGE, "Processed")) == 4
        assert {line["verdict"] for line in office.lines("letter taken")} == {"seat", "stranger"}

        # The operator makes room, and the letter that was refused is sent again.
        settings = ImapSettings(host="127.0.0.1", port=mail.imap_port, security="none", user=JUDGE, password="secret")
        with closing(ImapMailbox(settings)) as mailbox:
            mailbox.connect()
            assert (mailbox.fullness() or 0) > 1
            emptied(mail)
            assert (mailbox.fullness() or 0) < 0.5
        office.written -= 1
        office.write()
        second = office.serve()
        assert until(office.all_answered), office.said()
        assert second.stop() == 0
        assert operator_subjects(office).count("pbem needs you: full") == 1
        assert len(office.lines("letter taken")) == 5


def test_what_cannot_be_copied_into_a_full_mailbox_is_taken_once_and_moved_when_there_is_room(tmp_path, monkeypatch):
    """Where a mail server has no MOVE a letter lies there twice for a moment."""
    need_real_servers()
    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name in ("UIDPLUS", "IDLE", "QUOTA"))
    house = PlayedGame(tmp_path)
    with RealMail(USERS, quota="20K") as server:
        for number in range(3):
            text = HEAVY[:5000]
            letter = written(ANN, house.addresses["north"], text, Message_ID=f"<{number}@players.test>")
            server.deliver(JUDGE, letter, ANN)
        settings = ImapSettings(host="127.0.0.1", port=server.imap_port, security="none", user=JUDGE, password="secret")
        with closing(ImapMailbox(settings)) as mailbox:
            pump = MailboxPoller(house.server, mailbox)
            assert tuple(pump.step()) == (3, None)
            assert "OVERQUOTA" in pump.refused
            assert pump.unmoved_count == 3
            assert tuple(pump.step()) == (0, None)
            assert (len(server.letters_in(JUDGE)), len(server.letters_in(JUDGE, "Processed"))) == (3, 0)
            server.set_quota("100K")
            assert pump.step().retry_in == 1
            assert tuple(pump.step()) == (0, None)
            assert (len(server.letters_in(JUDGE)), len(server.letters_in(JUDGE, "Processed"))) == (0, 3)
    assert [(row.verdict, row.outcome) for row in house.all(tables.Inbox)] == [("seat", "help")] * 3
    house.server.engine.dispose()
