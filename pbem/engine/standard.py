"""The members that a game with a shelf, a pinned edition and a position needs no words of its own for.

A game is made of `Standard` and the functions of its chapters::

    class Dusk(Standard):
        name, title, rules = "dusk", msg("Dusk"), Rules()
        shelf, pinned, position, doctrine = SHELF, Edition, State, Doctrine
        edition, start = staticmethod(read_edition), staticmethod(start)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from pbem.engine import parts
from pbem.engine.commanders.holding import asked
from pbem.engine.commanders.orders import Show
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.data.report import Entry
from pbem.engine.data.situation import Position, parts_of
from pbem.engine.data.sources import SourceError
from pbem.engine.deployment import DEPLOYMENT
from pbem.engine.edition import Edition
from pbem.engine.game import Game
from pbem.engine.map.charts import marked
from pbem.engine.orders.doctrine import Doctrine
from pbem.engine.reasons import because
from pbem.engine.run.odds import apart
from pbem.engine.run.questions import Asks
from pbem.engine.shelf import Shelf
from pbem.engine.terms import Because, Orders

Help = Mapping[str, tuple[tuple[int, Msg], ...]]


class Standard(Game):
    """A game of two camps that move one after the other, the sides of an edition's seats being those of the phases.

    The `phase` of a position is ``over`` when the game is. In those of `shared` all seats are active.
    """

    shared: frozenset[str] = frozenset({DEPLOYMENT})

    shelf: Shelf
    pinned: type[Edition[Any]]
    position: type[Position]
    doctrine: Callable[..., Doctrine[Any, Any]]

    def editions(self) -> Mapping[str, Msg]:
        """Shipped scenarios and their titles."""
        found = {}
        for name in self.shelf.scenarios():
            try:
                found[name] = Msg(self.shelf.title(name))
            except (SourceError, KeyError):
                # One of the house's own making is whole; what lies beside says why it is not when it is played.
                if self.shelf.own(name) is None:
                    raise
        return found

    def brought_by(self, package: str, version: str) -> None:
        """Editions that are made from now on are pinned to the package that brings the game, and to its version."""
        self.pinned.PRINTING = self.pinned.PRINTING._replace(release=f"{package} {version}")

    def edition_from_json(self, value: Json) -> Any:
        """A stored edition."""
        return self.pinned.from_json(value)

    def seats(self, state: Any) -> Mapping[str, str]:
        """Seats and sides."""
        found: Mapping[str, str] = state.edition.seats
        return found

    def phase(self, state: Any) -> tuple[str, int] | None:
        """The phase that waits for orders."""
        return None if state.phase == "over" else (state.phase, state.turn)

    def active(self, state: Any) -> tuple[str, ...]:
        """The seats of the side whose phase it is, or all where both write at once.

        M1 A commander is asked who has units in play, the commander-in-chief always.
        """
        seats = self.at_once(state) if self.together(state) else self.moving(state)
        return tuple(seat for seat in seats if asked(state, seat)) if state.edition.commands else seats

    def commanders(self, state: Any) -> tuple[str, ...]:
        """M5 The commanders of the side whose phase it is."""
        if self.together(state) or not state.edition.commands:
            return ()
        return tuple(seat for seat in self.active(state) if seat in state.edition.commands)

    def shares(self, orders: Orders) -> bool:
        """M5 SHOW SIDE."""
        return any(isinstance(action, Show) for action in orders.actions)

    def rides(self, state: Any, seat: str, other: str) -> int | None:
        """M6 Where couriers do not ride no letter does."""
        return None

    def at_once(self, state: Any) -> tuple[str, ...]:
        """The seats that write at once in a phase that is not one side's."""
        return (*state.edition.seats,)

    def together(self, state: Any) -> bool:
        """Whether both sides write at once."""
        return state.phase in self.shared

    def moving(self, state: Any) -> tuple[str, ...]:
        """The seats of the side whose phase it is."""
        return tuple(seat for seat, side in state.edition.seats.items() if side == state.phase)

    def decisions(
        self,
        state: Any,
        orders: Mapping[str, Orders],
        answers: Mapping[str, Sequence[str]],
        asks: Asks | None = None,
    ) -> Doctrine[Any, Any]:
        """Answers, standing orders, the defaults of the rules."""
        return self.doctrine({seat: given.standing for seat, given in orders.items()}, answers, asks)

    def encode(self, state: Any) -> Json:
        """The position as JSON."""
        return state.encode()

    def decode(self, value: Json, edition: Any) -> Any:
        """The position from JSON."""
        return self.position.decode(value, edition)


class Book(parts.Rulebook):
    """The rulebook of a game with a shelf; `helped` are the words of its orders, `presets` its standing orders."""

    def __init__(self, shelf: Shelf, helped: Help, presets: Mapping[str, str]) -> None:
        self._shelf, self._help, self._presets = shelf, helped, presets

    def ground(self, edition: Any) -> Json:
        """The map of the edition."""
        return edition.map.described()

    def chart(self, name: str, edition: Any = None) -> str | None:
        """A chart by its rule, its name or that of its file."""
        wanted = name.casefold()
        for file, chart in (edition.charts if edition else self._shelf.charts({})).items():
            if wanted in (file, chart.rule.casefold(), chart.name.casefold()):
                text: str = chart.text
                return text
        return None

    def charts(self) -> tuple[str, ...]:
        """Rule and file of every chart."""
        return tuple(f"{chart.rule} {file}" for file, chart in self._shelf.charts({}).items())

    def rule(self, number: str, language: str = "en") -> tuple[str, ...]:
        """Lines of rules.txt, or of rules.es.txt, for a number and those below it."""
        return self._shelf.rule(number, language)

    def about(self, words: str, language: str = "en") -> tuple[str, ...]:
        """Lines of rules.txt that speak of some words."""
        return self._shelf.about(words, language)

    def contents(self, language: str = "en") -> tuple[str, ...]:
        """The rules that stand below no other."""
        return self._shelf.contents(language)

    def brief(self, scenario: str, language: str = "en") -> Mapping[str, str]:
        """What is told before a battle."""
        return self._shelf.brief(scenario, language)

    def help(self, topic: str) -> tuple[tuple[int, Msg], ...]:
        """The words of orders and standing orders."""
        return self._help.get(topic, ())

    def preset(self, name: str) -> str | None:
        """Ready-made standing orders."""
        return self._presets.get(name.casefold())


class Scored(parts.ScoredGame):
    """What a position is worth in a game of dataclasses; what a game leaves hidden it completes in `hindsight`."""

    def winner(self, state: Any) -> str:
        """Who has won by the rules."""
        return state.winner if state.winner in self.worth(state) else ""

    def apart(self, start: Any) -> Callable[[Any], Hashable]:
        """All of a position but its edition."""
        kind: type = type(start)
        return apart(start, parts_of(kind))

    def engaged(self, state: Any) -> bool:
        """Each throw stands for itself."""
        return False

    def hindsight(self, view: Any, happened: Sequence[Any]) -> Any:
        """Nothing hidden counts in a throw before it is told."""
        return view


# What a game tells that tells its events one by one, each in a sentence.


class OneByOne(parts.Telling):
    """Happenings from `tell`, and what is behind them; a game adds its report and the words of its questions."""

    def tell(self, happened: Event) -> Entry | None:
        """An event as a happening of the report; None if it is none."""
        return None

    def read(self, happened: Event) -> tuple[str, tuple[str, str]] | None:
        """The chart that an event was read from and the cell, row and column; None if it was read from none."""
        return None

    def happenings(self, seen: Sequence[tuple[Event, Any]]) -> tuple[Entry, ...]:
        """What the report tells of events."""
        return tuple(entry for happened, _ in seen if (entry := self.tell(happened)) is not None)

    def why(
        self, view: Any, seat: str, seen: Sequence[tuple[Event, Any]], number: int, orders: Orders
    ) -> Because | None:
        """What is behind a happening, with the charts read and their cells in brackets."""
        told = [(entry, (at,)) for at, (one, _) in enumerate(seen) if (entry := self.tell(one)) is not None]

        def charts(events: Sequence[Event]) -> tuple[str, ...]:
            cells: dict[str, dict[tuple[str, str], None]] = {}
            for happened in events:
                if found := self.read(happened):
                    cells.setdefault(found[0], {})[found[1]] = None
            return tuple(marked(view.edition.chart(name), cells[name], {}) for name in cells)

        return because(told, seen, number, orders, charts)
