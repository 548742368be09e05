"""S2-S4, T8 Orders of divisions, moves, turns and formations: what refuses them, what they do, what is said of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.commanders.holding import anothers
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.hexes import direction, distance
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import Teller, fill_gaps, says
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.orders import Face, Form, Limber, Move, Order, not_carried_out, refuse_actors
from pbem.games.peninsular.paths import Suits, Walk, cheapest, left, turn_cost, walk, wheeling
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import fits, row_of
from pbem.games.peninsular.units import FORMATION_NAMES, ORDER_NAMES, Division, Unit


def chief(state: State, side: str) -> Unit | None:
    """S2 Return the commander-in-chief: the scenario's, else the commander of the longest range, then by id."""
    named = state.edition.scenario.get("chief", {}).get(side, "")
    own = [unit for unit in state.units.values() if unit.kind == "cmd" and unit.camp == camp(side)]
    return min(own, key=lambda unit: (unit.id != named, -unit.range, unit.id), default=None)


class March(NamedTuple):
    """S4 A legal move: who goes, the hexes they go through, none for a turn on the spot, and what that costs."""

    units: Sequence[Unit]
    path: tuple[str, ...]
    walked: Walk


def refuse_order(state: State, order: Order) -> Refusal | None:
    """S2 Return what stands against the order of a division."""
    division = state.divisions.get(order.division)
    if division is None or camp(division.side) != camp(state.phase):
        return Refusal(("S2",), msg("{name} is no division of yours", name=order.division), order.division)
    holder = anothers(state, division.commander)
    if holder:
        why = msg("{name} is under {command}", name=order.division, command=holder)
        return Refusal(("M1", "S2"), why, order.division)
    return None


def refuse_move(state: State, order: Move, fixed: bool) -> Refusal | None:
    """S4 Return what stands against a move; with `fixed` only what no event can mend."""
    found = refuse_actors(state, order.units, True, "S4") if fixed else march(state, order)
    return None if isinstance(found, March) else found


def march(state: State, order: Move) -> March | Refusal:
    """S4, T3, T8 Return the way that counters go with all that it costs, or why they may not."""
    found = refuse_actors(state, order.units, False, "S4")
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


def refuse_form(state: State, order: Form, fixed: bool) -> Refusal | None:
    """T8 Return what stands against a change of formation; with `fixed` only what no event can mend."""
    found = refuse_actors(state, order.units, fixed, "T8")
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


def refuse_limber(state: State, order: Limber, fixed: bool) -> Refusal | None:
    """T8 Return what keeps guns from being limbered or unlimbered; with `fixed` only what no event can mend."""
    found = refuse_actors(state, order.units, fixed, "T8")
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


def refuse_face(state: State, order: Face, fixed: bool) -> Refusal | None:
    """S3 Return what stands against a turn; with `fixed` only what no event can mend."""
    found = refuse_actors(state, order.units, fixed, "S3")
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


def division_order(state: State, task: Task) -> Outcome:
    """S2 ORDER: in force at once if the commander-in-chief reaches the division's commander, else from next turn."""
    order: Order = task.args[0]
    refused = refuse_order(state, order)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    division = state.divisions[order.division]
    leader, head = state.units.get(division.commander), chief(state, division.side)
    near = leader is not None and head is not None and distance(head.at, leader.at) <= head.range
    new = "" if order.order == "NONE" else order.order
    data = {"side": division.side, "division": division.name, "order": new, "now": near}
    return Did((Event("ordered", "S2", data, state.edition.seats_of(division.side)),))


def move_order(state: State, task: Task) -> Outcome:
    """S4 MOVE: along the path, then turned or formed anew."""
    order: Move = task.args[0]
    found = march(state, order)
    if isinstance(found, Refusal):
        return Did((not_carried_out(state, order, found),))
    units, path, walked = found
    start = units[0].at
    events: list[Event] = []
    facing = units[0].facing
    if path:
        facing = direction((start, *path)[-2], path[-1])
        events.append(
            event(
                "moves",
                "S4",
                side=state.phase,
                units=list(order.units),
                path=list(path),
                costs=walked.costs,
                offroad=walked.offroad,
                zoned=walked.zoned,
                facing=facing,
                **{"from": start, "to": path[-1]},
            )
        )
    if order.face:
        events.append(turned(state, units, facing if path else "", order.face, path[-1] if path else start))
    if order.form:
        events += formed(state, units, order.form)
    return Did(tuple(events))


def turned(state: State, units: Sequence[Unit], facing: str, face: str, at: str) -> Event:
    """S3 Return the event of a turn: 1 MP for one or two sides, 2 for three, free for skirmishers.

    `facing` is what they face after their move, empty if they have not moved. Whoever shares the hex turns with them,
    and pays for it too unless they have just arrived.
    """
    turning = units if facing else wheeling(state, units)
    costs = {unit.id: turn_cost(unit, facing or unit.facing, face) for unit in turning}
    return event("faces", "S3", side=state.phase, units=[u.id for u in units], facing=face, costs=costs, at=at)


def formed(state: State, units: Sequence[Unit], form: str) -> list[Event]:
    """T8 Return the events of changes of formation, those already in it left out."""
    chart = state.edition.chart("formation")
    wanted = form.lower()
    return [
        event(
            "forms",
            "T8",
            side=unit.side,
            unit=unit.id,
            formation=wanted,
            cost=int(chart.cell(f"{unit.kind} {unit.formation}", wanted)),
        )
        for unit in units
        if unit.kind in ("inf", "cav") and unit.formation != wanted
    ]


def form_order(state: State, task: Task) -> Outcome:
    """T8 FORM."""
    order: Form = task.args[0]
    refused = refuse_form(state, order, False)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    return Did(tuple(formed(state, [state.units[ident] for ident in order.units], order.form)))


def limber_order(state: State, task: Task) -> Outcome:
    """T8 LIMBER, UNLIMBER."""
    order: Limber = task.args[0]
    refused = refuse_limber(state, order, False)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    chart = state.edition.chart("formation")
    row, column = ("unlimbered", "limbered") if order.verb == "LIMBER" else ("limbered", "unlimbered")
    cost, limbered = int(chart.cell(row, column)), order.verb == "LIMBER"
    told = [event("limbers", "T8", side=state.phase, unit=ident, limbered=limbered, cost=cost) for ident in order.units]
    return Did(tuple(told))


def face_order(state: State, task: Task) -> Outcome:
    """S3 FACE."""
    order: Face = task.args[0]
    refused = refuse_face(state, order, False)
    if refused is not None:
        return Did((not_carried_out(state, order, refused),))
    units = [state.units[ident] for ident in order.units]
    return Did((turned(state, units, "", order.face, units[0].at),))


# The same refusals in full, with all that helps to mend an order.


_ENDLESS = 10_000
"""More MP than any way costs."""


def tell_out_of_reach(state: State, division: Division) -> Msg:
    """S2 Say why the order of a division counts from next turn: who does not reach whom."""
    head, leader = chief(state, division.side), state.units.get(division.commander)
    if head is None or leader is None:
        return msg(
            "the order of division {division} counts from next turn: a commander is missing", division=division.name
        )
    return msg(
        "the order of division {division} counts from next turn: at this line {chief} ({at}, range {range}) does not "
        "reach {leader} ({hex})",
        division=division.name,
        chief=head.id,
        at=head.at,
        range=head.range,
        leader=leader.id,
        hex=leader.at,
    )


def tell_no_way(state: State, units: Sequence[Unit], to: str) -> Msg:
    """T7 What the cheapest way costs, and whether it would be cheaper in Manoeuvre (S2)."""
    rich = [unit.but(used=unit.used - _ENDLESS) for unit in units]
    path = cheapest(state, rich, to)
    walked = walk(state, rich, path) if path else None
    if walked is None or isinstance(walked, Refusal):
        return msg("no way leads {units} to {hex}", units=tuple(unit.id for unit in units), hex=to)
    short = [unit for unit in units if walked.costs[unit.id] > left(state, unit)] or list(units)
    unit = max(short, key=lambda one: walked.costs[one.id] - left(state, one))
    mp, cost = left(state, unit), walked.costs[unit.id]
    why = msg("{unit} has {mp} MP, the way to {hex} costs {cost}", unit=unit.id, mp=mp, hex=to, cost=cost)
    divisions = {ident: d._replace(order="MANOEUVRE") for ident, d in state.divisions.items()}
    if state.order_of(unit) != "MANOEUVRE" and cheapest(state.change(divisions=divisions), units, to):
        return msg("{why}; its division in Manoeuvre, it would get there", why=why)
    return why


def tell_no_room(state: State, units: Sequence[Unit], at: str) -> Msg:
    """T3 Who stands there already, and how much the hex takes of all of them."""
    coming = [unit for unit in units if unit.is_combat]
    ids = {unit.id for unit in coming}
    there = [unit for unit in state.fighting(at, coming[0].side) if unit.id not in ids]
    names, others = tuple(unit.id for unit in coming), tuple(unit.id for unit in there)
    pf = sum(unit.pf for unit in (*coming, *there) if unit.kind in ("inf", "cav"))
    room = state.edition.chart("stacking").cells.get((row_of(state.edition, at), "inf"), "")
    if room.isdigit() and pf > int(room):
        if not others:
            return msg(
                "there is no room for {units} in {hex}: they are {pf} PF, and the hex takes {room}",
                units=names,
                hex=at,
                pf=pf,
                room=room,
            )
        return msg(
            "there is no room for {units} in {hex}: with {others} there it would be {pf} PF, and the hex takes {room}",
            units=names,
            hex=at,
            others=others,
            pf=pf,
            room=room,
        )
    told = msg("there is no room for {units} in {hex}", units=names, hex=at)
    if others:
        told = msg("there is no room for {units} in {hex} beside {others}", units=names, hex=at, others=others)
    if room == "unit" and any(unit.kind == "inf" for unit in coming):
        return msg("{why}: {terrain} takes one battalion", why=told, terrain=Msg(row_of(state.edition, at)))
    return told


# What a report says of all that.


def ways(events: Sequence[Event]) -> tuple[Msg, ...]:
    """Return the way of each move among the events, hex by hex."""
    moves = (happened.data for happened in events if happened.kind == "moves")
    return tuple(msg("way: {path}", path=" ".join((data["from"], *data["path"]))) for data in moves)


def _tell_order(data: Data, before: State) -> Msg:
    words = ORDER_NAMES[data["order"]]
    if data["now"]:
        return msg("Division {division}: {order}, in force now.", division=data["division"], order=words)
    return msg("Division {division}: {order}, from next turn.", division=data["division"], order=words)


def _fronted(data: Data, before: State) -> bool:
    """S3 Whether anybody of those who go has a front: commanders and skirmishers have none."""
    return any(ident in before.units and before.units[ident].faces for ident in data["units"])


def _tell_form(data: Data, before: State) -> Msg:
    return msg("{unit} is now {formation}.", unit=data["unit"], formation=FORMATION_NAMES[data["formation"]])


def _tell_limber(data: Data, before: State) -> Msg:
    return fill_gaps(msg("{unit} limbers.") if data["limbered"] else msg("{unit} unlimbers."), data)


def _tell_way(data: Data, before: State) -> Msg:
    """Say where a stack went, and the front of those who have one; WHY tells the way."""
    told = (
        msg("{units}: {start} to {to}, facing {facing}") if _fronted(data, before) else msg("{units}: {start} to {to}")
    )
    return fill_gaps(told, data)


HEADS: Mapping[str, Teller] = {
    "ordered": _tell_order,
    "moves": lambda d, s: msg("{text}.", text=_tell_way(d, s)),
    "forms": _tell_form,
    "limbers": _tell_limber,
    "faces": says(msg("{units} {units:|turns|turn} to {facing}.")),
}
RUNS: Mapping[str, Teller] = {
    "moves": _tell_way,
    "faces": lambda d, s: msg("{units} facing {facing}", units="+".join(d["units"]), facing=d["facing"]),
    "forms": lambda d, s: msg("{unit} {formation}", unit=d["unit"], formation=FORMATION_NAMES[d["formation"]]),
    "limbers": lambda d, s: (
        msg("{unit} limbered", unit=d["unit"]) if d["limbered"] else msg("{unit} unlimbered", unit=d["unit"])
    ),
}
"""Kinds of event that are told together when they follow one another: what each says in such a row."""
