"""Bots: players that come with a game, for practice, for tests and to weigh a scenario.

A bot sees what a seat sees and writes what a player writes: the text of a block of orders, which is read and checked
like any other. It has no chance of its own; whoever asks it brings `Pick`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.orders.standing import If, Rule
from pbem.engine.terms import Orders, Reading, Rejected, Seat

T = TypeVar("T")

Pick = Callable[[int], int]
"""Chance as an argument: ``pick(n)`` is one of 0..n-1, each as likely."""


class Bot(Protocol):
    """A player. The same view and the same picks give the same text."""

    def __call__(self, view: Any, seat: Seat, pick: Pick) -> str:
        """Return the lines of a block, without header and END: orders if the phase is the seat's, standing orders."""
        ...


Bots = Mapping[str, Bot]
"""The bots of a game by name."""


def picks(seed: bytes) -> Pick:
    """Return chance that follows from a seed: SHA-256 of the seed and a number that counts up, 64 bits of it each time.

    What would make one answer likelier than another is drawn again.
    """
    drawn = count()

    def pick(below: int) -> int:
        most = 2**64 - 2**64 % below
        while True:
            number = hashlib.sha256(seed + next(drawn).to_bytes(8, "big")).digest()[:8]
            if (value := int.from_bytes(number, "big")) < most:
                return value % below

    return pick


class Luck:
    """What one does with a `Pick`."""

    def __init__(self, pick: Pick) -> None:
        self.pick = pick

    def chance(self, out_of: int) -> bool:
        """True once in `out_of`."""
        return self.pick(out_of) == 0

    def one(self, items: Sequence[T]) -> T:
        """Return one of the items, of which there is at least one."""
        return items[self.pick(len(items))]

    def some(self, items: Sequence[T]) -> tuple[T, ...]:
        """Return at least one of the items, of which there is at least one, in their order; all of them every third
        time."""
        if self.chance(3):
            return tuple(items)
        found = tuple(item for item in items if self.chance(2))
        return found or (self.one(items),)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in any order."""
        left = list(items)
        return [left.pop(self.pick(len(left))) for _ in range(len(left))]


class OwnDice:
    """Dice found by label that follow from a seed."""

    def __init__(self, seed: str) -> None:
        self.seed = seed

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return `n` values 1..`sides`."""
        pick = picks(f"{self.seed}/{label}".encode())
        return tuple(1 + pick(sides) for _ in range(n))


# Bots that plan a phase: what they order in one of their own, and always the same standing orders.


class Planner(NamedTuple, Generic[T]):
    """How bots of a game write what they plan: whether the phase is a side's, their standing orders, and the text."""

    moves: Callable[[T, str], bool]
    standing: tuple[Rule, ...]
    canon: Callable[[Orders], str]

    def bot(self, plan: Callable[[T, str, Luck], tuple[object, ...]]) -> Bot:
        """Return a bot that orders what `plan` makes of a side's view in its phase."""

        def planned(view: Any, seat: Seat, pick: Pick) -> str:
            side = view.edition.seats[seat]
            actions = plan(view, side, Luck(pick)) if self.moves(view, side) else ()
            return self.canon(Orders(actions, self.standing))

        return planned


# What every bot of a game is put through: no line of its orders is one that the game's check refuses.


class Desk(NamedTuple):
    """How a game takes orders: it reads a seat's text, puts its lines in the order in which they are carried out, holds
    them against what the seat sees, and writes them."""

    parse: Callable[[str, Any, str], Reading]
    in_order: Callable[[Orders], Orders]
    check: Callable[[Any, str, Orders], Iterable[Rejected]]
    canon: Callable[[Orders], str]


def checked(bot: Bot, desk: Desk) -> Bot:
    """Return a bot that leaves out of its orders what is refused, until nothing is; what is sound it leaves alone."""

    def careful(view: Any, seat: Seat, pick: Pick) -> str:
        text = bot(view, seat, pick)
        while (orders := desk.parse(text, view, seat).orders).actions:
            refused = {bad.line for bad in desk.check(view, seat, desk.in_order(orders))}
            if not refused:
                break
            left = tuple(without(orders.actions, refused))
            text = desk.canon(orders._replace(actions=left if left != orders.actions else ()))
        return text

    return careful


def without(actions: Iterable[Any], lines: Collection[int]) -> Iterator[Any]:
    """Yield actions but for those of some lines, which fall with all that stands under them; so does an empty IF."""
    for action in actions:
        if action.line in lines:
            continue
        if isinstance(action, If):
            then, otherwise = (tuple(without(some, lines)) for some in (action.then, action.otherwise))
            if then:
                yield action._replace(then=then, otherwise=otherwise)
        elif under := getattr(action, "actions", ()):
            yield action._replace(actions=tuple(without(under, lines)))
        else:
            yield action
