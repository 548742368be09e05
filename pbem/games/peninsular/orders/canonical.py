"""Canonical order text v1 of this game: English keywords, ids, one order a line, sets in id order.

It is what is committed, stored, replayed and echoed; reading it gives the same orders again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.core.game import Orders
from pbem.core.orders import canonical as core
from pbem.core.orders.standing import canon_condition
from pbem.games.peninsular.orders.actions import Action, Assault, Face, Fire, Form, If, Limber, Move, Order, Stop

__all__ = ["canon", "line_of"]


def canon(orders: Orders) -> str:
    """Return the canonical text of a seat's orders, lines ending in LF; empty for no orders at all."""
    return core.canon(orders, _lines)


def line_of(action: Action) -> str:
    """Return the first line of an action's canonical text."""
    return next(_lines(action, ""))


def _lines(action: Action, indent: str) -> Iterator[str]:
    if isinstance(action, If):
        yield from core.branches(action, _lines, indent)
    else:
        yield indent + _single(action)


def _single(action: Action) -> str:
    if isinstance(action, Order):
        return f"ORDER {action.division} {action.order}"
    if isinstance(action, Move):
        return _move(action)
    if isinstance(action, Form):
        return f"FORM {_list(action.units)} {action.form}"
    if isinstance(action, Limber):
        return f"{action.verb} {_list(action.units)}"
    if isinstance(action, Face):
        return f"FACE {_list(action.units)} {action.face}"
    if isinstance(action, Fire):
        return f"FIRE {_list(action.units)} AT {action.at}"
    if isinstance(action, Assault):
        return _assault(action)
    if isinstance(action, Stop):
        return f"STOP IF {canon_condition(action.condition)}"
    return "PASS"


def _move(action: Move) -> str:
    way = f" TO {action.to}" if action.to else "".join(f" {ident}" for ident in action.path)
    face = f" FACE {action.face}" if action.face else ""
    form = f" FORM {action.form}" if action.form else ""
    return f"MOVE {_list(action.units)}{way}{face}{form}"


def _assault(action: Assault) -> str:
    units = _list(action.units)
    leader = f" LED BY {action.leader}" if action.leader else ""
    if action.verb == "CHARGE":
        return f"CHARGE {units} AT {action.target}{leader}"
    return f"ASSAULT {action.target} WITH {units}{leader}"


def _list(ids: Iterable[str]) -> str:
    return ", ".join(ids)
