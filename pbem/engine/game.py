"""What a game is to the rest of the house: seats, phases, orders, and the functions every game offers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from pbem.engine.bots import Bots
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.parts import Advice, Aids, Awarding, Cased, Editing, Forecast, Pictured, Rulebook, ScoredGame, Telling
from pbem.engine.run.questions import Asking, Asks
from pbem.engine.run.steps import Rules, World
from pbem.engine.terms import ONLOOKER, Orders, Reading, Rejected, Seat, Side


class PinnedEdition(Protocol):
    """What a game is pinned to at creation: rules, options, charts, map and scenario, named by a digest."""

    @property
    def digest(self) -> str:
        """``sha256:`` and the hash of the edition's canonical JSON."""
        ...

    def to_json(self) -> Json:
        """The whole edition, texts included, so that it can be stored and read back for ever."""
        ...


class Game(Protocol):
    """A game of the house, made by subclassing this. A state is opaque to everything but its game, an edition nearly.

    What stands here has to be in every game; what has a value here may be left as it is.
    """

    name: str
    title: Msg
    rules: Rules[Any]
    telling: Telling
    rulebook: Rulebook = Rulebook()
    aids: Aids = Aids()

    by_letter: bool = False
    """Whether the orders of a phase can be carried out letter by letter, each before the next is written.

    Those of a phase that asks both sides at once never are (`together`).
    """
    hides_orders: bool = False
    """Whether the rules keep some orders from the other side after they were carried out."""
    forecast: Forecast | None = None
    advice: Advice | None = None
    scored: ScoredGame | None = None
    editing: Editing | None = None
    awarding: Awarding | None = None
    cased: Cased | None = None
    pictured: Pictured | None = None
    bots: Bots = MappingProxyType({})
    """Players that come with the game, by name."""
    levels: Mapping[str, Msg] = MappingProxyType({})
    """A word on how strong each of them is, the weakest first."""
    easiest: str = ""
    """The scenario to begin with; empty if none is easier than others."""
    linked: Any = None
    """What the game brings for wars (`war.chain.Linked`); None if none is made of its battles."""

    def editions(self) -> Mapping[str, Msg]:
        """The scenarios shipped, by id, each with its title."""
        ...

    def edition(self, scenario: str, options: Mapping[str, str], overlay: Mapping[str, str]) -> PinnedEdition:
        """Read a scenario with edition options and chart texts laid over the shipped ones, by name.

        ValueError names what is unknown, SourceError what is broken.
        """
        ...

    def edition_from_json(self, value: Json) -> PinnedEdition:
        """Read a stored edition back."""
        ...

    def start(self, edition: Any) -> Any:
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

    def commanders(self, state: Any) -> tuple[Seat, ...]:
        """The seats asked that each give orders to units of their own, the commander-in-chief first; else none."""
        return ()

    def shares(self, orders: Orders) -> bool:
        """Whether a seat lets the other commanders of its side see these orders before the phase closes."""
        return False

    def rides(self, state: Any, seat: Seat, other: Seat) -> int | None:
        """After how many reports a letter of a seat is with another of its side; None where letters do not ride."""
        return None

    def together(self, state: Any) -> bool:
        """Whether the phase asks both sides at once: then nothing is carried out before the phase is closed."""
        return False

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

    def decode(self, value: Json, edition: Any) -> Any:
        """Read what `encode` wrote."""
        ...

    def invariants(self, state: Any) -> tuple[str, ...]:
        """What is wrong with the state, in plain words; empty when all is well."""
        return ()


Registry = Callable[[str], Game]
"""Finds a game by name; KeyError if there is none."""


def hides(rules: Game, state: Any) -> bool:
    """Whether a game has anything that not everybody may know: nobody is shown a position of it as an onlooker."""
    return rules.view(state, ONLOOKER) is None


def find_lead(rules: Game, state: object, sides: tuple[str, ...]) -> tuple[int, str]:
    """Return how far the first of two sides is ahead in a position, in whole points, and which of them has won."""
    if rules.scored is None:
        raise LookupError("positions of this game have no points")
    worth = rules.scored.worth(state)
    mine, his = (worth[rules.scored.party(state, side)] for side in sides)
    won = rules.scored.winner(state)
    winner = next((side for side in sides if won and rules.scored.party(state, side) == won), "")
    return int(mine - his), winner


# What a game lacks: the members of `Game` that it has to bring and does not.


_DATA = ("name", "title", "rules", "telling")
_MAY_STAY = frozenset({"invariants", "rides"})
"""What does as it stands in `Game`."""
_RULES = ("step", "apply")
_TOLD = ("report", "happenings", "question")


def missing(game: Any) -> tuple[str, ...]:
    """Return the names of what the house asks of a game and it has not: ``parse``, ``telling.report``, ``rules.step``.

    A function that a class leaves as `Game` words it does nothing, and is missing as well.
    """
    lacking = [name for name in _DATA if getattr(game, name, None) is None]
    asked = [name for name, value in vars(Game).items() if callable(value) and not name.startswith("_")]
    lacking += [name for name in asked if name not in _MAY_STAY and not _has(game, name, Game)]
    rules, telling = getattr(game, "rules", None), getattr(game, "telling", None)
    lacking += [f"rules.{name}" for name in _RULES if rules is not None and not callable(getattr(rules, name, None))]
    lacking += [f"telling.{name}" for name in _TOLD if telling is not None and not _has(telling, name, Telling)]
    return tuple(lacking)


def _has(holder: Any, name: str, protocol: type) -> bool:
    """Whether a member is there, and not the one that the protocol only words."""
    found = getattr(holder, name, None)
    return callable(found) and getattr(type(holder), name, found) is not vars(protocol)[name]
