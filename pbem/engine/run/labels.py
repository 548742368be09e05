"""Labels: the name of a roll, fixed by what happens and never by when.

Examples: ``B>C/shock attacker``, ``B>C.2/fire Nizam > Leon`` (second assault on the pair), ``end/recover Nizam``,
``B>C/target C#2`` (the same roll again inside one address). A die found by its label is the same die however many
other rolls a ruling adds or takes away.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_TEXT = re.compile(r"(?P<where>[^/]+)/(?P<what>.+?)(?:#(?P<nth>[2-9]|[1-9][0-9]+))?", re.DOTALL)


class Label(NamedTuple):
    """Address of the event, the roll in the words of the rules, and its count inside the address (1 = first)."""

    where: str
    what: str
    nth: int = 1

    def __str__(self) -> str:
        again = f"#{self.nth}" if self.nth > 1 else ""
        return f"{self.where}/{self.what}{again}"

    @classmethod
    def parse(cls, text: str) -> Label:
        """Read the text form; ValueError unless it holds an address and a roll, split by the first ``/``."""
        found = _TEXT.fullmatch(text)
        if found is None:
            raise ValueError(f"a label reads ADDRESS/ROLL, got {text!r}")
        return cls(found["where"], found["what"], int(found["nth"] or 1))
