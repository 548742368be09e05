"""What an order form offers, one way of each line at a time: for programs, which choose where a player strikes out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

_CHOICE = re.compile(r"[^\s;]+(?: \| [^\s;]+)+")


class Offer(NamedTuple):
    """Lines of orders that can be given as they stand, and how often the attack in them wins, where that is known."""

    text: str
    chance: float | None = None


def ways(said: str) -> Iterator[str]:
    """What may be left of a line of a form: of `a | b` either."""
    parts, choices = _CHOICE.split(said), [group.split(" | ") for group in _CHOICE.findall(said)]
    for chosen in product(*choices):
        yield "".join(a + b for a, b in zip(parts, (*chosen, ""), strict=True))
