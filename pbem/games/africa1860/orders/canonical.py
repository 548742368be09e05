"""Canonical order text v1 of this game: English keywords, ids, one order a line, sets in id order.

It is what is committed, stored, replayed and echoed; reading it gives the same orders again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbem.core.game import Orders
from pbem.core.orders import canonical as core
from pbem.core.orders.standing import canon_condition
from pbem.games.africa1860.orders.actions import Action, Activate, Assault, Caracole, Fire, If, Move, Pass, Retire, Stop

__all__ = ["canon", "line_of"]


def canon(orders: Orders) -> str:
    """Return the canonical text of a seat's orders, lines ending in LF; empty for no orders at all."""
    return core.canon(orders, _lines)


def line_of(action: Action) -> str:
    """Return the first line of an action's canonical text."""
    return next(_lines(action, ""))


def _lines(action: Action, indent: str) -> Iterator[str]:
    if isinstance(action, Activate):
        yield f"{indent}ACTIVATE {action.space}"
        for item in action.actions:
            yield from _lines(item, indent)
    elif isinstance(action, If):
        yield from core.branches(action, _lines, indent)
    else:
        yield indent + _single(action)


def _single(action: Action) -> str:
    if isinstance(action, Move):
        units = sorted(action.units or action.leaders)
        leaders = f" WITH {_set(action.leaders)}" if action.units and action.leaders else ""
        via = f" VIA {action.via}" if action.via else ""
        return f"MOVE {_set(units)}{leaders} TO {action.to}{via}"
    if isinstance(action, Fire):
        return f"FIRE {_groups(action.shots)} AT {action.at}"
    if isinstance(action, Assault):
        return _assault(action)
    if isinstance(action, Caracole):
        back = f" BACK TO {action.back}" if action.back else ""
        return f"CARACOLE {_list(action.units)} AT {action.at}{back}"
    if isinstance(action, Retire):
        return f"RETIRE {_set(action.units)}" + (f" TO {action.to}" if action.to else "")
    if isinstance(action, Stop):
        return f"STOP IF {canon_condition(action.condition)}"
    if isinstance(action, Pass):
        return "PASS"
    raise TypeError(f"{action!r} has no line of its own")


def _assault(action: Assault) -> str:
    units = _set(action.units)
    charge = action.verb == "CHARGE"
    parts = [f"CHARGE {units} AT {action.target}" if charge else f"ASSAULT {action.target} WITH {units}"]
    if action.leader:
        parts.append(f"LED BY {action.leader}")
    if action.vanguard:
        parts.append(f"VANGUARD {action.vanguard}")
    if action.screen:
        parts.append(f"SCREEN {action.screen}")
    if action.support:
        parts.append(f"SUPPORT {_groups(action.support)}")
    if action.detach:
        parts.append(f"DETACH {_set(action.detach)}")
    if action.losses:
        parts.append(f"LOSSES {_list(action.losses)}")
    if action.via:
        parts.append(f"VIA {action.via}")
    return " ".join(parts)


def _set(ids: Iterable[str]) -> str:
    return ", ".join(sorted(ids))


def _list(ids: Iterable[str]) -> str:
    return ", ".join(ids)


def _groups(groups: Iterable[Iterable[str]]) -> str:
    return ", ".join("+".join(sorted(group)) for group in groups)
