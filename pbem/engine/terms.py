"""Types shared by games and server: seats, phases, orders, and answers to them."""

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
"""The seat of people who watch a game without a seat: they see what everybody may see."""
Side = str
"""The id of a side, as the rulebook names it."""


class Phase(NamedTuple):
    """A phase of a turn; `attempt` counts from 1 and grows when it is reopened."""

    turn: int
    name: str
    attempt: int = 1

    def __str__(self) -> str:
        return f"T{self.turn}.{self.name}~{self.attempt}"

    @classmethod
    def parse(cls, text: str) -> Phase:
        """Read ``T3.spain~1``; raise ValueError for other text."""
        match = re.fullmatch(r"T(\d+)\.([a-z0-9]+)~(\d+)", text)
        if match is None:
            raise ValueError(f"a phase reads T3.spain~1, got {text!r}")
        return cls(int(match[1]), match[2], int(match[3]))


class RejectedLine(NamedTuple):
    """A refused line of a letter: place, reason, rule and suggestions.

    `line` counts from 1 in the text read, `column` from 0 within it, -1 if the fault is in the order as a whole;
    `word` is the text at fault.
    """

    line: int
    column: int
    word: str
    why: Msg
    rule: str
    suggestions: tuple[str, ...] = ()


class OrderWarning(NamedTuple):
    """A legal order that its author may not have meant.

    `now`: it could be read only because of the present position.
    """

    line: int
    why: Msg
    rule: str
    now: bool = False


class RespeltName(NamedTuple):
    """A corrected name: the line, the word as written, the name it was read as."""

    line: int
    word: str
    name: str


class Orders(NamedTuple):
    """A seat's actions in order and its standing orders, in the game's plain data."""

    actions: tuple[Any, ...] = ()
    standing: tuple[Any, ...] = ()


class ParsedBlock(NamedTuple):
    """A parsed block: orders of its good lines, refused lines, warnings.

    A player's letter is queued only if `rejected` is empty; a rule case runs the good lines. `respelt` are the
    corrected names.
    """

    orders: Orders
    rejected: tuple[RejectedLine, ...] = ()
    warned: tuple[OrderWarning, ...] = ()
    respelt: tuple[RespeltName, ...] = ()


NO_ENDIF = msg("this IF has no ENDIF")
"""The reason for refusing an IF that is otherwise correct: its contents go on to the end of the block."""


class PositionChange(NamedTuple):
    """A change of a position: by a phase of a turn, or by a ruling (no `phase`)."""

    turn: int
    phase: str
    before: Any
    after: Any


class AttackSetup(NamedTuple):
    """A hypothetical attack on a seat.

    `world` is its start, None if it was refused: `rejected` has the reasons. `key` identifies a position, `over`
    tells whether the attack has ended in one.
    """

    world: World[Any] | None
    key: Callable[[Any], Hashable] = id
    over: Callable[[World[Any]], bool] = lambda world: False
    rejected: tuple[RejectedLine, ...] = ()


class OrderOdds(NamedTuple):
    """The odds of the fights in some orders.

    `said` are sentences with their lines. Each of `left` is the text of an attack that was too costly to compute,
    as `Forecast.attack` reads it. `notes` are assumptions in addition to the visible position and the default
    doctrine of the other side; `rough` is True if a sentence says that something was left out. `played` is the
    number of plays behind figures that say "about".
    """

    said: tuple[tuple[int, Msg], ...] = ()
    left: tuple[str, ...] = ()
    notes: tuple[Msg, ...] = ()
    rough: bool = False
    played: int = 0


class Explanation(NamedTuple):
    """The explanation of one entry of a report, as far as the seat may know.

    `entry` is the reported event, `events` are the places of its events among those seen; `rules` the rules that
    they cite, `standing` the lines of the seat's own standing orders that were followed, `labels` those of its
    rolls, `charts` the texts of the charts with the cells read in brackets. `follows` is the number of the entry
    that caused it, if one did.
    """

    entry: Entry
    events: tuple[int, ...]
    rules: tuple[str, ...] = ()
    standing: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    follows: int = 0


class Correction(NamedTuple):
    """A correction of the position: its events, which cite nothing yet, or refusals."""

    events: tuple[Event, ...] = ()
    rejected: tuple[RejectedLine, ...] = ()
