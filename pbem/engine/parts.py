"""The parts of a game: reports, rulebook, help with orders, optional ones.

Each part is a record that is filled by keyword with functions of the game. Fields with a default may be
left out; a part that a game lacks is None in `Game`, and the server says so when it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event
from pbem.engine.data.languages import DisplayNames
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.report import Block, Entry, Line, Report
from pbem.engine.data.scene import Scene
from pbem.engine.data.score_sheet import ScoreSheet
from pbem.engine.data.situation import field_names
from pbem.engine.map.sheets import Grounds
from pbem.engine.orders.choices import Choices, Offer
from pbem.engine.run.odds import StepBudget, apart
from pbem.engine.run.questions import AskedQuestion, Wording
from pbem.engine.run.steps import Task, World
from pbem.engine.terms import (
    AttackSetup,
    Correction,
    Explanation,
    OrderOdds,
    Orders,
    OrderWarning,
    ParsedBlock,
    PositionChange,
    Seat,
    Side,
)

S = TypeVar("S")
E = TypeVar("E")
S_contra = TypeVar("S_contra", contravariant=True)
E_contra = TypeVar("E_contra", contravariant=True)
T_co = TypeVar("T_co", covariant=True)

Seen = Sequence[tuple[Event, S]]
"""Events that a seat saw, each with its view before it."""
Entries = tuple[tuple[Entry, tuple[int, ...]], ...]
"""Entries of a report, each with the places of its events among those seen."""


class LookUpByLanguage(Protocol[T_co]):
    """Looks up a name in a language."""

    def __call__(self, name: str, language: str = "en", /) -> T_co: ...


class AnswerForSeat(Protocol[S_contra, T_co]):
    """Answers for a seat; with `begun` some letters of the phase were carried out."""

    def __call__(self, view: S_contra, seat: Seat, begun: bool = False, /) -> T_co: ...


class CheckOrders(Protocol[S_contra, T_co]):
    """Checks a seat's orders; with `begun` letters of the phase were carried out."""

    def __call__(self, view: S_contra, seat: Seat, orders: Orders, begun: bool = False, /) -> T_co: ...


class FormTerms(NamedTuple):
    """Options of an order form besides the position.

    `begun`: some letters of the phase were carried out already. `purse`: the step budget for the odds of attacks in
    the form; under the `standing` orders of its reader.
    """

    begun: bool = False
    purse: StepBudget | None = None
    standing: tuple[Any, ...] = ()


DEFAULT_FORM_TERMS = FormTerms()
"""The terms of a phase of which nothing was carried out yet, without odds."""


class OddsLimits(NamedTuple):
    """Limits of an odds question: step budget, and the asker's standing orders.

    `begun`: some letters of the phase were carried out already.
    """

    purse: StepBudget
    standing: tuple[Any, ...] = ()
    begun: bool = False


# The defaults of optional parts.


def _nothing(*asked: object) -> tuple[()]:
    return ()


def _none(*asked: object) -> None:
    return None


def _empty(*asked: object) -> str:
    return ""


def _empty_mapping(*asked: object) -> Mapping[str, str]:
    return {}


def _yes(*asked: object) -> bool:
    return True


def _no(*asked: object) -> bool:
    return False


def _same_orders(orders: Orders) -> Orders:
    return orders


def _same_sequence(seat: Seat, seen: list[tuple[Event, S]]) -> list[tuple[Event, S]]:
    return seen


def _same_text(text: str, language: str) -> str:
    return text


def _empty_sheet(*asked: object) -> ScoreSheet:
    return ScoreSheet()


def _winning(*asked: object) -> Block:
    return Block(msg("How to win"))


def _account(steps: Sequence[PositionChange]) -> Block:
    return Block(msg("Where the points came from"))


def _side(side: Side) -> Msg:
    return msg("{side}", side=side)


def _choices(*asked: object) -> Choices:
    return Choices()


def _all_orders(view: S, seat: Seat, orders: Orders) -> Orders:
    return orders


@dataclass(frozen=True, kw_only=True, eq=False)
class Reporting(Generic[S]):
    """The reports of a game to its players, in words."""

    report: Callable[[S, Seat, Seen[S]], Report]
    """Report on events, each with the view before it, and on the position after them; observers get reports too."""
    grouped: Callable[[Seen[S]], Entries]
    """The entries of the report on these events, each with the places of the events that it tells."""
    question: Wording[S]
    """A window in words for its owner, who sees `view`, with the answers offered, including the default in silence."""
    stakes: Callable[[S, Seat, Seen[S]], ScoreSheet] = _empty_sheet
    """The score for a seat, as data: goals, points, changes by these events, arrivals, armies."""
    provided: Callable[[Seat, Seen[S]], tuple[Msg, ...]] = _nothing
    """Assumptions behind events forecast to a seat; empty where nothing is hidden."""
    winning: Callable[[S, Seat], Block] = _winning
    """Points and victory, in words."""
    account: Callable[[Sequence[PositionChange]], Block] = _account
    """The sources of the points of a game that is over, step by step."""
    side: Callable[[Side], Msg] = _side
    """The name of a side."""
    riding: Callable[[S], tuple[Msg, ...]] = _nothing
    """Letters on their way between seats, which only a moderator may know; empty in most games."""
    in_order: Callable[[Seat, list[tuple[Event, S]]], list[tuple[Event, S]]] = _same_sequence
    """The events that a seat saw, in the order of its report."""
    why: Callable[[S, Seat, Seen[S], int, Orders], Explanation | None] = _none
    """The explanation of an entry of the report, counted from 1; None for an unknown number.

    The orders are the seat's own of that phase."""
    order_line: Callable[[Task], str] = _empty
    """The canonical line of the order that a task carries out; empty if it carries out none."""
    called: Mapping[str, DisplayNames] = field(default_factory=dict)
    """Names of seats, phases, units and places, by language."""
    spoken: Callable[[str, str], str] = _same_text
    """Canonical orders in the words of a language; `parse` reads them as the same orders."""
    text_map: Callable[[S, Seat], tuple[Line, ...]] = _nothing
    """The map with the forces on it as text, drawn lines (`DRAWING_DEPTH`) and sentences."""

    def happenings(self, seen: Seen[S]) -> tuple[Entry, ...]:
        """Return the entries of the report on these events, without the rest."""
        return tuple(entry for entry, _ in self.grouped(seen))


class FindChart(Protocol[E_contra]):
    """Finds the text of a chart by its rule or name.

    The chart is the edition's, or without an edition the shipped one; None if there is no such chart.
    """

    def __call__(self, name: str, edition: E_contra | None = None, /) -> str | None: ...


class FindRuleText(Protocol[E_contra]):
    """Returns the paragraphs of a rule with their depth.

    Numbers are those of an edition's charts, or of the shipped ones.
    """

    def __call__(
        self, number: str, language: str = "en", edition: E_contra | None = None, /
    ) -> tuple[tuple[int, str], ...]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class Rulebook(Generic[E]):
    """Texts that players look up: charts, rules, help, preset orders.

    A game without a book keeps the defaults; one with `GameFiles` has `standard.make_rulebook`.
    """

    ground: Callable[[E], Json] = _none
    """The map of an edition as data for programs, every part of it by name; None if there is no map to show."""
    chart: FindChart[E] = _none
    charts: Callable[[], tuple[str, ...]] = _nothing
    """The names of all charts, each with its rule before it."""
    rule: LookUpByLanguage[tuple[str, ...]] = _nothing
    """The lines of the rules' table of contents for a number and the numbers below it; empty if there is none.

    They are in the language if the game is translated to it, else in English."""
    full_text: FindRuleText[E] = _nothing
    """The paragraphs of a rule with their depth, numbers filled in from an edition's charts, or as shipped."""
    example: LookUpByLanguage[tuple[tuple[int, str], ...]] = _nothing
    """A worked example of a rule, line by line with its depth."""
    errata: LookUpByLanguage[tuple[tuple[int, str], ...]] = _nothing
    """The dated rulings on a rule, line by line with their depth; on all rules for the empty number."""
    words: Callable[[str], tuple[str, ...]] = _nothing
    """The words that an index of the rules lists, in a language."""
    about: LookUpByLanguage[tuple[str, ...]] = _nothing
    """The lines of the rules that mention all these words; both the words and the lines may be of any language."""
    mentions: LookUpByLanguage[tuple[str, ...]] = _nothing
    """The lines of the rules whose full text mentions all these words."""
    contents: Callable[[str], tuple[str, ...]] = _nothing
    """The lines of all top-level rules, in a language."""
    brief: LookUpByLanguage[Mapping[str, str]] = _empty_mapping
    """The brief of a scenario, outside its edition: a ``line``, the ``battle``, and each side's part by its name.

    It is in the language if the game is translated to it, else in English; empty if there is no brief."""
    agreed: Callable[[E], tuple[Msg, ...]] = _nothing
    """The options of an edition and what they mean."""
    help: Callable[[str], tuple[tuple[int, Msg], ...]] = _nothing
    """The game's help on ``orders``, ``standing`` and the like: sentences with their depth."""
    preset: Callable[[str], str | None] = _none
    """The text of ready-made standing orders by name, as a player would write them; None if there are none."""


class WriteForm(Protocol[S_contra]):
    """Writes order lines to be edited, without header and END.

    They are in the words of `language`. All lines are comments, and order nothing. Without its ``# `` each is a
    valid order; if `` | `` separates several words or places, any one of them may stay. Explanations begin with
    ``##``. The form is empty when the game is over.
    """

    def __call__(
        self, view: S_contra, seat: Seat, language: str, terms: FormTerms = DEFAULT_FORM_TERMS, /
    ) -> tuple[str, ...]: ...


class ListOffers(Protocol[S_contra]):
    """Lists the offers of the form as data: single lines that can be given unchanged.

    They are in English words; attacks have their chance of success.
    """

    def __call__(self, view: S_contra, seat: Seat, terms: FormTerms = DEFAULT_FORM_TERMS, /) -> tuple[Offer, ...]: ...


class ListMoves(Protocol[S_contra]):
    """Lists the possible orders of the seat's units in a place.

    The place is named as a player writes it.
    """

    def __call__(self, view: S_contra, seat: Seat, place: str, begun: bool = False, /) -> tuple[Msg, ...]: ...


@dataclass(frozen=True, kw_only=True, eq=False)
class OrderHelp(Generic[S]):
    """Help with writing orders; all of it is optional."""

    template: WriteForm[S] = _nothing
    offers: ListOffers[S] = _nothing
    choices: AnswerForSeat[S, Choices] = _choices
    """The possible orders of each of the seat's units now, as in `moves`, to be chosen from."""
    begins: Callable[[str, bool], bool] = _yes
    """Whether a line begins with a word of orders or, within a block of standing orders, with one of theirs; any other
    line may continue the line above, from which a mail program broke it off."""
    in_order: Callable[[Orders], Orders] = _same_orders
    """A letter's orders in the order of execution, if the rules have an order that lines need not keep.

    It is used once, when a letter is read: stored orders keep their order."""
    fallen: Callable[[Sequence[str], int], tuple[int, ...]] = _nothing
    """Lines of a block, counted from 0, whose meaning changes once a refused line is removed."""
    moves: ListMoves[S] = _nothing
    place: Callable[[S, Seat, str], str] = _empty
    """The id of the place that a player names; empty if it is unknown or ambiguous."""
    places: Callable[[S, Seat], tuple[Msg, ...]] = _nothing
    """The places of the seat's units."""
    review: CheckOrders[S, tuple[OrderWarning, ...]] = _nothing
    """Warnings about legal orders: parts left to the default, parts without effect. Line 0 means no line."""


NO_RULEBOOK: Rulebook[Any] = Rulebook()
NO_ORDER_HELP: OrderHelp[Any] = OrderHelp()


class WeighOrders(Protocol[S_contra]):
    """Computes the odds of the fights in orders, over all dice of the orders before.

    The step budget `purse` limits the cost; fights that cannot be computed are named. With `begun` letters of this
    phase came before.
    """

    def __call__(
        self, view: S_contra, seat: Seat, orders: Orders, purse: StepBudget, begun: bool = False, /
    ) -> OrderOdds: ...


class ReadAttack(Protocol[S_contra]):
    """Reads one attack as an order has it, perhaps with its start, and checks it.

    The result is only for computing odds: the attack is read as if its units were at its start, with a warning that
    says so. With `begun` letters of this phase came before: units that acted in them cannot attack.
    """

    def __call__(self, text: str, view: S_contra, seat: Seat, begun: bool = False, /) -> ParsedBlock: ...


_ANSWERS_NOTE = msg(
    "Behind each answer: how often the place is yours after the fight, steps lost and units of yours shaken or "
    "lost on average. The figures are exact, if your opponent has no standing orders."
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Forecast(Generic[S]):
    """The odds of a game: values of attacks, and answers of standing orders to them."""

    odds: WeighOrders[S]
    attack_odds: Callable[[str, S, Seat, OddsLimits], OrderOdds]
    """The odds of an attack read by `attack` in the present position, with its units at its start."""
    attack: ReadAttack[S]
    trial: Callable[[str, S, Seat], AttackSetup] | None = None
    """Read ``place BY force``, and set up that attack of the enemy on the seat, using only what the seat sees."""
    answer_stakes: Callable[
        [World[S], Sequence[AskedQuestion], tuple[Any, ...], StepBudget], tuple[tuple[Msg | None, ...], ...]
    ] = _nothing
    """The value of each answer, by question and answer; None or missing if unknown.

    The world waits at the first question, and is what the asked seat sees; then come its standing orders."""
    answers_note: Msg = _ANSWERS_NOTE
    """The text after the answers to a question: its figures and assumptions."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Advice(Generic[S]):
    """The plans of a game's bot."""

    bot: str
    """The best of the game's bots that is fast enough for a letter."""
    plan: Callable[[S, Seat, Orders, StepBudget], tuple[Msg, ...]]
    """The summary of a seat's orders: main attack with odds, reserve, guarded places."""
    advised: Callable[[S, Seat, Orders], Orders] = _all_orders
    """The part of the bot's orders advised to a person; by default all."""


def state_key(start: object) -> Callable[[Any], Hashable]:
    """Return a key function for states after `start`: all fields but the edition."""
    kind: type = type(start)
    return apart(start, field_names(kind))


def _same_view(view: S, happened: Sequence[Event]) -> S:
    return view


@dataclass(frozen=True, kw_only=True, eq=False)
class PositionValues(Generic[S]):
    """The value of positions, from which the luck of rolls is computed (`luck`)."""

    worth: Callable[[S], Mapping[Side, int | float | Fraction]]
    """The points of each side now, exact and in fractions: a loss counts at once, not only when it makes a full point.

    The sides and their order are the same in every state."""
    party: Callable[[S, Side], Side]
    """The side of `worth` that a side fights for; empty if there is none of that name."""
    winner: Callable[[S], Side]
    """The side of `worth` that has won; empty while none has, and after a draw."""
    safe: Callable[[S], Side] = _empty
    """The side that certainly wins, by all points that can still be won; empty if none."""
    apart: Callable[[S], Callable[[S], Hashable]] = state_key
    """The key function of states after one, with all that a rule or `worth` may use."""
    engaged: Callable[[S], bool] = _no
    """Whether a fight is in progress, whose rolls belong together."""
    hindsight: Callable[[S, Sequence[Event]], S] = _same_view
    """A seat's view, completed from the events that it saw afterwards."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pictures(Generic[S, E]):
    """The pictures of a game's positions."""

    ground: Callable[[E], Grounds]
    """The map of an edition, to be drawn on: the same for every seat and position."""
    picture: Callable[[S, Seat, Seen[S]], Scene]
    """What a seat sees on the map after the events that it saw, each with its view before it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class RuleCases(Generic[S]):
    """The rule cases of a game (`cases`)."""

    state: Callable[[Mapping[str, Any], Mapping[str, Any]], S]
    """The position of a case, from its file and itself; a ValueError says what is wrong with the case."""
    world: Callable[[S, Mapping[Seat, Orders], str], World[S]]
    """The phase of a case, ``end`` being the end phase alone."""
    holds: Callable[[str, S], bool]
    """Whether an expectation about the position is true.

    Raise ValueError if it is none.
    """
    lookup: Callable[[str], bool]
    """Whether a chart lookup is true; raise ValueError if it is no lookup."""
    coins: Callable[[str], bool] = _no
    """Whether the roll of that label throws coins, which cases write 1 for heads and 0 for tails."""
    eyes: Callable[[S, Seat], S] = lambda state, seat: state
    """The position with which a seat's letter of a case is read."""
    keys: frozenset[str] | None = None
    """Keys that describe its position, in a case or above all cases; with None all keys are accepted."""


Edit = Callable[[S, str], Correction]
"""Reads a correction of a position, such as ``UNIT Leon AT Sierra`` (see `edits`)."""
