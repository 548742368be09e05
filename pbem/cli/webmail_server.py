"""Serve an application over HTTP: every answer with its headers, no connection without end, few from one address."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from types import TracebackType
from typing import Self

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from pbem.cli.exit_codes import Stop
from pbem.lazy import load_all

HEADERS: Mapping[str, str] = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "sandbox; default-src 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-DNS-Prefetch-Control": "off",
}
"""What each answer tells browsers, errors and redirections too; an answer's own policy goes before this one."""
SECONDS = 60.0
"""How long a connection may take over a request and its answer."""
CONNECTIONS = 32
"""How many connections one address may have."""


def with_headers(app: ASGIApp) -> ASGIApp:
    """Return an application that adds the headers to every answer of another, its failures too."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive, partial(_send, send))

    return answer


async def _send(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        given = {name.lower() for name, _ in message["headers"]}
        added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
        message["headers"] = [*message["headers"], *(one for one in added if one[0] not in given)]
    await send(message)


class Connection(H11Protocol):
    """A connection that is cut when a request takes too long, and at once if its address has too many."""

    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()
        peers = [one.client[0] for one in self.connections if isinstance(one, Connection) and one.client is not None]
        if self.client is not None and peers.count(self.client[0]) > CONNECTIONS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        if self._end is not None:
            self._end.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._wait()
        super().on_response_complete()

    def _wait(self) -> None:
        if self._end is not None:
            self._end.cancel()
        self._end = self.loop.call_later(SECONDS, self.transport.abort)


class WebServer:
    """Serves an application in a thread, on one port, while the block runs; Stop if the port is taken."""

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=Connection,
            ws="none",
            log_level="critical",
            access_log=False,
            lifespan="off",
            server_header=False,
            proxy_headers=False,
        )
        self._server = uvicorn.Server(config)
        self._where = f"{host}:{port}"
        self._thread = threading.Thread(target=self._run, name="webmail", daemon=True)

    def __enter__(self) -> Self:
        load_all()
        self._thread.start()
        while not self._server.started:
            if not self._thread.is_alive():
                raise Stop(f"the page cannot be served at {self._where}: is another program there?")
            self._thread.join(0.02)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._server.should_exit = True
        self._thread.join(10)

    def _run(self) -> None:
        # A port that is taken ends uvicorn by SystemExit; who waits for the start sees that the thread has ended.
        with suppress(SystemExit):
            self._server.run()
