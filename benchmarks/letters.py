"""W1 Measure order letters: bytes in, parsed, checked, stored, answer queued.

A server as it runs: one process, SQLite on disk with every commit synced, letters taken in one transaction each, their
answers rendered as the postman does it, a poll's letters at a time. Each letter is a leaf of the log, signed before its
receipt is rendered, and a file beside the database is told of every tree.
``python -m benchmarks.letters GAMES SECONDS`` does it beside as many stored games, a letter to each in turn.
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import format_datetime
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog

from benchmarks.measure import Measured, Workload, spend
from pbem.audit.signing import secrets_of
from pbem.cli.rulebooks import game_by_name
from pbem.engine.run.odds import Memory
from pbem.letters.text import TextLetters
from pbem.log import log_health
from pbem.mail.html import SENTINEL
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.runtime.signed_tree import SignedTreeRecord
from pbem.runtime.transaction import Plugins, Server, ServerKeys, ServerSettings
from pbem.server import outbox_sender
from pbem.server.intake import ReceivedLetter
from pbem.server.listeners import LISTENERS
from pbem.server.mailbox_poller import take_and_commit
from pbem.store import migrations
from pbem.store.engine import open_engine
from pbem.store.external_record import FileRecord
from tests.harness.server import changed

LETTER = """ORDENES T1
ACTIVAR Nudos
FUEGO Montana1 A Cresta
ASALTAR Cresta CON Cuenca, Vergara AL MANDO DE Orozco VANGUARDIA Cuenca CORTINA Vergara
ACTIVAR Tarajal
MOVER Príncipe CON Prim A Nudos
MOVER Luchana A Playa
MOVER Husares1, Husares4 A Playa
FIN
"""
"""Ten lines with header and end; accents and all."""

SECRETS = secrets_of("games.example/pbem", b"l" * 32, b"d" * 32)
"""Keys of a log that nobody else has."""

# A choice: several, as what a poll costs is shared by them.
POLL = 10
"""Letters that a poll finds."""

# A fixed time: what is written is alike in all runs.
NOW = datetime(2030, 1, 7, 12, tzinfo=UTC)


class Unanswered(Exception):
    """A letter of the workload was not taken as the orders it is."""


class _Noon:
    def now(self) -> datetime:
        return NOW


def take_letters(games: int, weighed: Memory | None = None) -> Workload:
    """Take letters in beside so many games; `weighed` replaces the memory of odds."""

    def run(budget: float) -> Measured:
        with quiet(), TemporaryDirectory() as folder:
            server = new_server(Path(folder))
            server = server if weighed is None else changed(server, weighed=weighed)
            letters = _letters(server, [new_game(server, number) for number in range(games)])
            try:
                return spend(budget, lambda: _poll(server, letters))
            finally:
                server.engine.dispose()

    return run


@contextmanager
def quiet() -> Iterator[None]:
    """Log nothing but errors in the block; restore the log afterwards."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    try:
        yield
    finally:
        structlog.configure(**before)


def _poll(server: Server, letters: Iterator[ReceivedLetter]) -> int:
    answers: list[str] = []
    for _ in range(POLL):
        outcome = take_and_commit(server, next(letters))
        if outcome.outcome != "receipt":
            raise Unanswered(f"{outcome.verdict}: {outcome.outcome}")
        answers += outcome.answers
    if len(outbox_sender.render(server, answers)) != POLL:
        raise Unanswered("an answer was not rendered")
    return POLL


def new_server(folder: Path, place: str = "") -> Server:
    """Create an empty server in a folder, on the day of the letters here.

    Its database is its own, or another at `place`.
    """
    engine = open_engine(place or f"sqlite:///{folder}/pbem.db")
    migrations.upgrade(engine)
    words, signed = TextLetters(SENTINEL), SignedTreeRecord(FileRecord(folder / "log.signed"))
    server = Server(
        ServerSettings("pbem", "games.example", "op@games.example", letters_an_hour=10**6),
        engine,
        _Noon(),
        ServerKeys(b"k" * 32, SECRETS, signed),
        Plugins(game_by_name, words, LISTENERS.__getitem__),
    )
    log_health.begin(server)
    return server


def new_game(server: Server, number: int) -> str:
    """Start a game and return the address of the seat that is to move."""
    name = f"g{number}"
    pace = Pace(hour=20, undo_minutes=30)
    with server.work() as work:
        founding.new_game(work, founding.NewGame(name=name, game="africa1860", scenario="castillejos", pace=pace))
        seats = {
            seat: seating.invite_seat(
                work, seating.Invitation(game=name, seat=seat, email=f"{seat}{number}@players.example", language="es")
            )
            for seat in ("spain", "morocco")
        }
        founding.start_game(work, name)
    return seats["spain"]


def _letters(server: Server, addresses: list[str]) -> Iterator[ReceivedLetter]:
    """Yield letters without end, to one address after the other, as in the mailbox."""
    uid = 0
    while True:
        for number, address in enumerate(addresses):
            uid += 1
            yield letter_to(address, number, uid)


def letter_to(address: str, number: int, uid: int) -> ReceivedLetter:
    """Return the letter to a seat of game `number`, as it is in the mailbox."""
    head = {
        "From": f"spain{number}@players.example",
        "To": address,
        "Subject": "orders",
        "Date": format_datetime(NOW),
        "Message-ID": f"<{uid}@players.example>",
        "MIME-Version": "1.0",
        "Content-Type": 'text/plain; charset="utf-8"',
        "Content-Transfer-Encoding": "8bit",
    }
    text = "".join(f"{name}: {value}\n" for name, value in head.items()) + "\n" + LETTER
    return ReceivedLetter("pbem@mail.example", "INBOX", 1, uid, NOW, text.replace("\n", "\r\n").encode("utf-8"))


if __name__ == "__main__":
    print(json.dumps(take_letters(int(sys.argv[1]))(float(sys.argv[2]))))
