"""A chronicle: how a game went, chapter by chapter, as far as somebody may know it. Pages about games are made of it.

It is plain data: events and positions as they came through the gate of the game, and what was written and thrown.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg


class Ordered(NamedTuple):
    """What a seat was played by: its orders and its standing orders as canonical text.

    `segment` counts from 1; what belongs to a later one are the answers to what was asked, or a later letter.
    """

    seat: str
    text: str
    standing: tuple[str, ...] = ()
    segment: int = 1


class Passed(NamedTuple):
    """A letter of a seat to others, in some turn, whose author lets it be shown; one to everybody is to ``*``."""

    turn: int
    seat: str
    to: tuple[str, ...]
    text: str


class Thrown(NamedTuple):
    """A roll: `n` dice of `sides` sides, their values, and the number of the key of the chapter that they follow from.

    It is -1 where that key is not told.
    """

    n: int
    sides: int
    values: tuple[int, ...]
    key: int = -1


class Fortune(NamedTuple):
    """What hung on a roll: what each side gained by it over all the others, and the mean square of that, by side."""

    luck: tuple[float, ...]
    variance: tuple[float, ...]


_NO_THROWS: Mapping[str, Thrown] = MappingProxyType({})
_NO_NUMBERS: Mapping[str, tuple[int, ...]] = MappingProxyType({})
_NO_LUCK: Mapping[str, Fortune] = MappingProxyType({})


class Chapter(NamedTuple):
    """A phase, or what a ruling corrected, which has no `phase`: what was seen, each with the position before it.

    `name` is that of letters, ``T2.spain`` or ``M3``. `numbers` say, by seat and by place in `seen`, under which number
    the seat's letter told it, 0 where it did not; `origins` by place the line of the order that led to it. `throws` are
    the rolls by label and `keys` what they follow from, in hex; `luck` is by label too.
    """

    name: str
    turn: int
    phase: str
    before: Any
    seen: tuple[tuple[Event, Any], ...]
    after: Any
    orders: tuple[Ordered, ...] = ()
    throws: Mapping[str, Thrown] = _NO_THROWS
    keys: tuple[str, ...] = ()
    numbers: Mapping[str, tuple[int, ...]] = _NO_NUMBERS
    origins: tuple[str, ...] = ()
    luck: Mapping[str, Fortune] = _NO_LUCK


class Chronicle(NamedTuple):
    """All of a game so far. `seat` is whose eyes it is seen by, ONLOOKER for everybody's; `over` if nothing is hidden.

    `sides` are those that luck is told of, in its order; there are none where it is not told. `result` says how it
    ended, if its players or its moderator ended it.
    """

    game: str
    rules: str
    over: bool
    seat: str
    start: Any
    chapters: tuple[Chapter, ...] = ()
    edition: str = ""
    sides: tuple[str, ...] = ()
    result: tuple[Msg, ...] = ()
    scenario: str = ""
    letters: tuple[Passed, ...] = ()
