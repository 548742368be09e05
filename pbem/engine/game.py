"""What a game is to the rest of the house: one record of functions and parts, filled by keyword.

::

    GAME = Game(name="dusk", title=msg("Dusk"), rules=RULES, telling=TELLING, start=start, parse=parse, ...)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, methodcaller
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from pbem.engine.bots import Bots
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.parts import (
    NO_AIDS,
    NO_BOOK,
    Advice,
    Aids,
    Cased,
    Edit,
    Forecast,
    OfOrders,
    Pictured,
    Rulebook,
    ScoredGame,
    Telling,
)
from pbem.engine.run.questions import Asking, Asks
from pbem.engine.run.steps import Rules, World
from pbem.engine.shelf import Shelf
from pbem.engine.standard import TURNS, phase_of, shows_its_side
from pbem.engine.terms import ONLOOKER, Orders, Reading, Rejected, Seat, Side
from pbem.engine.war.chain import Between, Linked

S = TypeVar("S")
E = TypeVar("E")
S_contra = TypeVar("S_contra", contravariant=True)


class PinnedEdition(Protocol):
    """What a game is pinned to at creation: rules, options, charts, map and scenario, named by a digest."""

    @property
    def digest(self) -> str:
        """``sha256:`` and the hash of the edition's canonical JSON."""
        ...

    def to_json(self) -> Json:
        """The whole edition, texts included, so that it can be stored and read back for ever."""
        ...


def _no_camp(between: Between) -> NoReturn:
    raise LookupError("this game is no camp")


class MakeWorld(Protocol[S]):
    """Makes the world of the phase in `state` with everybody's orders, ready for a runner.

    With `letters`, which only a game `by_letter` is given, those are the actions of the letters that came later:
    after each letter, the first being `orders`, the window LETTER asks for MORE or whether the phase is DONE.
    """

    def __call__(
        self, state: S, orders: Mapping[Seat, Orders], letters: Sequence[Sequence[Any]] | None = None, /
    ) -> World[S]: ...


class Decide(Protocol[S_contra]):
    """Decides by answers by window id, an empty one being silence; then standing orders, then the default doctrine.

    Without `asks` nobody is asked by letter, whatever his standing orders say.
    """

    def __call__(
        self,
        state: S_contra,
        orders: Mapping[Seat, Orders],
        answers: Mapping[str, Sequence[str]],
        asks: Asks | None = None,
        /,
    ) -> Asking[S_contra]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Game(Generic[S, E]):
    """A game of the house. A state is opaque to everything but its game, an edition nearly.

    What has no value here has to be given. The values are those of a game of two camps that move one after the other,
    whose state is a `Position`.
    """

    name: str
    title: Msg
    rules: Rules[S]
    telling: Telling[S]

    editions: Callable[[], Mapping[str, Msg]]
    """The scenarios shipped, by id, each with its title."""
    edition: Callable[[str, Mapping[str, str], Mapping[str, str]], E]
    """Read a scenario with edition options and chart texts laid over the shipped ones, by name.

    ValueError names what is unknown, SourceError what is broken.
    """
    edition_from_json: Callable[[Json], E]
    """Read a stored edition back."""
    start: Callable[[E], S]
    """The state before the first phase."""
    seats: Callable[[S], Mapping[Seat, Side]] = attrgetter("edition.seats")
    """All seats and their sides, in the order of play."""
    phase: Callable[[S], tuple[str, int] | None] = phase_of
    """Name and turn of the phase that waits for orders; None when the game is over."""
    active: Callable[[S], tuple[Seat, ...]] = TURNS.active
    """The seats whose orders the phase waits for."""
    commanders: Callable[[S], tuple[Seat, ...]] = TURNS.commanders
    """The seats asked that each give orders to units of their own, the commander-in-chief first; else none."""
    together: Callable[[S], bool] = TURNS.together
    """Whether the phase asks both sides at once: then nothing is carried out before the phase is closed."""
    shares: Callable[[Orders], bool] = shows_its_side
    """Whether a seat lets the other commanders of its side see these orders before the phase closes."""
    rides: Callable[[S, Seat, Seat], int | None] = lambda state, seat, other: None
    """After how many reports a letter of a seat is with another of its side; None where letters do not ride."""
    parse: Callable[[str, S, Seat], Reading]
    """Read a block of orders by its fixed checks: words, names, owners, types, map."""
    check: OfOrders[S, tuple[Rejected, ...]]
    """Hold orders against the state, up to the first line that can roll."""
    canon: Callable[[Orders], str]
    """Canonical order text v1; `parse` of it gives the same orders."""
    world: MakeWorld[S]
    decisions: Decide[S]
    view: Callable[[S, Seat], Any]
    """What the seat may know of the state: itself a state, so that the rules can be run on it to look ahead.

    For the onlooker it is what everybody may know, None if the game has nothing public.
    """
    see: Callable[[Event, Seat, S], Event | None]
    """What the seat may know of an event, from the state before it, or None."""
    encode: Callable[[S], Json] = methodcaller("encode")
    """The state as JSON, without its edition."""
    decode: Callable[[Json, E], S]
    """Read what `encode` wrote."""
    invariants: Callable[[S], tuple[str, ...]] = lambda state: ()
    """What is wrong with the state, in plain words; empty when all is well."""

    by_letter: bool = False
    """Whether the orders of a phase can be carried out letter by letter, each before the next is written.

    Those of a phase that asks both sides at once never are (`together`).
    """
    hides_orders: bool = False
    """Whether the rules keep some orders from the other side after they were carried out."""
    rulebook: Rulebook[E] = NO_BOOK
    aids: Aids[S] = NO_AIDS
    forecast: Forecast[S] | None = None
    advice: Advice[S] | None = None
    scored: ScoredGame[S] | None = None
    edit: Edit[S] | None = None
    """What a moderator may correct between phases."""
    awards: Callable[[S], Mapping[str, int]] | None = None
    """The points that each side has been awarded so far, by the sides that points are counted for.

    A moderator gives them by a correction; None where there are none to give.
    """
    cased: Cased[S] | None = None
    pictured: Pictured[S, E] | None = None
    bots: Bots = field(default_factory=dict)
    """Players that come with the game, by name."""
    levels: Mapping[str, Msg] = field(default_factory=dict)
    """A word on how strong each of them is, the weakest first."""
    easiest: str = ""
    """The scenario to begin with; empty if none is easier than others."""
    linked: Linked[S, E] | None = None
    """What the game brings for wars; None if none is made of its battles."""
    made_of: Callable[[Between], E] = _no_camp
    """The edition of a camp; no other game has any."""
    shelf: Shelf | None = None
    """Where its files lie, so that scenarios of a server's own can be laid beside them."""
    brought_by: Callable[[str, str], None] | None = None
    """Pin editions that are made from now on to the package that brings the game, and to its version."""


AnyGame = Game[Any, Any]
"""A game of which only itself knows what its states and editions are."""

Registry = Callable[[str], AnyGame]
"""Finds a game by name; KeyError if there is none."""


def hides(rules: Game[S, E], state: S) -> bool:
    """Whether a game has anything that not everybody may know: nobody is shown a position of it as an onlooker."""
    return rules.view(state, ONLOOKER) is None


def find_lead(rules: Game[S, E], state: S, sides: tuple[str, ...]) -> tuple[int, str]:
    """Return how far the first of two sides is ahead in a position, in whole points, and which of them has won."""
    if rules.scored is None:
        raise LookupError("positions of this game have no points")
    worth = rules.scored.worth(state)
    mine, his = (worth[rules.scored.party(state, side)] for side in sides)
    won = rules.scored.winner(state)
    winner = next((side for side in sides if won and rules.scored.party(state, side) == won), "")
    return int(mine - his), winner


def legs_of(rules: Game[S, E]) -> Linked[S, E]:
    """Return what a game brings for wars; LookupError if none is made of its battles."""
    if rules.linked is None:
        raise LookupError(f"no war is made of {rules.name}")
    return rules.linked


def missing(rules: AnyGame) -> tuple[str, ...]:
    """Return the names of what the house asks of a game's rules and they have not: ``rules.step``."""
    return tuple(f"rules.{name}" for name in ("step", "apply") if not callable(getattr(rules.rules, name, None)))
