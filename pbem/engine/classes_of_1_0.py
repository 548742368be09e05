"""Games declared as 1.0.0 had it, in classes with methods, made into the record of today with a warning.

::

    class Dusk(Standard):                                   # GAME = Dusk(): DeprecationWarning, see docs/new-game.md
        name, title, rules = "dusk", msg("Dusk"), Rules()
        shelf, pinned, position, doctrine = SHELF, Edition, State, Doctrine
        edition, start = staticmethod(read_edition), staticmethod(start)

Nothing of ours is declared so. Each class below has what the record of its name has, as far as that may be left out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from typing import Any

from pbem.engine import game, parts, standard
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.data.report import Entry
from pbem.engine.game import AnyGame
from pbem.engine.orders.doctrine import Doctrine
from pbem.engine.run.questions import Asks
from pbem.engine.shelf import Shelf
from pbem.engine.terms import Because, Orders


def _value(one: Field[object]) -> Any:
    if one.default is not MISSING:
        return staticmethod(one.default) if callable(one.default) else one.default
    return one.default_factory() if one.default_factory is not MISSING else MISSING


def _class_of(record: type[Any]) -> Any:
    """Return a class whose members are what a record has where nothing is said, so that others may stand for them."""
    members = {one.name: _value(one) for one in fields(record)}
    return type(record.__name__, (), {name: value for name, value in members.items() if value is not MISSING})


Rulebook = _class_of(parts.Rulebook)
Aids = _class_of(parts.Aids)
Forecast = _class_of(parts.Forecast)
Advice = _class_of(parts.Advice)
Pictured = _class_of(parts.Pictured)
Cased = _class_of(parts.Cased)


class Editing:
    """What a game has whose position a moderator may correct: `edit`."""


class Awarding:
    """What a game has whose sides a moderator may give points: `awards`."""


class OldTelling(_class_of(parts.Telling)):  # type: ignore[misc]  # a class made of a record
    """What a game tells its players."""

    def grouped(self, seen: parts.Seen[object]) -> parts.Entries:
        """The happenings, none of which says of what events it tells."""
        return tuple((entry, ()) for entry in self.happenings(seen))


class OneByOne(OldTelling):
    """Happenings from `tell`, and what is behind them."""

    def tell(self, happened: Event) -> Entry | None:
        """An event as a happening of the report; None if it is none."""
        return None

    def read(self, happened: Event) -> tuple[str, tuple[str, str]] | None:
        """The chart that an event was read from and the cell; None if it was read from none."""
        return None

    def happenings(self, seen: parts.Seen[object]) -> tuple[Entry, ...]:
        """What the report tells of events."""
        return tuple(entry for entry, _ in standard.one_by_one(self.tell, seen))

    def why(self, view: object, seat: str, seen: parts.Seen[object], number: int, orders: Orders) -> Because | None:
        """What is behind a happening."""
        return standard.why(self.tell, self.read, view, seat, seen, number, orders)


class OldScored(_class_of(parts.ScoredGame)):  # type: ignore[misc]  # a class made of a record
    """What a position is worth."""

    def winner(self, state: object) -> str:
        """Who has won by the rules."""
        return standard.winner_of(self.worth, state)


class Book(Rulebook):  # type: ignore[misc,valid-type]  # a class made of a record
    """The rulebook of a game with a shelf."""

    def __init__(self, shelf: Shelf, helped: standard.Help, presets: Mapping[str, str]) -> None:
        self._book: parts.Rulebook[Any] = standard.book(shelf, helped, presets)


def _looked_up(name: str) -> Callable[..., Any]:
    return lambda book, *asked, **named: getattr(book._book, name)(*asked, **named)


for _one in fields(parts.Rulebook):
    setattr(Book, _one.name, _looked_up(_one.name))


class OldGame(_class_of(game.Game)):  # type: ignore[misc]  # a class made of a record
    """A game that says of everything how it is."""

    editing = awarding = None

    def commanders(self, state: object) -> tuple[str, ...]:
        """Nobody commands units of his own."""
        return ()

    def shares(self, orders: Orders) -> bool:
        """Nobody shows his orders."""
        return False

    def together(self, state: object) -> bool:
        """One side moves after the other."""
        return False


class Standard(OldGame):
    """A game of two camps that move one after the other."""

    shared = standard.TURNS.shared
    shelf: Shelf
    pinned: Any
    position: Any
    doctrine: Callable[..., Doctrine[Any, Any]]

    def editions(self) -> Mapping[str, Msg]:
        """Shipped scenarios and their titles."""
        return self.shelf.editions()

    def brought_by(self, package: str, version: str) -> None:
        """Editions that are made from now on are pinned to the package that brings the game, and to its version."""
        self.pinned.brought_by(package, version)

    def edition_from_json(self, value: object) -> Any:
        """A stored edition."""
        return self.pinned.from_json(value)

    shares = staticmethod(standard.shows_its_side)

    def at_once(self, state: object) -> tuple[str, ...]:
        """The seats that write at once in a phase that is not one side's."""
        return standard.every_seat(state)

    def moving(self, state: object) -> tuple[str, ...]:
        """The seats of the side whose phase it is."""
        return standard.seats_of_phase(state)

    def together(self, state: Any) -> bool:
        """Whether both sides write at once."""
        return state.phase in self.shared

    def active(self, state: object) -> tuple[str, ...]:
        """The seats of the side whose phase it is, or all where both write at once."""
        return self._turns.active(state)

    def commanders(self, state: object) -> tuple[str, ...]:
        """The commanders of the side whose phase it is."""
        return self._turns.commanders(state)

    @property
    def _turns(self) -> standard.Turns:
        return standard.Turns(at_once=self.at_once, moving=self.moving, shared=frozenset(self.shared))

    def decisions(
        self,
        state: object,
        orders: Mapping[str, Orders],
        answers: Mapping[str, Sequence[str]],
        asks: Asks | None = None,
    ) -> Doctrine[Any, Any]:
        """Answers, standing orders, the defaults of the rules."""
        return standard.decide(self.doctrine, state, orders, answers, asks)

    def decode(self, value: object, edition: object) -> Any:
        """The position from JSON."""
        return self.position.decode(value, edition)


PARTS = {
    "telling": parts.Telling,
    "rulebook": parts.Rulebook,
    "aids": parts.Aids,
    "forecast": parts.Forecast,
    "advice": parts.Advice,
    "scored": parts.ScoredGame,
    "cased": parts.Cased,
    "pictured": parts.Pictured,
}


class Lacking(TypeError):
    """An object that is no game; `names` are those of what it has not."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"it lacks {', '.join(names)}")
        self.names = tuple(names)


def as_game(found: Any) -> AnyGame:
    """Return a game as a record, made of an object with methods where it is none; Lacking if it is no game."""
    if isinstance(found, game.Game):
        return found
    wanted = [one for one in fields(game.Game) if one.name not in ("edit", "awards")]
    lacking = [one.name for one in wanted if _value(one) is MISSING and getattr(found, one.name, None) is None]
    given = {one.name: getattr(found, one.name) for one in wanted if hasattr(found, one.name)}
    for name, record in PARTS.items():
        part = given.get(name)
        if part is not None and not isinstance(part, record):
            holds = {one.name: getattr(part, one.name) for one in fields(record) if hasattr(part, one.name)}
            asked = {one.name for one in fields(record) if _value(one) is MISSING}
            lacking += ["telling.happenings"] if name == "telling" and not hasattr(part, "happenings") else []
            lacking += [f"{name}.{one}" for one in sorted(asked - {*holds})]
            given[name] = record(**holds) if asked <= {*holds} else None
    if lacking:
        raise Lacking(lacking)
    warnings.warn(f"{found.name} is declared in classes: fill Game by keyword", DeprecationWarning, stacklevel=2)
    for name, part, what in (("edit", "editing", "edit"), ("awards", "awarding", "awards")):
        given[name] = getattr(getattr(found, part, None), what, None)
    return game.Game(**given)


def missing(found: object) -> tuple[str, ...]:
    """Return the names of what the house asks of a game and it has not: ``parse``, ``rules.step``."""
    try:
        return game.missing(as_game(found))
    except Lacking as wrong:
        return wrong.names
