"""Let bots play: their orders in a position, and games played to the end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.bots import Bot, Pick, seeded_pick
from pbem.engine.data.canon import dumps
from pbem.engine.data.sums import sum_in_order
from pbem.engine.game import AnyGame
from pbem.engine.run.runners import Dice, play
from pbem.engine.terms import Orders, Seat

# The orders of a bot, read and checked like a player's letter.


class BotOrders(NamedTuple):
    """A bot's orders, in the order in which they are carried out.

    If they cannot be used, `orders` is empty and `against` is the reason.
    """

    orders: Orders
    against: str = ""


def pick_for_bot(rules: AnyGame, bot: str, seat: Seat, view: object) -> Pick:
    """Return a bot's random choices in a view.

    They follow from the view itself, so that everybody who has the view gets the same orders.
    """
    return seeded_pick(dumps([bot, seat, rules.encode(view)]).encode("ascii"))


def bot_orders(rules: AnyGame, bot: str, seat: Seat, view: object, pick: Pick | None = None) -> BotOrders:
    """Return a bot's orders, with its standing orders, for a seat that sees `view`.

    Its chance is `pick_for_bot` unless another `pick` is given.
    """
    text = rules.bots[bot](view, seat, pick or pick_for_bot(rules, bot, seat, view))
    reading = rules.parse(text, view, seat)
    if reading.rejected:
        return BotOrders(Orders(), str(reading.rejected[0].why))
    orders = rules.aids.in_order(reading.orders)
    rejected = rules.check(view, seat, Orders(orders.actions))
    return BotOrders(Orders(), f"{rejected[0].why} in\n{text}") if rejected else BotOrders(orders)


# A position played on to its end by bots, with dice and chance of the caller.
#
# The same position, dice and chance give the same end on every machine. The bot sees whole states, so the result is for
# games that are open by now, or for readers who may know everything.


MOST_PHASES = 500
"""Phases after which a game counts as drawn. Games of bots are far shorter; without a bound, one without an end of
turns would never return."""


class AutoplaySettings(NamedTuple):
    """How a position is played on: rules, bot, dice and random choices.

    Dice are made from the state of a phase, choices from the state and the seat that orders.
    """

    rules: AnyGame
    bot: Bot
    dice: Callable[[Any], Dice]
    chance: Callable[[Any, Seat], Pick]


def play_on(playing: AutoplaySettings, state: object) -> Any:
    """Play on and return the last state, or the state after MOST_PHASES phases."""
    rules, standing = playing.rules, dict[Seat, tuple[Any, ...]]()
    for _ in range(MOST_PHASES):
        if rules.phase(state) is None:
            break
        orders_by_seat = dict(_orders(playing, state, standing))
        decisions = rules.decisions(state, orders_by_seat, {})
        state = play(rules.rules, rules.world(state, orders_by_seat), playing.dice(state), decisions).state
    return state


def _orders(
    playing: AutoplaySettings, state: object, standing: dict[Seat, tuple[object, ...]]
) -> Iterator[tuple[Seat, Orders]]:
    """Yield the orders of the bots.

    A seat that does not move keeps the standing orders that its bot gave last.
    """
    rules, active = playing.rules, playing.rules.active(state)
    for seat in rules.seats(state):
        if seat in active or seat not in standing:
            view = rules.view(state, seat)
            text = playing.bot(view, seat, playing.chance(state, seat))
            orders = rules.aids.in_order(rules.parse(text, view, seat).orders)
            standing[seat] = orders.standing or standing.get(seat, ())
            yield seat, Orders(orders.actions if seat in active else (), standing[seat])
        else:
            yield seat, Orders((), standing[seat])


# Look ahead by playing on: plans are tried with the bot's own dice, and the best one is taken.
#
# The dice follow from their seed, the number of the trial and the label of the roll alone. So the same plans in the
# same position give the same answer on every machine, and equal rolls of two plans have equal results.


P = TypeVar("P")
S = TypeVar("S")


class TrialCounts(NamedTuple):
    """Numbers of trials: `first` of each plan, then up to `last` for the `left` best."""

    first: int
    left: int
    last: int


def best_plan(plans: Sequence[P], weigh: Callable[[P, int], float], trials: TrialCounts) -> P:
    """Return the plan with the best mean of ``weigh(plan, number)`` over trials.

    Trials are numbered 0, 1 ...; of equal plans the first is returned. There is at least one plan.
    """
    if len(plans) == 1:
        return plans[0]
    results = [[weigh(plan, number) for number in range(trials.first)] for plan in plans]
    # Further trials are spent on the best of the first ones alone; of equal plans the earlier stays in front.
    ranked = sorted(range(len(plans)), key=lambda index: -sum_in_order(results[index]))[: trials.left]
    for index in ranked:
        results[index] += [weigh(plans[index], number) for number in range(trials.first, trials.last)]
    return plans[max(ranked, key=lambda index: sum_in_order(results[index]))]


class PlanTrial(ABC, Generic[S]):
    """A trial of a plan: one phase in a side's view, then play by bots of both sides."""

    def __init__(self, view: S, side: str) -> None:
        self.view, self.side = view, side

    def weigh(self, plan: tuple[Any, ...], number: int) -> float:
        """Return the value of a plan's result in the trial of that number."""
        state, phases = self.play(self.view, plan, f"{number} 0"), 1
        while self.goes_on(state, phases):
            state, phases = self.play(state, self.orders(state), f"{number} {phases}"), phases + 1
        return self.value(state)

    @abstractmethod
    def play(self, state: S, actions: tuple[Any, ...], seed: str) -> S:
        """Return the position after a phase with these orders and a seed's dice."""

    @abstractmethod
    def goes_on(self, state: S, phases: int) -> bool:
        """Return whether a position that many phases later is played on."""

    @abstractmethod
    def orders(self, state: S) -> tuple[Any, ...]:
        """Return the orders expected of the side whose phase it is."""

    @abstractmethod
    def value(self, state: S) -> float:
        """Return the value of a position for the side."""
