"""Caches: a function's last result by identity, and recent results by key."""

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


class IdentityKey:
    """A key made of an object, equal only for the same object, which it keeps alive."""

    __slots__ = ("_what",)

    def __init__(self, value: object) -> None:
        self._what = value

    def __hash__(self) -> int:
        return id(self._what)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdentityKey) and other._what is self._what


class LruCache(Generic[K, T]):
    """A cache of the `most` recently used values; empty keys are not cached.

    If `weigh` is given, `most` is the weight of all values together.
    """

    def __init__(self, most: int, weigh: Callable[[T], int] = lambda _: 1) -> None:
        self._most, self._weigh, self._lock = most, weigh, Lock()
        self._kept, self._weight = OrderedDict[K, T](), 0

    def get(self, key: K, make: Callable[[], T]) -> T:
        """Return the value of a key, made if missing; two threads may both make it."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make()
        if key:
            with self._lock:
                if key not in self._kept:
                    self._weight += self._weigh(value)
                self._kept[key] = value
                while self._weight > self._most:
                    self._weight -= self._weigh(self._kept.popitem(last=False)[1])
        return value

    def __len__(self) -> int:
        """Return the number of cached values."""
        return len(self._kept)


def cache_last(*parts: str) -> Callable[[Callable[[S], T]], Callable[[S], T]]:
    """Cache the last result of a one-argument function.

    It is valid while these parts stay the same objects.

    ::

        @cache_last("units", "fight")
        def footings(state): ...

    `parts` are the attributes that the result depends on, each an object that is never changed: the argument
    itself may be a draft that exchanges them. They need not be hashable, and are compared by identity. With
    several threads each gets the result for its own argument.

    Each decorated function keeps one set of parts alive, with its result, until it is called with others. It is
    meant for questions that are repeated a step later; its memory cost is the parts of a single position.
    """

    def decorate(find: Callable[[S], T]) -> Callable[[S], T]:
        kept: tuple[tuple[object, ...], T] | None = None

        @wraps(find)
        def find_cached(argument: S) -> T:
            nonlocal kept
            last, now = kept, tuple([getattr(argument, part) for part in parts])
            if last is None or any(map(is_not, last[0], now)):
                kept = last = now, find(argument)
            return last[1]

        return find_cached

    return decorate
