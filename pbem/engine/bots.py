"""Bots: players that come with a game, for practice, for tests and for balance.

A bot gets a seat's view and writes the text of a block of orders, which is read and checked as a player's.
It draws no random numbers itself; its caller passes a `Pick`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.orders.standing import If, Rule
from pbem.engine.terms import Orders, ParsedBlock, RejectedLine, Seat

T = TypeVar("T")

Pick = Callable[[int], int]
"""Chance as an argument: ``pick(n)`` is one of 0..n-1, all equally likely."""


class Bot(Protocol):
    """A player; the same view and the same picks give the same text."""

    def __call__(self, view: Any, seat: Seat, pick: Pick) -> str:
        """Return the lines of a block, without header and END.

        They are orders if the phase is the seat's, and standing orders.
        """
        ...


Bots = Mapping[str, Bot]
"""The bots of a game by name."""


def seeded_pick(seed: bytes) -> Pick:
    """Return a pick that follows from a seed.

    Each number is 64 bits of the SHA-256 of the seed and a counter. A number from the incomplete last range of `n`
    is drawn again, so that all results are equally likely.
    """
    counter = count()

    def pick(below: int) -> int:
        limit = 2**64 - 2**64 % below
        while True:
            number = hashlib.sha256(seed + next(counter).to_bytes(8, "big")).digest()[:8]
            if (value := int.from_bytes(number, "big")) < limit:
                return value % below

    return pick


class Luck:
    """Random choices made with a `Pick`."""

    def __init__(self, pick: Pick) -> None:
        self.pick = pick

    def chance(self, out_of: int) -> bool:
        """Return True once in `out_of` times."""
        return self.pick(out_of) == 0

    def one(self, items: Sequence[T]) -> T:
        """Return one of the items; there is at least one."""
        return items[self.pick(len(items))]

    def some(self, items: Sequence[T]) -> tuple[T, ...]:
        """Return at least one of the items, in their order.

        There is at least one item; every third time all are returned.
        """
        if self.chance(3):
            return tuple(items)
        selection = tuple(item for item in items if self.chance(2))
        return selection or (self.one(items),)

    def shuffle(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order."""
        remaining = list(items)
        return [remaining.pop(self.pick(len(remaining))) for _ in range(len(remaining))]


class DiceFromSeed:
    """Dice by label that follow from a seed."""

    def __init__(self, seed: str) -> None:
        self.seed = seed

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return `n` values 1..`sides`."""
        pick = seeded_pick(f"{self.seed}/{label}".encode())
        return tuple(1 + pick(sides) for _ in range(n))


# Bots that plan their own phases, with fixed standing orders.


class Planner(NamedTuple, Generic[T]):
    """The writing of plans by bots: their phases, their standing orders, their text."""

    moves: Callable[[T, str], bool]
    standing: tuple[Rule, ...]
    canon: Callable[[Orders], str]

    def bot(self, plan: Callable[[T, str, Luck], tuple[object, ...]]) -> Bot:
        """Return a bot that gives what `plan` returns as orders in its own phase.

        In other phases it orders nothing. Its standing orders are always the same.
        """

        def planning_bot(view: Any, seat: Seat, pick: Pick) -> str:
            side = view.edition.seats[seat]
            actions = plan(view, side, Luck(pick)) if self.moves(view, side) else ()
            return self.canon(Orders(actions, self.standing))

        return planning_bot


# A filter for all bots of a game: their orders have no line that the game's check refuses.


class OrderFunctions(NamedTuple):
    """The functions by which a game reads, sorts, checks and writes a seat's orders."""

    parse: Callable[[str, Any, str], ParsedBlock]
    in_order: Callable[[Orders], Orders]
    check: Callable[[Any, str, Orders], Iterable[RejectedLine]]
    canon: Callable[[Orders], str]


def drop_refused_lines(bot: Bot, desk: OrderFunctions) -> Bot:
    """Return a bot that removes refused lines from its orders; valid lines stay."""

    def checked_bot(view: Any, seat: Seat, pick: Pick) -> str:
        text = bot(view, seat, pick)
        while (orders := desk.parse(text, view, seat).orders).actions:
            refused_lines = {rejected.line for rejected in desk.check(view, seat, desk.in_order(orders))}
            if not refused_lines:
                break
            remaining = tuple(drop_lines(orders.actions, refused_lines))
            text = desk.canon(orders._replace(actions=remaining if remaining != orders.actions else ()))
        return text

    return checked_bot


def drop_lines(actions: Iterable[Any], lines: Collection[int]) -> Iterator[Any]:
    """Yield actions except those of some lines.

    Actions under a removed action are removed with it; so is an IF that becomes empty.
    """
    for action in actions:
        if action.line in lines:
            continue
        if isinstance(action, If):
            then, otherwise = (tuple(drop_lines(branch, lines)) for branch in (action.then, action.otherwise))
            if then:
                yield action._replace(then=then, otherwise=otherwise)
        elif inner := getattr(action, "actions", ()):
            yield action._replace(actions=tuple(drop_lines(inner, lines)))
        else:
            yield action
