"""The workshop of the tournament's rules: rulings turned round, numbers one more and one less; cases are look-ups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from types import ModuleType
from typing import Any

import pbem.tournaments.arithmetic as package
from pbem.engine.testing.mutants import Mutant, Workshop, swap
from pbem.tournaments.arithmetic import facts, ratings
from pbem.tournaments.arithmetic.pairing import costs, swiss
from pbem.tournaments.arithmetic.rules import records
from tests.tournament.rulings import RULINGS
from tests.tournament.runner import cases, wrong

NAME = package.__name__


class CasedTournament:
    """What runs cases: a look-up is the title of one."""

    keys = None

    def __init__(self) -> None:
        self._cases = cases()

    @property
    def cased(self) -> CasedTournament:
        """Itself."""
        return self

    def lookup(self, title: str) -> bool:
        """Whether a case holds."""
        return not wrong(self._cases[title])


def number(rule: str, holder: ModuleType, name: str) -> Iterator[Mutant]:
    """A number of the rules, one less and one more."""
    value = getattr(holder, name)
    for other in (value - 1, value + 1):
        mutant_name = f"{rule} {name}: {value} -> {other}"
        yield Mutant(mutant_name, lambda other=other: swap(holder, name, other))  # type: ignore[misc]


def usual(name: str) -> Iterator[Mutant]:
    """E11 What is not worth a look, one less and one more."""
    value = getattr(facts.FactThresholds(), name)
    for other in (value - 1, value + 1):
        defaults = (facts.FactThresholds()._replace(**{name: other}),)
        mutant_name = f"E11 {name}: {value} -> {other}"
        yield Mutant(mutant_name, lambda defaults=defaults: swap(facts.notable_facts, "__defaults__", defaults))  # type: ignore[misc]


def breadth(value: int) -> Mutant:
    """E4.10 How many are near."""
    wide: Any = (value, *swiss._BREADTHS[1:])
    return Mutant(f"E4.10 near are {value}", lambda: swap(swiss, "_BREADTHS", wide))


OTHERS = [
    *number("E4.6", costs, "_PACE_STEP"),
    *number("E4.6", costs, "_PACE_MOST"),
    *number("E4.10", swiss, "SMALL"),
    *number("E9.2", ratings, "EARLY"),
    *number("E11", facts, "_MINUTE"),
    *(mutant for name in facts.FactThresholds._fields for mutant in usual(name)),
    breadth(7),
    breadth(9),
    Mutant("E1.1 late in swiss alone", lambda: swap(records, "LATE_FORMATS", ("swiss",))),
    Mutant("E1.1 late in ladder alone", lambda: swap(records, "LATE_FORMATS", ("ladder",))),
]
EQUAL: Mapping[str, str] = {
    "E4.10 near are 9": "of two opposite each other the one sees the ninth of the other among his eight",
    "E4.10 SMALL: 40 -> 41": "who is left when one rests is an even number",
}
GAME: Any = CasedTournament()
WORKSHOP = Workshop(NAME, GAME, {}, lambda charts: nullcontext(), RULINGS, OTHERS, EQUAL)
