"""The parts of a game: what it tells, what it has to look up, and what only some games have.

Each part is a record that is filled by keyword with functions of the game's chapters. What has a value here may be left
out; a part that a game lacks is None in `Game`, and the house says so to whoever asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.languages import Called
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Entry, Line, Report
from pbem.engine.data.scene import Scene
from pbem.engine.data.situation import parts_of
from pbem.engine.data.stakes import Stakes
from pbem.engine.map.sheets import Grounds
from pbem.engine.orders.choices import Choices, Offer
from pbem.engine.run.odds import Purse, apart
from pbem.engine.run.questions import Asked, Wording
from pbem.engine.run.steps import Task, World
from pbem.engine.terms import Because, Edited, Orders, Reading, Seat, Side, Step, Trial, Warned, Worth

S = TypeVar("S")
E = TypeVar("E")
S_contra = TypeVar("S_contra", contravariant=True)
E_contra = TypeVar("E_contra", contravariant=True)
T_co = TypeVar("T_co", covariant=True)

Seen = Sequence[tuple[Event, S]]
"""Events that a seat saw, each with its view before it."""
Entries = tuple[tuple[Entry, tuple[int, ...]], ...]
"""Entries of a report, each with the places of the events that it tells among those seen."""


class ByLanguage(Protocol[T_co]):
    """Looks up a name in a language."""

    def __call__(self, name: str, language: str = "en", /) -> T_co: ...


class OfSeat(Protocol[S_contra, T_co]):
    """Answers for a seat; the phase has `begun` where letters of it were carried out already."""

    def __call__(self, view: S_contra, seat: Seat, begun: bool = False, /) -> T_co: ...


class OfOrders(Protocol[S_contra, T_co]):
    """Looks at a seat's orders; the phase has `begun` where letters of it were carried out already."""

    def __call__(self, view: S_contra, seat: Seat, orders: Orders, begun: bool = False, /) -> T_co: ...


class FormTerms(NamedTuple):
    """What an order form is made for besides a position.

    The phase has `begun` where letters of it were carried out already. With a `purse` the form says what its attacks
    are worth, as far as that reaches, under the `standing` orders of who gets it.
    """

    begun: bool = False
    purse: Purse | None = None
    standing: tuple[Any, ...] = ()


AS_IT_IS = FormTerms()
"""For a phase of which nothing was carried out yet, without odds."""


class Scales(NamedTuple):
    """By what an attack that is asked about is weighed: how much it may cost, and the standing orders of who asks.

    The phase has `begun` where letters of it were carried out already.
    """

    purse: Purse
    standing: tuple[Any, ...] = ()
    begun: bool = False


# What a part answers where a game leaves it out.


def _nothing(*asked: object) -> tuple[()]:
    return ()


def _none(*asked: object) -> None:
    return None


def _empty(*asked: object) -> str:
    return ""


def _none_such(*asked: object) -> Mapping[str, str]:
    return {}


def _yes(*asked: object) -> bool:
    return True


def _no(*asked: object) -> bool:
    return False


def _as_given(orders: Orders) -> Orders:
    return orders


def _as_seen(seat: Seat, seen: list[tuple[Event, S]]) -> list[tuple[Event, S]]:
    return seen


def _as_written(text: str, language: str) -> str:
    return text


def _stakes(*asked: object) -> Stakes:
    return Stakes()


def _winning(*asked: object) -> Block:
    return Block(msg("How to win"))


def _account(steps: Sequence[Step]) -> Block:
    return Block(msg("Where the points came from"))


def _side(side: Side) -> Msg:
    return msg("{side}", side=side)


def _choices(*asked: object) -> Choices:
    return Choices()


def _all_of_it(view: S, seat: Seat, orders: Orders) -> Orders:
    return orders


@dataclass(frozen=True, kw_only=True, eq=False)
class Telling(Generic[S]):
    """What a game tells its players, in words."""

    report: Callable[[S, Seat, Seen[S]], Report]
    """Report on events, each with the view before it, and on the position after them; to the onlooker too."""
    grouped: Callable[[Seen[S]], Entries]
    """The entries of the report on these events, each with the places of the events that it tells."""
    question: Wording[S]
    """A window in words for its owner, who sees `view`, with the answers offered, that of silence among them."""
    stakes: Callable[[S, Seat, Seen[S]], Stakes] = _stakes
    """How the game stands for a seat, as data: goals, points, what these events changed, who is to come, armies."""
    provided: Callable[[Seat, Seen[S]], tuple[Msg, ...]] = _nothing
    """What events foretold to a seat rest on that it cannot see; nothing where nothing is hidden."""
    winning: Callable[[S, Seat], Block] = _winning
    """What counts and how one wins, in words."""
    account: Callable[[Sequence[Step]], Block] = _account
    """Where the points of a game that is over came from, step by step."""
    side: Callable[[Side], Msg] = _side
    """What a side is called."""
    riding: Callable[[S], tuple[Msg, ...]] = _nothing
    """What is on its way between seats and is not theirs to know, for an umpire's eyes; nothing in most games."""
    in_order: Callable[[Seat, list[tuple[Event, S]]], list[tuple[Event, S]]] = _as_seen
    """What a seat saw, in the order in which it is told it."""
    why: Callable[[S, Seat, Seen[S], int, Orders], Because | None] = _none
    """What is behind a happening of the report, counted from 1; None if the report has no such number.

    The orders are the seat's own of that phase.
    """
    order_line: Callable[[Task], str] = _empty
    """The canonical line of the order that a task carries out; empty if it carries out none."""
    called: Mapping[str, Called] = field(default_factory=dict)
    """What seats, phases, units and places are called, by language."""
    spoken: Callable[[str, str], str] = _as_written
    """Canonical orders in the words of a language; `parse` reads them as the same orders."""
    text_map: Callable[[S, Seat], tuple[Line, ...]] = _nothing
    """The map with the forces on it as text, drawn lines (`PLAIN`) and sentences."""

    def happenings(self, seen: Seen[S]) -> tuple[Entry, ...]:
        """Return the entries of the report on these events, without the rest of it."""
        return tuple(entry for entry, _ in self.grouped(seen))


class FindChart(Protocol[E_contra]):
    """Finds the text of a chart by its rule or name: the edition's, or as shipped; None if there is none."""

    def __call__(self, name: str, edition: E_contra | None = None, /) -> str | None: ...


class TellRule(Protocol[E_contra]):
    """Tells the paragraphs of a rule with their depth, by the charts of an edition or as shipped."""

    def __call__(
        self, number: str, language: str = "en", edition: E_contra | None = None, /
    ) -> tuple[tuple[int, str], ...]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Rulebook(Generic[E]):
    """What players look up: charts, rules, what the game adds to the house's help, ready-made standing orders.

    A game without a book has none of it; one with its files on a shelf has `standard.book`.
    """

    ground: Callable[[E], Json] = _none
    """The map of an edition as data for programs, every part of it by name; None if there is no map to show."""
    chart: FindChart[E] = _none
    charts: Callable[[], tuple[str, ...]] = _nothing
    """The names of all charts, each with its rule before it."""
    rule: ByLanguage[tuple[str, ...]] = _nothing
    """The lines of the rules' table of contents for a number and those below it; empty if there is none.

    They are in the language if the game has them so, else in English.
    """
    full_text: TellRule[E] = _nothing
    """The paragraphs of a rule with their depth, numbers filled in from an edition's charts, or as shipped."""
    example: ByLanguage[tuple[tuple[int, str], ...]] = _nothing
    """A worked example of a rule, line by line with its depth."""
    words: Callable[[str], tuple[str, ...]] = _nothing
    """The words that an index of the rules lists, in a language."""
    about: ByLanguage[tuple[str, ...]] = _nothing
    """The lines of the rules that speak of all these words, in any language, as they are in this one."""
    mentions: ByLanguage[tuple[str, ...]] = _nothing
    """The same lines of those rules whose full text speaks of all these words."""
    contents: Callable[[str], tuple[str, ...]] = _nothing
    """The lines of all rules that stand below no other, in a language."""
    brief: ByLanguage[Mapping[str, str]] = _none_such
    """What is told of a scenario, outside its edition: a ``line``, the ``battle``, a side's part by its name.

    It is in the language if the game has it so, else in English; empty if there is nothing to tell.
    """
    agreed: Callable[[E], tuple[Msg, ...]] = _nothing
    """The options of an edition and what they mean."""
    help: Callable[[str], tuple[tuple[int, Msg], ...]] = _nothing
    """What the game adds to the help on ``orders``, ``standing`` and the like: sentences with their depth."""
    preset: Callable[[str], str | None] = _none
    """The text of ready-made standing orders by name, as a player would write them; None if there are none."""


class WriteForm(Protocol[S_contra]):
    """Writes order lines to be edited, without header and END, in the words of `language`: comments that order nothing.

    Without its ``# `` each is an order that can be given as it stands; where `` | `` parts several words or places,
    with any of them. What only explains begins with ``##``. There are none when the game is over.
    """

    def __call__(
        self, view: S_contra, seat: Seat, language: str, terms: FormTerms = AS_IT_IS, /
    ) -> tuple[str, ...]: ...


class ListOffers(Protocol[S_contra]):
    """Lists what the form offers as data: lines that can be given as they stand, alone, with what the attack in them
    wins. They are in English words.
    """

    def __call__(self, view: S_contra, seat: Seat, terms: FormTerms = AS_IT_IS, /) -> tuple[Offer, ...]: ...


class ListMoves(Protocol[S_contra]):
    """Lists what the seat's units in a place, named as a player writes it, could be ordered to do now."""

    def __call__(self, view: S_contra, seat: Seat, place: str, begun: bool = False, /) -> tuple[Msg, ...]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Aids(Generic[S]):
    """What helps a player to write his orders. A game need not help."""

    template: WriteForm[S] = _nothing
    offers: ListOffers[S] = _nothing
    choices: OfSeat[S, Choices] = _choices
    """What each of the seat's units could be ordered to do now, as `moves` tells it, to be chosen from."""
    begins: Callable[[str, bool], bool] = _yes
    """Whether a line begins with a word that orders begin with, or within a block of standing orders with one of
    theirs; one that does not may go on with the line above, from which a mail program broke it off.
    """
    in_order: Callable[[Orders], Orders] = _as_given
    """A letter's orders as they are carried out, where the rules know an order that lines need not keep.

    It is asked for when a letter is read, once: what is stored keeps the order that it has.
    """
    fallen: Callable[[Sequence[str], int], tuple[int, ...]] = _nothing
    """Which lines of a block make no sense, or another, once a line is refused and taken out, counted from 0."""
    moves: ListMoves[S] = _nothing
    place: Callable[[S, Seat, str], str] = _empty
    """The id of the place that a player names; empty if it is none, or one of several."""
    places: Callable[[S, Seat], tuple[Msg, ...]] = _nothing
    """Where the seat has units, and which."""
    review: OfOrders[S, tuple[Warned, ...]] = _nothing
    """Second thoughts on legal orders: what is left to the default, what cannot matter. Line 0 is none."""


NO_BOOK: Rulebook[Any] = Rulebook()
NO_AIDS: Aids[Any] = Aids()


class WeighOrders(Protocol[S_contra]):
    """Weighs the fights in the orders when their turn comes: exact over all dice of what is ordered before.

    It is paid for from the purse; what cannot be counted is said. `begun` if letters of this phase came before.
    """

    def __call__(self, view: S_contra, seat: Seat, orders: Orders, purse: Purse, begun: bool = False, /) -> Worth: ...


class ReadAttack(Protocol[S_contra]):
    """Reads one attack as an order says it, perhaps with where it starts from, and holds it against the position.

    Its orders are for `odds` alone; it is read as if its units stood where it starts from, and warns of that.
    `begun` if letters of this phase came before: who acted in them cannot attack.
    """

    def __call__(self, text: str, view: S_contra, seat: Seat, begun: bool = False, /) -> Reading: ...


_ANSWERS_NOTE = msg(
    "Behind each answer: how often the place is yours after the fight, steps lost and units of yours shaken or "
    "lost on average. The figures are exact, if the other side keeps to the default doctrine."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Forecast(Generic[S]):
    """What a game that reckons its odds has: what attacks are worth, and what standing orders would answer them."""

    odds: WeighOrders[S]
    attack_odds: Callable[[str, S, Seat, Scales], Worth]
    """What an attack that `attack` reads is worth as things stand, with its units where it starts from."""
    attack: ReadAttack[S]
    trial: Callable[[str, S, Seat], Trial]
    """Read ``place BY force`` and set up that attack of the enemy on the seat, from what the seat sees alone."""
    answer_stakes: Callable[[World[S], Sequence[Asked], tuple[Any, ...], Purse], tuple[tuple[Msg | None, ...], ...]] = (
        _nothing
    )
    """What each answer to each question is worth, by question and answer; None or missing where it is not known.

    The world waits at the first question and is what the seat that is asked sees; then come its standing orders.
    """
    answers_note: Msg = _ANSWERS_NOTE
    """What stands behind the answers to a question, and what it rests on."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Advice(Generic[S]):
    """What a game has one of whose bots can be asked for a plan."""

    bot: str
    """The best of its bots that thinks no longer than a letter may cost."""
    plan: Callable[[S, Seat, Orders, Purse], tuple[Msg, ...]]
    """What a seat's orders come to, a sentence each: the main blow with its odds, the reserve, what is guarded."""
    advised: Callable[[S, Seat, Orders], Orders] = _all_of_it
    """What of the bot's orders is advised to a person; all of it, unless the game knows better."""


def all_apart(start: object) -> Callable[[Any], Hashable]:
    """Tell states that came of `start` from one another by all of a position but its edition."""
    kind: type = type(start)
    return apart(start, parts_of(kind))


def _as_known(view: S, happened: Sequence[Event]) -> S:
    return view


@dataclass(frozen=True, kw_only=True, eq=False)
class ScoredGame(Generic[S]):
    """What a game has that says what a position is worth, so that the luck of its rolls can be told (`luck`)."""

    worth: Callable[[S], Mapping[Side, int | float | Fraction]]
    """The points of each side now, exact and in fractions: a loss counts when it comes, not when a point is full.

    There are the same sides in the same order, whatever the state.
    """
    party: Callable[[S, Side], Side]
    """The side of `worth` that a side fights for; empty if there is none of that name."""
    winner: Callable[[S], Side]
    """The side of `worth` that has won; empty as long as none has, and where the game is drawn."""
    safe: Callable[[S], Side] = _empty
    """The side that wins whatever happens from here on, by all points that can still be won; empty if none."""
    apart: Callable[[S], Callable[[S], Hashable]] = all_apart
    """What tells states that came of one from one another, in all that a rule or `worth` may look at."""
    engaged: Callable[[S], bool] = _no
    """Whether a fight is in progress, whose rolls belong together."""
    hindsight: Callable[[S, Sequence[Event]], S] = _as_known
    """A seat's view, completed by what the events that it saw follow tell of the position before them."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pictured(Generic[S, E]):
    """What a game has whose positions can be drawn."""

    ground: Callable[[E], Grounds]
    """The map of an edition, to be drawn on: the same for every seat and position."""
    picture: Callable[[S, Seat, Seen[S]], Scene]
    """What a seat sees on the map after the events that it saw, each with its view before it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Cased(Generic[S]):
    """What a game has whose rules can be tried by cases (`cases`)."""

    state: Callable[[Mapping[str, Any], Mapping[str, Any]], S]
    """The position of a case, from its file and itself; ValueError says what is wrong with it."""
    world: Callable[[S, Mapping[Seat, Orders], str], World[S]]
    """The phase of a case, ``end`` being the end phase alone."""
    holds: Callable[[str, S], bool]
    """Whether an expectation about the position is true; ValueError if it is none."""
    lookup: Callable[[str], bool]
    """Whether a chart look-up is true; ValueError if it is none."""
    coins: Callable[[str], bool] = _no
    """Whether the roll of that label throws coins, which cases write 1 for heads and 0 for tails."""
    eyes: Callable[[S, Seat], S] = lambda state, seat: state
    """The position that a seat's letter of a case is read with."""
    keys: frozenset[str] | None = None
    """Keys that describe its position, in a case or above all cases; any other is refused, where there are any."""


Edit = Callable[[S, str], Edited]
"""Reads a correction of a position, such as ``UNIT Leon AT Sierra`` (see `edits`)."""
