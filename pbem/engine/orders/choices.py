"""Possible orders of units, one by one and as plain data.

A page lets a player choose from them. A line of orders is chosen in parts: units, verb, target, details. Units
chosen together may do what each of them may::

    move = Verb("MOVE", msg("Move to"), {"": "MOVE {units} TO {to}"}, clauses=(Clause("VIA", msg("by way of"), WAY),))
    Choices((move,), {"Leon": {"MOVE": ("Serrallo", "Otero")}}, ways={"MOVE": {"VIA": {"Leon": {"Otero": ("Playa",)}}}})

Leon may move to Otero, optionally by way of Playa: ``MOVE Leon TO Otero VIA Playa``. All offers are legal as the
first order of a letter. After other orders they may not be: the rules check that, as for any line. MOVES shows the
same in words; an order form (`Offer`) is a selection from it, in whole lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from types import MappingProxyType
from typing import NamedTuple

from pbem.engine.data.messages import Msg
from pbem.engine.orders.standing import Idiom

PLAIN, BOTH, LED, JOINED = "", "both", "led", "joined"
"""The lines of a verb: plain; with leaders named apart from units; under a leading leader; with all units joined as
one."""

WAY, DOER, OTHER = "way", "doer", "other"
"""What a clause names: a word or place of `Choices.ways`; one of the acting units; one of the units for which
`Choices.offers` has the clause itself and the destination, acting or not."""
ONE, SET, SERIES, STACKS = "one", "set", "series", "stacks"
"""How many a clause names: one; several, by id; several, as they were chosen; several, of a place joined by ``+``."""


class Clause(NamedTuple):
    """An optional addition to a line: canonical keyword, label, and what it names.

    `names` is `WAY`, `DOER` or `OTHER`. Acting units may be named if `offers` has the clause for them. `words`
    may replace a name. Units named by one of the clauses `besides` are excluded, and the clause is not used
    with those in `instead`.
    """

    clause: str
    says: Msg
    names: str = WAY
    many: str = ONE
    words: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()


class Verb(NamedTuple):
    """A kind of order: label and canonical lines.

    Gaps of lines are `units`, `leaders`, `leader`, `to`, and `joined`, which is `units` with ``+`` between them.
    `attack`: whether it is an attack. `alone`: it needs no line above it, such as an activation. `apart`: units
    that do it together need not be together; `single`: only one unit does it. `written`: units stay in the order in
    which they were chosen; else by id. `clauses` may follow, in this order.
    """

    verb: str
    says: Msg
    lines: Mapping[str, str]
    attack: bool = False
    alone: bool = False
    apart: bool = False
    single: bool = False
    written: bool = False
    clauses: tuple[Clause, ...] = ()


Ways = Mapping[str, Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]]]
"""By verb, clause, unit and destination: the words that the clause may name."""
After = Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]]
"""By unit, verb and destination: the lines that could be ordered before, the simplest first; several lines are
separated by line ends. They may have a gap `units`."""


class Choices(NamedTuple):
    """All choices: verbs in order; for each unit, by verb, the targets or ways.

    An order without target has an empty one. `under` is the line that orders of a place are under, with a gap
    `place`. `leads` are possible leaders, the best first; `idiom` is the language of standing orders. `after`
    has orders that are possible only after other lines: next to an enemy, with another order of the division.
    `helps` is like `offers`, for orders that several units can do only together.
    """

    verbs: tuple[Verb, ...] = ()
    offers: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    under: str = ""
    leads: tuple[str, ...] = ()
    idiom: Idiom | None = None
    ways: Ways = MappingProxyType({})
    after: After = MappingProxyType({})
    helps: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType({})

    def may(self, verb: str, clause: str, unit: str, to: str) -> tuple[str, ...]:
        """Return the words that a `WAY` clause may name for a unit sent to a place."""
        return self.ways.get(verb, {}).get(clause, {}).get(unit, {}).get(to, ())


# What an order form offers, one way of each line at a time: for programs, which choose where a player strikes out.


# Words with bars between them; no word goes on over a blank or a semicolon.
_CHOICE = re.compile(r"[^\s;]+(?: \| [^\s;]+)+")


class Offer(NamedTuple):
    """Lines that can be given unchanged, and their attack's chance, where known."""

    text: str
    chance: float | None = None


def ways(line: str) -> Iterator[str]:
    """Yield the alternatives of a form's line: of `a | b` either."""
    parts, choices = _CHOICE.split(line), [group.split(" | ") for group in _CHOICE.findall(line)]
    for picks in product(*choices):
        yield "".join(a + b for a, b in zip(parts, (*picks, ""), strict=True))
