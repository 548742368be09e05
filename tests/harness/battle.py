"""A table of Castillejos with the real game, the real wording and a clock that a test moves."""

from __future__ import annotations

import email
import email.policy
from collections.abc import Callable
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pytest
from sqlmodel import select

from pbem.audit.signing import LogSecrets, secrets_of
from pbem.cli.rulebooks import game_by_name
from pbem.letters.text import TextLetters
from pbem.mail.html import SENTINEL
from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server
from pbem.server import outbox_sender, service
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.clock import START_2030, Clock
from tests.harness.server import LOG, STORIES, make_once, open_server

T = TypeVar("T")

TRIES = 40
"""So many keys are tried for an outcome that one in three or four has."""
ANA, IDRIS = "ana@players.example", "idris@players.example"
PEOPLE = ((ANA, "es"), (IDRIS, "en"), *((f"player{n}@players.example", "en") for n in range(3, 7)))
"""Who sits at the seats in the order in which they are named, and in what language each is written to."""


class Beginning(NamedTuple):
    """What a battle is begun with: all that tells one beginning from another."""

    scenario: str
    undo: int
    terms: Terms
    game: str
    options: tuple[str, ...]
    seats: tuple[str, ...]
    secrets: LogSecrets


def open_battle_server(folder: Path, clock: Clock, secrets: LogSecrets) -> Server:
    """Open the server over the database in a folder, with the real games and wording."""
    return open_server(folder, TextLetters(SENTINEL), clock=clock, games=game_by_name, key=b"k" * 32, secrets=secrets)


class Begun:
    """A battle that has begun, and the addresses of its seats."""

    def __init__(self, folder: Path, how: Beginning) -> None:
        self.server, self.addresses = open_battle_server(folder, Clock(START_2030), how.secrets), {}
        with self.server.work() as work:
            founding.new_game(
                work,
                founding.NewGame(
                    name="g1",
                    game=how.game,
                    scenario=how.scenario,
                    options=dict(option.split("=") for option in how.options),
                    pace=Pace(hour=20, undo_minutes=how.undo),
                    terms=how.terms,
                ),
            )
        for seat, (who, language) in zip(how.seats, PEOPLE, strict=False):
            with self.server.work() as work:
                self.addresses[seat] = seating.invite_seat(
                    work, seating.Invitation(game="g1", seat=seat, email=who, language=language)
                )
        with self.server.work() as work:
            founding.start_game(work, "g1")


class PlayedBattle:
    """One game, two seats or more; `letter` is somebody writing, `deliver` the letter coming in at the door."""

    def __init__(
        self,
        folder: Path,
        scenario: str = "castillejos",
        undo: int = 30,
        terms: Terms | None = None,
        game: str = "africa1860",
        seats: tuple[str, ...] = ("spain", "morocco"),
        fog: bool = False,
        options: tuple[str, ...] = (),
        secrets: LogSecrets | None = None,
    ) -> None:
        chosen = ("fog=on", *options) if fog else options
        how = Beginning(scenario, undo, terms or Terms(), game, chosen, seats, secrets or self.secrets)
        begun = make_once(folder, Begun, how)
        self.server, self.addresses = begun.server, begun.addresses
        self.count = 0

    secrets = STORIES
    """The keys of the log and of the dice."""

    @property
    def clock(self) -> Clock:
        clock = self.server.clock
        assert isinstance(clock, Clock)
        return clock

    code = ""
    """The code that a story was asked for last."""

    def known(self) -> tuple[str, ...]:
        """The addresses of the seats."""
        return (*self.addresses.values(),)

    def letter(self, seat: str, text: str, minutes_ago: int = 0, **headers: str) -> bytes:
        self.count += 1
        made = EmailMessage(policy=email.policy.SMTP)
        made["From"] = headers.get("sender", PEOPLE[[*self.addresses].index(seat) if seat in self.addresses else 1][0])
        made["To"] = headers.get("to", self.addresses.get(seat, ""))
        made["Subject"] = "orders"
        made["Date"] = self.clock.at - timedelta(minutes=minutes_ago)
        made["Message-ID"] = f"<{self.count}@players.example>"
        made.set_content(text)
        return made.as_bytes()

    def deliver(self, raw: bytes) -> Any:
        return service.deliver(self.server, raw)

    def answer(self, seat: str, text: str, minutes_ago: int = 0, **headers: str) -> str:
        """The text of the one answer to a letter."""
        return self.answer_to(self.letter(seat, text, minutes_ago, **headers))

    def answer_to(self, raw: bytes) -> str:
        delivered = self.deliver(raw)
        assert len(delivered.answers) == 1
        return readable(delivered.answers[0])

    def bare(self, seat: str, text: str) -> bytes:
        """A letter whose body and description of it come as they are."""
        head, body = self.letter(seat, "").split(b"\r\n\r\n", 1)[0], text.replace("\n", "\r\n").encode("utf-8")
        own = (line for line in head.split(b"\r\n") if not line.lower().startswith((b"content-", b"mime-")))
        return b"\r\n".join((*own, b"MIME-Version: 1.0", body))

    def nonce(self, seat: str) -> str:
        """The mark of the template that a seat was sent last."""
        with self.server.session() as session:
            (row,) = session.exec(select(tables.Seat).where(tables.Seat.name == seat))
            return row.nonce

    def wait(self, minutes: int) -> None:
        """Let time go by and what is due be done."""
        self.clock.forward(minutes=minutes)
        with self.server.session() as session:
            session.merge(tables.Poll(account="file", folder="", begun=self.clock.at))
        run_due_jobs(self.server)

    def last_to(self, seat: str) -> str:
        """The text of the last letter to a seat that answers none."""
        return readable(self.last_sent(seat))

    def last_sent(self, seat: str) -> bytes:
        """The last letter to a seat that answers none, as it is sent."""
        with self.server.session() as session:
            query = select(tables.Outbox).join(tables.Seat).where(tables.Seat.name == seat)
            rows = [row for row in session.exec(query) if row.inbox_id is None]
        last = max(rows, key=lambda row: row.id or 0)
        return outbox_sender.render(self.server, (last.message_id,))[0]

    def kept(self) -> tuple[Any, ...]:
        """What a refused letter must not change: queued orders, standing orders, phases, events."""
        with self.server.session() as session:
            return (
                [(row.seat_id, row.revision, row.state, row.text) for row in session.exec(select(tables.QueuedOrders))],
                [(row.seat_id, row.scope, row.text) for row in session.exec(select(tables.StandingOrders))],
                [(row.turn, row.name, row.state, row.deadline) for row in session.exec(select(tables.Phase))],
                len(session.exec(select(tables.Event)).all()),
            )


def readable(raw: bytes) -> str:
    """The text part of a letter, without its changing last line."""
    text = email.message_from_bytes(raw, policy=email.policy.default).get_body(("plain",))
    assert isinstance(text, EmailMessage)
    return str(text.get_content()).replace("\r\n", "\n")


def seek_dice(folder: Path, what: str, play: Callable[[Path, LogSecrets], T | None]) -> T:
    """Play with one key of the dice after another until `play` returns something, and return that.

    A test that needs a certain outcome finds it so in any edition of a battle, whose dice are others. `play` has a
    folder of its own each time, and returns None if its dice do not bring `what`.
    """
    for number in range(TRIES):
        (own := folder / str(number)).mkdir()
        if (
            brought := play(own, secrets_of("games.example/pbem", LOG, f"sought {number}".encode().ljust(32, b".")))
        ) is not None:
            return brought
    pytest.fail(f"None of {TRIES} keys of the dice brings {what}: does a rule forbid it now, or an edition?")
