"""A bad line between a client and a mail server: letters put off or refused, connections cut, said BYE to, or silent.

A proxy listens on a port of its own and passes everything on to the server's, but for what `choose` asks for. SMTP is
followed command by command, IMAP is merely counted in lines of the client. STARTTLS is not passed on.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Self

SMTP_FAULTS = ("451", "452", "550", "drop at recipient", "drop before data", "drop after data")
"""What may befall a letter handed in; after "drop after data" the server has it and the client does not know."""
IMAP_FAULTS = ("bye", "silence", "cut")
"""What may befall a connection after some lines of the client."""
PATIENCE = 20.0
_SAID = {
    "451": b"451 4.3.0 come back later\r\n",
    "452": b"452 4.2.2 mailbox full\r\n",
    "550": b"550 5.1.1 no such mailbox\r\n",
}


class _Over(Exception):
    """The connection is at its end."""


class Proxy:
    """A port in front of another one, a thread for each connection; a context manager."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.connections = 0
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        self._open: set[socket.socket] = set()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        # A thread that waits in accept() holds the port open until it is woken.
        with suppress(OSError):
            self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        for connection in list(self._open):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def talk(self, client: socket.socket, server: socket.socket) -> None:
        """Pass on what one connection says."""
        both_ways(client, server)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._door.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError, _Over), client:
            self._open.add(client)
            try:
                with socket.create_connection(("127.0.0.1", self.target), timeout=PATIENCE) as server:
                    try:
                        self.talk(client, server)
                    finally:
                        # A thread that waits in recv() keeps the connection: a server would count it for half an hour.
                        with suppress(OSError):
                            server.shutdown(socket.SHUT_RDWR)
            finally:
                self._open.discard(client)


class TlsProxy(Proxy):
    """TLS from the first byte in front of a server that knows none."""

    def __init__(self, target: int, context: ssl.SSLContext) -> None:
        super().__init__(target)
        self.context = context

    def talk(self, client: socket.socket, server: socket.socket) -> None:
        with self.context.wrap_socket(client, server_side=True) as open_client:
            both_ways(open_client, server)


class ImapProxy(Proxy):
    """`choose` is asked for each connection: a fault and after how many lines of the client it comes, or None."""

    def __init__(self, target: int, choose: Callable[[], tuple[str, int] | None]) -> None:
        super().__init__(target)
        self.choose = choose
        self.befell: list[str] = []

    def talk(self, client: socket.socket, server: socket.socket) -> None:
        fault = self.choose()
        if fault is None:
            both_ways(client, server)
            return
        name, lines = fault
        back = threading.Thread(target=pass_on, args=(server, client), daemon=True)
        back.start()
        stream = client.makefile("rb")
        for _ in range(lines):
            server.sendall(_line(stream))
        # The line that meets the fault never reaches the server.
        _line(stream)
        self.befell.append(name)
        if name == "bye":
            client.sendall(b"* BYE going down for maintenance\r\n")
        elif name == "silence":
            # Nothing is answered until the client has had enough.
            with suppress(_Over):
                while True:
                    _line(stream)


class SmtpProxy(Proxy):
    """`choose` is asked for each recipient, with the address: one of SMTP_FAULTS, or None.

    `befell` notes the faults that really came, each with the recipient.
    """

    def __init__(self, target: int, choose: Callable[[str], str | None]) -> None:
        super().__init__(target)
        self.choose = choose
        self.befell: list[tuple[str, str]] = []

    def talk(self, client: socket.socket, server: socket.socket) -> None:
        client_stream, there = client.makefile("rb"), server.makefile("rb")
        client.sendall(b"".join(_reply(there)))
        fault, recipient = None, ""
        while True:
            line = _line(client_stream)
            word = line[:4].upper()
            if word == b"RCPT":
                recipient = line.partition(b"<")[2].partition(b">")[0].decode("ascii", "replace")
                fault = self.choose(recipient)
                if fault is not None:
                    self.befell.append((fault, recipient))
                if fault in _SAID:
                    client.sendall(_SAID[fault])
                    continue
                if fault == "drop at recipient":
                    return
            server.sendall(line)
            reply = b"".join(_reply(there))
            client.sendall(reply)
            if word == b"DATA" and reply.startswith(b"354"):
                letter = _letter(client_stream)
                if fault == "drop before data":
                    return
                server.sendall(letter)
                reply = b"".join(_reply(there))
                if fault == "drop after data":
                    return
                client.sendall(reply)


def both_ways(first: socket.socket, other: socket.socket) -> None:
    """Pass on what either says until one of them hangs up."""
    back = threading.Thread(target=pass_on, args=(other, first), daemon=True)
    back.start()
    pass_on(first, other)


def pass_on(from_: socket.socket, to: socket.socket) -> None:
    """Pass on what one says until it hangs up or the other does."""
    with suppress(OSError):
        from_.settimeout(None)
        while some := from_.recv(65_536):
            to.sendall(some)
    for end in (from_, to):
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextmanager
def a_bad_line(proxy: Proxy) -> Iterator[int]:
    """The proxy's port while it is open."""
    with proxy:
        yield proxy.port


def _line(stream: object) -> bytes:
    line: bytes = stream.readline()  # type: ignore[attr-defined]
    if not line.endswith(b"\n"):
        raise _Over
    return line


def _reply(stream: object) -> Iterator[bytes]:
    while True:
        line = _line(stream)
        yield line
        if line[3:4] != b"-":
            return


def _letter(stream: object) -> bytes:
    lines = []
    while (line := _line(stream)) != b".\r\n":
        lines.append(line)
    return b"".join([*lines, line])
