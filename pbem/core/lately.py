"""Asked again of the same thing, a function of it need not work its answer out again."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

__all__ = ["Itself", "lately"]

S = TypeVar("S")
T = TypeVar("T")


class Itself:
    """A key that is equal to no other than one of the very same object, which it keeps alive."""

    __slots__ = ("_what",)

    def __init__(self, what: object) -> None:
        self._what = what

    def __hash__(self) -> int:
        return id(self._what)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other._what is self._what


def lately(find: Callable[[S], T]) -> Callable[[S], T]:
    """Make a function of one argument keep what it answered last, for as long as it is asked of that very object.

    For values that nobody changes, such as positions: they need not be hashable, and are told apart by what they are,
    not by what they hold. Whatever threads ask at once, each gets the answer for its own.

    What it was asked of last it keeps alive, with the answer, until it is asked of something else: one thing for each
    function made so, however many there were before. So it is for what is asked again at once, a step later, and what
    nobody asks of any more costs a server a single position.
    """
    kept: tuple[S, T] | None = None

    @wraps(find)
    def found(about: S) -> T:
        nonlocal kept
        last = kept
        if last is None or last[0] is not about:
            kept = last = about, find(about)
        return last[1]

    return found
