"""What units may be ordered to do, one by one and as plain data: what a page lets a player choose from.

A line of orders is chosen in parts: who, what, where to, how. Who are chosen together may do what each of them may::

    move = Verb("MOVE", msg("Move to"), {"": "MOVE {units} TO {to}"}, clauses=(Clause("VIA", msg("by way of"), WAY),))
    Choices((move,), {"Leon": {"MOVE": ("Serrallo", "Otero")}}, ways={"MOVE": {"VIA": {"Leon": {"Otero": ("Playa",)}}}})

Leon may be sent to Otero, if one likes by way of Playa: ``MOVE Leon TO Otero VIA Playa``. All that is offered is legal
as the first order of a letter. What comes of it after others the rules look at, as at any line. MOVES tells the same
in words; an order form (`Offer`) is a selection from it, in whole lines.
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
"""The lines of a verb: its own; with leaders named apart from units; under somebody who leads; all of them as one."""

WAY, DOER, OTHER = "way", "doer", "other"
"""What a clause names: a word or place of `Choices.ways`; one of those who act; one of those to whom `Choices.offers`
has the clause itself, with where to, whether they act or not."""
ONE, SET, SERIES, STACKS = "one", "set", "series", "stacks"
"""How many a clause names: one; several, by id; several, as they were chosen; several, of a place joined by ``+``."""


class Clause(NamedTuple):
    """What may be added to a line: its canonical keyword, what it is called, what it names (`WAY`, `DOER`, `OTHER`).

    Who acts may be named by a clause if `offers` has it for him. `words` may stand in the place of a name. It names
    nobody whom one of the clauses `besides` names, and does not stand in a line with one `instead` of which it is.
    """

    clause: str
    says: Msg
    names: str = WAY
    many: str = ONE
    words: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()
    instead: tuple[str, ...] = ()


class Verb(NamedTuple):
    """A kind of order: what it is called, and its canonical lines, with gaps `units`, `leaders`, `leader`, `to`, and
    `joined`, which is `units` with ``+`` between them.

    `attack`: whether it is one. `alone`: it stands under no other line, such as an activation. `apart`: who does it
    together need not stand together; `single`: nobody does it together. `written`: units stay in the order in which
    they were chosen; else by id. `clauses` may follow, in this order.
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
"""By verb, clause, unit and where to, what the clause may name."""
After = Mapping[str, Mapping[str, Mapping[str, tuple[str, ...]]]]
"""By unit, verb and where to, what could be ordered before, the plainest first, one line or several of them parted by
line ends: with a gap `units`, or with none."""


class Choices(NamedTuple):
    """All of it: verbs in the order in which they are shown; for each unit, by verb, where to or in which way.

    What needs no such word has the empty one. `under` is the line that orders of a place stand under, with a gap
    `place`. `leads` are those who can lead, the best first; `idiom` is how standing orders are written. `after` has
    what cannot be ordered as things stand, and could after other lines: next to an enemy, with another order of the
    division. `helps` is like `offers`: what a unit could not do alone and all of those who can could together.
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
        """Return what a clause of the kind `WAY` may name for a unit that is sent there."""
        return self.ways.get(verb, {}).get(clause, {}).get(unit, {}).get(to, ())


# What an order form offers, one way of each line at a time: for programs, which choose where a player strikes out.


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
