"""What each counter could be ordered to do now and after its moves, for a page to choose from."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.commanders.holding import anothers
from pbem.engine.data.messages import msg
from pbem.engine.map.hexes import DIRECTIONS
from pbem.engine.orders.choices import LED, PLAIN, Choices, Clause, Verb
from pbem.engine.run.steps import Rules
from pbem.games.peninsular.orders.actions import Face, Form, Limber, Order
from pbem.games.peninsular.orders.approaches import Ends, attacks_alone, attacks_later, ends
from pbem.games.peninsular.orders.grammar import FORMATIONS, GRAMMAR
from pbem.games.peninsular.orders.legality import problem
from pbem.games.peninsular.orders.options import attacks, fresh, may
from pbem.games.peninsular.setup.edition import camp
from pbem.games.peninsular.setup.roster import ORDERS
from pbem.games.peninsular.setup.units import grade
from pbem.games.peninsular.state import State

_ENDS = (Clause("FACE", msg("turned to")), Clause("FORM", msg("into the formation"), instead=("FACE",)))
_LED = " LED BY {leader}"
VERBS = (
    Verb("ORDER", msg("Order of the division"), {PLAIN: "ORDER {units} {to}"}, single=True),
    Verb("MOVE", msg("Move to"), {PLAIN: "MOVE {units} TO {to}"}, clauses=_ENDS),
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


def choices(rules: Rules[State], view: State, side: str) -> Choices:
    """S2-S7 Return what the counters of a side may do as its half begins, each as it stands and faces."""
    state = fresh(view, side)
    mine = (unit for _, unit in sorted(state.units.items()) if unit.camp == camp(side) and unit.at)
    own = [unit for unit in mine if not anothers(state, unit.id)]
    offers, helps = dict[str, dict[str, tuple[str, ...]]](), dict[str, dict[str, tuple[str, ...]]]()
    possible, come = attacks(state, own), dict[str, Ends]()
    for unit in own:
        found = may(state, unit, possible)
        come[unit.id] = ends(state, unit, found.get("MOVE", ()))
        alone = {*attacks_alone(state, unit)}
        for verb in ("ASSAULT", "CHARGE"):
            weak = tuple(at for at in found.get(verb, ()) if (verb, at) not in alone)
            if weak:
                helps.setdefault(unit.id, {})[verb] = weak
            found[verb] = tuple(sorted(at for one, at in alone if one == verb))
        found["ORDER"] = tuple(one for one in ORDERS if _may_get(state, unit.id, one))
        found |= _turns(state, unit.id)
        if any(found.values()):
            offers[unit.id] = {verb: ways for verb, ways in found.items() if ways}
    chiefs = sorted((unit for unit in own if unit.is_combat), key=lambda unit: (-unit.pf, grade(unit.will), unit.id))
    return Choices(
        VERBS,
        offers,
        leads=tuple(unit.id for unit in chiefs),
        idiom=GRAMMAR.idiom,
        ways={"MOVE": {"FACE": _by_unit(come, "facings"), "FORM": _by_unit(come, "forms")}},
        after=attacks_later(rules, state, own, come).after,
        helps=helps,
    )


def _by_unit(come: Mapping[str, Ends], what: str) -> dict[str, dict[str, tuple[str, ...]]]:
    """What is said of counters for whom there is any of it."""
    return {unit: found for unit, one in come.items() if any((found := getattr(one, what)).values())}


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
