"""Mailboxes in memory behind an IMAP port: pymap's dict backend, driven from code.

Everything here runs on one event loop; `pbem.mail.embedded` gives it a thread and an SMTP port.
"""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Self

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


class _Config(Config):
    """pymap's settings without what would ask the network for a name."""

    @property
    def greeting(self) -> bytes:
        return b"pbem ready"


class Mailboxes:
    """Some mailboxes, by address; the IMAP user's name is the address."""

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
        """Open the port (0: a free one, on one host) and return its number; OSError if it is taken.

        One address may have so many `connections`.
        """
        if self._server is not None:
            raise RuntimeError("the IMAP port is already open")
        talk = IMAPServer(self._login, self._config)

        async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            if task is None:
                raise RuntimeError("a connection is served by a task")
            self._talks[task] = writer
            peers = [one.get_extra_info("peername", ("",))[0] for one in self._talks.values()]
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
        """Close the port and cut its connections, without a BYE: an outage is not polite."""
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
        """Put a letter into an INBOX; KeyError if there is no such mailbox."""
        folder = await self._folder(address, "INBOX")
        await folder.append(AppendMessage(raw, when), recent=True)

    async def stored(self, address: str, folder: str) -> tuple[bytes, ...]:
        """Return the letters of a folder, oldest first; KeyError if there is no such place."""
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
