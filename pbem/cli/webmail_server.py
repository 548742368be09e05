"""Serve an application over HTTP, with headers, time limits and few connections.

Every answer has the headers, no connection lasts without end, and an address has few of them.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from html import escape
from types import TracebackType
from typing import Self

import lxml.etree
import lxml.html
import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from pbem.cli.exit_codes import CommandError
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
"""Headers of each answer, errors and redirections too; an answer's own policy replaces the one here."""
SECONDS = 60.0
"""Seconds that a connection may take for a request and its answer. A choice: a slow browser gets its page, and a
silent connection is closed."""
CONNECTIONS = 32
"""Connections that one address may have: browsers open six to a host, in several windows."""


def with_headers(app: ASGIApp) -> ASGIApp:
    """Return an application that adds the headers to every answer of another."""

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        await app(scope, receive, partial(_send, send))

    return answer


async def _send(send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        present = {name.lower() for name, _ in message["headers"]}
        added = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
        message["headers"] = [*message["headers"], *(header for header in added if header[0] not in present)]
    await send(message)


class LimitedConnection(H11Protocol):
    """A connection that is cut if a request is slow or its address has too many."""

    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait()
        peers = [
            connection.client[0]
            for connection in self.connections
            if isinstance(connection, LimitedConnection) and connection.client is not None
        ]
        if self.client is not None and peers.count(self.client[0]) > CONNECTIONS:
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
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
    """A web server in a thread, for a block.

    Starting it raises CommandError if its port is taken.
    """

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        config = uvicorn.Config(
            app,
            host=host,
            port=port,
            http=LimitedConnection,
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
                raise CommandError(f"the page cannot be served at {self._where}: is another program there?")
            self._thread.join(0.02)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback_: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(10)

    def _run(self) -> None:
        # A port that is taken ends uvicorn by SystemExit; who waits for the start sees that the thread has ended.
        with suppress(SystemExit):
            self._server.run()


# Make the page of a letter harmless: what is not known to be looked at alone is left out.


ELEMENTS = frozenset(
    (
        *("html", "head", "body", "style", "meta", "a", "area", "map", "img", "p", "div", "span", "br", "hr", "pre"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "center", "font"),
        *("table", "caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "td", "th"),
        *("b", "i", "u", "s", "em", "strong", "small", "big", "sub", "sup", "code", "tt", "kbd", "samp", "q", "abbr"),
    )
)
"""Elements that are kept; of other elements only the text is kept."""
LEFT_OUT = frozenset(
    (
        *("script", "noscript", "template", "title", "iframe", "frameset", "object", "embed", "applet", "audio"),
        *("video", "svg", "math", "select", "textarea", "form", "input", "button", "base", "link"),
    )
)
"""Elements that are left out with all their content."""
ATTRIBUTES = frozenset(
    (
        *("align", "alt", "bgcolor", "border", "cellpadding", "cellspacing", "class", "color", "colspan", "coords"),
        *("dir", "face", "height", "id", "lang", "role", "rowspan", "scope", "shape", "size", "start"),
        *("style", "title", "usemap", "valign", "width"),
    )
)
_EMPTY = frozenset({"area", "br", "col", "hr", "img", "meta"})
_META_NAMES = frozenset({"viewport", "color-scheme", "supported-color-schemes"})
"""The names of `meta` elements that are kept."""


def safe_page(page: str, pictures: Mapping[str, str], link: Callable[[str], str]) -> str:
    """Return a letter's page with its own pictures in it, and its links changed.

    `pictures` are addresses by Content-ID. `link` returns where a link leads instead: to a place in the page, or to
    a page of ours, which takes the whole window. The page is written anew from known elements and attributes, so
    that a browser cannot read it in another way than this function did.
    """
    source = page.replace("\x00", "").encode("utf-8", "replace")
    try:
        tree = lxml.html.document_fromstring(source, parser=lxml.html.HTMLParser(encoding="utf-8"))
    except lxml.etree.ParserError:
        # There is no element in the page: lxml refuses an empty document.
        return "<!DOCTYPE html>"
    return "<!DOCTYPE html>" + "".join(_Writer(pictures, link).element(tree))


class _Writer:
    """A writer of trees that leaves out all that is not known to be harmless."""

    def __init__(self, pictures: Mapping[str, str], link: Callable[[str], str]) -> None:
        self._pictures = pictures
        self._link = link

    def element(self, node: lxml.html.HtmlElement) -> Iterator[str]:
        """Yield an element, or the parts of it that are kept."""
        tag = node.tag
        if tag == "style":
            # What ends the element for some browser is no style.
            yield f"<style>{(node.text or '').replace('<', '')}</style>"
        elif isinstance(tag, str) and tag not in LEFT_OUT:
            is_kept = tag in ELEMENTS and (tag != "meta" or node.get("name") in _META_NAMES)
            if is_kept:
                yield f"<{tag}{''.join(self._attributes(node))}>"
            yield escape(node.text or "")
            for child in node:
                yield from self.element(child)
                yield escape(child.tail or "")
            if is_kept and tag not in _EMPTY:
                yield f"</{tag}>"

    def _attributes(self, node: lxml.html.HtmlElement) -> Iterator[str]:
        for name, value in node.items():
            if name == "href" and node.tag in ("a", "area"):
                target = self._link(value)
                yield f' href="{escape(target)}" target="{"_self" if target.startswith("#") else "_top"}"'
            elif name == "src" and node.tag == "img" and value.startswith("cid:"):
                yield f' src="{escape(self._pictures.get(value[4:], ""))}"'
            elif name in ATTRIBUTES or (node.tag == "meta" and name in ("name", "content")):
                yield f' {name}="{escape(value)}"'
