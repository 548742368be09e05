"""Play a game of counters on a server: two players, letters in plain English."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Engine
from sqlmodel import col, select

from pbem.play import seating
from pbem.play.commands.questions import odds
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server
from pbem.server.intake import LetterOutcome, ReceivedLetter
from pbem.server.mailbox_poller import take_and_commit
from pbem.server.scheduler import run_due_jobs
from pbem.store import tables
from tests.harness.clock import Clock
from tests.harness.letters import PlainLetters, mail
from tests.harness.server import make_once, open_server

CALM = Terms(reminder_hours=0)
ANN, BOB = "ann@players.example", "bob@players.example"


class Plan(NamedTuple):
    """What a game is begun with: all that tells one beginning from another."""

    scenario: str
    started: bool
    terms: Terms
    game: str
    options: tuple[tuple[str, str], ...]
    pace: tuple[tuple[str, Any], ...]


class PlayedGame:
    """The server and what a test does with it; games begun alike are begun once and copied."""

    def __init__(
        self,
        folder: Path,
        scenario: str = "turns",
        started: bool = True,
        terms: Terms = CALM,
        engine: Engine | None = None,
        game: str = "toy",
        options: Mapping[str, str] | None = None,
        **pace: Any,
    ) -> None:
        self.folder = folder
        self.uid = 0
        plan = Plan(scenario, started, terms, game, tuple((options or {}).items()), tuple(pace.items()))
        fresh = engine is None and {path.name for path in folder.iterdir()} <= {"clock"}
        moment = Clock(path=folder / "clock").at
        # A subclass that keeps what is sent is shown the first letters too.
        keeps = type(self).sent is not PlayedGame.sent
        begun = make_once(folder, Begun, plan, keeps, moment) if fresh else Begun(folder, plan, keeps, moment, engine)
        self.server, self.addresses = begun.server, begun.addresses
        if started and keeps:
            self.sent()

    @property
    def clock(self) -> Clock:
        clock = self.server.clock
        assert isinstance(clock, Clock)
        return clock

    def invite(self, seat: str, email: str, **more: str) -> str:
        with self.server.work() as work:
            self.addresses[seat] = seating.invite_seat(
                work, seating.Invitation(game="g1", seat=seat, email=email, **more)
            )
        return self.addresses[seat]

    def write(self, seat: str, text: str, **headers: Any) -> LetterOutcome:
        """A letter from a seat's player comes in now."""
        sender = {"north": ANN, "south": BOB}[seat]
        return self.receive(mail(sender, self.addresses[seat], text, **{"Date": self.clock.now(), **headers}))

    def receive(self, raw: bytes, uid: int | None = None, moment: datetime | None = None) -> LetterOutcome:
        if uid is None:
            self.uid += 1
            uid = self.uid
        return take_and_commit(self.server, ReceivedLetter("box", "INBOX", 1, uid, moment or self.clock.now(), raw))

    def poll(self) -> None:
        """A poll of the mailbox that found nothing more, begun now."""
        with self.server.session() as session:
            session.merge(tables.Poll(account="box", folder="INBOX", begun=self.clock.now()))

    def tick(self) -> int:
        self.poll()
        return run_due_jobs(self.server)

    def sent(self) -> list[tables.Outbox]:
        """The letters queued since the last call, in order; they count as sent."""
        return send(self.server)

    def answer(self) -> str:
        """The one letter queued since the last call, as text."""
        (row,) = self.sent()
        (letter,) = odds.fulfil_odds_promises(self.server, [json.loads(row.model)], [False])
        return PlainLetters().letter(letter, row.language)

    def all(self, table: Any) -> list[Any]:
        with self.server.session() as session:
            return list(session.exec(select(table)).all())

    def game(self) -> tables.Game:
        (game,) = self.all(tables.Game)
        assert isinstance(game, tables.Game)
        return game


class Begun:
    """A game that has been begun, its first letters sent or not, and the addresses of its seats."""

    def __init__(self, folder: Path, plan: Plan, unsent: bool, moment: datetime, engine: Engine | None = None) -> None:
        Clock(path=folder / "clock").set(moment)
        self.server = open_server(folder, engine=engine)
        self.addresses = begin(self.server, plan)
        if plan.started and not unsent:
            send(self.server)


def send(server: Server) -> list[tables.Outbox]:
    """Return the letters that are queued, in order; they count as sent."""
    with server.session() as session:
        rows = session.exec(
            select(tables.Outbox).where(tables.Outbox.state == "queued").order_by(col(tables.Outbox.id))
        ).all()
        for row in rows:
            row.state = "sent"
    return list(rows)


def begin(server: Server, plan: Plan) -> dict[str, str]:
    """Make the game and, if it is to be started, invite both players, whose addresses are returned."""
    with server.work() as work:
        founding.new_game(
            work,
            founding.NewGame(
                name="g1",
                game=plan.game,
                scenario=plan.scenario,
                options=dict(plan.options),
                pace=Pace(**{"hour": 20} | dict(plan.pace)),
                terms=plan.terms,
            ),
        )
    if not plan.started:
        return {}
    addresses = {}
    for seat, email in (("north", ANN), ("south", BOB)):
        with server.work() as work:
            addresses[seat] = seating.invite_seat(work, seating.Invitation(game="g1", seat=seat, email=email))
    with server.work() as work:
        founding.start_game(work, "g1")
    return addresses
