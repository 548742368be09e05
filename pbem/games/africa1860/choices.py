"""List the possible orders of each unit for the web page and MOVES."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from pbem.engine.commanders.holding import other_owner
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment_help import DeploymentHelp
from pbem.engine.orders.choices import BOTH, DOER, JOINED, LED, OTHER, PLAIN, SERIES, SET, STACKS, Choices, Clause, Verb
from pbem.engine.parts import OrderHelp
from pbem.games.africa1860.check import lines_under, review_orders
from pbem.games.africa1860.form import form_offers, position_for_orders, refuse_activation, spaces_near, write_form
from pbem.games.africa1860.legality import fallback_spaces, retire_path, spaces_between
from pbem.games.africa1860.orders import GRAMMAR, Action, Assault, Caracole, Fire, Move, Retire, lexicon
from pbem.games.africa1860.refusals import refuse_action
from pbem.games.africa1860.sequence import DEPLOYMENT, RULES
from pbem.games.africa1860.state import CAVALRY, COMBAT_CODES, INFANTRY, LIGHT, State, Unit

LEADING, SUPPORT, VIA, BACK = "LED BY", "SUPPORT", "VIA", "BACK TO"
_WAY = Clause(VIA, msg("by way of"))
_CLAUSES = (
    Clause("VANGUARD", msg("vanguard"), DOER),
    Clause("SCREEN", msg("screen"), DOER, words=("NONE",), besides=("VANGUARD",)),
    Clause(SUPPORT, msg("supporting guns"), OTHER, STACKS),
    Clause("DETACH", msg("detached cavalry"), DOER, SET, besides=("VANGUARD", "SCREEN")),
    Clause("LOSSES", msg("losses first by"), DOER, SERIES),
)
_ROLES = {
    "VANGUARD": COMBAT_CODES,
    "SCREEN": frozenset({LIGHT, CAVALRY}),
    "DETACH": frozenset({CAVALRY}),
    "LOSSES": COMBAT_CODES,
}
"""O8.2-O8.4, R17 The types of units for each role in an assault."""
VERBS = (
    Verb(
        "MOVE",
        msg("Move to"),
        {PLAIN: "MOVE {units} TO {to}", BOTH: "MOVE {units} WITH {leaders} TO {to}"},
        clauses=(_WAY,),
    ),
    Verb(
        "ASSAULT",
        msg("Assault"),
        {LED: "ASSAULT {to} WITH {units} LED BY {leader}"},
        attack=True,
        clauses=_CLAUSES,
    ),
    Verb(
        "CHARGE",
        msg("Charge"),
        {PLAIN: "CHARGE {units} AT {to}", LED: "CHARGE {units} AT {to} LED BY {leader}"},
        attack=True,
        clauses=(*_CLAUSES, _WAY),
    ),
    Verb(
        "FIRE",
        msg("Fire at"),
        {PLAIN: "FIRE {units} AT {to}", JOINED: "FIRE {joined} AT {to}"},
        attack=True,
        written=True,
    ),
    Verb(
        "CARACOLE",
        msg("Caracole at"),
        {PLAIN: "CARACOLE {units} AT {to}"},
        attack=True,
        written=True,
        clauses=(Clause(BACK, msg("back to")),),
    ),
    Verb("RETIRE", msg("Retire to"), {PLAIN: "RETIRE {units} TO {to}"}, alone=True),
)


def list_choices(view: State, seat: str, begun: bool = False) -> Choices:
    """Return unit choices by space (O2, R8), and guns that may support from afar.

    Rule: R22a.
    """
    side = view.edition.seats[seat]
    state = position_for_orders(view, side, begun)
    offers: dict[str, dict[str, tuple[str, ...]]] = {}
    options: dict[str, dict[str, dict[str, dict[str, tuple[str, ...]]]]] = {}
    for space in state.camping(side):
        own_units = state.own(space, side)
        leaders, closed = possible_leaders(own_units), refuse_activation(state, space) is not None
        for unit in own_units:
            may = possible_spaces(state, unit, space, leaders, closed)
            if not may:
                continue
            offers[unit.id] = may | ({} if closed else _roles(state, unit, may))
            for verb, clause, named in _ways(state, unit, space, may):
                options.setdefault(verb, {}).setdefault(clause, {})[unit.id] = named
    # The best leader first, as `Choices.leads` has them.
    chiefs = sorted(
        (u for u in state.units.values() if u.is_leader and u.side == side and not other_owner(state, u.id)),
        key=lambda u: (-u.assault, -u.bonus, u.id),
    )
    leads = tuple(unit.id for unit in chiefs)
    return Choices(VERBS, offers, "ACTIVATE {place}", leads, GRAMMAR.idiom, options)


def possible_leaders(own_units: Iterable[Unit]) -> tuple[str, ...]:
    """Return the units of a space that may lead an assault (O8.1)."""
    return tuple(unit.id for unit in own_units if unit.is_leader and not (unit.activated or unit.acted))


def possible_spaces(
    state: State, unit: Unit, space: str, leaders: Sequence[str], closed: bool
) -> dict[str, tuple[str, ...]]:
    """Return the near spaces by verb that an order could name for a unit.

    Impossible verbs are left out. Each unit is examined alone; an assault by infantry needs one of `leaders`. R8
    Demoralised units may retire. If the space is `closed` to activation, guns may still support from it (R22a).
    """
    if unit.demoralised:
        retiring = tuple(
            destination
            for destination in retire_path(state, unit)
            if _is_legal(state, Retire(0, (unit.id,), destination), space)
        )
        return {"RETIRE": retiring} if retiring else {}
    # C12 A broken side has no assault to support.
    supports = (SUPPORT,) if state.edition.reread and not state.is_broken(unit.side) else ()
    verbs = (*(() if closed else ("MOVE", "FIRE")), *supports)
    verbs += () if closed else ("ASSAULT", "CHARGE", "CARACOLE", LEADING)
    spaces_by_verb = {verb: tuple(_spaces(state, unit, space, verb, leaders)) for verb in verbs}
    return {verb: spaces for verb, spaces in spaces_by_verb.items() if spaces}


def _spaces(state: State, unit: Unit, space: str, verb: str, leaders: Sequence[str]) -> Iterable[str]:
    for target in spaces_near(state, space):
        if verb == LEADING:
            if unit.id in leaders and any(
                _is_legal(state, led, space) for led in _orders_led_by(state, unit, space, target)
            ):
                yield target
            continue
        order = _plain_order(unit, verb, target, leaders)
        if order is None or not _is_legal(state, order, space):
            continue
        if verb == "ASSAULT" and unit.code == CAVALRY and not _has_infantry_assault(state, unit, target, leaders):
            continue
        yield target


def _has_infantry_assault(state: State, rider: Unit, target: str, leaders: Sequence[str]) -> bool:
    """Return whether infantry could assault from a rider's space.

    A leader alone may charge with cavalry. Rule: O8.1.
    """
    foot = (unit for unit in state.own(rider.at, rider.side) if unit.code in INFANTRY)
    orders = (_plain_order(unit, "ASSAULT", target, leaders) for unit in foot)
    return any(order is not None and _is_legal(state, order, rider.at) for order in orders)


def _orders_led_by(state: State, leader: Unit, space: str, target: str) -> Iterable[Action]:
    """Yield assaults and charges of single units that a leader could lead.

    Rules: O8.1, O3.3.
    """
    for unit in state.own(space, leader.side):
        if unit.code in COMBAT_CODES:
            yield Assault(0, "ASSAULT", target, (unit.id,), leader.id)
        if unit.code == CAVALRY:
            yield Assault(0, "CHARGE", target, (unit.id,), leader.id)


def _plain_order(unit: Unit, verb: str, target: str, leaders: Sequence[str], by: str = "") -> Action | None:
    """Return the simplest order of a verb for one unit, or None.

    `by` is the space between, on a way of two.
    """
    if verb == "MOVE":
        return Move(0, () if unit.is_leader else (unit.id,), (unit.id,) if unit.is_leader else (), target, by)
    if verb in ("FIRE", SUPPORT) and unit.code == "ART":
        return Fire(0, ((unit.id,),), target)
    if verb == "ASSAULT" and unit.code in COMBAT_CODES and leaders:
        return Assault(0, "ASSAULT", target, (unit.id,), leaders[0])
    if verb == "CHARGE" and unit.code == CAVALRY:
        return Assault(0, "CHARGE", target, (unit.id,), via=by)
    if verb == "CARACOLE" and unit.code == CAVALRY:
        return Caracole(0, (unit.id,), target, by)
    return None


def _roles(state: State, unit: Unit, may: Mapping[str, object]) -> dict[str, tuple[str, ...]]:
    """Return the roles of a unit that assaults or charges."""
    attacks = {"ASSAULT", "CHARGE"} & {*may}
    return {clause: ("",) for clause, codes in _ROLES.items() if attacks and unit.code in codes}


def _ways(
    state: State, unit: Unit, space: str, may: Mapping[str, Sequence[str]]
) -> Iterable[tuple[str, str, dict[str, tuple[str, ...]]]]:
    """Yield the options of BACK TO, and of VIA if there are several."""
    area = state.edition.map
    for verb, clause in (("MOVE", VIA), ("CHARGE", VIA), ("CARACOLE", BACK)):
        spaces_by_way: dict[str, tuple[str, ...]] = {}
        for destination in may.get(verb, ()):
            if clause == BACK:
                named: Sequence[str] = fallback_spaces(state, unit, destination)
            else:
                named = () if area.adjacent(space, destination) else spaces_between(state, space, destination, "")
            orders = {by: _plain_order(unit, verb, destination, (), by) for by in named}
            legal = tuple(by for by, order in orders.items() if order is not None and _is_legal(state, order, space))
            if len(legal) > 1:
                spaces_by_way[destination] = legal
        if spaces_by_way:
            yield verb, clause, spaces_by_way


def _is_legal(state: State, action: Action, space: str) -> bool:
    return refuse_action(state, action, space) is None


# MOVES: what the units of a space could be ordered to do now, in words; and where a side has units.


def possible_moves(view: State, seat: str, space: str, begun: bool = False) -> tuple[Msg, ...]:
    """Return each unit's possible moves and targets in the space.

    Units are examined one by one; infantry assaults need a leader in the space. Between two phases of its side, the
    answer is for the next one (C12).
    """
    side = view.edition.seats[seat]
    state = position_for_orders(view, side, begun)
    own_units, refusal = state.own(space, side), refuse_activation(state, space)
    lines = [msg("{space} cannot be activated: {why}", space=space, why=refusal.why)] if refusal else []
    leaders = possible_leaders(own_units)
    for unit in own_units:
        may = possible_spaces(state, unit, space, leaders, refusal is not None)
        lines += [msg(sentence.text, unit=unit.id, spaces=may[verb]) for verb, sentence in _SAID.items() if verb in may]
        if unit.demoralised and not may:
            lines.append(msg("{unit} is demoralised and finds no way to retire", unit=unit.id))
    return tuple(lines) or (msg("you have no unit in {space}", space=space),)


def unit_places(view: State, seat: str) -> tuple[Msg, ...]:
    """Return each space with units of a side, and the units."""
    side = view.edition.seats[seat]
    return tuple(
        msg("{space}: {units}", space=space, units=view.camp(space, side))
        for space in sorted(view.edition.map.spaces)
        if view.camp(space, side)
    )


_SAID = {
    "RETIRE": msg("{unit}: RETIRE to {spaces}"),
    "MOVE": msg("{unit}: MOVE to {spaces}"),
    "FIRE": msg("{unit}: FIRE at {spaces}"),
    "SUPPORT": msg("{unit}: SUPPORT an assault on {spaces}"),
    "ASSAULT": msg("{unit}: ASSAULT {spaces}"),
    "CHARGE": msg("{unit}: CHARGE {spaces}"),
    "CARACOLE": msg("{unit}: CARACOLE at {spaces}"),
}


ORDER_HELP = DeploymentHelp(DEPLOYMENT, RULES, GRAMMAR).around(
    OrderHelp(
        template=partial(write_form, RULES),
        offers=partial(form_offers, RULES),
        choices=list_choices,
        fallen=lines_under,
        moves=possible_moves,
        places=unit_places,
        review=partial(review_orders, RULES),
    ),
    lexicon,
)
