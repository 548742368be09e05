"""Orders as plain data: what a line of a letter says once it is understood.

`line` counts in the text the order was read from.
"""

from __future__ import annotations

from typing import NamedTuple

from pbem.engine.commanders.orders import Assign, Cover, March, Relieve, Show, Wait
from pbem.engine.deployment import Deploy
from pbem.engine.orders.grammar import Ids
from pbem.engine.orders.standing import If, Pass, Stop


class Order(NamedTuple):
    """S2 A division's order: ATTACK, MANOEUVRE, HOLD, REORGANISE, or NONE."""

    line: int
    division: str
    order: str


class Move(NamedTuple):
    """S4 Counters of one hex along a path of hexes, or to a hex by the cheapest path; then turned or formed anew."""

    line: int
    units: Ids
    path: Ids = ()
    to: str = ""
    face: str = ""
    form: str = ""


class Form(NamedTuple):
    """T8 Infantry or cavalry into another formation."""

    line: int
    units: Ids
    form: str


class Limber(NamedTuple):
    """T8 Batteries: `verb` LIMBER or UNLIMBER."""

    line: int
    units: Ids
    verb: str


class Face(NamedTuple):
    """S3 Counters turned where they stand."""

    line: int
    units: Ids
    face: str


class Fire(NamedTuple):
    """S7 Counters that fire, one after another, at a hex."""

    line: int
    units: Ids
    at: str


class Assault(NamedTuple):
    """S5 An assault (`verb` ASSAULT) or a charge (CHARGE) on a hex.

    M2.2 `joint` is the command in whose set the other line of a joint assault stands, `jointly` are both once two lines
    are one.
    """

    line: int
    verb: str
    target: str
    units: Ids
    leader: str = ""
    joint: str = ""
    jointly: Ids = ()


Given = Order | Move | Form | Limber | Face | Fire | Assault | Deploy | Pass | Stop
Action = Given | March | Wait | Show | Assign | Relieve | Cover | If["Action"]
