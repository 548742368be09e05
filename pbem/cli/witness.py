"""`pbem witness`: watch a server's log and cosign its checkpoints.

It runs on the witness's own machine.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from socketserver import ThreadingMixIn
from typing import Annotated, Any

import typer

from pbem.audit import note, signing, submission
from pbem.audit.note import parse_key
from pbem.audit.submission import WitnessReply
from pbem.audit.witness import LONGEST_TEXT
from pbem.audit.witnessing import Witness
from pbem.cli.exit_codes import CommandError
from pbem.cli.log_output import Log
from pbem.cli.setting_files import write_key, write_new
from pbem.cli.witness_cosigner import SEEN, WitnessHome
from pbem.data import data
from pbem.lazy import lazily, load_all
from pbem.runtime.clock import Clock
from pbem.store.durable import UnwritableFile

with lazily():
    from pbem.cli import log_output, settings, witness_cosigner


app = typer.Typer(no_args_is_help=True, help="Watch a server's log for its players: cosign it, or refuse to.")


FILE_NAME = "witness.toml"
HERE = Path(FILE_NAME)
Config = Annotated[Path, typer.Option("--config", "-c", metavar="FILE", help="The witness's settings.")]


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where the witness is to live; made if missing.")] = Path(),
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="Your own mail address.")] = "friend@example.net",
    server: Annotated[str, typer.Option(metavar="ADDRESS", help="The server to watch.")] = "pbem@example.org",
    name: Annotated[str, typer.Option(help="What you sign as; made of your address if left out.")] = "",
    log: Annotated[str, typer.Option(metavar="KEY", help="The key of its log, if you know it.")] = "",
) -> None:
    """Write witness.toml, to be filled in, and your secret key.

    Prints the key that you are known by.
    """
    settings, key = folder / FILE_NAME, folder / "witness.key"
    local, _, domain = address.rpartition("@")
    values = {
        "name": ("example.net/friend", name or f"{domain}/{local}"),
        "address": ("friend@example.net", address),
        "server": ("pbem@example.org", server),
        "log": ("", log),
    }
    for path in (settings, key):
        if path.exists():
            raise CommandError(f"{path} exists already, and is left as it is")
    try:
        witness_cosigner.Witness(name=values["name"][1], address=address, server=server, log=log)
    except ValueError as wrong:
        raise CommandError(f"these settings cannot be used: {wrong}") from None
    text = data("config", FILE_NAME).read_text("utf-8")
    for word, (shipped, value) in values.items():
        text = text.replace(f'\n{word} = "{shipped}"', f'\n{word} = "{value}"')
    text = text.replace('user = "friend@example.net"', f'user = "{address}"')
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_new(settings, text)
        write_key(key)
    except OSError as wrong:
        raise CommandError(f"cannot write in {folder}: {wrong.strerror}") from None
    print(f"{settings}  settings: fill in the servers of your mailbox and the passwords")
    print(f"{key}   your secret: nobody else's eyes, and no copy that you might put back later")
    print("Your key, for everybody who is to believe you:")
    print(witness_cosigner.open_witness_home(settings).key.text)


@app.command()
def key(config: Config = HERE) -> None:
    """Print the key that you are known by.

    Players give it to the verifiers as --witness.
    """
    typer.echo(witness_cosigner.open_witness_home(config).key.text)


@app.command()
def run(
    once: Annotated[bool, typer.Option("--once", help="Look into the mailbox once, and end.")] = False,
    config: Config = HERE,
) -> None:
    """Cosign the server's checkpoints by mail.

    Ends with 1 if its log was forked or made smaller: tell the players.
    """
    raise typer.Exit(witness_cosigner.watch_server(config, once))


@app.command()
def serve(
    listen: Annotated[str, typer.Option(metavar="HOST:PORT", help="Where to be asked.")] = "127.0.0.1:8750",
    config: Config = HERE,
) -> None:
    """Cosign the log's checkpoints by HTTP, until Ctrl-C.

    It speaks C2SP tlog-witness. Put a proxy with TLS in front of it.
    """
    host, _, port = listen.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65_535:
        raise CommandError(f"where to listen reads HOST:PORT, such as 127.0.0.1:8750, not {listen}")
    home = witness_cosigner.open_witness_home(config)
    log = log_output.open_log(home.told.log.format, home.told.log.level)
    load_all()
    with home.alone():
        answering = WitnessAnswering(home, settings.SystemClock(), log)
        try:
            server = WitnessHttpServer(host.strip("[]"), int(port), answering)
        except OSError as wrong:
            raise CommandError(f"cannot listen on {listen}: {wrong.strerror}") from None
        log.info("asked by HTTP", address=f"http://{host}:{server.server_port}/add-checkpoint", name=home.key.label)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return
        finally:
            server.server_close()


# A witness asked by HTTP (C2SP tlog-witness): one address, add-checkpoint, on a port of his machine.
#
# Whoever can reach the port may ask, and gets nothing signed but what the watched log has signed and what goes on from
# the tree that is held. What a stranger may take is bounded: the length of a request, the seconds of a connection, the
# number of them at a time. A proxy in front of it brings TLS.


MOST_CONNECTIONS = 16
"""Connections at a time; a further one is closed at once. Each has a thread of its own, and a server uses only one."""

SECONDS = 30.0
"""Seconds that a connection may last, whatever is sent: otherwise slow senders could take all connections."""


class WitnessAnswering:
    """The witness's answers, one at a time; signed notes are stored before replying."""

    def __init__(self, home: WitnessHome, clock: Clock, log: Log) -> None:
        self.home, self.clock, self.log, self.alone = home, clock, log, threading.Lock()
        self.state = home.load()
        text = home.told.witness.log or self.state.log
        if not text:
            raise CommandError("which log is watched? Put its key into the settings: log, under [witness]")
        self.watched = parse_key(text)

    def answer(self, data: bytes) -> WitnessReply:
        """Answer the body of a request; 500 if what was signed cannot be stored."""
        witness = Witness(self.home.key, self.home.sign, signing.verify)
        with self.alone:
            moment = int(self.clock.now().timestamp())
            reply = submission.answer(data, self.watched, self.state.seen, witness, moment)
            if reply.fork is not None:
                shown = submission.parse_submission(data).note
                self.log.error("THE LOG WAS FORKED", held=reply.fork.decode(), shown=shown.decode())
            if reply.kept is not None:
                state = self.state._replace(log=self.watched.text, seen=(*self.state.seen, reply.kept)[-SEEN:])
                try:
                    self.home.keep(state)
                except UnwritableFile as wrong:
                    self.log.error("nothing is cosigned: it cannot be written down", why=str(wrong))
                    return WitnessReply(500, "it cannot be written down\n")
                self.state = state
                self.log.info("cosigned", leaves=note.parse(reply.kept).text.split("\n")[1])
        return reply


class WitnessHttpServer(ThreadingMixIn, HTTPServer):
    """The HTTP port; `answering` answers its requests."""

    daemon_threads = True

    def __init__(self, host: str, port: int, answering: WitnessAnswering, seconds: float = SECONDS) -> None:
        self.answering, self.seconds, self.places = answering, seconds, threading.BoundedSemaphore(MOST_CONNECTIONS)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Request)

    def server_bind(self) -> None:
        """Bind the port, without asking the DNS for our name as the library would."""
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
        """Ignore a broken connection."""


def _close(request: socket.socket) -> None:
    with suppress(OSError):
        request.shutdown(socket.SHUT_RDWR)


class _Request(BaseHTTPRequestHandler):
    """The HTTP/1.1 requests of one connection, one after the other."""

    server: WitnessHttpServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "pbem-witness", ""

    def do_POST(self) -> None:
        """Answer add-checkpoint."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdigit() or len(length) > 9:
            self._say(WitnessReply(411, "say how long it is\n"), last=True)
        elif int(length) > LONGEST_TEXT:
            self._say(WitnessReply(413, f"at most {LONGEST_TEXT} octets\n"), last=True)
        else:
            body = self.rfile.read(int(length))
            is_whole = len(body) == int(length)
            is_known = self.path == submission.SUBMISSION_PATH
            self._say(
                self.server.answering.answer(body)
                if is_known and is_whole
                else WitnessReply(404, "there is nothing here\n")
            )

    def do_GET(self) -> None:
        """Answer what is served here."""
        self._say(WitnessReply(404, f"POST {submission.SUBMISSION_PATH}\n"), last=True)

    def _say(self, reply: WitnessReply, last: bool = False) -> None:
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
        """Log nothing: anybody could write lines into our log."""
