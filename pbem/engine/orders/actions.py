"""The orders that every game has: IF, STOP IF, PASS.

`line` counts in the text the order was read from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.orders.standing import Condition

A = TypeVar("A")


class Pass(NamedTuple):
    """Nothing, on purpose."""

    line: int


class If(NamedTuple, Generic[A]):
    """A condition (plain data of the condition language) and what is done in either case."""

    line: int
    condition: Condition
    then: tuple[A, ...]
    otherwise: tuple[A, ...] = ()


class Stop(NamedTuple):
    """STOP IF: when the condition holds, nothing that follows is done."""

    line: int
    condition: Condition


def _nothing(action: Any) -> Iterable[Any]:
    return ()


def flat(actions: Iterable[A], under: Callable[[A], Iterable[A]] = _nothing) -> Iterator[A]:
    """Yield all that might be done, in the order written: of an IF what is done in either case, but not the IF itself.

    `under` says what stands under an order that heads others; these follow it.
    """
    for action in actions:
        if isinstance(action, If):
            yield from flat((*action.then, *action.otherwise), under)
        else:
            yield action
            yield from flat(under(action), under)
