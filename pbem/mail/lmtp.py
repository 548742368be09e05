"""Take letters from a mail server of this machine by LMTP (RFC 2033).

It listens on a Unix socket or on the loopback address. Each recipient of a letter has a reply of its own, which is 250
once the letter is stored::

    MAIL FROM:<ana@players.example>
    RCPT TO:<pbem+ceuta-1-spain-ru6zpjztbbttz73y@example.org>
    DATA

What the envelope says is written into the letter, and what the letter says of an envelope is removed.
"""

from __future__ import annotations

import asyncio
import grp
import logging
import os
import socket
import stat
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import Envelope, Session

from pbem.mail import RAW_OCTETS
from pbem.mail.address import LOOPBACK, OwnAddresses, check_address
from pbem.mail.trace import with_envelope

MOST_RECIPIENTS = 100
"""Recipients of one letter; mail servers repeat it for the others (RFC 5321, 4.5.3.1.8)."""
MOST_CONNECTIONS = 50
"""Connections at once. A choice: each may hold a letter in memory, and mail servers keep some twenty at most."""
SECONDS = 300
"""Seconds that a command, or a whole letter, may take (RFC 5321, 4.5.3.2)."""

Take = Callable[[bytes], Awaitable[str]]
"""Takes a letter with its envelope; returns the reply to its sender, such as ``250 2.0.0 stored``."""


class LmtpSettings(NamedTuple):
    """Where letters are taken: a Unix socket's path, or HOST:PORT on this machine.

    `mode` and `group` (empty: ours) say who may write to the socket.
    """

    listen: str
    mode: int = 0o660
    group: str = ""


class SocketTaken(Exception):
    """Another program listens there, or a file is in the place."""


class LmtpListener:
    """Listens for letters to our addresses, and passes each on to `take`."""

    def __init__(self, settings: LmtpSettings, own: OwnAddresses, take: Take) -> None:
        self.settings = settings
        self._handler = _Handler(own, take)
        self._server: asyncio.Server | None = None
        self._inode = 0

    async def open(self) -> None:
        """Begin to listen; raise SocketTaken, or OSError if that is impossible."""
        logging.getLogger("mail.log").setLevel(logging.CRITICAL)
        loop = asyncio.get_running_loop()
        if address := LOOPBACK.fullmatch(self.settings.listen):
            host = address[1].strip("[]")
            self._server = await loop.create_server(self._conversation, host, int(address[2]))
            return
        path = Path(self.settings.listen)
        bound = _bind(path, self.settings)
        self._inode = path.lstat().st_ino
        self._server = await loop.create_unix_server(self._conversation, sock=bound)

    async def keep(self) -> None:
        """Listen again if somebody removed the socket; raise as `open`."""
        if self._server is not None and self._inode and not self._is_in_place():
            self._server.close()
            await self.open()

    def close(self) -> None:
        """Stop listening, and cut the connections."""
        if self._server is not None:
            self._server.close()
            if self._inode and self._is_in_place():
                with suppress(OSError):
                    os.unlink(self.settings.listen)
        for protocol in self._handler.protocols.copy():
            protocol.cut()

    def _is_in_place(self) -> bool:
        try:
            return os.lstat(self.settings.listen).st_ino == self._inode
        except OSError:
            return False

    def _conversation(self) -> LMTP:
        return _Conversation(
            self._handler,
            loop=asyncio.get_running_loop(),
            data_size_limit=RAW_OCTETS,
            hostname="localhost",
            ident="pbem",
            timeout=SECONDS,
        )


def _bind(path: Path, settings: LmtpSettings) -> socket.socket:
    """Return a socket bound to a path, in place of one that nobody listens on."""
    with suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise SocketTaken(f"{path} is no socket: it is left as it is, name another place as mail.listen")
        with socket.socket(socket.AF_UNIX) as other:
            other.settimeout(5)
            try:
                other.connect(str(path))
            # One that was killed leaves its socket behind.
            except ConnectionRefusedError:
                path.unlink()
            else:
                raise SocketTaken(f"another program takes letters at {path}: stop it first")
    bound = socket.socket(socket.AF_UNIX)
    try:
        # Closed to all others until it belongs to the right ones.
        before = os.umask(0o177)
        try:
            bound.bind(str(path))
        finally:
            os.umask(before)
        if settings.group:
            os.chown(path, -1, grp.getgrnam(settings.group).gr_gid, follow_symlinks=False)
        os.chmod(path, settings.mode)
    except KeyError:
        bound.close()
        raise OSError(f"there is no group {settings.group}") from None
    except OSError:
        bound.close()
        raise
    return bound


class _Conversation(LMTP):
    """A connection: after a letter a reply for each recipient (RFC 2033, 4.2)."""

    # A letter may be one line: its size has a limit of its own.
    line_length_limit = RAW_OCTETS

    def __init__(self, handler: _Handler, **settings: Any) -> None:
        super().__init__(handler, **settings)
        self._replies = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        protocols = self.event_handler.protocols
        protocols.add(self)
        if len(protocols) > MOST_CONNECTIONS:
            self.cut()

    def connection_lost(self, error: Exception | None) -> None:
        self.event_handler.protocols.discard(self)
        super().connection_lost(error)

    def cut(self) -> None:
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()

    async def push(self, status: Any) -> None:
        # The library refuses a letter that is too large by one reply.
        text = status.decode("ascii") if isinstance(status, bytes) else str(status)
        replies, self._replies = self._replies, 0
        if text.startswith("354") and self.envelope is not None:
            self._replies = len(self.envelope.rcpt_tos)
        elif replies > 1 and "\r\n" not in text:
            text = "\r\n".join([text] * replies)
        await super().push(text)


class _Handler:
    """The library's hooks."""

    def __init__(self, own: OwnAddresses, take: Take) -> None:
        self.own = own
        self.take = take
        self.protocols: set[_Conversation] = set()

    async def handle_RCPT(
        self, protocol: LMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        try:
            is_ours = self.own.holds(check_address(address))
        except ValueError:
            is_ours = False
        if not is_ours:
            return "550 5.1.1 no address of this server"
        if len(envelope.rcpt_tos) == MOST_RECIPIENTS:
            return "452 4.5.3 too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, protocol: LMTP, session: Session, envelope: Envelope) -> str:
        sender = "" if envelope.mail_from in (None, "<>") else str(envelope.mail_from)
        content = envelope.original_content or b""
        return "\r\n".join(
            [await self.take(with_envelope(content, sender, recipient)) for recipient in envelope.rcpt_tos]
        )

    async def handle_exception(self, error: Exception) -> str:
        return "451 4.3.0 try again later"
