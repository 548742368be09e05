"""What the pumps rely on, held against our own server in memory and against Dovecot and Exim alike."""

from __future__ import annotations

import asyncio
import imaplib
import smtplib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest
from imapclient import IMAPClient
from imapclient.exceptions import IMAPClientError

from pbem.mail.imap import LARGEST_FETCHED, ImapMailbox, ImapSettings, MailboxDown
from pbem.mail.smtp import Envelope, SmtpReply, SmtpSettings, send_all
from pbem.server.mailbox_poller import MailboxPoller
from pbem.store import tables
from tests.harness.game import ANN, PlayedGame
from tests.harness.letters import mail
from tests.servers.conftest import ANA, JOSE, JUDGE, USERS, Server, need_real_servers
from tests.servers.faults import ImapProxy, SmtpProxy
from tests.servers.real import RealMail, closing_imap, until

pytestmark = pytest.mark.full

LETTER = b"From: ana@players.test\r\nSubject: hi\r\n\r\nSTATUS\r\n"


def settings_of(server: Server, **other) -> ImapSettings:
    section = {"host": server.host, "port": server.imap_port, "security": "none", "user": JUDGE, "password": "secret"}
    return ImapSettings(**{**section, "timeout": 5, **other})


@pytest.fixture
def mailbox(server) -> Iterator[ImapMailbox]:
    with closing(ImapMailbox(settings_of(server))) as opened:
        opened.connect()
        yield opened


def other_client(server: Server, user=JUDGE) -> closing_imap:
    reader = closing_imap(server.host, server.imap_port)
    reader.login(user, USERS[user])
    reader.select()
    return reader


def take_away(server: Server, uid: int) -> None:
    with other_client(server) as other:
        other.uid("STORE", str(uid), "+FLAGS", r"(\Deleted)")
        other.expunge()


def fetch_for_ever(mailbox: ImapMailbox) -> None:
    mailbox.connect()
    while True:
        mailbox.fetch_new(0)


def wait_for_ever(mailbox: ImapMailbox) -> None:
    while True:
        mailbox.wait(0.05)


def send(server: Server, *envelopes: Envelope, port=0) -> tuple[SmtpReply, ...]:
    settings = SmtpSettings(host=server.host, port=port or server.smtp_port, security="none", timeout=5)
    return asyncio.run(send_all(settings, envelopes))


# Fetching and moving


def test_letters_come_with_their_place_their_moment_and_every_byte(server, mailbox):
    assert mailbox.fetch_new(0) == []
    for number in range(3):
        server.deliver(JUDGE, LETTER + b"%d\r\n" % number, ANA)
    fetched = mailbox.fetch_new(0)
    assert [letter.raw for letter in fetched] == list(server.letters_in(JUDGE))
    assert [letter.raw[-3:] for letter in fetched] == [b"0\r\n", b"1\r\n", b"2\r\n"]
    assert all(letter.raw.startswith(b"Return-Path: <ana@players.test>\r\n") for letter in fetched)
    assert {letter.uidvalidity for letter in fetched} == {mailbox.uidvalidity}
    assert all(abs(letter.internaldate - datetime.now(UTC)) < timedelta(minutes=5) for letter in fetched)
    assert [letter.size for letter in fetched] == [len(letter.raw) for letter in fetched]


def test_the_last_letter_is_not_new_for_ever(server, mailbox):
    """A search for UIDs above the last one finds the last one."""
    server.deliver(JUDGE, LETTER)
    server.deliver(JUDGE, LETTER)
    first, last = mailbox.fetch_new(0)
    assert [letter.uid for letter in mailbox.fetch_new(first.uid)] == [last.uid]
    assert mailbox.fetch_new(last.uid) == []
    assert mailbox.fetch_new(last.uid + 100) == []


def test_no_piece_of_a_command_waits_for_the_piece_before_it(mailbox, monkeypatch):
    """A search goes out in two pieces, and would take forty milliseconds on the quickest line."""
    seen = []
    asked = IMAPClient.search

    def search(self, *args):
        seen.append(self)
        return asked(self, *args)

    monkeypatch.setattr(IMAPClient, "search", search)
    mailbox.fetch_new(0)
    (client,) = seen
    assert client.socket().getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_reading_marks_nothing(server, mailbox):
    server.deliver(JUDGE, LETTER)
    assert len(mailbox.fetch_new(0)) == 1
    with other_client(server) as other:
        assert other.search(None, "UNSEEN") == ("OK", [b"1"])


def test_moved_letters_are_gone_and_keep_their_bytes(server, mailbox):
    for number in range(3):
        server.deliver(JUDGE, LETTER + b"%d\r\n" % number)
    first, second, third = mailbox.fetch_new(0)
    mailbox.move([], "Processed")
    mailbox.move([first.uid, third.uid], "Processed")
    mailbox.move([third.uid, 9_999], "Poison")
    assert [letter.uid for letter in mailbox.fetch_new(0)] == [second.uid]
    assert server.letters_in(JUDGE, "Processed") == (first.raw, third.raw)
    assert server.letters_in(JUDGE, "Poison") == ()


def test_of_too_big_a_letter_only_the_header_comes(server, mailbox):
    server.deliver(JUDGE, LETTER)
    server.deliver(JUDGE, LETTER + b"x" * 70 * 20_000)
    small, big = mailbox.fetch_new(0)
    assert (small.too_big, big.too_big) == (False, True)
    assert big.size > LARGEST_FETCHED
    assert big.raw.endswith(b"Subject: hi\r\n\r\n")


def test_a_letter_vanishes_under_the_fetch(server, mailbox, monkeypatch):
    for number in range(3):
        server.deliver(JUDGE, LETTER + b"%d\r\n" % number)
    first, second, third = (letter.uid for letter in mailbox.fetch_new(0))
    asked = IMAPClient.fetch
    gone = [second]

    def fetch(self, uids, parts):
        if gone and "RFC822.SIZE" not in parts:
            take_away(server, gone.pop())
        return asked(self, uids, parts)

    monkeypatch.setattr(IMAPClient, "fetch", fetch)
    assert [letter.uid for letter in mailbox.fetch_new(0)] in ([first, third], [first, second, third])
    assert [letter.uid for letter in mailbox.fetch_new(0)] == [first, third]


def test_all_letters_vanish_under_the_fetch(server, mailbox, monkeypatch):
    server.deliver(JUDGE, LETTER)
    asked = IMAPClient.fetch

    def fetch(self, uids, parts):
        for uid in uids:
            take_away(server, uid)
        return asked(self, uids, parts)

    monkeypatch.setattr(IMAPClient, "fetch", fetch)
    assert len(mailbox.fetch_new(0)) <= 1
    monkeypatch.undo()
    assert mailbox.fetch_new(0) == []


def test_another_folder_under_the_same_name_has_another_uidvalidity(server):
    with other_client(server) as other:
        other.create("Post")
        other.append("Post", "", "", LETTER)
        with closing(ImapMailbox(settings_of(server, folder="Post"))) as mailbox:
            mailbox.connect()
            (before,) = mailbox.fetch_new(0)
        other.delete("Post")
        # The number of some servers is the second in which the folder was made.
        limit = time.monotonic() + 10
        while True:
            other.create("Post")
            with closing(ImapMailbox(settings_of(server, folder="Post"))) as again:
                again.connect()
                changed = again.uidvalidity != before.uidvalidity
                if changed or time.monotonic() > limit:
                    break
            other.delete("Post")
            time.sleep(0.2)
        assert changed
        other.append("Post", "", "", LETTER)
        with closing(ImapMailbox(settings_of(server, folder="Post"))) as again:
            again.connect()
            (after,) = again.fetch_new(0)
    assert (after.raw, after.uidvalidity == before.uidvalidity) == (before.raw, False)


def test_a_folder_made_anew_brings_no_orders_twice(server, tmp_path):
    """The same letter at another place and under another number is the same letter: its answer, and nothing more."""
    house = PlayedGame(tmp_path)
    raw = mail(ANN, house.addresses["north"], "ORDERS T1\nMOVE Ant TO s2\nEND\n")
    seen: set[int] = set()
    with other_client(server) as other, closing(ImapMailbox(settings_of(server, folder="Post"))) as mailbox:
        pump = MailboxPoller(house.server, mailbox)
        limit = time.monotonic() + 20
        while len(seen) < 2 and time.monotonic() < limit:
            other.create("Post")
            other.append("Post", "", imaplib.Time2Internaldate(house.clock.now()), raw)
            mailbox.connect()
            seen.add(mailbox.uidvalidity)
            assert pump.step().retry_in is None
            other.delete("Post")
            time.sleep(0.2)
    assert len(seen) == 2
    assert len(house.all(tables.QueuedOrders)) == 1
    first, *copies = house.all(tables.Inbox)
    assert first.verdict == "seat"
    assert {row.verdict for row in copies} == {"copy"}
    assert {row.uidvalidity for row in (first, *copies)} == seen
    assert [row.kind for row in house.all(tables.Outbox)].count("receipt") == 1
    house.server.engine.dispose()


def test_what_lies_there_is_looked_at_before_it_is_fetched(server, mailbox):
    server.deliver(
        "judge+g1-north-abcdefghijklmnop@war.test", b"To: a@x.test,\r\n b@x.test\r\nCC: c@x.test\r\n" + LETTER
    )
    server.deliver(JUDGE, LETTER + b"x" * 5_000)
    first, second = mailbox.look(mailbox.new_uids())
    assert all(address in first.recipients for address in (b"a@x.test", b"b@x.test", b"c@x.test", b"+g1-north-"))
    assert second.size > 5_000 > first.size
    assert mailbox.new_uids(first.uid) == [second.uid]
    (letter,) = mailbox.fetch([second])
    assert (letter.uid, letter.internaldate) == (second.uid, second.internaldate)
    take_away(server, first.uid)
    # What somebody else took away is gone once the server has said so.
    assert mailbox.new_uids() == [second.uid]
    assert mailbox.look([first.uid]) == []
    assert mailbox.fetch([first]) == []


def test_a_folder_that_somebody_deletes_is_made_again(server, mailbox):
    for _ in range(2):
        server.deliver(JUDGE, LETTER)
    first, second = mailbox.new_uids()
    mailbox.move([first], "Processed")
    with other_client(server) as other:
        other.delete("Processed")
    mailbox.move([second], "Processed")
    assert len(server.letters_in(JUDGE, "Processed")) == 1
    assert mailbox.new_uids() == []


def test_a_full_mailbox_holds_no_letter_up(server, tmp_path, monkeypatch):
    house = PlayedGame(tmp_path)

    def full(self, uids, folder):
        raise IMAPClientError("move failed: [OVERQUOTA] Quota exceeded (mailbox for user is full)")

    monkeypatch.setattr(IMAPClient, "move", full)
    with closing(ImapMailbox(settings_of(server))) as mailbox:
        pump = MailboxPoller(house.server, mailbox)
        for number in range(2):
            server.deliver(JUDGE, mail(ANN, house.addresses["north"], "STATUS", Message_ID=f"<{number}@players.test>"))
            assert tuple(pump.step()) == (1, None)
        assert pump.unmoved_count == 2
        assert "OVERQUOTA" in pump.refused
        monkeypatch.undo()
        assert tuple(pump.step()) == (0, None)
    assert (len(server.letters_in(JUDGE)), len(server.letters_in(JUDGE, "Processed"))) == (0, 2)
    house.server.engine.dispose()


def test_a_mailbox_that_is_deleted_is_an_outage_until_it_is_there_again(server, tmp_path):
    house = PlayedGame(tmp_path)
    with other_client(server) as other, closing(ImapMailbox(settings_of(server, folder="Post"))) as mailbox:
        pump = MailboxPoller(house.server, mailbox)
        assert pump.step().retry_in == 1
        other.create("Post")
        other.append("Post", "", imaplib.Time2Internaldate(house.clock.now()), mail(ANN, "pbem@games.example", "HELP"))
        assert tuple(pump.step()) == (1, None)
    house.server.engine.dispose()


# Waiting


def test_a_new_letter_ends_the_wait(server, mailbox):
    assert mailbox.fetch_new(0) == []
    threading.Timer(0.1, server.deliver, (JUDGE, LETTER)).start()
    begun = time.monotonic()
    assert mailbox.wait(60)
    assert time.monotonic() - begun < 50
    assert until(lambda: len(mailbox.fetch_new(0)) == 1)


def test_a_letter_that_came_before_the_wait_is_not_waited_for(server, mailbox):
    server.deliver(JUDGE, LETTER)
    (first,) = mailbox.fetch_new(0)
    server.deliver(JUDGE, LETTER)
    mailbox.move([first.uid], "Processed")
    begun = time.monotonic()
    assert mailbox.wait(60)
    assert time.monotonic() - begun < 50
    assert len(mailbox.fetch_new(0)) == 1


def test_without_idle_a_poll_finds_the_letter(server, mailbox, monkeypatch):
    monkeypatch.setattr(IMAPClient, "has_capability", lambda self, name: name not in ("IDLE", "MOVE", "UIDPLUS"))
    assert not mailbox.wait(0.1)
    server.deliver(JUDGE, LETTER)
    assert mailbox.wait(0.1)
    (letter,) = mailbox.fetch_new(0)
    mailbox.move([letter.uid], "Processed")
    assert len(server.letters_in(JUDGE, "Processed")) == 1


def test_a_server_without_move_uidplus_and_folders_beside_the_inbox_keeps_one_copy():
    need_real_servers()
    with RealMail(USERS, poor=True) as poor:
        for _ in range(2):
            poor.deliver(JUDGE, LETTER)
        settings = ImapSettings(host="127.0.0.1", port=poor.imap_port, security="none", user=JUDGE, password="secret")
        with closing(ImapMailbox(settings)) as mailbox:
            mailbox.connect()
            assert not {"MOVE", "UIDPLUS"} & mailbox.abilities
            # An hour of polls, a minute apart.
            for _ in range(60):
                mailbox.move([letter.uid for letter in mailbox.fetch_new(0)], settings.processed)
            assert {"INBOX.Processed", "INBOX.Poison"} <= mailbox.folders()
        assert (len(poor.letters_in(JUDGE)), len(poor.letters_in(JUDGE, "INBOX.Processed"))) == (0, 2)


def test_a_wait_without_news_ends_and_leaves_the_connection_usable(server, mailbox):
    for _ in range(3):
        assert not mailbox.wait(0.05)
    server.deliver(JUDGE, LETTER)
    assert len(mailbox.fetch_new(0)) == 1


# Outages


def test_the_server_is_restarted_in_the_middle_of_a_fetch(server, mailbox, monkeypatch):
    for number in range(3):
        server.deliver(JUDGE, LETTER + b"%d\r\n" % number)
    asked = IMAPClient.fetch
    outages = [server.stop_imap]

    def fetch(self, uids, parts):
        if outages and "RFC822.SIZE" not in parts:
            outages.pop()()
        return asked(self, uids, parts)

    monkeypatch.setattr(IMAPClient, "fetch", fetch)
    with pytest.raises(MailboxDown):
        mailbox.fetch_new(0)
    assert not mailbox.is_connected
    with pytest.raises(MailboxDown):
        mailbox.connect()
    server.start_imap()
    mailbox.connect()
    assert len(mailbox.fetch_new(0)) == 3


def test_the_pump_waits_longer_and_longer_and_then_takes_what_came(server, tmp_path):
    house = PlayedGame(tmp_path)
    for number in range(2):
        server.deliver(JUDGE, mail(ANA, "pbem@games.example", "hello", Message_ID=f"<{number}@players.test>"))
    with closing(ImapMailbox(settings_of(server))) as mailbox:
        pump = MailboxPoller(house.server, mailbox)
        server.stop_imap()
        assert [pump.step().retry_in for _ in range(4)] == [1, 2, 4, 8]
        server.start_imap()
        assert pump.step() == (2, None)
        assert pump.step() == (0, None)
        server.stop_imap()
        assert pump.step().retry_in == 1
        server.start_imap()
        assert pump.step() == (0, None)
    assert len(server.letters_in(JUDGE, "Processed")) == 2
    house.server.engine.dispose()


@pytest.mark.parametrize("lines", [0, 1, 4, 6, 8])
def test_a_bye_at_any_moment_is_an_outage(server, lines):
    server.deliver(JUDGE, LETTER)
    with ImapProxy(server.imap_port, lambda: ("bye", lines)) as proxy:
        with closing(ImapMailbox(settings_of(server, port=proxy.port))) as mailbox:
            with pytest.raises(MailboxDown):
                fetch_for_ever(mailbox)
            assert not mailbox.is_connected
        assert proxy.befell == ["bye"]


def test_silence_is_found_out_at_the_end_of_the_wait(server):
    """A connection that died quietly looks like a folder in which nothing happens."""
    talks = iter([("silence", 9), None])
    with (
        ImapProxy(server.imap_port, lambda: next(talks)) as proxy,
        closing(ImapMailbox(settings_of(server, port=proxy.port, timeout=0.5))) as mailbox,
    ):
        mailbox.connect()
        server.deliver(JUDGE, LETTER)
        begun = time.monotonic()
        with pytest.raises(MailboxDown):
            wait_for_ever(mailbox)
        assert time.monotonic() - begun < 10
        assert proxy.befell == ["silence"]
        mailbox.connect()
        assert len(mailbox.fetch_new(0)) == 1


def test_a_wrong_password_is_said(server):
    with closing(ImapMailbox(settings_of(server, password="wrong"))) as locked:
        with pytest.raises(MailboxDown, match="LoginError"):
            locked.connect()
        assert not locked.is_connected
    if isinstance(server, RealMail):
        # Dovecot makes whoever was refused wait for seconds the next time.
        server.is_used_up = True


# Sending


def test_a_letter_to_a_seat_lies_in_the_mailbox_and_still_shows_the_seat(server, mailbox):
    seat = "judge+g-1-spain-abcdefghijklmnop@war.test"
    raw = b"From: ana@players.test\r\nTo: " + seat.encode() + b"\r\nSubject: hi\r\n\r\nSTATUS\r\n"
    assert [reply.verdict for reply in send(server, Envelope(ANA, seat, raw))] == ["sent"]
    assert until(lambda: len(mailbox.fetch_new(0)) == 1)
    (letter,) = mailbox.fetch_new(0)
    assert b"Delivered-To: " + seat.encode() + b"\r\n" in letter.raw
    assert letter.raw.endswith(raw)


def test_each_letter_has_its_own_reply(server):
    sent = [Envelope(JUDGE, ANA, LETTER), Envelope(JUDGE, "gone@players.test", LETTER), Envelope("", JOSE, LETTER)]
    results = send(server, *sent)
    assert [(reply.verdict, reply.stage) for reply in results] == [
        ("sent", "data"),
        ("failed", "recipient"),
        ("sent", "data"),
    ]
    assert (results[1].code, results[1].text) == (550, "5.1.1 no such mailbox")
    assert until(lambda: len(server.letters_in(JOSE)) == len(server.letters_in(ANA)) == 1)
    assert server.letters_in(JOSE)[0].startswith(b"Return-Path: <>\r\n")


def test_a_server_that_is_away_gets_the_letter_later(server):
    server.stop_smtp()
    (reply,) = send(server, Envelope(JUDGE, ANA, LETTER))
    assert (reply.code, reply.verdict, reply.stage) == (0, "again", "connection")
    server.start_smtp()
    assert [reply.verdict for reply in send(server, Envelope(JUDGE, ANA, LETTER))] == ["sent"]
    assert until(lambda: len(server.letters_in(ANA)) == 1)


@pytest.mark.parametrize(
    ("fault", "verdict", "code", "arrives"),
    [
        ("451", "again", 451, 0),
        ("452", "again", 452, 0),
        ("550", "failed", 550, 0),
        ("drop at recipient", "again", 0, 0),
        ("drop before data", "again", 0, 0),
        ("drop after data", "again", 0, 1),
    ],
)
def test_a_bad_line_leaves_no_doubt_what_to_do(server, fault, verdict, code, arrives):
    faults = iter([None, fault, None])
    with SmtpProxy(server.smtp_port, lambda recipient: next(faults)) as proxy:
        letters = [Envelope(JUDGE, ANA, LETTER), Envelope(JUDGE, JOSE, LETTER), Envelope(JUDGE, ANA, LETTER)]
        results = send(server, *letters, port=proxy.port)
    assert [reply.verdict for reply in results] == ["sent", verdict, "sent"]
    assert results[1].code == code
    assert until(lambda: (len(server.letters_in(ANA)), len(server.letters_in(JOSE))) == (2, arrives))


def test_both_doors_are_those_of_plain_clients(server):
    with smtplib.SMTP(server.host, server.smtp_port) as client:
        assert client.sendmail(ANA, ["judge+wt-042-spain-abc@war.test", JOSE], LETTER) == {}
    assert until(lambda: len(server.letters_in(JUDGE)) == len(server.letters_in(JOSE)) == 1)
    with other_client(server, JOSE) as reader:
        kind, fetched = reader.fetch("1", "(INTERNALDATE BODY.PEEK[])")
        assert kind == "OK"
        assert isinstance(fetched[0], tuple)
        assert fetched[0][1].endswith(LETTER)
    with pytest.raises(imaplib.IMAP4.error), closing_imap(server.host, server.imap_port) as reader:
        reader.login(JUDGE, "wrong")
