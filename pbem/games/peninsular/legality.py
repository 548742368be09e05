"""What an order may not do, and by which rule: S2 to S5 and T8; fire has its own checks (S7, fire.py).

The same checks serve reading a letter before the first die (the position is known), reading what comes after it
(only what no die can change: types, owners, map), and carrying out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.commanders.holding import anothers, seats_told
from pbem.engine.data.events import Event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import Deploy, too_late
from pbem.engine.map.hexes import FRONT, direction, distance, sector
from pbem.engine.orders import refusals
from pbem.engine.orders.refusals import Giver, Refusal
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.orders import Action, Assault, Face, Fire, Form, Limber, Move, Order, line_of
from pbem.games.peninsular.paths import Suits, Walk, cheapest, left, turn_cost, walk, wheeling
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import fits, shock_letter
from pbem.games.peninsular.units import NORMAL, Unit


def nobody(state: State, at: str, side: str = "") -> Msg:
    """Return why nobody can be assaulted or fired at in a hex: no enemy is there, or commanders alone (S13).

    `side` is whose enemies are meant, that which moves if it is empty.
    """
    if any(unit.camp != camp(side or state.phase) for unit in state.at(at)):
        return msg("only a commander stands in {hex}, and nobody fights a commander alone", hex=at)
    return msg("there is no enemy in {hex}", hex=at)


def not_carried_out(state: State, action: Action, found: Refusal) -> Event:
    """Return the event that an order was not carried out."""
    told = seats_told(state, state.edition.seats_of(state.phase), getattr(action, "jointly", ()))
    giver = Giver(state.phase, told)
    return refusals.not_carried_out(action.line, line_of(action), found, giver)


NO_CHARGE = frozenset({"village", "city", "strong buildings", "light wood", "dense wood", "marsh"})
NO_CHARGE_ACROSS = frozenset({"stream", "ravine", "slope up"})
NO_SHOCK = ("MANOEUVRE", "REORGANISE")


class March(NamedTuple):
    """S4 A legal move: who goes, the hexes they go through, none for a turn on the spot, and what that costs."""

    units: Sequence[Unit]
    path: tuple[str, ...]
    walked: Walk


def problem(state: State, action: Action, fixed: bool = False) -> Refusal | None:
    """Return what stands against an action; with `fixed` only what no event can mend."""
    if isinstance(action, Order):
        return _order(state, action)
    if isinstance(action, Move):
        found = _actors(state, action.units, True, "S4") if fixed else march(state, action)
        return None if isinstance(found, March) else found
    if isinstance(action, Form):
        return _form(state, action, fixed)
    if isinstance(action, Limber):
        return _limber(state, action, fixed)
    if isinstance(action, Face):
        return _face(state, action, fixed)
    if isinstance(action, Fire):
        return _fire(state, action)
    if isinstance(action, Assault):
        return _assault(state, action, fixed)
    return too_late("K6") if isinstance(action, Deploy) else None


def _order(state: State, order: Order) -> Refusal | None:
    division = state.divisions.get(order.division)
    if division is None or camp(division.side) != camp(state.phase):
        return Refusal(("S2",), msg("{name} is no division of yours", name=order.division), order.division)
    holder = anothers(state, division.commander)
    if holder:
        why = msg("{name} is under {command}", name=order.division, command=holder)
        return Refusal(("M1", "S2"), why, order.division)
    return None


def _actors(state: State, ids: Sequence[str], fixed: bool, rule: str, besides: Sequence[str] = ()) -> Refusal | None:
    """Whether these counters are there, one's own, each named once; `besides` are commands of a joint assault."""
    for number, ident in enumerate(ids):
        if ident in ids[:number]:
            return Refusal((rule,), msg("{unit} is named twice", unit=ident), ident)
        unit = state.units.get(ident)
        if unit is None and ident not in state.gone:
            return Refusal(("S1", rule), msg("{unit} has not come yet", unit=ident), ident)
        if unit is None:
            if fixed:
                continue
            return Refusal((rule,), msg("{unit} is no longer in play", unit=ident), ident)
        if unit.camp != camp(state.phase):
            return Refusal((rule, "S1"), msg("{unit} is not yours", unit=ident), ident)
        holder = anothers(state, ident, besides)
        if holder:
            return Refusal(("M1",), msg("{unit} is under {command}", unit=ident, command=holder), ident)
    return None


def march(state: State, order: Move) -> March | Refusal:
    """S4, T3, T8 Return the way that counters go with all that it costs, or why they may not."""
    found = _actors(state, order.units, False, "S4")
    if found is not None:
        return found
    units = [state.units[ident] for ident in order.units]
    start = units[0].at
    for unit in units:
        found = _mobile(unit, start)
        if found is not None:
            return found
    path = order.path
    if order.to and order.to != start:
        path = cheapest(state, units, order.to, _suits(state, order, units)) or cheapest(state, units, order.to)
        if not path:
            why = msg("no way to {hex} is within the MP of {unit}", hex=order.to, unit=units[0].id)
            return Refusal(("T7", "T1", "S4"), why, order.to)
    walked = walk(state, units, path) if path else Walk({unit.id: 0 for unit in units}, False, False)
    if isinstance(walked, Refusal):
        return walked
    end = path[-1] if path else start
    wheels = _wheel(state, order, units) if order.face and not path else None
    refused = wheels or _finish(state, order, units, (start, *path), walked) or _crowd(state, order, units, end)
    return refused or March(units, path, walked)


def finish(state: State, order: Move, way: March) -> Refusal | None:
    """S3, T8, T3 Return what stands against the turn or formation of an order at the end of a way that can be gone."""
    start = way.units[0].at
    refused = _finish(state, order, way.units, (start, *way.path), way.walked)
    return refused or _crowd(state, order, way.units, way.path[-1])


def _mobile(unit: Unit, start: str) -> Refusal | None:
    if unit.at != start:
        why = msg(
            "{unit} is in {at}, not in {hex}: those who go together start together", unit=unit.id, at=unit.at, hex=start
        )
        return Refusal(("S4",), why, unit.id)
    if unit.assault:
        return Refusal(("S5", "S4"), msg("{unit} is to assault and does not move", unit=unit.id), unit.id)
    if unit.square:
        return Refusal(("S3", "S4"), msg("{unit} is in square and does not move", unit=unit.id), unit.id)
    if unit.unlimbered:
        return Refusal(("S4", "T8"), msg("{unit} is unlimbered and does not move", unit=unit.id), unit.id)
    if unit.zoned:
        return Refusal(("S3", "S4"), msg("{unit} was stopped by an enemy zone", unit=unit.id), unit.id)
    return None


def _finish(state: State, order: Move, units: Sequence[Unit], path: Sequence[str], walked: Walk) -> Refusal | None:
    """S3, T8 The MP for a turn and a formation at the end of a move."""
    if not (order.face or order.form):
        return None
    facing = direction(path[-2], path[-1]) if len(path) > 1 else ""
    for unit in units:
        cost = walked.costs[unit.id]
        if order.face:
            cost += turn_cost(unit, facing or unit.facing, order.face)
        change = _change(state, unit, order.form) if order.form else 0
        if isinstance(change, Refusal):
            return change
        found = _afford(state, unit, cost + change, walked.bonus, order.form or order.face)
        if found is not None:
            return found
    return None


def _suits(state: State, order: Move, units: Sequence[Unit]) -> Suits | None:
    """S4a What says whether a path leaves MP for the turn and the formation at its end; None where there is neither."""
    if not (order.face or order.form):
        return None

    def suits(path: tuple[str, ...]) -> bool:
        walked = walk(state, units, path)
        return isinstance(walked, Walk) and _finish(state, order, units, (units[0].at, *path), walked) is None

    return suits


def _afford(state: State, unit: Unit, cost: int, bonus: int, word: str) -> Refusal | None:
    """T7 Whether a counter has the MP; `bonus` is what it gains by road."""
    mp = left(state, unit) + (0 if unit.offroad else bonus)
    if cost <= mp:
        return None
    why = msg("{unit} has {mp} MP, and needs {cost}", unit=unit.id, mp=mp, cost=cost)
    return Refusal(("T7", "T8", "S3"), why, word)


def _crowd(state: State, order: Move, units: Sequence[Unit], end: str) -> Refusal | None:
    """T3 What may stand together where a move ends."""
    form = order.form.lower()
    later = [unit.but(formation=form) if form and unit.kind in ("inf", "cav") else unit for unit in units]
    if fits(state, end, later):
        return None
    return Refusal(("T3", "S4"), msg("there is no room for {unit} in {hex}", unit=units[0].id, hex=end), end)


def _change(state: State, unit: Unit, form: str) -> int | Refusal:
    """T8 Return the MP of a change of formation."""
    wanted = form.lower()
    if unit.kind not in ("inf", "cav"):
        return 0 if unit.kind == "cmd" else Refusal(("T8",), msg("{unit} has no formations", unit=unit.id), unit.id)
    if unit.formation == wanted:
        return 0
    cell = state.edition.chart("formation").cell(f"{unit.kind} {unit.formation}", wanted)
    if cell == "no":
        return Refusal(("T8",), msg("{unit} cannot change to that formation", unit=unit.id), form)
    return int(cell)


def _form(state: State, order: Form, fixed: bool) -> Refusal | None:
    found = _actors(state, order.units, fixed, "T8")
    if found is not None:
        return found
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        cost = _change(state, unit, order.form) if not fixed or unit.kind == "art" else 0
        if isinstance(cost, Refusal):
            return cost
        if fixed:
            continue
        if unit.assault:
            return Refusal(("S5", "T8"), msg("{unit} is to assault", unit=unit.id), unit.id)
        found = _afford(state, unit, cost, 0, order.form)
        if found is not None:
            return found
        if not fits(state, unit.at, [unit.but(formation=order.form.lower())]):
            why = msg("{unit} cannot take that formation in {hex}", unit=unit.id, hex=unit.at)
            return Refusal(("T3", "T8"), why, order.form)
    return None


def _limber(state: State, order: Limber, fixed: bool) -> Refusal | None:
    found = _actors(state, order.units, fixed, "T8")
    if found is not None:
        return found
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        if unit.kind != "art":
            return Refusal(("T8",), msg("{unit} is no artillery", unit=unit.id), unit.id)
        if fixed:
            continue
        if unit.limbered == (order.verb == "LIMBER"):
            return Refusal(("T8",), msg("{unit} is so already", unit=unit.id), unit.id)
        terrain = state.edition.map.terrain(unit.at)
        if order.verb == "UNLIMBER" and "E" in state.edition.cells[terrain, "art"]:
            return Refusal(("T1", "T8"), msg("{unit} cannot unlimber in buildings", unit=unit.id), unit.id)
        row, column = ("unlimbered", "limbered") if order.verb == "LIMBER" else ("limbered", "unlimbered")
        cost = int(state.edition.chart("formation").cell(row, column))
        found = _afford(state, unit, cost, 0, unit.id)
        if found is not None:
            return found._replace(rules=("T8", "T7"))
    return None


def _face(state: State, order: Face, fixed: bool) -> Refusal | None:
    found = _actors(state, order.units, fixed, "S3")
    if found is not None or fixed:
        return found
    units = [state.units[ident] for ident in order.units]
    for unit in units:
        if unit.at != units[0].at:
            return Refusal(("S3",), msg("{unit} is in another hex", unit=unit.id), unit.id)
    return _wheel(state, order, units)


def _wheel(state: State, order: Face | Move, units: Sequence[Unit]) -> Refusal | None:
    """S3 Whether those who turn where they stand, and whoever shares their front, can."""
    for unit in wheeling(state, units):
        if unit.assault:
            return Refusal(("S5", "S3"), msg("{unit} is to assault", unit=unit.id), unit.id)
        found = _afford(state, unit, turn_cost(unit, unit.facing, order.face), 0, order.face)
        if found is not None:
            return found._replace(rules=("S3", "T7"))
    return None


def _fire(state: State, order: Fire) -> Refusal | None:
    found = _actors(state, order.units, True, "S7")
    if found is not None:
        return found
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        if unit.kind == "cmd":
            return Refusal(("S7",), msg("{unit} does not fire", unit=unit.id), unit.id)
    return None


def _assault(state: State, order: Assault, fixed: bool) -> Refusal | None:
    found = _actors(state, order.units, fixed, "S5", order.jointly)
    if found is not None:
        return found
    units = [state.units[ident] for ident in order.units if ident in state.units]
    for unit in units:
        found = _kind_assaults(unit, order.verb)
        if found is not None:
            return found
    if order.leader and order.leader not in order.units:
        why = msg("{unit} leads and is not among those who assault", unit=order.leader)
        return Refusal(("S5",), why, order.leader)
    if fixed:
        return None
    if not state.foes(order.target, state.phase):
        return Refusal(("S5",), nobody(state, order.target), order.target)
    joined = order.verb == "CHARGE" and all(unit.assault == order.target and not unit.charge for unit in units)
    if any(target == order.target for target, _ in state.assaults) and not joined:
        return Refusal(("S5",), msg("{hex} is assaulted already in this half", hex=order.target), order.target)
    for unit in units:
        found = _assailant(state, unit, order, joined)
        if found is not None:
            return found
    return None


def _kind_assaults(unit: Unit, verb: str) -> Refusal | None:
    """S5, S6, T6 Whether counters of this kind assault, or charge."""
    if unit.kind not in ("inf", "cav"):
        return Refusal(("S5", "T6"), msg("{unit} never assaults", unit=unit.id), unit.id)
    if verb == "CHARGE" and unit.kind != "cav":
        return Refusal(("S5", "S6"), msg("only cavalry charges, {unit} is none", unit=unit.id), unit.id)
    return None


def _assailant(state: State, unit: Unit, order: Assault, joined: bool) -> Refusal | None:
    """S5, S2, T1 Whether one counter may assault the hex."""
    target = order.target
    if unit.state != NORMAL:
        return Refusal(("S5",), msg("{unit} is disordered or routed", unit=unit.id), unit.id)
    if unit.assault and not joined:
        return Refusal(("S5",), msg("{unit} assaults already", unit=unit.id), unit.id)
    if unit.square:
        return Refusal(("S3", "S5"), msg("{unit} is in square", unit=unit.id), unit.id)
    if distance(unit.at, target) != 1:
        return Refusal(("S5",), msg("{unit} is not next to {hex}", unit=unit.id, hex=target), target)
    if unit.faces and sector(unit.at, unit.facing, target) != FRONT:
        return Refusal(("S5", "S3"), msg("{hex} is not in front of {unit}", hex=target, unit=unit.id), target)
    if shock_letter(state.edition, unit.at, target) == "P":
        return Refusal(("T1", "S5"), msg("{hex} cannot be assaulted from {at}", hex=target, at=unit.at), target)
    order_in_force = state.order_of(unit)
    if order_in_force in NO_SHOCK:
        return Refusal(("S2", "S5"), msg("the orders of {unit} forbid a shock", unit=unit.id), unit.id)
    if order_in_force == "HOLD" and not _met(state, unit, target):
        why = msg("{unit} has orders to hold: it assaults only who was next to it when the half began", unit=unit.id)
        return Refusal(("S2", "S5"), why, unit.id)
    return _chargeable(state, unit, target) if order.verb == "CHARGE" else None


def _met(state: State, unit: Unit, target: str) -> bool:
    foes = state.foes(target, unit.side)
    return any(distance(unit.start or unit.at, foe.start or foe.at) == 1 for foe in foes)


def _chargeable(state: State, unit: Unit, target: str) -> Refusal | None:
    """S5 Ground that no charge goes into or across."""
    ground = state.edition.map
    rough = ground.terrain(target) in NO_CHARGE
    if rough or any(row in NO_CHARGE_ACROSS for row in ground.sides(unit.at, target)):
        return Refusal(("S5", "S6"), msg("{hex} cannot be charged from {at}", hex=target, at=unit.at), target)
    return None
