"""A mail server hands letters over by LMTP: replies for each recipient, its envelope, and hostile senders."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
from contextlib import asynccontextmanager, suppress

import pytest

from pbem.mail import RAW_OCTETS, inbound
from pbem.mail.address import OwnAddresses
from pbem.mail.lmtp import MOST_CONNECTIONS, MOST_RECIPIENTS, LmtpListener, LmtpSettings, SocketTaken
from pbem.mail.trace import content_digest, received_at, with_envelope, with_topmost_envelope

OWN = OwnAddresses("pbem", "games.example")
NORTH = "pbem+g1-north-aaaaaaaaaaaaaaaa@games.example"
SOUTH = "pbem+g1-south-bbbbbbbbbbbbbbbb@games.example"
LETTER = b"From: ann@players.example\r\nTo: pbem@games.example\r\n\r\nSTATUS\r\n"


class Taken(list[bytes]):
    """What was handed over; each letter gets the next reply."""

    def __init__(self, *replies: str) -> None:
        super().__init__()
        self.replies = list(replies)

    async def __call__(self, raw: bytes) -> str:
        self.append(raw)
        return self.replies.pop(0) if self.replies else "250 2.0.0 stored"


class Line:
    """A client that says what a test tells it to, and nothing by itself."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def reply(self) -> str:
        """The last line of the next reply."""
        while (line := (await self.reader.readline()).decode())[3:4] == "-":
            pass
        return line.rstrip("\r\n")

    async def say(self, words: str | bytes, replies: int = 1) -> list[str]:
        self.writer.write((words if isinstance(words, bytes) else words.encode()) + b"\r\n")
        await self.writer.drain()
        return [await self.reply() for _ in range(replies)]

    async def send(self, raw: bytes, *recipients: str, sender: str = "ann@players.example") -> list[str]:
        """Send a letter; a reply for each recipient."""
        await self.say(f"MAIL FROM:<{sender}>")
        for recipient in recipients:
            assert (await self.say(f"RCPT TO:<{recipient}>"))[0].startswith("250")
        assert (await self.say("DATA"))[0].startswith("354")
        return await self.say(raw + b"\r\n.", len(recipients))


@asynccontextmanager
async def listening(path, taken: Taken, **settings):
    listener = LmtpListener(LmtpSettings(str(path), **settings), OWN, taken)
    await listener.open()
    try:
        yield listener
    finally:
        listener.close()


@asynccontextmanager
async def connected(path):
    reader, writer = await asyncio.open_unix_connection(str(path))
    line = Line(reader, writer)
    assert (await line.reply()).startswith("220")
    assert (await line.say("LHLO mx.games.example"))[0].startswith("250")
    yield line
    writer.close()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "lmtp.sock"


async def test_each_recipient_has_the_reply_that_is_his(path):
    taken = Taken("250 2.0.0 stored as 1", "451 4.3.0 later")
    async with listening(path, taken), connected(path) as line:
        assert await line.send(LETTER, NORTH, SOUTH) == ["250 2.0.0 stored as 1", "451 4.3.0 later"]
        assert await line.send(LETTER, NORTH) == ["250 2.0.0 stored"]
    north, south = OWN.seat(NORTH), OWN.seat(SOUTH)
    assert [inbound.read_header(raw, OWN).seat for raw in taken] == [north, south, north]


async def test_only_our_addresses_are_recipients_and_a_hundred_of_them(path):
    async with listening(path, Taken()), connected(path) as line:
        await line.say("MAIL FROM:<>")
        for stranger in ("ann@players.example", "pbem@elsewhere.example", '"a b"@games.example'):
            assert (await line.say(f"RCPT TO:<{stranger}>"))[0].startswith("55")
        for _ in range(MOST_RECIPIENTS):
            assert (await line.say(f"RCPT TO:<{NORTH}>"))[0].startswith("250")
        assert [(await line.say(f"RCPT TO:<{NORTH}>"))[0][:3] for _ in range(900)] == ["452"] * 900
        assert (await line.say("DATA"))[0].startswith("354")
        replies = await line.say(LETTER + b"\r\n.", MOST_RECIPIENTS)
        assert {reply[:3] for reply in replies} == {"250"}


async def test_a_letter_that_is_too_large_is_refused_for_good_as_often_as_it_has_recipients(path):
    taken = Taken()
    async with listening(path, taken), connected(path) as line:
        assert (await line.say(f"MAIL FROM:<ann@players.example> SIZE={RAW_OCTETS + 1}"))[0].startswith("552")
        large = LETTER + b"x" * 70 + b"\r\n" * (RAW_OCTETS // 2)
        assert [reply[:3] for reply in await line.send(large, NORTH, SOUTH)] == ["552", "552"]
        # The conversation goes on where it was.
        assert await line.send(LETTER, NORTH) == ["250 2.0.0 stored"]
    assert len(taken) == 1


async def test_a_line_longer_than_those_of_smtp_is_read_as_from_a_mailbox(path):
    taken = Taken()
    async with listening(path, taken), connected(path) as line:
        assert await line.send(LETTER + b"# " + b"x" * 50_000, NORTH) == ["250 2.0.0 stored"]
        assert [reply[:3] for reply in await line.send(b"x" * (RAW_OCTETS + 10), NORTH, SOUTH)] == ["500", "500"]
    assert len(taken) == 1


@pytest.mark.parametrize("end", [b"\n.\n", b"\r.\r", b"\n.\r\n", b"\r\n.\n", b"\r\n.\r"])
async def test_no_letter_is_smuggled_behind_an_end_that_is_none(path, end):
    hidden = f"MAIL FROM:<eve@evil.example>\r\nRCPT TO:<{SOUTH}>\r\nDATA\r\nRESIGN".encode()
    taken = Taken()
    async with listening(path, taken), connected(path) as line:
        assert await line.send(LETTER + end + hidden, NORTH) == ["250 2.0.0 stored"]
        assert (await line.say("NOOP"))[0].startswith("250")
    assert len(taken) == 1
    assert taken[0].count(b"Delivered-To") == 1


@pytest.mark.parametrize(
    "head",
    [
        f"Delivered-To: {SOUTH}\r\n",
        f"X-Original-To: {SOUTH}\r\nEnvelope-To: {SOUTH}\r\nX-Envelope-To: {SOUTH}\r\nX-Delivered-To: {SOUTH}\r\n",
        f"delivered-TO : {SOUTH}\r\n",
        f"Delivered-To:\r\n\t{SOUTH}\r\n",
        f" {SOUTH}\r\n",
        f"Subject: x\rDelivered-To: {SOUTH}\r\n",
        f"Subject: x\nDelivered-To: {SOUTH}\n",
        f"Subject: \0\r\nDelivered-To: {SOUTH}\r\n",
        "Return-Path: <>\r\n",
    ],
)
@pytest.mark.parametrize("recipient", [NORTH, "pbem@games.example"])
def test_the_envelope_of_a_letter_is_that_of_its_server_and_no_other(head, recipient):
    raw = with_envelope(head.encode() + LETTER, "ann@players.example", recipient)
    letter = inbound.read_header(raw, OWN)
    assert letter.seat == OWN.seat(recipient)
    assert letter.recipients[0] == recipient
    assert letter.refusal is None
    assert letter.sender == "ann@players.example"


@pytest.mark.parametrize(
    ("head", "recipient", "refusal"),
    [
        (f"Return-Path: <ann@players.example>\r\nEnvelope-To: {NORTH}\r\nDelivered-To: {SOUTH}\r\n", NORTH, None),
        (
            f"X-Original-To: {NORTH}\r\nReceived: by x; y\r\nDelivered-To: {SOUTH}\r\nReturn-Path: <>\r\n",
            NORTH,
            "bounce",
        ),
        (f"Return-Path: <>\r\nDelivered-To: {NORTH}\r\nEnvelope-To: {SOUTH}\r\n", NORTH, "bounce"),
        (f"Delivered-To: {NORTH}\r\n", NORTH, None),
        ("Delivered-To: nobody\r\n", "pbem@games.example", None),
    ],
)
def test_the_topmost_fields_show_the_envelope_of_a_letter_from_a_pipe(head, recipient, refusal):
    """A mail server writes them above all that came with the letter."""
    letter = inbound.read_header(with_topmost_envelope(head.encode() + LETTER), OWN)
    assert (letter.seat, letter.refusal) == (OWN.seat(recipient), refusal)


def test_the_envelope_does_not_make_another_letter_of_it():
    """A copy that comes another way is known by its content."""
    assert content_digest(with_envelope(LETTER, "ann@players.example", NORTH)) == content_digest(LETTER)


def test_the_null_path_is_that_of_a_bounce():
    letter = inbound.read_header(with_envelope(LETTER, "", NORTH), OWN)
    assert (letter.refusal, letter.reason) == ("bounce", "the return path is empty")


@pytest.mark.parametrize(
    "raw", [b"", b"\r\n", b"\0\0\0", b"\r\n\r\nSTATUS", b"no field\r\n\r\n", b":\r\n:\r\n", b"\xff" * 900]
)
def test_what_is_no_letter_is_handed_over_all_the_same(raw):
    letter = inbound.read_header(with_envelope(raw, "ann@players.example", NORTH), OWN)
    assert letter.seat == OWN.seat(NORTH)


@pytest.mark.parametrize(
    ("field", "hour"),
    [
        ("Received: from a by b with ESMTP id 1; Sun, 29 Nov 2026 21:00:00 +0100\r\n", 20),
        ("Received: from a by b; later\r\n", None),
        ("Received: from a by b\r\n", None),
        ("", None),
    ],
)
def test_a_letter_came_when_the_last_server_received_it(field, hour):
    older = "Received: from x by y; Sun, 29 Nov 2026 01:00:00 +0000\r\n" if field else ""
    moment = received_at(f"{field}{older}".encode() + LETTER)
    assert (moment.hour if moment else None) == hour


async def test_a_fault_of_ours_puts_a_letter_off(path):
    class Failing(Taken):
        async def __call__(self, raw: bytes) -> str:
            raise LookupError("a bug")

    async with listening(path, Failing()), connected(path) as line:
        assert [reply[:3] for reply in await line.send(LETTER, NORTH, SOUTH)] == ["451", "451"]


async def test_of_too_many_connections_the_last_are_cut(path):
    async with listening(path, Taken()):
        lines = [await asyncio.open_unix_connection(str(path)) for _ in range(MOST_CONNECTIONS)]
        assert all([(await reader.readline()).startswith(b"220") for reader, _ in lines])
        reader, last = await asyncio.open_unix_connection(str(path))
        with suppress(ConnectionError):
            assert await reader.read() == b""
        for _, writer in [*lines, (reader, last)]:
            writer.close()


async def test_the_socket_is_for_those_whom_its_mode_names(path):
    async with listening(path, Taken(), mode=0o600):
        assert stat.S_IMODE(path.lstat().st_mode) == 0o600
    assert not path.exists()
    with pytest.raises(OSError, match="there is no group nobody-knows"):
        async with listening(path, Taken(), group="nobody-knows"):
            pass


async def test_a_socket_that_a_killed_server_left_is_taken_over_and_one_in_use_is_not(path):
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
        killed.listen()
    async with listening(path, Taken()):
        with pytest.raises(SocketTaken, match="another program takes letters"):
            async with listening(path, Taken()):
                pass
        async with connected(path) as line:
            assert await line.send(LETTER, NORTH) == ["250 2.0.0 stored"]


@pytest.mark.parametrize("kind", ["file", "folder", "link", "link to a socket", "link to nothing"])
async def test_what_is_no_socket_is_left_as_it_is(tmp_path, path, kind):
    other = tmp_path / "other"
    if kind == "link to a socket":
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(str(other))
    elif kind == "link":
        other.write_text("kept")
    if kind == "file":
        path.write_text("kept")
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(other)
    before = sorted((file.name, file.lstat().st_ino) for file in tmp_path.iterdir())
    with pytest.raises(SocketTaken, match="is no socket"):
        async with listening(path, Taken()):
            pass
    assert sorted((file.name, file.lstat().st_ino) for file in tmp_path.iterdir()) == before


async def test_a_socket_that_was_removed_is_made_again(path):
    async with listening(path, Taken()) as listener:
        os.unlink(path)
        await listener.keep()
        inode = path.lstat().st_ino
        await listener.keep()
        assert path.lstat().st_ino == inode
        async with connected(path) as line:
            assert await line.send(LETTER, NORTH) == ["250 2.0.0 stored"]


async def test_on_an_address_of_this_machine(path):
    listener = LmtpListener(LmtpSettings("127.0.0.1:0"), OWN, Taken())
    await listener.open()
    assert listener._server is not None
    port = listener._server.sockets[0].getsockname()[1]
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    assert (await reader.readline()).startswith(b"220")
    writer.close()
    listener.close()
