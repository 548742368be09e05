"""A bot in the place of a player: what it orders in a position, and how positions played on by bots end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.bots import Bot, Pick, picks
from pbem.engine.data.canon import dumps
from pbem.engine.data.sums import in_order
from pbem.engine.game import AnyGame
from pbem.engine.run.runners import Dice, play
from pbem.engine.terms import Orders, Seat

# What a bot orders in a position, read and checked as a player's letter is.


class Given(NamedTuple):
    """The orders that a bot gives, in the order in which they are carried out, and what is `against` them, if anything
    is: then there are none."""

    orders: Orders
    against: str = ""


def pick_of(rules: AnyGame, bot: str, seat: Seat, view: object) -> Pick:
    """Return a bot's chance in a view: it follows from the view itself, so that who has that gets the same orders."""
    return picks(dumps([bot, seat, rules.encode(view)]).encode("ascii"))


def given(rules: AnyGame, bot: str, seat: Seat, view: object, pick: Pick | None = None) -> Given:
    """Return what a bot of the game orders for a seat that sees `view`, with its standing orders.

    Its chance is `pick_of` unless another `pick` is given.
    """
    text = rules.bots[bot](view, seat, pick or pick_of(rules, bot, seat, view))
    read = rules.parse(text, view, seat)
    if read.rejected:
        return Given(Orders(), str(read.rejected[0].why))
    orders = rules.aids.in_order(read.orders)
    refused = rules.check(view, seat, Orders(orders.actions))
    return Given(Orders(), f"{refused[0].why} in\n{text}") if refused else Given(orders)


# A position played on to its end by bots, with dice and chance that the caller names: what might have come of it.
#
# The same position, dice and chance give the same end on every machine. The bot takes all of a state, so what comes of
# it is for games that are open by now, or for whoever may know everything.


LONGEST = 500
"""Phases past which a play is given up as drawn: no game of bots comes near."""


class Playing(NamedTuple):
    """How a position is played on: by whose rules and which bot, with which dice and chance.

    Both are asked with the state of a phase; the chance with the seat that orders too.
    """

    rules: AnyGame
    bot: Bot
    dice: Callable[[Any], Dice]
    chance: Callable[[Any, Seat], Pick]


def play_on(how: Playing, state: object) -> Any:
    """Play on to the end, and return the last state; one that has gone too far is returned as it is then."""
    rules, standing = how.rules, dict[Seat, tuple[Any, ...]]()
    for _ in range(LONGEST):
        if rules.phase(state) is None:
            break
        given = dict(_orders(how, state, standing))
        decisions = rules.decisions(state, given, {})
        state = play(rules.rules, rules.world(state, given), how.dice(state), decisions).state
    return state


def _orders(how: Playing, state: object, standing: dict[Seat, tuple[object, ...]]) -> Iterator[tuple[Seat, Orders]]:
    """What the bots order; a seat that does not move keeps to the standing orders that its bot gave last."""
    rules, active = how.rules, how.rules.active(state)
    for seat in rules.seats(state):
        if seat in active or seat not in standing:
            view = rules.view(state, seat)
            text = how.bot(view, seat, how.chance(state, seat))
            orders = rules.aids.in_order(rules.parse(text, view, seat).orders)
            standing[seat] = orders.standing or standing.get(seat, ())
            yield seat, Orders(orders.actions if seat in active else (), standing[seat])
        else:
            yield seat, Orders((), standing[seat])


# Looking ahead by playing on: plans are tried out on dice of one's own, and the one that does best is taken.
#
# The dice follow from their seed, the number of the trial and the label of the roll alone. So the same plans in the
# same position give the same answer on every machine, and what two plans have in common falls alike for both.


P = TypeVar("P")
S = TypeVar("S")


class Trials(NamedTuple):
    """How often plans are tried: each `first` times, then the `left` best of them `last` times in all."""

    first: int
    left: int
    last: int


def best_of(plans: Sequence[P], weigh: Callable[[P, int], float], trials: Trials) -> P:
    """Return the plan with the best mean of ``weigh(plan, number)`` over trials 0, 1 ...; of equal ones the first.

    There is at least one plan.
    """
    if len(plans) == 1:
        return plans[0]
    found = [[weigh(plan, number) for number in range(trials.first)] for plan in plans]
    ranked = sorted(range(len(plans)), key=lambda index: -in_order(found[index]))[: trials.left]
    for index in ranked:
        found[index] += [weigh(plans[index], number) for number in range(trials.first, trials.last)]
    return plans[max(ranked, key=lambda index: in_order(found[index]))]


class Rehearsal(ABC, Generic[S]):
    """A phase of a side in its view, played by a plan and then on as both sides are thought to go on."""

    def __init__(self, view: S, side: str) -> None:
        self.view, self.side = view, side

    def weigh(self, plan: tuple[Any, ...], number: int) -> float:
        """Return what comes of a plan in the trial of that number."""
        state, phases = self.played(self.view, plan, f"{number} 0"), 1
        while self.goes_on(state, phases):
            state, phases = self.played(state, self.orders(state), f"{number} {phases}"), phases + 1
        return self.value(state)

    @abstractmethod
    def played(self, state: S, actions: tuple[Any, ...], seed: str) -> S:
        """Return the position after a phase in which these orders are given, by the dice of a seed."""

    @abstractmethod
    def goes_on(self, state: S, phases: int) -> bool:
        """Return whether a position that many phases later is played on."""

    @abstractmethod
    def orders(self, state: S) -> tuple[Any, ...]:
        """Return what the side whose phase it is is thought to order."""

    @abstractmethod
    def value(self, state: S) -> float:
        """Return what a position is worth to the side."""
