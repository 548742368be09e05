"""A chronicle: the course of a game by chapters, as one reader may know it.

Pages about games are made of it. It is plain data: events and positions as the game lets the reader see
them, texts and rolls.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg


class SeatOrders(NamedTuple):
    """A seat's orders and standing orders as canonical text.

    `segment` counts from 1; later ones hold answers to questions, or a later letter.
    """

    seat: str
    text: str
    standing: tuple[str, ...] = ()
    segment: int = 1


class PressLetter(NamedTuple):
    """A seat's letter to others, in some turn, that its author allows to show.

    A letter to everybody is to ``*``.
    """

    turn: int
    seat: str
    to: tuple[str, ...]
    text: str


class ThrownDice(NamedTuple):
    """A roll: `n` dice of `sides` sides, their values, and the number of its key.

    The number is the key's place in the chapter's keys, -1 if the key is secret.
    """

    n: int
    sides: int
    values: tuple[int, ...]
    key: int = -1


class RollEffect(NamedTuple):
    """The effect of a roll: each side's gain compared with the others, mean square."""

    luck: tuple[float, ...]
    variance: tuple[float, ...]


_NO_THROWS: Mapping[str, ThrownDice] = MappingProxyType({})
_NO_NUMBERS: Mapping[str, tuple[int, ...]] = MappingProxyType({})
_NO_LUCK: Mapping[str, RollEffect] = MappingProxyType({})


class Chapter(NamedTuple):
    """A phase, or a ruling's corrections (no `phase`).

    `seen` are the events, each with the position before it. `name` is the name in letters, ``T2.spain`` or ``M3``.
    `numbers` are, by seat and by place in `seen`, the numbers of events in the seat's letter, 0 for an event that
    it did not report; `origins` has by place the line of the order that led to the event. `throws` are the rolls by
    label and `keys` their keys, in hex; `luck` is by label too.
    """

    name: str
    turn: int
    phase: str
    before: Any
    seen: tuple[tuple[Event, Any], ...]
    after: Any
    orders: tuple[SeatOrders, ...] = ()
    throws: Mapping[str, ThrownDice] = _NO_THROWS
    keys: tuple[str, ...] = ()
    numbers: Mapping[str, tuple[int, ...]] = _NO_NUMBERS
    origins: tuple[str, ...] = ()
    luck: Mapping[str, RollEffect] = _NO_LUCK


class Chronicle(NamedTuple):
    """A game so far, as the reader `seat` may know it; ONLOOKER stands for everybody.

    `over` is True if nothing is hidden. `sides` are the sides of the luck figures, in their order; empty if luck is
    not shown. `result` is the end, if its players or its moderator ended it.
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
    letters: tuple[PressLetter, ...] = ()
