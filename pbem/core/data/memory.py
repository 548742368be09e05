"""Functions that keep their last answer, for as long as they are asked of the very same objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from operator import is_not
from typing import TypeVar

__all__ = ["Itself", "lately"]

S = TypeVar("S")
T = TypeVar("T")


class Itself:
    """A key made of an object: equal only to a key of the very same object, which it keeps alive."""

    __slots__ = ("_what",)

    def __init__(self, what: object) -> None:
        self._what = what

    def __hash__(self) -> int:
        return id(self._what)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other._what is self._what


def lately(*parts: str) -> Callable[[Callable[[S], T]], Callable[[S], T]]:
    """Make a function of one argument keep what it answered last, for as long as these parts of it are the very same.

    ::

        @lately("units", "fight")
        def footings(state): ...

    `parts` are the attributes that the answer depends on, each an object that nobody changes: the argument itself may
    be a draft that exchanges them. They need not be hashable, and are told apart by what they are, not by what they
    hold. Whatever threads ask at once, each gets the answer for its own.

    Each function made so keeps one set of parts alive, with its answer, until it is asked of others. It is meant for
    questions that are repeated a step later; what is no longer asked costs a server the parts of a single position.
    """

    def keeping(find: Callable[[S], T]) -> Callable[[S], T]:
        kept: tuple[tuple[object, ...], T] | None = None

        @wraps(find)
        def found(about: S) -> T:
            nonlocal kept
            last, now = kept, tuple([getattr(about, part) for part in parts])
            if last is None or any(map(is_not, last[0], now)):
                kept = last = now, find(about)
            return last[1]

        return found

    return keeping
