"""Order divisions, moves, turns and formations: refusals, effects and sentences.

Rules: S2-S4, T8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pbem.engine.commanders.holding import other_owner
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.hexes import direction, distance
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import Teller, fill_gaps, sentence_teller
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.games.peninsular.edition import alliance_of
from pbem.games.peninsular.orders import Face, Form, Limber, Move, Order, not_carried_out, refuse_actors
from pbem.games.peninsular.paths import (
    PathCost,
    Suits,
    cheapest_path,
    cheapest_paths,
    path_cost,
    remaining_mp,
    turn_cost,
    turning_units,
)
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import has_room, stacking_row
from pbem.games.peninsular.units import FORMATION_NAMES, NORMAL, ORDER_NAMES, ROUTED, Division, Unit


def commander_in_chief(state: State, side: str) -> Unit | None:
    """Return the commander-in-chief (S2).

    It is the scenario's, else the commander with the longest range, then by id.
    """
    named_id = state.edition.scenario.get("chief", {}).get(side, "")
    own_units = [unit for unit in state.units.values() if unit.kind == "cmd" and unit.camp == alliance_of(side)]
    return min(own_units, key=lambda unit: (unit.id != named_id, -unit.range, unit.id), default=None)


class LegalMove(NamedTuple):
    """A legal move: units, hexes passed (none for a turn in place), and cost (S4)."""

    units: Sequence[Unit]
    path: tuple[str, ...]
    walked: PathCost


def refuse_order(state: State, order: Order) -> Refusal | None:
    """Return why a division's order is refused (S2)."""
    division = state.divisions.get(order.division)
    if division is None or alliance_of(division.side) != alliance_of(state.phase):
        return Refusal(("S2",), msg("{name} is no division of yours", name=order.division), order.division)
    holder = other_owner(state, division.commander)
    if holder:
        why = msg("{name} is under {command}", name=order.division, command=holder)
        return Refusal(("M1", "S2"), why, order.division)
    return None


def refuse_move(state: State, order: Move, lasting_only: bool) -> Refusal | None:
    """S4 Return why a move is refused.

    With `lasting_only` only for reasons that no later event can remove.
    """
    outcome = refuse_actors(state, order.units, True, "S4") if lasting_only else find_move(state, order)
    return None if isinstance(outcome, LegalMove) else outcome


def find_move(state: State, order: Move) -> LegalMove | Refusal:
    """Return the way of the counters with its cost, or why they may not go it.

    Rules: S4, T3, T8.
    """
    refusal = refuse_actors(state, order.units, False, "S4")
    if refusal is not None:
        return refusal
    units = [state.units[ident] for ident in order.units]
    start = units[0].at
    for unit in units:
        refusal = _refuse_start(unit, start)
        if refusal is not None:
            return refusal
    path = order.path
    if order.to and order.to != start:
        path = cheapest_path(state, units, order.to, _path_filter(state, order, units)) or cheapest_path(
            state, units, order.to
        )
        if not path:
            why = msg("no way to {hex} is within the MP of {unit}", hex=order.to, unit=units[0].id)
            return Refusal(("T7", "T1", "S4"), why, order.to)
    walk_result = path_cost(state, units, path) if path else PathCost({unit.id: 0 for unit in units}, False, False)
    if isinstance(walk_result, Refusal):
        return walk_result
    end = path[-1] if path else start
    wheels = _refuse_wheel(state, order, units) if order.face and not path else None
    refused = (
        wheels
        or _refuse_finish(state, order, units, (start, *path), walk_result)
        or _refuse_crowd(state, order, units, end)
    )
    return refused or LegalMove(units, path, walk_result)


def refuse_end_action(state: State, order: Move, way: LegalMove) -> Refusal | None:
    """Return why the turn or formation at the end of a way is refused (S3, T8, T3)."""
    start = way.units[0].at
    refusal = _refuse_finish(state, order, way.units, (start, *way.path), way.walked)
    return refusal or _refuse_crowd(state, order, way.units, way.path[-1])


def _refuse_start(unit: Unit, start: str) -> Refusal | None:
    if unit.at != start:
        why = msg(
            "{unit} is in {at}, not in {hex}: those who go together start together", unit=unit.id, at=unit.at, hex=start
        )
        return Refusal(("S4",), why, unit.id)
    if unit.assault:
        return Refusal(("S5", "S4"), msg("{unit} is to assault and does not move", unit=unit.id), unit.id)
    if unit.square:
        return Refusal(("S3", "S4"), msg("{unit} is in square and does not move", unit=unit.id), unit.id)
    if unit.is_unlimbered:
        return Refusal(("S4", "T8"), msg("{unit} is unlimbered and does not move", unit=unit.id), unit.id)
    if unit.zoned:
        return Refusal(("S3", "S4"), msg("{unit} was stopped by an enemy zone", unit=unit.id), unit.id)
    return None


def _refuse_finish(
    state: State, order: Move, units: Sequence[Unit], path: Sequence[str], walked: PathCost
) -> Refusal | None:
    """Refuse a turn or formation at the end of a move for lack of MP (S3, T8)."""
    if not (order.face or order.form):
        return None
    facing = direction(path[-2], path[-1]) if len(path) > 1 else ""
    for unit in units:
        cost = walked.costs[unit.id]
        if order.face:
            cost += turn_cost(unit, facing or unit.facing, order.face)
        change = _formation_cost(state, unit, order.form) if order.form else 0
        if isinstance(change, Refusal):
            return change
        refusal = _refuse_cost(state, unit, cost + change, walked.bonus, order.form or order.face)
        if refusal is not None:
            return refusal
    return None


def _path_filter(state: State, order: Move, units: Sequence[Unit]) -> Suits | None:
    """Return a test whether a path leaves MP for its end action; None without one.

    Rule: S4a.
    """
    if not (order.face or order.form):
        return None

    def suits(path: tuple[str, ...]) -> bool:
        walk_result = path_cost(state, units, path)
        return (
            isinstance(walk_result, PathCost)
            and _refuse_finish(state, order, units, (units[0].at, *path), walk_result) is None
        )

    return suits


def _refuse_cost(state: State, unit: Unit, cost: int, bonus: int, word: str) -> Refusal | None:
    """Return a refusal if a counter lacks the MP; `bonus` is its gain by road (T7)."""
    mp = remaining_mp(state, unit) + (0 if unit.offroad else bonus)
    if cost <= mp:
        return None
    why = msg("{unit} has {mp} MP, and needs {cost}", unit=unit.id, mp=mp, cost=cost)
    return Refusal(("T7", "T8", "S3"), why, word)


def _refuse_crowd(state: State, order: Move, units: Sequence[Unit], end: str) -> Refusal | None:
    """Return a refusal if the units may not stand together at the end of a move (T3)."""
    form = order.form.lower()
    later = [unit.but(formation=form) if form and unit.kind in ("inf", "cav") else unit for unit in units]
    if has_room(state, end, later):
        return None
    return Refusal(("T3", "S4"), msg("there is no room for {unit} in {hex}", unit=units[0].id, hex=end), end)


def _formation_cost(state: State, unit: Unit, form: str) -> int | Refusal:
    """T8 Return the MP of a change of formation."""
    formation = form.lower()
    if unit.kind not in ("inf", "cav"):
        return 0 if unit.kind == "cmd" else Refusal(("T8",), msg("{unit} has no formations", unit=unit.id), unit.id)
    if unit.formation == formation:
        return 0
    cell = state.edition.chart("formation").cell(f"{unit.kind} {unit.formation}", formation)
    if cell == "no":
        return Refusal(("T8",), msg("{unit} has no such formation (cavalry forms no square)", unit=unit.id), form)
    return int(cell)


def refuse_form(state: State, order: Form, lasting_only: bool) -> Refusal | None:
    """Return why a change of formation is refused, or only a lasting reason.

    Rule: T8.
    """
    refusal = refuse_actors(state, order.units, lasting_only, "T8")
    if refusal is not None:
        return refusal
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        cost = _formation_cost(state, unit, order.form) if not lasting_only or unit.kind == "art" else 0
        if isinstance(cost, Refusal):
            return cost
        if lasting_only:
            continue
        if unit.assault:
            return Refusal(("S5", "T8"), msg("{unit} is to assault", unit=unit.id), unit.id)
        refusal = _refuse_cost(state, unit, cost, 0, order.form)
        if refusal is not None:
            return refusal
        if not has_room(state, unit.at, [unit.but(formation=order.form.lower())]):
            why = msg("{unit} cannot take that formation in {hex}", unit=unit.id, hex=unit.at)
            return Refusal(("T3", "T8"), why, order.form)
    return None


def refuse_limber(state: State, order: Limber, lasting_only: bool) -> Refusal | None:
    """Return why limbering is refused; with `lasting_only` only lasting reasons (T8)."""
    refusal = refuse_actors(state, order.units, lasting_only, "T8")
    if refusal is not None:
        return refusal
    for unit in (state.units[ident] for ident in order.units if ident in state.units):
        if unit.kind != "art":
            return Refusal(("T8",), msg("{unit} is no artillery", unit=unit.id), unit.id)
        if lasting_only:
            continue
        if unit.limbered == (order.verb == "LIMBER"):
            return Refusal(("T8",), msg("{unit} is so already", unit=unit.id), unit.id)
        terrain = state.edition.map.terrain(unit.at)
        if order.verb == "UNLIMBER" and "E" in state.edition.cells[terrain, "art"]:
            return Refusal(("T1", "T8"), msg("{unit} cannot unlimber in buildings", unit=unit.id), unit.id)
        row, column = ("unlimbered", "limbered") if order.verb == "LIMBER" else ("limbered", "unlimbered")
        cost = int(state.edition.chart("formation").cell(row, column))
        refusal = _refuse_cost(state, unit, cost, 0, unit.id)
        if refusal is not None:
            return refusal._replace(rules=("T8", "T7"))
    return None


def refuse_face(state: State, order: Face, lasting_only: bool) -> Refusal | None:
    """Return why a turn is refused; with `lasting_only` only lasting reasons (S3)."""
    refusal = refuse_actors(state, order.units, lasting_only, "S3")
    if refusal is not None or lasting_only:
        return refusal
    units = [state.units[ident] for ident in order.units]
    for unit in units:
        if unit.at != units[0].at:
            return Refusal(("S3",), msg("{unit} is in another hex", unit=unit.id), unit.id)
    return _refuse_wheel(state, order, units)


def _refuse_wheel(state: State, order: Face | Move, units: Sequence[Unit]) -> Refusal | None:
    """Refuse a turn in place that units, or those sharing their front, cannot make.

    Rule: S3.
    """
    for unit in turning_units(state, units):
        if unit.assault:
            return Refusal(("S5", "S3"), msg("{unit} is to assault", unit=unit.id), unit.id)
        refusal = _refuse_cost(state, unit, turn_cost(unit, unit.facing, order.face), 0, order.face)
        if refusal is not None:
            return refusal._replace(rules=("S3", "T7"))
    return None


def division_order(state: State, task: Task) -> Outcome:
    """Give a division an order (S2).

    It is in force at once if the commander-in-chief reaches the division's commander, else from next turn.
    """
    order: Order = task.args[0]
    refusal = refuse_order(state, order)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    division = state.divisions[order.division]
    leader, head = state.units.get(division.commander), commander_in_chief(state, division.side)
    near = leader is not None and head is not None and distance(head.at, leader.at) <= head.range
    new_order = "" if order.order == "NONE" else order.order
    data = {"side": division.side, "division": division.name, "order": new_order, "now": near}
    return Did((Event("ordered", "S2", data, state.edition.seats_of(division.side)),))


def move_order(state: State, task: Task) -> Outcome:
    """Carry out a move along its path, then the turn or formation at the end (S4)."""
    order: Move = task.args[0]
    outcome = find_move(state, order)
    if isinstance(outcome, Refusal):
        return Did((not_carried_out(state, order, outcome),))
    units, path, walked = outcome
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
        events.append(facing_event(state, units, facing if path else "", order.face, path[-1] if path else start))
    if order.form:
        events += formation_events(state, units, order.form)
    return Did(tuple(events))


def facing_event(state: State, units: Sequence[Unit], facing: str, face: str, hex_id: str) -> Event:
    """Return the event of a turn.

    It costs 1 MP for one or two sides, 2 for three; skirmishers turn without cost. Rule: S3.

    `facing` is their facing after their move, empty if they have not moved. Units in the same hex turn too, and pay
    for it unless they have just arrived.
    """
    turning = units if facing else turning_units(state, units)
    costs = {unit.id: turn_cost(unit, facing or unit.facing, face) for unit in turning}
    return event("faces", "S3", side=state.phase, units=[u.id for u in units], facing=face, costs=costs, at=hex_id)


def formation_events(state: State, units: Sequence[Unit], form: str) -> list[Event]:
    """Return the formation events, without counters already in that formation (T8)."""
    chart = state.edition.chart("formation")
    formation = form.lower()
    return [
        event(
            "forms",
            "T8",
            side=unit.side,
            unit=unit.id,
            formation=formation,
            cost=int(chart.cell(f"{unit.kind} {unit.formation}", formation)),
        )
        for unit in units
        if unit.kind in ("inf", "cav") and unit.formation != formation
    ]


def form_order(state: State, task: Task) -> Outcome:
    """Carry out FORM (T8)."""
    order: Form = task.args[0]
    refusal = refuse_form(state, order, False)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    return Did(tuple(formation_events(state, [state.units[ident] for ident in order.units], order.form)))


def limber_order(state: State, task: Task) -> Outcome:
    """Carry out LIMBER and UNLIMBER (T8)."""
    order: Limber = task.args[0]
    refusal = refuse_limber(state, order, False)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    chart = state.edition.chart("formation")
    row, column = ("unlimbered", "limbered") if order.verb == "LIMBER" else ("limbered", "unlimbered")
    cost, is_limbered = int(chart.cell(row, column)), order.verb == "LIMBER"
    limber_events = [
        event("limbers", "T8", side=state.phase, unit=ident, limbered=is_limbered, cost=cost) for ident in order.units
    ]
    return Did(tuple(limber_events))


def face_order(state: State, task: Task) -> Outcome:
    """Carry out FACE (S3)."""
    order: Face = task.args[0]
    refusal = refuse_face(state, order, False)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    units = [state.units[ident] for ident in order.units]
    return Did((facing_event(state, units, "", order.face, units[0].at),))


# The same refusals in full, with all that helps to mend an order.


_ENDLESS = 10_000
"""More MP than any way costs."""


def out_of_reach_text(state: State, division: Division) -> Msg:
    """Explain which commander is out of reach, so that an order waits a turn (S2)."""
    head, leader = commander_in_chief(state, division.side), state.units.get(division.commander)
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


def no_way_text(state: State, units: Sequence[Unit], destination: str) -> Msg:
    """Return the cheapest way's cost, and whether Manoeuvre would be cheaper.

    Rules: T7, S2.
    """
    rich = [unit.but(used=unit.used - _ENDLESS) for unit in units]
    path = cheapest_path(state, rich, destination)
    walk_result = path_cost(state, rich, path) if path else None
    if walk_result is None or isinstance(walk_result, Refusal):
        why = msg("no way leads {units} to {hex}", units=tuple(unit.id for unit in units), hex=destination)
        if state.foes(destination, state.phase):
            return msg("{why}: enemies stand there, whom an assault may drive out", why=why)
        broken = next((unit for unit in units if unit.state != NORMAL), None)
        if broken is not None:
            cause = msg("{unit} is disordered and may not enter an enemy zone", unit=broken.id)
            if broken.state == ROUTED:
                cause = msg("{unit} is routed: it goes away from the enemy", unit=broken.id)
            return msg("{why}: {cause}", why=why, cause=cause)
        return why
    short = [unit for unit in units if walk_result.costs[unit.id] > remaining_mp(state, unit)] or list(units)
    unit = max(short, key=lambda walker: walk_result.costs[walker.id] - remaining_mp(state, walker))
    mp, cost = remaining_mp(state, unit), walk_result.costs[unit.id]
    why = msg("{unit} has {mp} MP, the way to {hex} costs {cost}", unit=unit.id, mp=mp, hex=destination, cost=cost)
    divisions = {ident: division._replace(order="MANOEUVRE") for ident, division in state.divisions.items()}
    if state.order_of(unit) != "MANOEUVRE" and cheapest_path(state.change(divisions=divisions), units, destination):
        return msg("{why}; its division in Manoeuvre, it would get there", why=why)
    ways = cheapest_paths(state, units)
    reached = [hex_id for hex_id in path[:-1] if hex_id in ways and has_room(state, hex_id, units)]
    return msg("{why}; on this way it can end in {hex}", why=why, hex=reached[-1]) if reached else why


def no_room_text(state: State, units: Sequence[Unit], hex_id: str) -> Msg:
    """Name the units in the hex and its limit (T3)."""
    coming = [unit for unit in units if unit.is_combat]
    ids = {unit.id for unit in coming}
    units_there = [unit for unit in state.fighting(hex_id, coming[0].side) if unit.id not in ids]
    names, others = tuple(unit.id for unit in coming), tuple(unit.id for unit in units_there)
    pf = sum(unit.pf for unit in (*coming, *units_there) if unit.kind in ("inf", "cav"))
    room = state.edition.chart("stacking").cells.get((stacking_row(state.edition, hex_id), "inf"), "")
    if room.isdigit() and pf > int(room):
        if not others:
            return msg(
                "there is no room for {units} in {hex}: they are {pf} PF, and the hex takes {room}",
                units=names,
                hex=hex_id,
                pf=pf,
                room=room,
            )
        return msg(
            "there is no room for {units} in {hex}: with {others} there it would be {pf} PF, and the hex takes {room}",
            units=names,
            hex=hex_id,
            others=others,
            pf=pf,
            room=room,
        )
    sentence = msg("there is no room for {units} in {hex}", units=names, hex=hex_id)
    if others:
        sentence = msg("there is no room for {units} in {hex} beside {others}", units=names, hex=hex_id, others=others)
    if room == "unit" and any(unit.kind == "inf" for unit in coming):
        return msg(
            "{why}: {terrain} takes one battalion", why=sentence, terrain=Msg(stacking_row(state.edition, hex_id))
        )
    return sentence


# What a report says of all that.


def move_lines(events: Sequence[Event]) -> tuple[Msg, ...]:
    """Return each move's way hex by hex."""
    moves = (happened.data for happened in events if happened.kind == "moves")
    return tuple(msg("way: {path}", path=" ".join((data["from"], *data["path"]))) for data in moves)


def _order_text(data: Data, before: State) -> Msg:
    words = ORDER_NAMES[data["order"]]
    if data["now"]:
        return msg("Division {division}: {order}, in force now.", division=data["division"], order=words)
    return msg("Division {division}: {order}, from next turn.", division=data["division"], order=words)


def _has_front(data: Data, before: State) -> bool:
    """Return whether any moving unit has a front.

    Commanders and skirmishers have none. Rule: S3.
    """
    return any(ident in before.units and before.units[ident].faces for ident in data["units"])


def _form_text(data: Data, before: State) -> Msg:
    return msg("{unit} is now {formation}.", unit=data["unit"], formation=FORMATION_NAMES[data["formation"]])


def _limber_text(data: Data, before: State) -> Msg:
    return fill_gaps(msg("{unit} limbers.") if data["limbered"] else msg("{unit} unlimbers."), data)


def _way_text(data: Data, before: State) -> Msg:
    """Return a stack's destination and front; WHY shows the way."""
    sentence = (
        msg("{units}: {start} to {to}, facing {facing}")
        if _has_front(data, before)
        else msg("{units}: {start} to {to}")
    )
    return fill_gaps(sentence, data)


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "ordered": _order_text,
    "moves": lambda d, s: msg("{text}.", text=_way_text(d, s)),
    "forms": _form_text,
    "limbers": _limber_text,
    "faces": sentence_teller(msg("{units} {units:|turns|turn} to {facing}.")),
}
MERGED_SENTENCES: Mapping[str, Teller] = {
    "moves": _way_text,
    "faces": lambda d, s: msg("{units} facing {facing}", units="+".join(d["units"]), facing=d["facing"]),
    "forms": lambda d, s: msg("{unit} {formation}", unit=d["unit"], formation=FORMATION_NAMES[d["formation"]]),
    "limbers": lambda d, s: (
        msg("{unit} limbered", unit=d["unit"]) if d["limbered"] else msg("{unit} unlimbered", unit=d["unit"])
    ),
}
"""Kinds of event that are merged with the same kind before them, with the sentence of each in such a row."""
