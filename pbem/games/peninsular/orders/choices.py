"""What each counter could be ordered to do now, for a page to choose from."""

from __future__ import annotations

from pbem.core.data.messages import msg
from pbem.core.map.hexes import DIRECTIONS
from pbem.core.orders.choices import LED, PLAIN, Choices, Verb
from pbem.games.peninsular.battle.shock import too_weak
from pbem.games.peninsular.orders.actions import Face, Form, Limber, Order
from pbem.games.peninsular.orders.grammar import FORMATIONS, GRAMMAR
from pbem.games.peninsular.orders.legality import problem
from pbem.games.peninsular.orders.options import able, fresh
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.roster import ORDERS
from pbem.games.peninsular.setup.units import grade
from pbem.games.peninsular.state import State, Unit

__all__ = ["choices"]

_LED = " LED BY {leader}"
VERBS = (
    Verb("ORDER", msg("Order of the division"), {PLAIN: "ORDER {units} {to}"}, single=True),
    Verb("MOVE", msg("Move to"), {PLAIN: "MOVE {units} TO {to}"}),
    Verb(
        "ASSAULT",
        msg("Assault"),
        {PLAIN: "ASSAULT {to} WITH {units}", LED: "ASSAULT {to} WITH {units}" + _LED},
        attack=True,
        apart=True,
    ),
    Verb(
        "CHARGE",
        msg("Charge"),
        {PLAIN: "CHARGE {units} AT {to}", LED: "CHARGE {units} AT {to}" + _LED},
        attack=True,
        apart=True,
    ),
    Verb("FIRE", msg("Fire at"), {PLAIN: "FIRE {units} AT {to}"}, attack=True, apart=True, written=True),
    Verb("FORM", msg("Form"), {PLAIN: "FORM {units} {to}"}, apart=True, written=True),
    Verb("FACE", msg("Face"), {PLAIN: "FACE {units} {to}"}, apart=True, written=True),
    Verb("LIMBER", msg("Limber"), {PLAIN: "LIMBER {units}"}, apart=True, written=True),
    Verb("UNLIMBER", msg("Unlimber"), {PLAIN: "UNLIMBER {units}"}, apart=True, written=True),
)


def choices(view: State, side: str) -> Choices:
    """S2-S7 Return what the counters of a side may do as its half begins, each as it stands and faces."""
    state = fresh(view, side)
    own = [unit for _, unit in sorted(state.units.items()) if unit.camp == camp(side) and unit.at]
    offers: dict[str, dict[str, tuple[str, ...]]] = {}
    for unit in own:
        found = {
            "MOVE": able(state, unit, "MOVE"),
            **{verb: _strong(state, unit, verb) for verb in ("ASSAULT", "CHARGE") if unit.is_combat},
            "FIRE": able(state, unit, "FIRE"),
            "ORDER": tuple(one for one in ORDERS if _may_get(state, unit.id, one)),
            **_turns(state, unit.id),
        }
        if any(found.values()):
            offers[unit.id] = {verb: ways for verb, ways in found.items() if ways}
    chiefs = sorted((unit for unit in own if unit.is_combat), key=lambda unit: (-unit.pf, grade(unit.will), unit.id))
    return Choices(VERBS, offers, leads=tuple(unit.id for unit in chiefs), idiom=GRAMMAR.idiom)


def _strong(state: State, unit: Unit, verb: str) -> tuple[str, ...]:
    """S5, T6 The hexes that a counter could assault or charge alone; who is too weak for that goes with all who can."""
    kinds = ("inf", "cav") if verb == "ASSAULT" else ("cav",)
    near = able(state, unit, verb) if unit.kind in kinds else ()
    return tuple(at for at in near if too_weak(state, at, [unit]) is None)


def _may_get(state: State, name: str, order: str) -> bool:
    """S2 Whether a division, which is called as its commander, may get an order that it does not have."""
    division = state.divisions.get(name)
    has = division and (division.pending or division.order)
    return division is not None and order != has and problem(state, Order(0, name, order)) is None


def _turns(state: State, ident: str) -> dict[str, tuple[str, ...]]:
    """T8, S3 What a counter may become where it stands."""
    ids = (ident,)
    return {
        "FORM": tuple(one for one in FORMATIONS if problem(state, Form(0, ids, one)) is None),
        "FACE": tuple(one for one in DIRECTIONS if problem(state, Face(0, ids, one)) is None),
        **{verb: ("",) for verb in ("LIMBER", "UNLIMBER") if problem(state, Limber(0, ids, verb)) is None},
    }
