"""The record of a game: functions and parts, filled by keyword.

::

    GAME = Game(name="dusk", title=msg("Dusk"), rules=RULES, telling=REPORTING, start=start, parse=parse, ...)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter, methodcaller
from typing import Any, Generic, NoReturn, Protocol, TypeVar

from pbem.engine.bots import Bots
from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg
from pbem.engine.game_files import GameFiles
from pbem.engine.parts import (
    NO_ORDER_HELP,
    NO_RULEBOOK,
    Advice,
    CheckOrders,
    Edit,
    Forecast,
    OrderHelp,
    Pictures,
    PositionValues,
    Reporting,
    Rulebook,
    RuleCases,
)
from pbem.engine.run.questions import Asking, Asks
from pbem.engine.run.steps import Rules, World
from pbem.engine.standard import ALTERNATING_SIDES, ordered_show_side, waiting_phase
from pbem.engine.terms import ONLOOKER, Orders, ParsedBlock, RejectedLine, Seat, Side
from pbem.engine.war.chain import CampData, WarParts

S = TypeVar("S")
E = TypeVar("E")
S_contra = TypeVar("S_contra", contravariant=True)


class PinnedEdition(Protocol):
    """The edition that a game is pinned to at creation, named by a digest.

    It has rules, options, charts, map and scenario.
    """

    @property
    def digest(self) -> str:
        """Return ``sha256:`` and the hash of the edition's canonical JSON."""
        ...

    def to_json(self) -> Json:
        """Return the whole edition, texts included, to be stored and read back."""
        ...


def _no_camp(between: CampData) -> NoReturn:
    raise LookupError("this game is no camp")


class MakeWorld(Protocol[S]):
    """Makes the world of the phase in `state` with all orders, ready for a runner.

    `letters`, which only a game `by_letter` gets, are the actions of later letters: after each letter, of which
    `orders` is the first, the window LETTER asks whether there are MORE or the phase is DONE.
    """

    def __call__(
        self, state: S, orders: Mapping[Seat, Orders], letters: Sequence[Sequence[Any]] | None = None, /
    ) -> World[S]: ...


class Decide(Protocol[S_contra]):
    """Decides windows: by answers, then standing orders, then the default doctrine.

    Answers are by window id; an empty one is silence. Without `asks` nobody is asked by letter, even if his
    standing orders say ASK.
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
    """The record of a game.

    Only the game itself reads its states, and mostly its editions too. Fields without a default must be given. The
    defaults are those of a game of two camps that move one after the other, whose state is a `Position`.
    """

    name: str
    title: Msg
    rules: Rules[S]
    telling: Reporting[S]

    editions: Callable[[], Mapping[str, Msg]]
    """The scenarios shipped, by id, each with its title."""
    edition: Callable[[str, Mapping[str, str], Mapping[str, str]], E]
    """Read a scenario with edition options and chart texts laid over the shipped ones, by name.

    A ValueError names what is unknown, a SourceError what is broken.
    """
    edition_from_json: Callable[[Json], E]
    """Read a stored edition back."""
    start: Callable[[E], S]
    """The state before the first phase."""
    seats: Callable[[S], Mapping[Seat, Side]] = attrgetter("edition.seats")
    """All seats and their sides, in the order of play."""
    phase: Callable[[S], tuple[str, int] | None] = waiting_phase
    """Name and turn of the phase that waits for orders; None when the game is over."""
    active: Callable[[S], tuple[Seat, ...]] = ALTERNATING_SIDES.active
    """The seats whose orders the phase waits for."""
    commanders: Callable[[S], tuple[Seat, ...]] = ALTERNATING_SIDES.commanders
    """The asked seats that each order units of their own, the commander-in-chief first; empty if no side has several.
    """
    together: Callable[[S], bool] = ALTERNATING_SIDES.together
    """Whether the phase asks both sides at once: then nothing is carried out before the phase closes."""
    shares: Callable[[Orders], bool] = ordered_show_side
    """Whether a seat lets the other commanders of its side see these orders before the phase closes."""
    rides: Callable[[S, Seat, Seat], int | None] = lambda state, seat, other: None
    """After how many reports a letter of a seat reaches another seat of its side; None if there are no couriers."""
    parse: Callable[[str, S, Seat], ParsedBlock]
    """Read a block of orders by its fixed checks: words, names, owners, types, map."""
    check: CheckOrders[S, tuple[RejectedLine, ...]]
    """Check orders against the state, up to the first line that can roll."""
    canon: Callable[[Orders], str]
    """Canonical order text v1; `parse` of it gives the same orders."""
    world: MakeWorld[S]
    decisions: Decide[S]
    view: Callable[[S, Seat], Any]
    """The part of the state that the seat may know: itself a state, so that the rules can look ahead on it.

    For the onlooker it is what everybody may know, None if the game has nothing public.
    """
    see: Callable[[Event, Seat, S], Event | None]
    """The part of an event that the seat may know, given the state before it, or None."""
    encode: Callable[[S], Json] = methodcaller("encode")
    """The state as JSON, without its edition."""
    decode: Callable[[Json, E], S]
    """Read what `encode` wrote."""
    invariants: Callable[[S], tuple[str, ...]] = lambda state: ()
    """The errors of the state in words; empty if there are none."""

    by_letter: bool = False
    """Whether the orders of a phase can be carried out letter by letter, each before the next is written.

    In a phase that asks both sides at once (`together`) they never are."""
    hides_orders: bool = False
    """Whether the rules keep some orders from the other side after they were carried out."""
    rulebook: Rulebook[E] = NO_RULEBOOK
    aids: OrderHelp[S] = NO_ORDER_HELP
    forecast: Forecast[S] | None = None
    advice: Advice[S] | None = None
    scored: PositionValues[S] | None = None
    edit: Edit[S] | None = None
    """What a moderator may correct between phases."""
    awards: Callable[[S], Mapping[str, int]] | None = None
    """The points that each side has been awarded so far, by the sides for which points are counted.

    A moderator awards them by a correction; None if the game has none to award."""
    cased: RuleCases[S] | None = None
    pictured: Pictures[S, E] | None = None
    bots: Bots = field(default_factory=dict)
    """Players that come with the game, by name."""
    levels: Mapping[str, Msg] = field(default_factory=dict)
    """The strength of each bot in a word, the weakest first."""
    easiest: str = ""
    """The scenario to begin with; empty if none is easier than others."""
    linked: WarParts[S, E] | None = None
    """The game's parts for wars; None if it has none."""
    made_of: Callable[[CampData], E] = _no_camp
    """The edition of a camp from its data; only the camp's own game has it."""
    shelf: GameFiles | None = None
    """The game's files, so that a server's own scenarios can be added."""
    brought_by: Callable[[str, str], None] | None = None
    """Pin editions that are made from now on to the package that brings the game, and to its version."""


AnyGame = Game[Any, Any]
"""A game whose states and editions are opaque to others."""

Registry = Callable[[str], AnyGame]
"""Finds a game by name; raises KeyError if there is none."""


def has_secrets(rules: Game[S, E], state: S) -> bool:
    """Return whether a game has secrets: then observers get no position."""
    return rules.view(state, ONLOOKER) is None


def pair_with_states(rules: AnyGame, state: object, events: Iterable[Event]) -> list[tuple[Event, Any]]:
    """Return events, each with the state before it.

    `state` is the one before the first.
    """
    pairs = []
    for event in events:
        pairs.append((event, state))
        state = rules.rules.apply(state, event)
    return pairs


def view_events(rules: AnyGame, seat: Seat, events: Iterable[tuple[Event, object]]) -> list[tuple[Event, Any]]:
    """Return a seat's view of events with their states: each with the view before it."""
    seen = []
    for event, state in events:
        seen_event = rules.see(event, seat, state)
        if seen_event is not None:
            seen.append((seen_event, rules.view(state, seat)))
    return rules.telling.in_order(seat, seen)


def find_lead(rules: Game[S, E], state: S, sides: tuple[str, ...]) -> tuple[int, str]:
    """Return the first side's lead in whole points, and the winner, if any."""
    if rules.scored is None:
        raise LookupError("positions of this game have no points")
    points = rules.scored.worth(state)
    mine, his = (points[rules.scored.party(state, side)] for side in sides)
    winning_party = rules.scored.winner(state)
    winner = next((side for side in sides if winning_party and rules.scored.party(state, side) == winning_party), "")
    return int(mine - his), winner


def war_parts_of(rules: Game[S, E]) -> WarParts[S, E]:
    """Return a game's parts for wars; raise LookupError if it has none."""
    if rules.linked is None:
        raise LookupError(f"no war is made of {rules.name}")
    return rules.linked


def missing_functions(rules: AnyGame) -> tuple[str, ...]:
    """Return the names of missing functions of a game's rules: ``rules.step``."""
    return tuple(f"rules.{name}" for name in ("step", "apply") if not callable(getattr(rules.rules, name, None)))
