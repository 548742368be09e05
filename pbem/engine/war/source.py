"""Parts of a war's file, each checked for what it may be; whatever is wrong is told with the line that it stands in."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from pbem.engine.data.sources import SourceError, line_of

_SHARE = re.compile(r"[0-9]+/[1-9][0-9]*")


class Source(NamedTuple):
    """A file that is being read: its text, and its name. `part` is what stands in the line that is told."""

    text: str
    name: str

    def wrong(self, part: str, reason: str) -> SourceError:
        """Return what is raised for a part of the file."""
        return SourceError(self.name, line_of(self.text, part), reason)

    def table(
        self, part: str, value: Any, known: Collection[str] = (), needed: Collection[str] = ()
    ) -> Mapping[str, Any]:
        """Return a value that is a table, and in which nothing stands but what is `known`, if anything is named."""
        if not isinstance(value, Mapping):
            raise self.wrong(part, f"{part} is a table of names and values, not {value!r}")
        for key in needed:
            if key not in value:
                raise self.wrong(part, f"{key} of {part} is missing")
        for key in value:
            if known and key not in known:
                raise self.wrong(part, f"{key} is nothing that {part} has; there are {', '.join(known)}")
        return value

    def rows(self, part: str, value: Any) -> list[Any]:
        """Return a value that is a list."""
        if not isinstance(value, list | tuple):
            raise self.wrong(part, f"{part} is a list, not {value!r}")
        return [*value]

    def names(self, part: str, value: Any) -> tuple[str, ...]:
        """Return a value that is a list of names."""
        return tuple(self.word(part, name) for name in self.rows(part, value))

    def word(self, part: str, value: Any) -> str:
        """Return a value that is a word or a sentence."""
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(part, f"{part} holds words in quotes, not {value!r}")
        return value

    def number(self, part: str, value: Any, least: int = 0) -> int:
        """Return a value that is a whole number."""
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise self.wrong(part, f"{part} is a whole number from {least}, not {value!r}")
        return value

    def one_of(self, part: str, value: Any, known: Collection[str], what: str) -> str:
        """Return a value that is among those known; `what` says what all of them are."""
        if value not in known:
            raise self.wrong(part, f"{value!r} is no {what}; there are {', '.join(filter(None, known))}")
        found: str = value
        return found

    def share(self, part: str, value: Any) -> Fraction:
        """Return a value that is a share of one."""
        if not isinstance(value, str) or not _SHARE.fullmatch(value) or Fraction(value) > 1:
            raise self.wrong(part, f"{part} is a share such as 3/4, not {value!r}")
        return Fraction(value)
