"""News that may wait: gathered for seats that want them in one letter a day or a week, at an hour of their own zone.

Only what asks nothing of its reader is gathered (`outbox.news_to_seat`); the rest always goes out at once.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps
from pbem.runtime.clock import next_deadline
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import queries, tables, writes

DUE = "digest"
"""The kind of the rows that say when news are told."""

_HOUR = 18
_SUNDAY = 6
_TEXT = re.compile(r"(?P<every>all|daily|weekly)(?: d(?P<day>[0-6]))?(?: h(?P<hour>\d{1,2}))?")


class Rhythm(NamedTuple):
    """How news come: ``all`` at once, or gathered ``daily`` or ``weekly``, on a day (0 is Monday), at an hour."""

    every: str = "all"
    day: int = _SUNDAY
    hour: int = _HOUR

    @classmethod
    def read(cls, text: str) -> Rhythm:
        """Read ``all``, ``daily``, ``daily h8``, ``weekly d6 h18``; ValueError for anything else."""
        found = _TEXT.fullmatch(text)
        if found is None or int(found["hour"] or 0) > 23:
            raise ValueError(f"no rhythm of letters: {text!r}")
        return cls(found["every"], int(found["day"] or _SUNDAY), int(found["hour"] or _HOUR))

    @property
    def text(self) -> str:
        """As it is kept."""
        day = f" d{self.day}" if self.every == "weekly" else ""
        return self.every if self.every == "all" else f"{self.every}{day} h{self.hour}"

    def next(self, after: datetime, zone: str) -> datetime:
        """When news gathered now are told: the hour is that of the wall, on days on which the clocks change too."""
        days = (self.day,) if self.every == "weekly" else range(7)
        return after if self.every == "all" else next_deadline(after, zone, days, self.hour)


def rhythm_of(game: tables.Game, seat: tables.Seat) -> Rhythm:
    """What a seat has set, or what holds in its game."""
    return Rhythm.read(seat.notify or Terms.read(game.terms).notify)


def gather(work: Work, game: tables.Game, seat: tables.Seat, letter: Json) -> bool:
    """Keep what a letter says for the seat's next digest; False if it wants its letters at once."""
    if rhythm_of(game, seat).every == "all":
        return False
    body = dumps({key: letter[key] for key in ("opening", "blocks", "closing")})
    work.session.add(tables.Gathered(seat_id=seat.id or 0, kind=letter["kind"], at=work.now, body=body))
    work.session.flush()
    if not queries.dues.is_planned(work.session, game.id, cause_of(seat)):
        plan(work, game, seat)
    return True


def plan(work: Work, game: tables.Game, seat: tables.Seat) -> None:
    """Plan when what is gathered for a seat is told, by its rhythm and zone; nothing if nothing is."""
    if any(not row.letter for row in pending(work.session, seat)):
        writes.plan(work.session, game.id, DUE, cause_of(seat), rhythm_of(game, seat).next(work.now, seat.zone))


def pending(session: Session, seat: tables.Seat) -> Sequence[tables.Gathered]:
    """What is gathered for a seat and was not sent yet, in order; what was sent is forgotten."""
    rows = queries.outbox.gathered(session, seat)
    named = {row.letter for row in rows if row.letter}
    gone = queries.outbox.sent_names(session, named) if named else frozenset()
    for row in rows:
        if row.letter in gone:
            session.delete(row)
    return [row for row in rows if row.letter not in gone]


def cause_of(seat: tables.Seat) -> str:
    """The cause of the row that says when a seat's news are told."""
    return f"{DUE} {seat.name}"
