"""What is remembered: the last answer of a function about the very same objects, and the last few by a name."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from operator import is_not
from threading import Lock
from typing import Generic, TypeVar

S = TypeVar("S")
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


class Itself:
    """A key made of an object: equal only to a key of the very same object, which it keeps alive."""

    __slots__ = ("_what",)

    def __init__(self, what: object) -> None:
        self._what = what

    def __hash__(self) -> int:
        return id(self._what)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other._what is self._what


class Recent(Generic[K, T]):
    """What was asked for last, by its key: so many of them and no more. Nothing is remembered under an empty key."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._kept = OrderedDict[K, T]()

    def get(self, key: K, make: Callable[[], T]) -> T:
        """Return what is remembered under a key, made if it is not; two that ask at once may both make it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = make()
        if key:
            with self._lock:
                self._kept[key] = made
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return made

    def __len__(self) -> int:
        """Return how many are remembered."""
        return len(self._kept)


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
