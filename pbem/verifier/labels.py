"""Check the labels of a game's rolls against its grammar.

So no label can be invented to get another die. The leaf that opens a phase names the game (`system`); for a game
that is unknown here nothing is checked.
"""

from __future__ import annotations

import re
from functools import lru_cache

NAME = r"[A-Za-z0-9](?:[A-Za-z0-9'._/ -]{0,38}[A-Za-z0-9])?"
PLACE = r"[A-Za-z0-9](?:[A-Za-z0-9'_ -]{0,38}[A-Za-z0-9])?"
FIGHT = rf"{PLACE}(?:>{PLACE})?(?:\.[1-9][0-9]{{0,2}})?"
ONCE_MORE = r"(?: ?#[1-9][0-9]{0,2})?"
"""The suffix of a label that repeats a roll at one place."""

LABELS: dict[str, tuple[str, ...]] = {
    "africa1860": (
        f"{FIGHT}/(?:shock (?:attacker|defender)|(?:morale|leader|charge) {NAME}){ONCE_MORE} 1d6",
        rf"{FIGHT}/fire {NAME}(?:\+{NAME})* > {NAME}{ONCE_MORE} [1-9][0-9]{{0,2}}d2",
        f"{FIGHT}/target {PLACE}{ONCE_MORE} 1d[1-9][0-9]?",
        f"end/recover {NAME}{ONCE_MORE} 1d6",
    ),
    "peninsular": (
        f"{FIGHT}/(?:(?:morale|control|rally) {NAME}|(?:shock|fire) {NAME} > {NAME}){ONCE_MORE} 1d6",
        f"{FIGHT}/commander {NAME}{ONCE_MORE} 2d6",
        f"end/(?:division|arrival) {NAME}{ONCE_MORE} 1d6",
    ),
    "camp": (f"camp/(?:fleet|(?:scout|cholera|harvest) {NAME}) 1d6",),
}
"""By system: the possible rolls, each `LABEL NdS` as a regular expression."""


@lru_cache(maxsize=4096)
def is_label(system: str, label: str, n: int, sides: int) -> bool | None:
    """Return whether a label is one of the game's; None if its labels are unknown."""
    if system not in LABELS or len(label) > 200:
        return False if system in LABELS else None
    return any(re.fullmatch(form, f"{label} {n}d{sides}") for form in LABELS[system])
