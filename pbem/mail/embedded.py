"""Run a mail server on the loopback address, for demo, tests and home games.

pymap keeps the mailboxes in memory and speaks IMAP, aiosmtpd takes letters by SMTP and puts them into those
mailboxes; both run on one event loop in one thread. Nothing leaves the machine: an unknown recipient is
refused.

    with EmbeddedMail({"judge@war.test": "secret", "ana@war.test": "ana"}) as server:
        print(server.host, server.imap_port, server.smtp_port)

A letter to ``judge+anything@war.test`` goes to ``judge@war.test``. The user's name is the whole address.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import sys
import threading
import warnings
from argparse import Namespace
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session
from proxyprotocol.result import ProxyResultUnknown
from proxyprotocol.sock import SocketInfo
from pymap.backend.dict import Config, Identity, Login
from pymap.backend.dict.mailbox import MailboxData
from pymap.concurrent import Subsystem
from pymap.imap import IMAPServer
from pymap.parsing.message import AppendMessage
from pymap.parsing.specials import FetchRequirement
from pymap.user import UserMetadata
from pysasl.hashing import Cleartext

from pbem.mail import mime
from pbem.mail.address import author_address, base_address, check_address

# Mailboxes in memory behind an IMAP port: pymap's dict backend, driven from code.
#
# Everything here runs on one event loop; `pbem.mail.embedded` gives it a thread and an SMTP port.


class _Config(Config):
    """pymap's settings without those that look names up in the network."""

    @property
    def greeting(self) -> bytes:
        return b"pbem ready"


class Mailboxes:
    """Mailboxes by address; the IMAP user's name is the address."""

    def __init__(self, config: Config, login: Login) -> None:
        self._config = config
        self._login = login
        self._server: asyncio.Server | None = None
        self._talks: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    @classmethod
    async def open(cls, users: Mapping[str, str]) -> Self:
        """Make an empty mailbox for each address, under its password."""
        config = _Config(
            Namespace(proxy_protocol=None, passlib_cfg=None, inherited_sockets=None),
            demo_data=False,
            demo_user="",
            demo_password="",
            host=None,
            port=0,
            tls_enabled=False,
            reject_dnsbl=False,
            invalid_user_sleep=0.0,
            # A test's passwords are compared as they are; hashing them would cost a second a login.
            hash_context=Cleartext(),
            cpu_subsystem=Subsystem.for_asyncio(),
        )
        config.apply_context()
        login = Login(config)
        for address, password in users.items():
            await Identity(address, login, None, frozenset()).set(UserMetadata(config, address, password=password))
        return cls(config, login)

    async def listen(self, hosts: Sequence[str], port: int, connections: int = sys.maxsize) -> int:
        """Open the port (0: a free one, on one host) and return its number.

        Raise OSError if it is taken. `connections` is the limit for each address.
        """
        if self._server is not None:
            raise RuntimeError("the IMAP port is already open")
        talk = IMAPServer(self._login, self._config)

        async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is None:
                raise RuntimeError("a connection is served by a task")
            self._talks[task] = writer
            peers = [stream.get_extra_info("peername", ("",))[0] for stream in self._talks.values()]
            if peers.count(writer.get_extra_info("peername", ("",))[0]) > connections:
                writer.transport.abort()
            try:
                # Each connection has a context of its own, in which pymap looks for its settings.
                self._config.apply_context()
                await talk(reader, writer, SocketInfo.get(writer, ProxyResultUnknown(), unique_id=b"imap"))
            finally:
                del self._talks[task]

        self._server = await asyncio.start_server(connection, hosts, port)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Close the port and cut its connections without a BYE, as an outage does."""
        if self._server is None:
            return
        self._server.close()
        self._server = None
        talks = dict(self._talks)
        for task, writer in talks.items():
            writer.transport.abort()
            task.cancel()
        await asyncio.gather(*talks, return_exceptions=True)

    async def append(self, address: str, raw: bytes, when: datetime) -> None:
        """Put a letter into an INBOX; raise KeyError if there is no such mailbox."""
        folder = await self._folder(address, "INBOX")
        await folder.append(AppendMessage(raw, when), recent=True)

    async def letters_in(self, address: str, folder: str) -> tuple[bytes, ...]:
        """Return the letters of a folder, oldest first.

        Raise KeyError if it does not exist.
        """
        letters = []
        async for message in (await self._folder(address, folder)).messages():
            loaded = await message.load_content(FetchRequirement.CONTENT)
            letters.append(bytes(loaded.get_body(binary=True)))
        return tuple(letters)

    async def _folder(self, address: str, name: str) -> MailboxData:
        if address not in self._login.users_dict:
            raise KeyError(address)
        async with Identity(address, self._login, None, frozenset()).new_session() as session:
            return await session.mailbox_set.get_mailbox(name)


T = TypeVar("T")
MOST_CONNECTIONS = 32
"""Connections to a port for each address, if logins are required. A choice: a mail program keeps a few, and guessing
passwords is slowed down."""
_HUNG_SECONDS = 30.0
"""Seconds after which a call into the server's thread counts as hung: a call takes milliseconds, on a busy machine
some seconds."""


@dataclass(frozen=True)
class Delivery:
    """A letter by SMTP: envelope sender (empty: null path), recipient, stored bytes."""

    sender: str
    recipient: str
    raw: bytes


class EmbeddedMail:
    """The server: `users` maps addresses to passwords.

    `clock` returns the INTERNALDATE of a delivery, with a time zone. With `keep`, each delivery is also written to
    ``keep/<address>/<number>.eml``; files found there at the start are put into the mailboxes again, unless
    `is_done` (address, bytes) returns True. `refuse` is called for each recipient (envelope sender, recipient) and
    may answer with an SMTP reply such as ``451 4.3.0 later``. With `authenticate`, SMTP takes letters only after a
    login, and only from the address that logged in; no address may have more than `MOST_CONNECTIONS` to a port. Several
    `hosts` need chosen ports. Use it as a context manager, or call `start` and `stop`.
    """

    host = "127.0.0.1"

    def __init__(
        self,
        users: Mapping[str, str],
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        keep: Path | None = None,
        hosts: Sequence[str] = (host,),
        authenticate: bool = False,
    ) -> None:
        self.imap_port = 0
        self.smtp_port = 0
        self.refuse: Callable[[str, str], str | None] = lambda sender, recipient: None
        self.is_done: Callable[[str, bytes], bool] = lambda address, raw: False
        self._users = {base_address(check_address(address)): password for address, password in users.items()}
        self._clock = clock
        self._keep = keep
        self._hosts = list(hosts)
        self._authenticate = authenticate
        self._connections = MOST_CONNECTIONS if authenticate else sys.maxsize
        self._kept = dict.fromkeys(self._users, 0)
        self._parts = _Parts()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Open both ports: the chosen ones, or else free ones.

        Raise OSError if a chosen one is taken.
        """
        if self._loop is not None:
            raise RuntimeError("the server is already running")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="embedded-mail", daemon=True)
        self._thread.start()
        try:
            self._run(self._open_mailboxes())
            self.start_imap()
            self.start_smtp()
        # An interrupt as well must leave neither a thread nor an open port.
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Close both ports and all connections, and drop the mailboxes."""
        loop, thread = self._loop, self._thread
        if loop is None or thread is None:
            return
        with suppress(Exception):
            self._run(self._close_all())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(_HUNG_SECONDS)
        loop.close()
        self._loop = self._thread = None
        self._parts = _Parts()

    def start_imap(self) -> None:
        """Open the IMAP port, the same as before if it was open once."""
        self.imap_port = self._run(self._mailboxes().listen(self._hosts, self.imap_port, self._connections))

    def stop_imap(self) -> None:
        """Close the IMAP port and cut every connection to it; the mailboxes stay."""
        self._run(self._mailboxes().close())

    def start_smtp(self) -> None:
        """Open the SMTP port, the same as before if it was open once."""
        self.smtp_port = self._run(self._open_smtp())

    def stop_smtp(self) -> None:
        """Close the SMTP port and cut every connection to it."""
        self._run(self._close_smtp())

    def deliver(self, recipient: str, raw: bytes, sender: str = "") -> None:
        """Put a letter into a mailbox as SMTP would.

        Raise KeyError if there is none for `recipient`.
        """
        self._run(self._store(Delivery(sender, recipient, raw)))

    def letters_in(self, address: str, folder: str = "INBOX") -> tuple[bytes, ...]:
        """Return a folder's letters, oldest first; raise KeyError if it does not exist."""
        return self._run(self._mailboxes().letters_in(base_address(address), folder))

    async def _open_mailboxes(self) -> None:
        self._parts.mailboxes = await Mailboxes.open(self._users)
        if self._keep is not None:
            for path in sorted(self._keep.glob("*/*.eml")):
                when = datetime.fromtimestamp(path.stat().st_mtime, UTC)
                owner, raw = path.parent.name, path.read_bytes()
                self._kept[owner] = int(path.stem)
                if not self.is_done(owner, raw):
                    await self._parts.mailboxes.append(owner, raw, when)

    def _check_login(self, server: SMTP, session: Session, envelope: Envelope, way: str, data: object) -> AuthResult:
        """Return to aiosmtpd whether a user's password is correct."""
        is_correct = isinstance(data, LoginPassword) and secrets.compare_digest(
            self._users.get(data.login.decode("utf-8", "replace"), "").encode(), data.password or b"-"
        )
        return AuthResult(success=is_correct, auth_data=data)

    async def _open_smtp(self) -> int:
        loop = asyncio.get_running_loop()
        handler = _Handler(self, self._connections)

        def connection() -> SMTP:
            return _quiet_smtp(
                handler,
                loop=loop,
                hostname="localhost",
                ident="pbem",
                enable_SMTPUTF8=False,
                authenticator=self._check_login,
                auth_required=self._authenticate,
                auth_require_tls=False,
            )

        if self._parts.smtp is not None:
            raise RuntimeError("the SMTP port is already open")
        self._parts.smtp = await loop.create_server(connection, self._hosts, self.smtp_port)
        self._parts.handler = handler
        return int(self._parts.smtp.sockets[0].getsockname()[1])

    async def _close_smtp(self) -> None:
        if self._parts.smtp is not None and self._parts.handler is not None:
            self._parts.smtp.close()
            self._parts.handler.cut()
            self._parts.smtp = self._parts.handler = None

    async def _close_all(self) -> None:
        await self._close_smtp()
        if self._parts.mailboxes is not None:
            await self._parts.mailboxes.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _store(self, delivery: Delivery) -> None:
        owner = base_address(delivery.recipient)
        # A receiving server adds the envelope (RFC 5321, 4.4), for readers of the mailbox.
        trace = f"Return-Path: <{delivery.sender}>\r\nDelivered-To: {delivery.recipient}\r\n"
        raw = trace.encode("ascii") + delivery.raw
        await self._mailboxes().append(owner, raw, self._clock())
        if self._keep is not None:
            self._kept[owner] += 1
            folder = self._keep / owner
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{self._kept[owner]:06d}.eml").write_bytes(raw)

    def _mailboxes(self) -> Mailboxes:
        if self._parts.mailboxes is None:
            raise RuntimeError("the server is not running")
        return self._parts.mailboxes

    def _run(self, coroutine: Coroutine[object, object, T]) -> T:
        if self._loop is None:
            coroutine.close()
            raise RuntimeError("the server is not running")
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(_HUNG_SECONDS)


@dataclass
class _Parts:
    """The objects that live in the server's thread."""

    mailboxes: Mailboxes | None = None
    smtp: asyncio.Server | None = None
    handler: _Handler | None = None


@dataclass
class _Handler:
    """aiosmtpd's hooks: check recipients against the mailboxes, store letters."""

    server: EmbeddedMail
    connections: int
    protocols: set[SMTP] = field(default_factory=set)

    async def handle_RCPT(
        self, protocol: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        refusal = self.server.refuse(_envelope_sender(envelope), address)
        if refusal:
            return refusal
        try:
            is_known = base_address(check_address(address)) in self.server._users
        # No mailbox here has an address that `check_address` refuses.
        except ValueError:
            return "553 5.1.3 not an address"
        if not is_known:
            return "550 5.1.1 no such mailbox"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, protocol: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.original_content or b""
        if session.authenticated and not _is_own(session.login_data.decode("utf-8", "replace"), envelope, content):
            return "550 5.7.1 a letter goes out from the address that logged in, and from no other"
        for recipient in envelope.rcpt_tos:
            await self.server._store(Delivery(_envelope_sender(envelope), recipient, content))
        return "250 2.0.0 delivered"

    def cut(self) -> None:
        for protocol in self.protocols.copy():
            if isinstance(protocol.transport, asyncio.WriteTransport):
                protocol.transport.abort()
        self.protocols.clear()


class _Conversation(SMTP):
    """A connection to the SMTP port, refused if its address has too many."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        protocols = self.event_handler.protocols
        protocols.add(self)
        peers = [protocol.session.peer[0] for protocol in protocols if protocol.session and protocol.session.peer]
        if peers.count(transport.get_extra_info("peername", ("",))[0]) > self.event_handler.connections:
            transport.abort()

    def connection_lost(self, error: Exception | None) -> None:
        self.event_handler.protocols.discard(self)
        super().connection_lost(error)


def _quiet_smtp(handler: _Handler, **settings: Any) -> SMTP:
    """Make the SMTP protocol object of a connection.

    Login is allowed without TLS, as on a home network.
    """
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return _Conversation(handler, **settings)


def _is_own(owner: str, envelope: Envelope, content: bytes) -> bool:
    """Return whether envelope and header of a letter name its owner as the sender."""
    fields = mime.read_fields(content)
    senders = [*map(author_address, fields.all("from") or [""]), *map(author_address, fields.all("sender"))]
    try:
        addresses = {base_address(check_address(sender)) for sender in [_envelope_sender(envelope) or owner, *senders]}
    # A sender that is no address is not the owner's.
    except ValueError:
        return False
    return addresses == {base_address(owner)}


def _envelope_sender(envelope: Envelope) -> str:
    """Return the envelope sender; aiosmtpd has the null path as it was sent, ``<>``."""
    return "" if envelope.mail_from in (None, "<>") else str(envelope.mail_from)
