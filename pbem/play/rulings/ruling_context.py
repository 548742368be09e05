"""A game before its moderator, and what a ruling on it is made of.

A ruling says first, changing nothing, what everybody is told of it; only then is it made. So the players' letters
about it are written before those that it causes, and a moderator can be shown it before he decides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from pbem.engine.data.languages import Called, chosen, in_each
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.lex import fold
from pbem.engine.orders.speech import meant
from pbem.letters import content, outbox
from pbem.play.positions import game_named
from pbem.runtime.transaction import Broken, Work
from pbem.store import queries, tables

PRIVATE = ("EDIT",)
"""Words of rulings of which nobody is told more than the word by their line: not everybody may know what follows."""


class Order(NamedTuple):
    """A line of a moderator's: its word in English, what follows, and the reason; empty where none is given."""

    word: str
    rest: str
    because: str = ""

    @property
    def text(self) -> str:
        """The line without its reason."""
        return f"{self.word} {self.rest}".strip()

    @property
    def line(self) -> str:
        """The line as it could be sent again."""
        return f"{self.text} BECAUSE {self.because}" if self.because else self.text


@dataclass
class RulingContext(Work):
    """The game before the moderator: its row, its open phase if one is open, and the moment.

    `found` holds by its order what a ruling had to work out to be told, so that it is not worked out again to be made.
    """

    game: tables.Game
    phase: tables.Phase | None
    found: dict[Order, Any]


class Ruling(NamedTuple):
    """A kind of ruling.

    `told` gives what everybody is told of it besides the line itself, or raises Broken if it cannot be made; it
    changes nothing. `make` makes it, on the same context at once. `form` is what follows its word in an example.
    `bare` needs no reason. What `moves` leaves another game behind than the lines after it were written for. `also` is
    what its moderator alone is told of it beforehand. A letter may hold so many, `often`.
    """

    told: Callable[[RulingContext, Order], Sequence[Msg]]
    make: Callable[[RulingContext, Order], None]
    form: str = ""
    bare: bool = False
    moves: bool = False
    also: Callable[[RulingContext, Order], Sequence[Msg]] | None = None
    often: int = 1


def context_of(work: Work, name: str) -> RulingContext:
    """A game as it stands; Broken if there is none of that name."""
    game, phase = game_named(work.session, name), queries.phases.open_phase(work.session, name)
    return RulingContext(work.session, work.server, work.now, game, phase, {}, meter=work.meter)


def open_phase(context: RulingContext) -> tables.Phase:
    """The phase that is open; Broken if none is."""
    if context.phase is None or context.game.state not in ("running", "held"):
        raise Broken(msg("No phase of {game} is open.", game=context.game.id))
    return context.phase


def playing(context: RulingContext, *states: str) -> None:
    """Broken unless the game is in one of these states."""
    if context.game.state not in states:
        raise Broken(msg("The game {game} is not being played.", game=context.game.id))


def seat_named(context: RulingContext, name: str) -> tables.Seat:
    """A seat of the game; Broken if it has none of that name."""
    seats = queries.games.seats(context.session, context.game.id)
    called = context.server.rules_of(context.game).telling.called
    for seat in seats:
        if seat.name in (name.casefold(), meant(name, called)):
            return seat
    names = tuple(seat.name for seat in seats)
    raise Broken(
        msg("There is no seat {seat} in {game}; there are: {seats}.", seat=name, game=context.game.id, seats=names)
    )


def name_of(phase: tables.Phase) -> str:
    """``T3.spain``, without the number of the attempt."""
    return str(outbox.phase_of(phase)).partition("~")[0]


def moment(text: str, zone: str) -> datetime:
    """A moment written as ``2031-05-04 20:00`` in a zone, in UTC; ValueError for any other text."""
    day, _, hour = " ".join(text.split()).rpartition(" ")
    found = content.read_date(fold(day).rstrip(","))
    if len(found) != 1:
        raise ValueError(f"not one day: {day}")
    wall = datetime.combine(found[0][0], time.fromisoformat(hour))
    return wall.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC)


# The words that rulings are written with, in English and in Spanish; a ruling is told in those of its reader.
#
# Example::
#
#     line("REOPEN T1.spain")                 REABRIR T1.spain
#     line("FORBID PRESS morocco")            PROHIBIR PRENSA Marruecos


SPANISH: Mapping[str, str] = {
    "PROCESS": "PROCESAR",
    "HOLD": "DETENER",
    "RESUME": "REANUDAR",
    "DEADLINE": "PLAZO",
    "EXTEND": "PRORROGAR",
    "WARN": "ADVERTIR",
    "SUBSTITUTE": "SUSTITUIR",
    "ADJUDICATE": "ADJUDICAR",
    "ANNOUNCE": "ANUNCIAR",
    "RULING": "DECISION",
    "FORBID": "PROHIBIR",
    "ALLOW": "PERMITIR",
    "AWARD": "OTORGAR",
    "EDIT": "CORREGIR",
    "READJUDICATE": "RESOLVER",
    "BEACON": "FARO",
    "REOPEN": "REABRIR",
}
"""The words of all rulings."""

_AMONG = {
    "SUBSTITUTE": ("BY", "POR"),
    "FORBID": ("PRESS", "PRENSA"),
    "ALLOW": ("PRESS", "PRENSA"),
    "BEACON": ("CHANGE", "CAMBIAR"),
    "AWARD": ("VP", "PV"),
    "EDIT": ("UNIT", "UNIDAD"),
}
"""A word that stands in what follows."""
_SEAT = ("WARN", "SUBSTITUTE", "FORBID", "ALLOW", "AWARD")
"""Rulings on a seat, which is named next."""


_NAMED = re.compile(r"((?:PRESS|PRENSA)\s)?\s*(\S+)(.*)", re.IGNORECASE | re.DOTALL)


def ruling_word(english: str) -> Msg:
    """The word of a ruling as its reader would write it."""
    return in_each(lambda language: chosen(language, english, SPANISH.get(english, english)))


def ruling_line(text: str, because: str = "") -> Msg:
    """The line of a ruling in the words of its reader; what its moderator says in it stays as he said it."""
    begins, _, rest = text.partition(" ")
    told = msg("{word} {rest}", word=ruling_word(begins), rest=_rest(begins, rest)) if rest else ruling_word(begins)
    return msg("{line} BECAUSE {reason}", line=told, reason=because) if because else told


def by_ids(begins: str, rest: str, called: Mapping[str, Called]) -> str:
    """What follows the word of a ruling, with the seat in it by its id, whatever language called it so."""
    named = _NAMED.fullmatch(rest) if begins in _SEAT else None
    return f"{named[1] or ''}{meant(named[2], called)}{named[3]}" if named else rest


def in_spanish(begins: str, rest: str) -> str:
    """What follows the English word of a ruling, with the word among it in Spanish."""
    return _among(begins, rest, 1)


def _among(begins: str, rest: str, which: int) -> str:
    pair = _AMONG.get(begins)
    return re.sub(rf"\b(?:{'|'.join(pair)})\b", pair[which], rest, count=1, flags=re.I) if pair else rest


def _in_language(begins: str, rest: str, language: str) -> str:
    return _among(begins, rest, language == "es")


def _rest(begins: str, rest: str) -> Msg:
    if begins == "EDIT":
        # What is corrected is many words, and stays as it was written.
        return msg("{rest}", rest=rest)
    named = _NAMED.fullmatch(rest) if begins in _SEAT else None
    before, seat, after = named.groups("") if named else ("", "", rest)
    one, other = (in_each(partial(_in_language, begins, part)) for part in (before, after))
    return msg("{before}{seat}{after}", before=one, seat=seat, after=other)
