"""Convert games declared as in 1.0.0, in classes with methods, to a record.

::

    class Dusk(Standard):                                   # GAME = Dusk(): DeprecationWarning, see docs/new-game.md
        name, title, rules = "dusk", msg("Dusk"), Rules()
        shelf, pinned, position, doctrine = SHELF, Edition, State, Doctrine
        edition, start = staticmethod(read_edition), staticmethod(start)

A warning is issued. No shipped game is declared in this way. Each class below has the optional members of the
record of its name.
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
from pbem.engine.game_files import GameFiles
from pbem.engine.orders.doctrine import Doctrine
from pbem.engine.run.questions import Asks
from pbem.engine.terms import Explanation, Orders


def _value(field: Field[object]) -> Any:
    if field.default is not MISSING:
        return staticmethod(field.default) if callable(field.default) else field.default
    return field.default_factory() if field.default_factory is not MISSING else MISSING


def _class_of(record: type[Any]) -> Any:
    """Return a class whose members are a record's defaults, to be overridden."""
    members = {field.name: _value(field) for field in fields(record)}
    return type(record.__name__, (), {name: value for name, value in members.items() if value is not MISSING})


Rulebook = _class_of(parts.Rulebook)
Aids = _class_of(parts.OrderHelp)
Forecast = _class_of(parts.Forecast)
Advice = _class_of(parts.Advice)
Pictured = _class_of(parts.Pictures)
Cased = _class_of(parts.RuleCases)


SHARED = {"core": "pbem.core", "kit": "pbem.kit"}
"""The packages that games shared in 1.0.0, by the first word of a rewrite's path."""


def percent(chance: float) -> int:
    """Return a probability in whole percent."""
    return int(f"{100 * chance:.0f}")


class Editing:
    """Base of games whose position a moderator may correct: `edit`."""


class Awarding:
    """Base of games whose sides a moderator may give points: `awards`."""


class OldTelling(_class_of(parts.Reporting)):  # type: ignore[misc]  # a class made of a record
    """Base of a game's reports to its players."""

    def grouped(self, seen: parts.Seen[object]) -> parts.Entries:
        """Return the entries of the report, without the places of their events."""
        return tuple((entry, ()) for entry in self.happenings(seen))


class OneByOne(OldTelling):
    """Entries made by `tell` from single events, and their explanations."""

    def tell(self, happened: Event) -> Entry | None:
        """Return an event as an entry of the report, or None."""
        return None

    def read(self, happened: Event) -> tuple[str, tuple[str, str]] | None:
        """Return the chart and the cell that an event was read from, or None."""
        return None

    def happenings(self, seen: parts.Seen[object]) -> tuple[Entry, ...]:
        """Return the entries of the report on events."""
        return tuple(entry for entry, _ in standard.entry_per_event(self.tell, seen))

    def why(self, view: object, seat: str, seen: parts.Seen[object], number: int, orders: Orders) -> Explanation | None:
        """Return the explanation of an entry."""
        return standard.explain_entry(self.tell, self.read, view, seat, seen, number, orders)


class OldScored(_class_of(parts.PositionValues)):  # type: ignore[misc]  # a class made of a record
    """Base of the values of positions."""

    def winner(self, state: object) -> str:
        """Return the winner by the rules."""
        return standard.winner_of(self.worth, state)


class Book(Rulebook):  # type: ignore[misc,valid-type]  # a class made of a record
    """The rulebook in the files of a game."""

    def __init__(self, files: GameFiles, helped: standard.Help, presets: Mapping[str, str]) -> None:
        self._book: parts.Rulebook[Any] = standard.make_rulebook(files, helped, presets)


def _delegate(name: str) -> Callable[..., Any]:
    return lambda book, *args, **keywords: getattr(book._book, name)(*args, **keywords)


for _one in fields(parts.Rulebook):
    setattr(Book, _one.name, _delegate(_one.name))


class OldGame(_class_of(game.Game)):  # type: ignore[misc]  # a class made of a record
    """Base of a game that declares everything itself."""

    editing = awarding = None

    def commanders(self, state: object) -> tuple[str, ...]:
        """Return no seats: no side has several commanders."""
        return ()

    def shares(self, orders: Orders) -> bool:
        """Return False: nobody shows his orders."""
        return False

    def together(self, state: object) -> bool:
        """Return False: one side moves after the other."""
        return False


class Standard(OldGame):
    """Base of a game of two camps that move one after the other."""

    shared = standard.ALTERNATING_SIDES.shared
    shelf: GameFiles
    pinned: Any
    position: Any
    doctrine: Callable[..., Doctrine[Any, Any]]

    def editions(self) -> Mapping[str, Msg]:
        """Return the shipped scenarios and their titles."""
        return self.shelf.editions()

    def brought_by(self, package: str, version: str) -> None:
        """Pin new editions to the package of the game, and to its version."""
        self.pinned.brought_by(package, version)

    def edition_from_json(self, value: object) -> Any:
        """Return a stored edition."""
        return self.pinned.from_json(value)

    shares = staticmethod(standard.ordered_show_side)

    def at_once(self, state: object) -> tuple[str, ...]:
        """Return the seats that write in a phase of both sides."""
        return standard.all_seats(state)

    def moving(self, state: object) -> tuple[str, ...]:
        """Return the seats of the side whose phase it is."""
        return standard.seats_of_phase(state)

    def together(self, state: Any) -> bool:
        """Return whether both sides write at once."""
        return state.phase in self.shared

    def active(self, state: object) -> tuple[str, ...]:
        """Return the seats of the side whose phase it is, or all in a phase of both."""
        return self._turns.active(state)

    def commanders(self, state: object) -> tuple[str, ...]:
        """Return the commanders of the side whose phase it is."""
        return self._turns.commanders(state)

    @property
    def _turns(self) -> standard.WritingSeats:
        return standard.WritingSeats(at_once=self.at_once, moving=self.moving, shared=frozenset(self.shared))

    def decisions(
        self,
        state: object,
        orders: Mapping[str, Orders],
        answers: Mapping[str, Sequence[str]],
        asks: Asks | None = None,
    ) -> Doctrine[Any, Any]:
        """Return answers, then standing orders, then the defaults of the rules."""
        return standard.standard_decisions(self.doctrine, state, orders, answers, asks)

    def decode(self, value: object, edition: object) -> Any:
        """Return the position from JSON."""
        return self.position.decode(value, edition)


PARTS = {
    "telling": parts.Reporting,
    "rulebook": parts.Rulebook,
    "aids": parts.OrderHelp,
    "forecast": parts.Forecast,
    "advice": parts.Advice,
    "scored": parts.PositionValues,
    "cased": parts.RuleCases,
    "pictured": parts.Pictures,
}


class Lacking(TypeError):
    """Raised for an object that is no game; `names` are its missing members."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(f"it lacks {', '.join(names)}")
        self.names = tuple(names)


def as_game(candidate: Any) -> AnyGame:
    """Return a game as a record, converted if necessary; raise Lacking if it is none."""
    if isinstance(candidate, game.Game):
        return candidate
    wanted = [member for member in fields(game.Game) if member.name not in ("edit", "awards")]
    lacking = [
        member.name for member in wanted if _value(member) is MISSING and getattr(candidate, member.name, None) is None
    ]
    values = {member.name: getattr(candidate, member.name) for member in wanted if hasattr(candidate, member.name)}
    for name, record in PARTS.items():
        part = values.get(name)
        if part is not None and not isinstance(part, record):
            present = {
                member.name: getattr(part, member.name) for member in fields(record) if hasattr(part, member.name)
            }
            required = {member.name for member in fields(record) if _value(member) is MISSING}
            lacking += ["telling.happenings"] if name == "telling" and not hasattr(part, "happenings") else []
            lacking += [f"{name}.{member}" for member in sorted(required - {*present})]
            values[name] = record(**present) if required <= {*present} else None
    if lacking:
        raise Lacking(lacking)
    warnings.warn(f"{candidate.name} is declared in classes: fill Game by keyword", DeprecationWarning, stacklevel=2)
    for name, part, attribute in (("edit", "editing", "edit"), ("awards", "awarding", "awards")):
        values[name] = getattr(getattr(candidate, part, None), attribute, None)
    return game.Game(**values)


def missing(candidate: object) -> tuple[str, ...]:
    """Return the names of missing members of a game: ``parse``, ``rules.step``."""
    try:
        return game.missing_functions(as_game(candidate))
    except Lacking as error:
        return error.names
