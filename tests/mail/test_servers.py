"""IMAP and SMTP against the embedded server, and against servers that misbehave."""

import asyncio
import imaplib
import smtplib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from pbem.mail.embedded import MOST_CONNECTIONS, EmbeddedMail
from pbem.mail.imap import LARGEST_FETCHED, FetchedLetter, ImapMailbox, ImapSettings, MailboxDown, retry_delay
from pbem.mail.smtp import GIVE_UP_AFTER, Envelope, SmtpReply, SmtpSettings, next_try, send_all

pytestmark = pytest.mark.full

NOW = datetime(2026, 11, 21, 10, 0, tzinfo=UTC)
JUDGE, ANA, JOSE = "judge@war.test", "ana@players.test", "jose@players.test"
LETTER = b"From: ana@players.test\r\nSubject: hi\r\n\r\nSTATUS\r\n"


@pytest.fixture
def server(tmp_path) -> Iterator[EmbeddedMail]:
    users = {JUDGE: "secret", ANA: "a", JOSE: "j"}
    with EmbeddedMail(users, clock=lambda: NOW, keep=tmp_path / "kept") as running:
        yield running


def settings_of(server: EmbeddedMail, password="secret") -> ImapSettings:
    return ImapSettings(
        host=server.host, port=server.imap_port, security="none", user=JUDGE, password=password, timeout=5
    )


@pytest.fixture
def mailbox(server) -> Iterator[ImapMailbox]:
    opened = ImapMailbox(settings_of(server))
    opened.connect()
    yield opened
    opened.close()


def smtp_of(port: int) -> SmtpSettings:
    return SmtpSettings(host="127.0.0.1", port=port, security="none", timeout=5)


# The embedded server


@pytest.fixture
def strict(tmp_path) -> Iterator[EmbeddedMail]:
    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as other:
        ports = [first.getsockname()[1], other.getsockname()[1]]
    running = EmbeddedMail({JUDGE: "secret", ANA: "a", JOSE: "j"}, authenticate=True)
    running.imap_port, running.smtp_port = ports
    with running:
        yield running


FORGED = {
    "another player": (JOSE, JOSE),
    "the judge": (JUDGE, JUDGE),
    "the judge's name in the header alone": (ANA, JUDGE),
    "the judge's name on the envelope alone": (JUDGE, ANA),
    "two authors": (ANA, f"{ANA}>\r\nFrom: <{JUDGE}"),
    "another sender": (ANA, f"{ANA}>\r\nSender: <{JUDGE}"),
    "no author": (ANA, ""),
    "an envelope of two addresses": (f"ana+x> <{JUDGE}", ANA),
}


def test_who_has_logged_in_writes_in_his_own_name_alone(strict, subtests):
    with smtplib.SMTP(strict.host, strict.smtp_port) as client:
        client.login(ANA, "a")
        for what, (envelope, author) in FORGED.items():
            with subtests.test(what):
                client.rset()
                code, _ = client.docmd("MAIL", f"FROM:<{envelope}>")
                if code < 400:
                    client.rcpt(JOSE)
                    code, _ = client.data(f"From: Ana <{author}>\r\nSubject: x\r\n\r\nx\r\n")
                assert code >= 500
        assert strict.letters_in(JOSE) == ()
        client.rset()
        client.sendmail("ana+war@players.test", [JOSE], f"From: Ana <{ANA}>\r\n\r\nx")
    assert len(strict.letters_in(JOSE)) == 1


def test_an_address_has_so_many_connections_to_each_port(strict):
    for port in (strict.imap_port, strict.smtp_port):
        lines = [socket.create_connection((strict.host, port), timeout=10) for _ in range(MOST_CONNECTIONS + 1)]
        *served, last = [_first(line) for line in lines]
        assert all(served)
        assert last == b""
        for line in lines:
            line.close()


def _first(line: socket.socket) -> bytes:
    try:
        return line.recv(10)
    except ConnectionResetError:
        return b""


def test_a_letter_goes_from_a_plain_client_to_a_plain_client(server, tmp_path):
    with smtplib.SMTP(server.host, server.smtp_port) as client:
        assert client.sendmail(ANA, ["judge+wt-042-spain-abc@war.test", JOSE], LETTER) == {}
    trace = b"Return-Path: <ana@players.test>\r\nDelivered-To: "
    assert server.letters_in(JUDGE) == (trace + b"judge+wt-042-spain-abc@war.test\r\n" + LETTER,)
    assert server.letters_in(JOSE) == (trace + b"jose@players.test\r\n" + LETTER,)
    assert (tmp_path / "kept" / JOSE / "000001.eml").read_bytes() == server.letters_in(JOSE)[0]
    with imaplib.IMAP4(server.host, server.imap_port) as reader:
        reader.login(JOSE, "j")
        assert reader.select() == ("OK", [b"1"])
        _, fetched = reader.fetch("1", "(INTERNALDATE BODY.PEEK[])")
        assert isinstance(fetched[0], tuple)
        assert b'"21-Nov-2026 10:00:00 +0000"' in fetched[0][0]
        assert fetched[0][1] == server.letters_in(JOSE)[0]


def test_strangers_are_refused_by_both_doors(server):
    with smtplib.SMTP(server.host, server.smtp_port) as client, pytest.raises(smtplib.SMTPRecipientsRefused) as refused:
        client.sendmail(ANA, ["nobody@war.test"], LETTER)
    assert refused.value.recipients["nobody@war.test"][0] == 550
    with imaplib.IMAP4(server.host, server.imap_port) as reader, pytest.raises(imaplib.IMAP4.error):
        reader.login(JUDGE, "wrong")
    with pytest.raises(KeyError):
        server.deliver("nobody@war.test", LETTER)


def test_an_outage_cuts_connections_and_keeps_letters_and_port(server):
    server.deliver(JUDGE, LETTER)
    reader = imaplib.IMAP4(server.host, server.imap_port)
    reader.login(JUDGE, "secret")
    port = server.imap_port
    server.stop_imap()
    with pytest.raises((imaplib.IMAP4.abort, OSError)):
        reader.noop()
    reader.shutdown()
    with pytest.raises(OSError, match=r"."):
        socket.create_connection((server.host, port), timeout=5)
    server.deliver(JUDGE, LETTER)
    server.start_imap()
    assert server.imap_port == port
    with imaplib.IMAP4(server.host, port) as again:
        again.login(JUDGE, "secret")
        assert again.select() == ("OK", [b"2"])


def test_two_servers_at_once_and_none_after_stop():
    with EmbeddedMail({JUDGE: "x"}) as first, EmbeddedMail({JUDGE: "x"}) as other:
        first.deliver(JUDGE, LETTER)
        assert len({first.imap_port, first.smtp_port, other.imap_port, other.smtp_port}) == 4
        assert other.letters_in(JUDGE) == ()
    with pytest.raises(RuntimeError, match="not running"):
        first.letters_in(JUDGE)


# IMAP


def test_new_letters_are_those_above_a_uid(server, mailbox):
    assert mailbox.fetch_new(0) == []
    for _ in range(3):
        server.deliver(JUDGE, LETTER)
    fetched = mailbox.fetch_new(0)
    assert [letter.raw for letter in fetched] == list(server.letters_in(JUDGE))
    assert {(letter.internaldate, letter.uidvalidity, letter.too_big) for letter in fetched} == {
        (NOW, mailbox.uidvalidity, False)
    }
    uids = [letter.uid for letter in fetched]
    assert uids == sorted(uids)
    assert [letter.uid for letter in mailbox.fetch_new(uids[0])] == uids[1:]
    # The server answers n:* with the last letter; it is not new.
    assert mailbox.fetch_new(uids[-1]) == []
    assert mailbox.fetch_new(uids[-1] + 100) == []


def test_reading_does_not_mark_letters(server, mailbox):
    server.deliver(JUDGE, LETTER)
    mailbox.fetch_new(0)
    with imaplib.IMAP4(server.host, server.imap_port) as reader:
        reader.login(JUDGE, "secret")
        reader.select(readonly=True)
        assert reader.search(None, "UNSEEN") == ("OK", [b"1"])


def test_of_too_big_a_letter_only_the_header_comes(server, mailbox):
    server.deliver(JUDGE, LETTER)
    server.deliver(JUDGE, LETTER + b"x" * LARGEST_FETCHED)
    server.deliver(JUDGE, LETTER)
    small, big, last = mailbox.fetch_new(0)
    assert (small.too_big, big.too_big, last.too_big) == (False, True, False)
    assert big.size > LARGEST_FETCHED
    assert big.raw.endswith(b"Subject: hi\r\n\r\n")


def test_letters_are_moved_and_folders_made(server, mailbox):
    for _ in range(3):
        server.deliver(JUDGE, LETTER)
    first, second, third = (letter.uid for letter in mailbox.fetch_new(0))
    mailbox.move([], "Processed")
    mailbox.move([first, third], "Processed")
    mailbox.move([third, 9_999], "Poison")
    mailbox.move([second], "Elsewhere")
    sizes = {name: len(server.letters_in(JUDGE, name)) for name in ("INBOX", "Processed", "Poison", "Elsewhere")}
    assert sizes == {"INBOX": 0, "Processed": 2, "Poison": 0, "Elsewhere": 1}
    assert mailbox.fetch_new(0) == []


def test_without_move_a_letter_is_copied_and_expunged(server, mailbox, monkeypatch):
    server.deliver(JUDGE, LETTER)
    server.deliver(JUDGE, LETTER)
    first, second = (letter.uid for letter in mailbox.fetch_new(0))
    monkeypatch.setattr(mailbox._client, "has_capability", lambda name: name != "MOVE")
    mailbox.move([first], "Processed")
    assert [letter.uid for letter in mailbox.fetch_new(0)] == [second]
    assert len(server.letters_in(JUDGE, "Processed")) == 1


def test_without_move_and_uidplus_an_hour_of_polls_makes_one_copy(server, mailbox, monkeypatch):
    server.deliver(JUDGE, LETTER)
    server.deliver(JUDGE, LETTER)
    first, second = (letter.uid for letter in mailbox.fetch_new(0))
    monkeypatch.setattr(mailbox._client, "has_capability", lambda name: name not in ("MOVE", "UIDPLUS"))
    # Somebody else has marked a letter as deleted, which must not go.
    mailbox._client.delete_messages([second], silent=True)
    for _ in range(60):
        mailbox.move([letter.uid for letter in mailbox.fetch_new(0)], "Processed")
    assert len(server.letters_in(JUDGE, "Processed")) == 1
    assert sorted(mailbox._client.search("DELETED")) == [first, second]
    mailbox._client.remove_flags([first, second], [b"\\Deleted"])
    mailbox.move([first, second], "Processed")
    assert mailbox._client.search("ALL") == []


@pytest.mark.parametrize("folder", ["Processed", "INBOX.Processed"])
def test_where_all_folders_lie_below_the_inbox_they_are_made_there(server, mailbox, monkeypatch, folder):
    server.deliver(JUDGE, LETTER)
    (letter,) = mailbox.fetch_new(0)
    mailbox._folders, mailbox._prefix = {"INBOX"}, "INBOX."
    mailbox.move([letter.uid], folder)
    assert len(server.letters_in(JUDGE, "INBOX.Processed")) == 1


def test_a_new_letter_ends_the_wait(server, mailbox):
    mailbox.fetch_new(0)
    threading.Timer(0.1, server.deliver, (JUDGE, LETTER)).start()
    assert mailbox.wait(30)
    assert len(mailbox.fetch_new(0)) == 1


def test_a_letter_that_came_between_reading_and_waiting_is_not_waited_for(server, mailbox):
    server.deliver(JUDGE, LETTER)
    (first,) = mailbox.fetch_new(0)
    server.deliver(JUDGE, LETTER)
    # The server tells of the second letter in its answer to MOVE, and never again.
    mailbox.move([first.uid], "Processed")
    begun = time.monotonic()
    assert mailbox.wait(30)
    assert time.monotonic() - begun < 10
    (second,) = mailbox.fetch_new(0)
    assert second.uid > first.uid
    assert not mailbox.wait(0)


def idling(connection: socket.socket, selected: bytes = b"* 0 EXISTS\r\n* OK [UIDVALIDITY 7] ok\r\n") -> None:
    """An IMAP server with an empty folder, that tells of a letter in one piece with its answer to IDLE."""
    connection.sendall(b"* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n")
    tag = b""
    for line in connection.makefile("rb"):
        words = line.split()
        if words[0] == b"DONE":
            connection.sendall(tag + b" OK done\r\n")
            continue
        tag, command = words[0], words[1]
        if command == b"IDLE":
            connection.sendall(b"+ idling\r\n* 1 EXISTS\r\n")
            continue
        replies = {
            b"LIST": b'* LIST () "/" Processed\r\n* LIST () "/" Poison\r\n',
            b"SELECT": selected,
            b"UID": b"* SEARCH\r\n",
            b"CAPABILITY": b"* CAPABILITY IMAP4rev1 IDLE\r\n",
        }
        connection.sendall(replies.get(command, b"") + tag + b" OK done\r\n")


def test_an_announcement_in_one_piece_with_the_answer_to_idle_is_heard():
    with listening(idling) as port:
        settings = ImapSettings(host="127.0.0.1", port=port, security="none", user="x", password="y", timeout=10)
        with closing(ImapMailbox(settings)) as mailbox:
            mailbox.connect()
            begun = time.monotonic()
            assert mailbox.wait(30)
            assert time.monotonic() - begun < 10


def test_an_answer_without_uidvalidity_is_a_reason_in_words():
    with listening(partial(idling, selected=b"* 0 EXISTS\r\n")) as port:
        settings = ImapSettings(host="127.0.0.1", port=port, security="none", user="x", password="y", timeout=10)
        with closing(ImapMailbox(settings)) as mailbox, pytest.raises(MailboxDown) as down:
            mailbox.connect()
    assert str(down.value) == "the mail server gives no UIDVALIDITY of INBOX, which RFC 9051 demands"


def test_a_call_from_outside_ends_the_wait(mailbox):
    mailbox.wake()
    assert mailbox.wait(30)
    assert not mailbox.wait(0)
    assert mailbox.fetch_new(0) == []


def test_whatever_fails_is_the_mailbox_being_down(server, mailbox):
    locked = ImapMailbox(settings_of(server, password="wrong"))
    with closing(locked), pytest.raises(MailboxDown, match="LoginError"):
        locked.connect()
    waiting = threading.Timer(0.1, server.stop_imap)
    waiting.start()
    with pytest.raises(MailboxDown):
        mailbox.wait(30)
    waiting.join()
    assert not mailbox.is_connected
    with pytest.raises(MailboxDown, match="not connected"):
        mailbox.fetch_new(0)
    with pytest.raises(MailboxDown, match="refused"):
        mailbox.connect()
    server.deliver(JUDGE, LETTER)
    server.start_imap()
    mailbox.connect()
    assert len(mailbox.fetch_new(0)) == 1


def test_a_server_without_uidvalidity_is_named_as_such(server, mailbox, monkeypatch):
    monkeypatch.setattr("imapclient.IMAPClient.select_folder", lambda self, folder, readonly=False: {b"EXISTS": 1})
    mailbox.close()
    for _ in range(2):
        with pytest.raises(MailboxDown, match="gives no UIDVALIDITY of INBOX"):
            mailbox.connect()
        assert not mailbox.is_connected


def test_a_password_is_not_shown(server):
    assert "secret" not in repr(settings_of(server))
    assert "pw" not in repr(SmtpSettings(host="h", port=1, password="pw"))


@pytest.mark.parametrize(
    "greeting", [b"", b"garbage\r\n", b"* BYE shutting down\r\n", b"* OK hello\r\n", b"* OK\r\n\xff\r\n"]
)
def test_a_server_that_is_none_is_down(greeting):
    def serve(connection: socket.socket) -> None:
        connection.sendall(greeting)

    with listening(serve) as port:
        settings = ImapSettings(host="127.0.0.1", port=port, security="none", user="x", password="y", timeout=2)
        with closing(ImapMailbox(settings)) as mailbox, pytest.raises(MailboxDown):
            mailbox.connect()
    assert not mailbox.is_connected


def test_back_off_grows_from_a_second_to_five_minutes():
    assert [retry_delay(attempt, 0) for attempt in (0, 1, 2, 8, 9, 1_000)] == [1, 2, 4, 256, 300, 300]
    assert [retry_delay(attempt, 1) for attempt in (0, 1, 2, 9)] == [1, 1, 2, 150]


# SMTP


class listening:
    """A port on which each connection is given to `serve` and closed after it."""

    def __init__(self, serve: Callable[[socket.socket], None]) -> None:
        self.serve = serve
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.connections = 0

    def __enter__(self) -> int:
        threading.Thread(target=self.run, daemon=True).start()
        return int(self.socket.getsockname()[1])

    def __exit__(self, *error: object) -> None:
        self.socket.close()

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                try:
                    self.serve(connection)
                except OSError:
                    continue


def script(*answers: str) -> Callable[[socket.socket], None]:
    """An SMTP server that gives these answers, one a command (and one after the data), then hangs up."""

    def serve(connection: socket.socket) -> None:
        stream = connection.makefile("rb")
        connection.sendall(b"220 hello\r\n")
        for answer in answers:
            line = stream.readline()
            connection.sendall(answer.encode() + b"\r\n")
            if answer.startswith("354"):
                while line.strip() != b".":
                    line = stream.readline()
                    if not line:
                        return
                connection.sendall(b"250 taken\r\n")

    return serve


def send(port: int, *envelopes: Envelope) -> tuple[SmtpReply, ...]:
    return asyncio.run(send_all(smtp_of(port), envelopes))


def envelope(recipient=ANA) -> Envelope:
    return Envelope(JUDGE, recipient, LETTER)


def test_letters_go_out_over_one_connection_each_with_its_reply(server):
    asked = []

    def refuse(sender: str, recipient: str) -> str | None:
        asked.append((sender, recipient))
        return {JOSE: "451 4.3.0 later", "full@x.y": "452 4.2.2 full", "gone@x.y": "550 5.1.1 gone"}.get(recipient)

    server.refuse = refuse
    results = send(
        server.smtp_port,
        envelope(),
        envelope(JOSE),
        envelope("full@x.y"),
        envelope("gone@x.y"),
        envelope("a b@c"),
        envelope("x@y\r\nRCPT TO:<jose@players.test>"),
        Envelope("", ANA, LETTER),
        envelope("ana+war@players.test"),
    )
    assert [(reply.code, reply.verdict, reply.stage) for reply in results] == [
        (250, "sent", "data"),
        (451, "again", "recipient"),
        (452, "again", "recipient"),
        (550, "failed", "recipient"),
        (0, "failed", "recipient"),
        (0, "failed", "recipient"),
        (250, "sent", "data"),
        (250, "sent", "data"),
    ]
    assert results[1].text == "4.3.0 later"
    assert len(server.letters_in(ANA)) == 3
    assert server.letters_in(JOSE) == ()
    assert asked[-2:] == [("", ANA), (JUDGE, "ana+war@players.test")]
    assert len(asked) == 6
    assert server.letters_in(ANA)[1].startswith(b"Return-Path: <>\r\nDelivered-To: ana@players.test\r\n")


def test_nothing_to_send_opens_no_connection():
    assert send(1) == ()


def test_a_closed_door_means_again(server):
    server.stop_smtp()
    results = send(server.smtp_port, envelope(), envelope(JOSE))
    assert {(reply.code, reply.verdict, reply.stage) for reply in results} == {(0, "again", "connection")}
    port = server.smtp_port
    server.start_smtp()
    assert server.smtp_port == port
    assert [reply.verdict for reply in send(port, envelope())] == ["sent"]


def test_after_a_drop_the_rest_is_tried_once_more():
    good = ("250 hi", "250 sender", "250 recipient", "354 go")
    door = listening(script(*good))
    with door as port:
        results = send(port, envelope(), envelope(JOSE), envelope(), envelope(JOSE), envelope())
    # Each connection takes one letter and breaks on the next; there are two of them.
    assert [reply.verdict for reply in results] == ["sent", "again", "sent", "again", "again"]
    assert door.connections == 2


def test_each_reply_is_told_before_the_next_letter_goes_out(server):
    stored = []

    async def on_reply(reply: SmtpReply) -> None:
        stored.append((reply.verdict, len(server.letters_in(ANA))))

    letters = [envelope(), envelope("a b@c"), envelope()]
    asyncio.run(send_all(smtp_of(server.smtp_port), letters, on_reply=on_reply))
    assert stored == [("sent", 1), ("failed", 1), ("sent", 2)]


def test_what_goes_wrong_where_it_is_told_is_not_the_servers_fault(server):
    async def on_reply(reply: SmtpReply) -> None:
        raise ValueError("no room")

    with pytest.raises(ValueError, match="no room"):
        asyncio.run(send_all(smtp_of(server.smtp_port), [envelope(), envelope()], on_reply=on_reply))
    assert len(server.letters_in(ANA)) == 1


def test_where_no_connection_comes_about_each_letter_is_told_of():
    replies: list[str] = []

    async def note(reply: SmtpReply) -> None:
        replies.append(reply.verdict)

    with listening(script()) as port:
        asyncio.run(send_all(smtp_of(port), [envelope(), envelope(JOSE)], on_reply=note))
    assert replies == ["again", "again"]


@pytest.mark.parametrize(
    ("answers", "code", "verdict", "stage"),
    [
        ((), 0, "again", "connection"),
        (("421 bye",), 421, "again", "connection"),
        (("250 hi", "250 sender", "250 rcpt"), 0, "again", "connection"),
        (("250 hi", "550 not you", "250 reset", "221 bye"), 550, "failed", "sender"),
        (("250 hi", "530 log in", "250 reset", "221 bye"), 530, "again", "sender"),
        (("250 hi", "250 sender", "421 closing", "250 reset"), 421, "again", "connection"),
        (("250 hi", "250 sender", "250 rcpt", "554 spam", "250 reset", "221 bye"), 554, "failed", "data"),
        (("250 hi", "250 sender", "250 rcpt", "452 full", "250 reset", "221 bye"), 452, "again", "data"),
        (("garbage",), -1, "again", "connection"),
    ],
)
def test_what_a_server_may_answer(answers, code, verdict, stage):
    with listening(script(*answers)) as port:
        (reply,) = send(port, envelope())
    assert (reply.verdict, reply.stage) == (verdict, stage)
    assert code in (-1, reply.code)


def test_a_refused_login_is_not_the_letters_fault():
    answers = ("250-hi\r\n250 AUTH PLAIN LOGIN", "535 5.7.8 no", "535 5.7.8 no", "221 bye")
    with listening(script(*answers)) as port:
        settings = SmtpSettings(host="127.0.0.1", port=port, security="none", user="u", password="p", timeout=5)
        (reply,) = asyncio.run(send_all(settings, [envelope()]))
    assert (reply.verdict, reply.stage) == ("again", "connection")


def test_letters_are_tried_for_five_days():
    waits: list[timedelta] = []
    while (wait := next_try(len(waits) + 1)) is not None:
        waits.append(wait)
    assert waits[:4] == [timedelta(minutes=minutes) for minutes in (1, 5, 15, 60)]
    assert sum(waits, timedelta()) == GIVE_UP_AFTER == timedelta(days=5)
    with pytest.raises(ValueError, match="at least one"):
        next_try(0)


def test_a_letter_fetched_knows_where_it_lay():
    assert FetchedLetter._fields[:4] == ("uid", "uidvalidity", "internaldate", "raw")
