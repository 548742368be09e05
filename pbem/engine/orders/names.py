"""Read names: ids, full names, prefixes, misspellings; never guess."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from pbem.engine.orders.lex import fold, guess

_MOST_SLIPS = 3
"""Slips above which a name is no longer suggested: other names of a game are then as near."""
_LETTERS_PER_SLIP = 3
"""Letters for each slip in a suggestion: with more than one wrong in three, most short words become each other."""


class NameMatch(NamedTuple):
    """The meanings of a name: the ids, and how it was read.

    `how` is ``exact``, ``prefix``, ``typo``, ``many`` or ``none``. With the first three there is one id; with
    ``many`` the possible ids; with ``none`` suggestions.
    """

    ids: tuple[str, ...]
    how: str

    @property
    def id(self) -> str | None:
        """Return the id if there is only one meaning."""
        return self.ids[0] if self.how in ("exact", "prefix", "typo") else None


class Names:
    """An index of ids and their names, built from what the reader may see."""

    def __init__(self, entries: Mapping[str, Iterable[str]]) -> None:
        """Take id -> further names; the id itself is always a name."""
        self._exact: dict[str, set[str]] = {}
        for ident, names in entries.items():
            for name in (ident, *names):
                self._exact.setdefault(_key(name), set()).add(ident)
        self._keys = sorted(self._exact)
        self._letters = {key: frozenset(key) for key in self._keys}
        self._seen = {key: _lookalike_key(key) for key in self._keys}
        self._found = {key: _one_or_many(ids, "exact") for key, ids in self._exact.items()}
        self._longest: dict[str, int] = {}
        for words in map(str.split, self._keys):
            if words:
                self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))
        self._joined: dict[str, set[str]] = {}
        for name, ids in self._exact.items():
            self._joined.setdefault(name.replace(" ", ""), set()).update(ids)
        self._cache: dict[str, NameMatch] = {}

    def joined_id(self, words: Sequence[str]) -> str:
        """Return the one id of words without blanks, ``Browne Bn`` for ``BrowneBn``.

        It is empty if there is none, or more than one.
        """
        if any(word[-1:].isdigit() and next_word[:1].isdigit() for word, next_word in pairwise(words)):
            return ""
        ids = self._joined.get(_key("".join(words)), set())
        return next(iter(ids)) if len(ids) == 1 else ""

    def exact(self, written: str) -> NameMatch | None:
        """Return the meaning of a name as it is written, or None."""
        return self._found.get(written) or self._found.get(_key(written))

    def longest(self, word: str) -> int:
        """Return the number of words of the longest name that begins with `word`, or 0."""
        most = self._longest.get(word)
        return self._longest.get(_key(word).partition(" ")[0], 0) if most is None else most

    def find(self, written: str) -> NameMatch:
        """Read a name: exact, else a unique prefix, else with one slip.

        Two slips are allowed from seven letters on. Numbers are read exactly: no digit is corrected, no number
        shortened or split. When several ids fit, they are returned as ``many``, though one may fit better than
        another.
        """
        key = _key(written)
        match = self._cache.get(key)
        if match is None:
            match = self._find(key)
            if len(self._cache) < 4096:
                self._cache[key] = match
        return match

    def _find(self, key: str) -> NameMatch:
        if key in self._found:
            return self._found[key]
        if " " in key and (whole := self.joined_id(key.split())):
            return NameMatch((whole,), "typo")
        slips, near = self._near(key)
        starting = {ident for name in self._keys if _begins(name, key) for ident in self._exact[name]}
        if starting:
            return _one_or_many(starting | slips if len(starting) == 1 else starting, "prefix")
        # A choice: three suggestions can be compared at a glance.
        return _one_or_many(slips, "typo") if slips else NameMatch(near[:3], "none")

    def _near(self, key: str) -> tuple[set[str], tuple[str, ...]]:
        """Return the ids within the allowed slips, and all similar ids.

        The former have the same numbers as the name.
        """
        guess()
        allowed = 2 if len(key) >= 7 else 1 if len(key) >= 4 else 0
        far, letters, lookalike = min(_MOST_SLIPS, len(key) // _LETTERS_PER_SLIP), frozenset(key), _lookalike_key(key)
        slips: set[str] = set()
        near: dict[str, int] = {}
        for name in self._keys:
            looks_alike = (lookalike, self._seen[name]) != (key, name)
            if abs(len(name) - len(key)) > far or (not looks_alike and _are_further(self._letters[name], letters, far)):
                continue
            steps = distance(key, name)
            if steps <= allowed and _numbers(name) == _numbers(key):
                slips |= self._exact[name]
            if looks_alike:
                steps = min(steps, distance(lookalike, self._seen[name]) + 1)
            if steps <= far:
                near.update((ident, min(steps, near.get(ident, steps))) for ident in self._exact[name])
        return slips, tuple(sorted(near, key=lambda ident: (near[ident], ident)))


def _one_or_many(ids: set[str], how: str) -> NameMatch:
    return NameMatch(tuple(sorted(ids)), how if len(ids) == 1 else "many")


def _key(name: str) -> str:
    key = name.lower() if name.isascii() else fold(name)
    return key if key.isalnum() else " ".join(key.replace(".", " ").replace("_", " ").split())


def _begins(name: str, key: str) -> bool:
    """Return whether `key` is the beginning of `name`.

    It must not end within a number, since 1/5 is not 1/54.
    """
    return bool(key) and name.startswith(key) and not (key[-1].isdigit() and name[len(key) :][:1].isdigit())


def _lookalike_key(key: str) -> str:
    """Return a name in which lookalike letters are equal, such as ``rn`` and ``m``.

    Others are ``vv`` and ``w``, ``cl`` and ``d``.
    """
    return key.replace("rn", "m").replace("vv", "w").replace("cl", "d")


def _numbers(key: str) -> list[str]:
    return re.findall(r"\d+", key)


def _are_further(some: Set[str], others: Set[str], far: int) -> bool:
    """Return whether the letters alone prove more than `far` slips between two words.

    Each slip changes at most two letters.
    """
    return len(some ^ others) > 2 * far


def near_enough(written: str, meant: str) -> bool:
    """Return whether a suggestion's distance is at most a third of the word's length."""
    far = len(written) // _LETTERS_PER_SLIP
    return not _are_further(frozenset(written), frozenset(meant), far) and distance(written, meant) <= far


def distance(a: str, b: str) -> int:
    """Return the letters to add, drop, change or swap to make `a` into `b`."""
    older: list[int] = []
    last = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        row = [i]
        for j, y in enumerate(b, start=1):
            best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                best = min(best, older[j - 2] + 1)
            row.append(best)
        older, last = last, row
    return last[-1]
