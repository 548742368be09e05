"""The words that a game and the house have in common: seats, phases, orders, what is said of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Entry
from pbem.engine.run.steps import World

Seat = str
"""The id of a commander's place at the table, ``[a-z][a-z0-9]{0,11}``; a side may have several seats."""
ONLOOKER: Seat = ""
"""Those who watch a game without a seat: they may know what everybody may."""
Side = str
"""The id of a side, as the rulebook names it."""


class Phase(NamedTuple):
    """A phase of a turn; `attempt` counts from 1 and grows when a moderator reopens the phase."""

    turn: int
    name: str
    attempt: int = 1

    def __str__(self) -> str:
        return f"T{self.turn}.{self.name}~{self.attempt}"

    @classmethod
    def parse(cls, text: str) -> Phase:
        """Read ``T3.spain~1``; ValueError otherwise."""
        found = re.fullmatch(r"T(\d+)\.([a-z0-9]+)~(\d+)", text)
        if found is None:
            raise ValueError(f"a phase reads T3.spain~1, got {text!r}")
        return cls(int(found[1]), found[2], int(found[3]))


class Rejected(NamedTuple):
    """A line of a letter that is refused: where, why, under which rule, and what may have been meant.

    `line` counts from 1 in the text read, `column` from 0 within it, -1 where only the order as a whole was looked at;
    `word` is the text at fault.
    """

    line: int
    column: int
    word: str
    why: Msg
    rule: str
    suggestions: tuple[str, ...] = ()


class Warned(NamedTuple):
    """Something legal that its author may not have meant; with `now` it was only understood by the position of now."""

    line: int
    why: Msg
    rule: str
    now: bool = False


class Respelt(NamedTuple):
    """A name that was read for another: the line, the word as it was written, the name that it was taken for."""

    line: int
    word: str
    name: str


class Orders(NamedTuple):
    """What a seat wants: its actions in order and its standing orders, both in the game's own plain data."""

    actions: tuple[Any, ...] = ()
    standing: tuple[Any, ...] = ()


class Reading(NamedTuple):
    """A letter's block as understood: the orders of its good lines, the refused lines, the warnings.

    A player's letter is queued only if `rejected` is empty; a rule case runs the good lines. `respelt` are the names
    that were read for others than stand there.
    """

    orders: Orders
    rejected: tuple[Rejected, ...] = ()
    warned: tuple[Warned, ...] = ()
    respelt: tuple[Respelt, ...] = ()


NO_ENDIF = msg("this IF has no ENDIF")
"""Why an IF is refused that is sound in itself: what it holds goes on to the end of the block."""


class Step(NamedTuple):
    """How a position became another: by a phase of a turn, or by a ruling, which has no `phase`."""

    turn: int
    phase: str
    before: Any
    after: Any


class Trial(NamedTuple):
    """An attack on a seat that nobody ordered: where it begins, what tells its positions apart, when it is over.

    Without a world there is none, and `rejected` says why.
    """

    world: World[Any] | None
    key: Callable[[Any], Hashable] = id
    over: Callable[[World[Any]], bool] = lambda world: False
    rejected: tuple[Rejected, ...] = ()


class Worth(NamedTuple):
    """What the fights in some orders are worth: sentences, each with its line, and those that were too much to weigh.

    Each of `left` is the text of an attack, such as `Forecast.attack` reads. `notes` say what the figures rest on
    besides all that is seen and the default doctrine of the other side; `rough` if a sentence says that something is
    not counted. `played`, so many times each, are those that say "about".
    """

    said: tuple[tuple[int, Msg], ...] = ()
    left: tuple[str, ...] = ()
    notes: tuple[Msg, ...] = ()
    rough: bool = False
    played: int = 0


class Because(NamedTuple):
    """What is behind one happening of a report, as far as the seat may know.

    `entry` is the happening as it was told, `events` are the places of its events among those seen; `rules` the rules
    they cite, `standing` the lines of the seat's own standing orders that were followed, `labels` those of its rolls,
    `charts` the texts of the charts with what was read in brackets.
    """

    entry: Entry
    events: tuple[int, ...]
    rules: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()


class Edited(NamedTuple):
    """A correction of the position: its events, which cite nothing yet, or what of it is refused and why."""

    events: tuple[Event, ...] = ()
    rejected: tuple[Rejected, ...] = ()
