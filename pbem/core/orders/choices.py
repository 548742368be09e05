"""What units may be ordered to do, one by one and as plain data: what a page lets a player choose from.

A line of orders is chosen in parts: who, what, where to. Who are chosen together may do what each of them may::

    Verb("MOVE", msg("Move to"), {"": "MOVE {units} TO {to}"})
    Choices((...,), {"Leon": {"MOVE": ("Serrallo", "Otero")}})

What comes of it is looked at by the rules as any line is: what depends on an earlier order is not known here.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from pbem.core.data.messages import Msg
from pbem.core.orders.standing import Idiom

__all__ = ["BOTH", "LED", "PLAIN", "Choices", "Verb"]

PLAIN, BOTH, LED = "", "both", "led"
"""The lines of a verb: its own; with leaders named apart from units; under somebody who leads."""


class Verb(NamedTuple):
    """A kind of order: what it is called, and its canonical lines, with gaps `units`, `leaders`, `leader`, `to`.

    `attack`: whether it is one. `alone`: it stands under no other line, such as an activation. `apart`: who does it
    together need not stand together; `single`: nobody does it together. `written`: units stay in the order in which
    they were chosen; else by id.
    """

    verb: str
    says: Msg
    lines: Mapping[str, str]
    attack: bool = False
    alone: bool = False
    apart: bool = False
    single: bool = False
    written: bool = False


class Choices(NamedTuple):
    """All of it: verbs in the order in which they are shown; for each unit, by verb, where to or in which way.

    What needs no such word has the empty one. `under` is the line that orders of a place stand under, with a gap
    `place`. `leads` are those who can lead, the best first; `idiom` is how standing orders are written.
    """

    verbs: tuple[Verb, ...] = ()
    offers: Mapping[str, Mapping[str, tuple[str, ...]]] = MappingProxyType({})
    under: str = ""
    leads: tuple[str, ...] = ()
    idiom: Idiom | None = None
