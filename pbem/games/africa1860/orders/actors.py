"""R1-R3, O5 Who may act, and by which rules he may not."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from pbem.engine.commanders.holding import anothers
from pbem.engine.data.messages import msg
from pbem.engine.orders.refusals import Refusal
from pbem.games.africa1860.setup.units import Unit
from pbem.games.africa1860.state import State

ANYWHERE = "*"
"""In no space of its own: where units act that need not be in the activated one (R22a)."""
MOVE_RULE = {"ART": "O3.1", "CAB": "O3.3", "OF": "O3.4", "CNV": "O3"}


class Acting(NamedTuple):
    """R1-R3, O5 What units are to act in: the space, whether they move, and the rules of the order that say so too.

    With `fixed` only what no event can mend stands against it; `besides` are commands of a joint assault (M2.2).
    """

    space: str
    fixed: bool = False
    moving: bool = False
    extra: tuple[str, ...] = ()
    besides: tuple[str, ...] = ()


def actors(state: State, ids: Iterable[str], acting: Acting) -> Refusal | None:
    """R1-R3, O5 Whether these units may act so now."""
    extra = acting.extra
    seen: set[str] = set()
    for ident in ids:
        if ident in seen:
            return Refusal(("R3", *extra), msg("{unit} is named twice", unit=ident), ident)
        seen.add(ident)
        found = actor(state, ident, acting)
        if found is not None:
            return found
    return None


def actor(state: State, ident: str, acting: Acting) -> Refusal | None:
    space, fixed, moving, extra, besides = acting
    unit = state.units.get(ident)
    if unit is None:
        return None if fixed else Refusal(("O3", *extra), msg("{unit} is no longer in play", unit=ident), ident)
    if unit.side != state.phase:
        return Refusal(("R2",), msg("{unit} is not yours", unit=ident), ident)
    holder = anothers(state, ident, besides)
    if holder:
        return Refusal(("M1",), msg("{unit} is under {command}", unit=ident, command=holder), ident)
    if fixed:
        return None
    if unit.acted:
        spent = ("O3.1",) if unit.code == "ART" else ()
        rules = ("R3", "R2", "O2", "O3", *spent, *(("O5",) if state.phase == "morocco" else ()), *extra)
        return Refusal(rules, msg("{unit} has acted already in this phase", unit=ident), ident)
    if unit.at != space != ANYWHERE:
        why = msg("{unit} is in {at}, not in {space}", unit=ident, at=unit.at, space=space or "-")
        return Refusal(("O3", "O2", *(("R13",) if "O8" in extra else ()), *extra), why, ident)
    if unit.demoralised:
        why = msg("{unit} is demoralised: it may only RETIRE", unit=ident)
        return Refusal(("R1", *extra), why, ident)
    if unit.activated and state.phase == "morocco" and not moving:
        return Refusal(("O5", *extra), msg("{unit} was activated by a reaction: it may only move", unit=ident), ident)
    if unit.activated and state.phase != "morocco":
        return Refusal(("R2", "O2", "O3", *extra), msg("{unit} is activated already", unit=ident), ident)
    return None


def barred(state: State, gun: Unit, space: str) -> tuple[str, ...]:
    """Return the rules that keep a gun from acting besides the one that it has fired."""
    found = actor(state, gun.id, Acting(space))
    return () if found is None else found.rules
