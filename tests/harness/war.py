"""A table at which a war is played by letters: two people, the real rules and wording, a clock that a test moves."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from sqlmodel import col, select

from pbem.play import seating
from pbem.play.commands.table import founding
from pbem.runtime.clock import Pace
from pbem.runtime.terms import Terms
from pbem.server import outbox_sender
from pbem.store import tables
from pbem.wars.declaring import NewWar, new_war
from tests.harness.battle import ANA, PEOPLE, PlayedBattle, open_battle_server, readable
from tests.harness.clock import START_2030, Clock
from tests.harness.server import STORIES, make_once

SEATS = ("spain", "morocco")


class Begun:
    """A war whose first battle has begun."""

    def __init__(
        self,
        folder: Path,
        war: str,
        options: tuple[str, ...],
        terms: Terms,
        bots: tuple[str, ...],
        seats: tuple[str, ...],
    ) -> None:
        self.server = open_battle_server(folder, Clock(START_2030), STORIES)
        with self.server.work() as work:
            chosen = dict(option.split("=") for option in options)
            first = new_war(
                work, NewWar("w60", "africa1860", war, chosen, Pace(hour=20, undo_minutes=0), terms, bots=bots)
            )
            for seat, (who, language) in zip(seats, PEOPLE, strict=False):
                if not bots:
                    seating.invite_seat(work, seating.Invitation(game=first, seat=seat, email=who, language=language))
            founding.start_game(work, first)


class PlayedWar(PlayedBattle):
    """A war and its seats, two unless others are named; letters go to the game that is played, wherever the war is."""

    def __init__(
        self,
        folder: Path,
        *options: str,
        war: str = "wadras",
        terms: Terms | None = None,
        bots: tuple[str, ...] = (),
        seats: tuple[str, ...] = SEATS,
    ) -> None:
        self.server = make_once(folder, Begun, war, options, terms or Terms(), bots, seats).server
        self.count = 0
        self.addresses = {}
        self.every: dict[str, None] = {}
        self.senders: dict[str, str] = {}
        self.sit()

    def sit(self) -> str:
        """Learn the addresses of the seats of the game that is played, and its name."""
        with self.server.session() as session:
            places = session.exec(select(tables.WarGame).order_by(col(tables.WarGame.place))).all()
            game = places[-1].game_id
            seats = session.exec(select(tables.Seat).where(tables.Seat.game_id == game)).all()
            self.addresses = {seat.name: self.server.seat_address(seat) for seat in seats}
            known = {row.person_id: row.email for row in session.exec(select(tables.Address))}
            self.senders = {seat.name: known.get(seat.person_id or 0, ANA) for seat in seats}
            self.every |= dict.fromkeys(self.addresses.values())
        return game

    def letter(self, seat: str, text: str, minutes_ago: int = 0, **headers: str) -> bytes:
        """A letter of whoever has a seat of the game that is played."""
        return super().letter(seat, text, minutes_ago, **{"sender": self.senders.get(seat, ANA), **headers})

    def known(self) -> tuple[str, ...]:
        """The addresses of the seats in all games so far."""
        self.sit()
        return (*self.every,)

    def nonce(self, seat: str) -> str:
        """The mark of the template that a seat was sent last in the game that is played."""
        game = self.sit()
        with self.server.session() as session:
            rows = session.exec(select(tables.Seat).where(tables.Seat.game_id == game, tables.Seat.name == seat)).all()
            return rows[0].nonce

    def confirmed(self, seat: str, command: str) -> str:
        """The answer to a command that asks for a code first."""
        asked = self.answer(seat, command)
        (line,) = re.findall(rf"^ *({command} (?:CODE|CODIGO) [a-z2-7]{{8}})$", asked, re.MULTILINE)
        reply = self.answer(seat, line)
        self.sit()
        return reply

    def games(self) -> dict[str, str]:
        """The games of the war so far, each with its state."""
        with self.server.session() as session:
            places = session.exec(select(tables.WarGame).order_by(col(tables.WarGame.place))).all()
            return {place.game_id: session.get_one(tables.Game, place.game_id).state for place in places}

    def letters_to(self, seat: str, game: str) -> list[str]:
        """All letters about a game that a seat was sent and that answer none."""
        with self.server.session() as session:
            query = select(tables.Outbox).join(tables.Seat).where(tables.Seat.name == seat, tables.Seat.game_id == game)
            rows = sorted((row for row in session.exec(query) if row.inbox_id is None), key=lambda row: row.id or 0)
            ids = tuple(row.message_id for row in rows)
        return [readable(raw) for raw in outbox_sender.render(self.server, ids)]


def skip(table: PlayedWar, play: Callable[[PlayedWar], object]) -> None:
    """Take a usual war, to which nothing has happened yet, as far as `play` does; that is played once and copied."""
    folder = Path(table.server.engine.url.database or "").parent / "skipped"
    folder.mkdir()
    table.server.engine.dispose()
    vars(table).update(vars(make_once(folder, _played, play)))


def _played(folder: Path, play: Callable[[PlayedWar], object]) -> PlayedWar:
    made = PlayedWar(folder)
    play(made)
    return made
