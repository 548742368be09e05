"""E7.12 Count points that a director gives or takes, by the lines of his rulings.

::

    awards_in([(3, "AWARD 7 0.5"), (5, "AWARD E2 -1"), (6, "UNDO 5")])      {7: 1}
"""

from __future__ import annotations

import re
from collections.abc import Iterable

AMOUNT = r"(?P<amount>[+-]?(?:\d{1,2}(?:[.,][05])?))"
"""Points as a ruling has them: halves or whole ones, given or taken."""
_LINE = re.compile(rf"AWARD E?(?P<one>\d{{1,4}}) {AMOUNT}", re.IGNORECASE)
_UNDO = re.compile(r"UNDO (?P<number>\d{1,5})")


def half_points_of_amount(amount: str) -> int:
    """Return the half points of an amount, such as -1 for ``-0.5``."""
    return round(2 * float(amount.replace(",", ".")))


def is_award(line: str) -> bool:
    """Return whether the line of a ruling gives points or takes them."""
    return _LINE.fullmatch(line) is not None


def awards_by_entrant(rulings: Iterable[tuple[int, str]]) -> dict[int, int]:
    """Return the half points by entrant of numbered rulings that were not taken back."""
    lines = dict(rulings)
    undone = {int(match["number"]) for line in lines.values() if (match := _UNDO.fullmatch(line))}
    halves = dict[int, int]()
    for number, line in lines.items():
        if number not in undone and (match := _LINE.fullmatch(line)):
            halves[int(match["one"])] = halves.get(int(match["one"]), 0) + half_points_of_amount(match["amount"])
    return halves
