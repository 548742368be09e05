"""Count what the reading of a letter takes, inside its loops, so that it stops when the letter asks for too much.

Nothing is counted outside of `counted`: replays, bots and reports read as much as there is. This module knows neither
clock nor limits; its counter brings them.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Exceeded(Exception):
    """A letter takes more than it may; nothing of it is done."""


class Counter(Protocol):
    """What counts the effort for one letter, and raises `Exceeded` when that is too much."""

    def spend(self, characters: int) -> None:
        """Count characters that are folded or parted into words."""

    def guess(self) -> None:
        """Count a word that is compared with all that it may be misspelt for."""


_LONGEST = 60
"""Characters of a word that are compared with others."""
_COUNTER: ContextVar[Counter | None] = ContextVar("effort", default=None)


@contextmanager
def counted(counter: Counter) -> Iterator[None]:
    """Let a counter count what is done meanwhile."""
    before = _COUNTER.set(counter)
    try:
        yield
    finally:
        _COUNTER.reset(before)


def spend(characters: int) -> None:
    """Count characters that are folded or parted into words."""
    counter = _COUNTER.get()
    if counter is not None:
        counter.spend(characters)


def guess() -> None:
    """Count a word that is compared with all that it may be misspelt for."""
    counter = _COUNTER.get()
    if counter is not None:
        counter.guess()


def close_matches(word: str, words: Collection[str], n: int, cutoff: float = 0.6) -> list[str]:
    """Return up to `n` of `words` that are like `word`, the most alike first; it counts as a guess."""
    guess()
    return difflib.get_close_matches(word[:_LONGEST], words, n=n, cutoff=cutoff)
