"""A witness asked by HTTP (C2SP tlog-witness): one address, add-checkpoint, on a port of his machine.

Whoever can reach the port may ask, and gets nothing signed but what the watched log has signed and what goes on from
the tree that is held. What a stranger may take is bounded: the length of a request, the seconds of a connection, the
number of them at a time. A proxy in front of it brings TLS.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from typing import Any

from pbem.audit import note, signing, submission
from pbem.audit.note import parse_key
from pbem.audit.submission import Reply
from pbem.audit.witness import LONGEST
from pbem.audit.witnessing import Witness
from pbem.cli.exit_codes import Stop
from pbem.cli.log_output import Log
from pbem.cli.witness_home import SEEN, Home
from pbem.runtime.clock import Clock
from pbem.store.durable import Unwritten

MOST = 16
"""Connections at a time; a further one is closed at once."""

SECONDS = 30.0
"""How long a connection may last, whatever is said on it."""


class WitnessAnswering:
    """What the witness answers to a request, one at a time: what is signed is on the disk before it is told."""

    def __init__(self, home: Home, clock: Clock, log: Log) -> None:
        self.home, self.clock, self.log, self.alone = home, clock, log, threading.Lock()
        self.state = home.load()
        text = home.told.witness.log or self.state.log
        if not text:
            raise Stop("which log is watched? Put its key into the settings: log, under [witness]")
        self.watched = parse_key(text)

    def answer(self, data: bytes) -> Reply:
        """Judge the body of a request; 500 if what was signed cannot be written down."""
        by = Witness(self.home.key, self.home.sign, signing.verify)
        with self.alone:
            at = int(self.clock.now().timestamp())
            reply = submission.judge(data, self.watched, self.state.seen, by, at)
            if reply.fork is not None:
                shown = submission.parse(data).note
                self.log.error("THE LOG WAS FORKED", held=reply.fork.decode(), shown=shown.decode())
            if reply.kept is not None:
                state = self.state._replace(log=self.watched.text, seen=(*self.state.seen, reply.kept)[-SEEN:])
                try:
                    self.home.keep(state)
                except Unwritten as wrong:
                    self.log.error("nothing is cosigned: it cannot be written down", why=str(wrong))
                    return Reply(500, "it cannot be written down\n")
                self.state = state
                self.log.info("cosigned", leaves=note.parse(reply.kept).text.split("\n")[1])
        return reply


class Port(ThreadingMixIn, HTTPServer):
    """The port, on which `answering` is asked; `serve_forever` and `shutdown` as any server of the standard library."""

    daemon_threads = True

    def __init__(self, host: str, port: int, answering: WitnessAnswering, seconds: float = SECONDS) -> None:
        self.answering, self.seconds, self.places = answering, seconds, threading.BoundedSemaphore(MOST)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Request)

    def server_bind(self) -> None:
        """Take the port, without asking the DNS for our name as the library would."""
        socket.socket.setsockopt(self.socket, socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = str(self.server_address[0]), self.server_address[1]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Give a connection a thread, unless there are too many."""
        if self.places.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serve one connection, and end it when its time is over."""
        end = threading.Timer(self.seconds, _close, (request,))
        end.daemon = True
        end.start()
        try:
            super().process_request_thread(request, client_address)
        finally:
            end.cancel()
            self.places.release()

    def handle_error(self, request: object, client_address: object) -> None:
        """A connection that broke is nobody's fault."""


def _close(request: socket.socket) -> None:
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class _Request(BaseHTTPRequestHandler):
    """One request after the other on a connection, as HTTP/1.1 has it."""

    server: Port
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "pbem-witness", ""

    def do_POST(self) -> None:
        """Answer add-checkpoint."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or len(length) > 9:
            self._say(Reply(411, "say how long it is\n"), last=True)
        elif int(length) > LONGEST:
            self._say(Reply(413, f"at most {LONGEST} octets\n"), last=True)
        else:
            body = self.rfile.read(int(length))
            whole = len(body) == int(length)
            known = self.path == submission.PATH
            self._say(self.server.answering.answer(body) if known and whole else Reply(404, "there is nothing here\n"))

    def do_GET(self) -> None:
        """Tell what is here."""
        self._say(Reply(404, f"POST {submission.PATH}\n"), last=True)

    def _say(self, reply: Reply, last: bool = False) -> None:
        data = reply.body.encode("utf-8")
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(data)))
        if last:
            self.send_header("Connection", "close")
            self.close_connection = True
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Strangers write no lines into our log."""
