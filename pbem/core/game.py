"""What a game is to the rest of the house: seats, phases, orders, and the functions every game offers."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from pbem.core.canon import Json
from pbem.core.events import Event
from pbem.core.messages import Msg
from pbem.core.odds import Purse
from pbem.core.questions import Asking, Asks, Question
from pbem.core.report import Entry, Line, Report
from pbem.core.steps import Choice, Rules, Task, Window, World

__all__ = [
    "ONLOOKER",
    "Awarding",
    "Because",
    "Edited",
    "Editing",
    "Edition",
    "Game",
    "Orders",
    "Phase",
    "Reading",
    "Registry",
    "Rejected",
    "Scored",
    "Seat",
    "Side",
    "Trial",
    "Warned",
    "Worth",
]

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
    """Something legal that its author may not have meant."""

    line: int
    why: Msg
    rule: str


class Orders(NamedTuple):
    """What a seat wants: its actions in order and its standing orders, both in the game's own plain data."""

    actions: tuple[Any, ...] = ()
    standing: tuple[Any, ...] = ()


class Reading(NamedTuple):
    """A letter's block as understood: the orders of its good lines, the refused lines, the warnings.

    A player's letter is queued only if `rejected` is empty; a rule case runs the good lines.
    """

    orders: Orders
    rejected: tuple[Rejected, ...] = ()
    warned: tuple[Warned, ...] = ()


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

    Each of `left` is the text of an attack, such as `Game.attack` reads.
    """

    said: tuple[tuple[int, Msg], ...] = ()
    left: tuple[str, ...] = ()


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


class Edition(Protocol):
    """What a game is pinned to at creation: rules, options, charts, map and scenario, named by a digest."""

    @property
    def digest(self) -> str:
        """``sha256:`` and the hash of the edition's canonical JSON."""
        ...

    def to_json(self) -> Json:
        """The whole edition, texts included, so that it can be stored and read back for ever."""
        ...


class Game(Protocol):
    """A game of the house. A state is opaque to everything but its game."""

    name: str
    title: Msg
    rules: Rules[Any]
    by_letter: bool
    """Whether the orders of a phase can be carried out letter by letter, each before the next is written."""

    def editions(self) -> Mapping[str, Msg]:
        """The scenarios shipped, by id, each with its title."""
        ...

    def edition(self, scenario: str, options: Mapping[str, str], overlay: Mapping[str, str]) -> Edition:
        """Read a scenario with edition options and chart texts laid over the shipped ones, by name.

        ValueError names what is unknown, SourceError what is broken.
        """
        ...

    def edition_from_json(self, value: Json) -> Edition:
        """Read a stored edition back."""
        ...

    def start(self, edition: Edition) -> Any:
        """The state before the first phase."""
        ...

    def seats(self, state: Any) -> Mapping[Seat, Side]:
        """All seats and their sides, in the order of play."""
        ...

    def phase(self, state: Any) -> tuple[str, int] | None:
        """Name and turn of the phase that waits for orders; None when the game is over."""
        ...

    def active(self, state: Any) -> tuple[Seat, ...]:
        """The seats whose orders the phase waits for."""
        ...

    def parse(self, text: str, view: Any, seat: Seat) -> Reading:
        """Read a block of orders by its fixed checks: words, names, owners, types, map."""
        ...

    def check(self, view: Any, seat: Seat, orders: Orders, begun: bool = False) -> tuple[Rejected, ...]:
        """Hold orders against the state, up to the first line that can roll; `begun` if letters came before."""
        ...

    def canon(self, orders: Orders) -> str:
        """Canonical order text v1; `parse` of it gives the same orders."""
        ...

    def world(
        self, state: Any, orders: Mapping[Seat, Orders], letters: Sequence[Sequence[Any]] | None = None
    ) -> World[Any]:
        """The phase in `state` with everybody's orders, ready for a runner.

        With `letters`, which only a game `by_letter` is given, those are the actions of the letters that came later:
        after each letter, the first being `orders`, the window LETTER asks for MORE or whether the phase is DONE.
        """
        ...

    def decisions(
        self,
        state: Any,
        orders: Mapping[Seat, Orders],
        answers: Mapping[str, Sequence[str]],
        asks: Asks | None = None,
    ) -> Asking[Any]:
        """Answers by window id, an empty one being silence; then standing orders, then the default doctrine.

        Without `asks` nobody is asked by letter, whatever his standing orders say.
        """
        ...

    def question(self, view: Any, window: Window, silence: Choice) -> Question:
        """A window in words for its owner, who sees `view`, with the answers offered, `silence` among them."""
        ...

    def view(self, state: Any, seat: Seat) -> Any:
        """What the seat may know of the state: itself a state, so that the rules can be run on it to look ahead.

        For the onlooker it is what everybody may know, None if the game has nothing public.
        """
        ...

    def see(self, happened: Event, seat: Seat, before: Any) -> Event | None:
        """What the seat may know of the event, or None."""
        ...

    def encode(self, state: Any) -> Json:
        """The state as JSON, without its edition."""
        ...

    def decode(self, value: Json, edition: Edition) -> Any:
        """Read what `encode` wrote."""
        ...

    def report(self, view: Any, seat: Seat, seen: Sequence[tuple[Event, Any]]) -> Report:
        """Report on events, each with the view before it, and on the position after them; to the onlooker too."""
        ...

    def happenings(self, seen: Sequence[tuple[Event, Any]]) -> tuple[Entry, ...]:
        """The entries of the report on these events, without the rest of it."""
        ...

    def why(
        self, view: Any, seat: Seat, seen: Sequence[tuple[Event, Any]], number: int, orders: Orders
    ) -> Because | None:
        """What is behind happening `number` (from 1) of the report on `seen`; None if it has none.

        `orders` are the seat's own of that phase.
        """
        ...

    def order_line(self, task: Task) -> str:
        """The canonical line of the order that a task carries out; empty if it carries out none."""
        ...

    def template(self, view: Any, seat: Seat, language: str) -> tuple[str, ...]:
        """Order lines to be edited, without header and END, in the words of `language`: comments that order nothing.

        There are none when the game is over.
        """
        ...

    def chart(self, name: str, edition: Edition | None = None) -> str | None:
        """The text of a chart by its rule or name: the edition's, or as shipped; None if there is none."""
        ...

    def charts(self) -> tuple[str, ...]:
        """The names of all charts, each with its rule before it."""
        ...

    def rule(self, number: str) -> tuple[str, ...]:
        """The lines of the rules' table of contents for a number and those below it; empty if there is none."""
        ...

    def text_map(self, view: Any, seat: Seat) -> tuple[Line, ...]:
        """The map with the forces on it as text, drawn lines (`PLAIN`) and sentences."""
        ...

    def moves(self, view: Any, seat: Seat, place: str) -> tuple[Msg, ...]:
        """What the seat's units in a place, named as a player writes it, could be ordered to do now."""
        ...

    def review(self, view: Any, seat: Seat, orders: Orders) -> tuple[Warned, ...]:
        """Second thoughts on legal orders: what is left to the default, what cannot matter. Line 0 is none."""
        ...

    def odds(self, view: Any, seat: Seat, orders: Orders, purse: Purse) -> Worth:
        """What the fights in the orders are worth as things stand: exact, no dice, paid for from the purse."""
        ...

    def attack(self, text: str, view: Any, seat: Seat) -> Reading:
        """Read one attack as an order says it, perhaps with where it starts from, and hold it against the position.

        Its orders are for `odds` alone; it is read as if its units stood where it starts from, and warns of that.
        """
        ...

    def trial(self, text: str, view: Any, seat: Seat) -> Trial:
        """Read ``place BY force`` and set up that attack of the enemy on the seat, from what the seat sees alone."""
        ...

    def help(self, topic: str) -> tuple[tuple[int, Msg], ...]:
        """What the game adds to the help on ``orders``, ``standing`` and the like: sentences with their depth."""
        ...

    def preset(self, name: str) -> str | None:
        """The text of ready-made standing orders by name, as a player would write them; None if there are none."""
        ...

    def invariants(self, state: Any) -> tuple[str, ...]:
        """What is wrong with the state, in plain words; empty when all is well."""
        ...


@runtime_checkable
class Editing(Protocol):
    """A game whose position a moderator may correct between phases.

    This and the protocols below are parts that a game may have or not: ``isinstance(game, Editing)`` tells.
    """

    def edit(self, state: Any, text: str) -> Edited:
        """Read a correction, such as ``UNIT Leon AT Sierra`` (see `core.edits`)."""
        ...


@runtime_checkable
class Awarding(Editing, Protocol):
    """A game whose sides a moderator may give points, by correcting what they have been awarded."""

    def awards(self, state: Any) -> Mapping[str, int]:
        """The points that each side has been awarded so far, by the sides that points are counted for."""
        ...


@runtime_checkable
class Scored(Protocol):
    """A game that says what a position is worth besides, so that the luck of its throws can be told (`core.luck`)."""

    @property
    def rules(self) -> Rules[Any]:
        """The rules as the runners need them."""
        ...

    def worth(self, state: Any) -> Mapping[Side, Any]:
        """The points of each side now, exact and in fractions: a loss counts when it comes, not when a point is full.

        There are the same sides in the same order, whatever the state.
        """
        ...

    def party(self, state: Any, side: Side) -> Side:
        """The side of `worth` that a side fights for; empty if there is none of that name."""
        ...

    def apart(self, start: Any) -> Callable[[Any], Hashable]:
        """What tells states that came of `start` from one another, in all that a rule or `worth` may look at."""
        ...

    def engaged(self, state: Any) -> bool:
        """Whether a fight is in progress, whose throws belong together."""
        ...

    def hindsight(self, view: Any, happened: Sequence[Event]) -> Any:
        """A seat's view with what the events that it saw come of it tell of it besides."""
        ...


Registry = Callable[[str], Game]
"""Finds a game by name; KeyError if there is none."""
