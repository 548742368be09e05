"""Resolve movement (O3), interception (O4), and retiring (R8)."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.commanders.holding import other_owner
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import Teller, fill_gaps, sentence_teller
from pbem.engine.run.steps import Ask, Choice, Did, Outcome, Task, Window, choice
from pbem.games.africa1860.fire import GroupShot, marking_event
from pbem.games.africa1860.legality import (
    MOVE_RULE,
    IntendedAction,
    is_passable,
    lacking_room,
    may_fall_back,
    not_carried_out,
    refuse_river,
    refuse_units,
    retire_path,
    space_between,
    steps_of_ways,
)
from pbem.games.africa1860.morale import destination_teller
from pbem.games.africa1860.orders import Move, Retire
from pbem.games.africa1860.state import CAVALRY, Fight, State, Unit, best_unit, enemy_of

OUT_OF_REACH = msg("{unit} cannot reach {to} from {space} in one move").text
STEADY = msg("{unit} is not demoralised").text


def refuse_move(state: State, order: Move, space: str, lasting_only: bool = False) -> Refusal | None:
    """Return why MOVE is refused (O3)."""
    ids, known = (*order.units, *order.leaders), state.units
    refusal = refuse_units(state, ids, IntendedAction(space, lasting_only, moving=True))
    if refusal is not None:
        return refusal
    units = [*filter(None, map(known.get, ids))]
    destination, reach = order.to, state.edition.allowance
    near = not order.via and state.edition.map.adjacent(space, destination)
    steps = [((space, destination),)] if near else steps_of_ways(state, space, destination, order.via)
    for unit in units:
        if not steps or reach[unit.code] < (1 if near else 2):
            return Refusal(
                (MOVE_RULE.get(unit.code, "O3.2"),),
                msg(OUT_OF_REACH, unit=unit.id, to=destination, space=space),
                destination,
            )
    for unit in units:
        if not is_passable(state, unit, steps):
            why = msg("{unit} cannot use the way from {space} to {to}", unit=unit.id, space=space, to=destination)
            return Refusal(("C11",), why, destination)
    refusal = None if near else refuse_river(state, units, (space, destination), order.via)
    if refusal is not None or lasting_only:
        return refusal
    alone = ("R2", "O2") if order.units else ("R6", "R2", "O2")
    if state.holder(destination) not in ("", state.phase):
        return Refusal(alone, msg("{to} is held by the enemy: a move never enters it", to=destination), destination)
    if not near and space_between(state, space, destination, units, order.via) == "":
        return Refusal(alone, msg("every way from {space} to {to} is barred", space=space, to=destination), destination)
    return _refuse_crowd(state, units, destination)


def _refuse_crowd(state: State, units: list[Unit], destination: str) -> Refusal | None:
    """C5 Refuse more units than may stand together at the end of a move."""
    lacks, limits = lacking_room(state, destination, units), state.edition.stacking
    if lacks == "combat":
        return Refusal(
            ("C5",), msg("more than {n} combat units would stand in {to}", n=limits[0], to=destination), destination
        )
    if lacks == "ART":
        return Refusal(
            ("C5",), msg("more than {n} batteries would stand in {to}", n=limits[1], to=destination), destination
        )
    return None


def refuse_retire(state: State, order: Retire, _: str = "", lasting_only: bool = False) -> Refusal | None:
    """Return why RETIRE is refused (O5, R8)."""
    for ident in order.units:
        unit = state.units.get(ident)
        if unit is None:
            if lasting_only:
                continue
            return Refusal(("O3",), msg("{unit} is no longer in play", unit=ident), ident)
        if unit.side != state.phase:
            return Refusal(("R2",), msg("{unit} is not yours", unit=ident), ident)
        holder = other_owner(state, ident)
        if holder:
            return Refusal(("M1",), msg("{unit} is under {command}", unit=ident, command=holder), ident)
        result = None if lasting_only else _refuse_unit_to_retire(state, unit, order.to)
        if result is not None:
            return result
    return None


def _refuse_unit_to_retire(state: State, unit: Unit, destination: str) -> Refusal | None:
    """R3, R8, O5 Refuse a unit that may not retire or has no way."""
    if not unit.demoralised:
        return Refusal(("R8", "O5"), msg(STEADY, unit=unit.id), unit.id)
    if unit.acted:
        return Refusal(("R3", "R8"), msg("{unit} has acted already in this phase", unit=unit.id), unit.id)
    path = retire_path(state, unit, destination)
    if not path:
        why = msg("{unit} finds no way towards its nearest rear town there", unit=unit.id)
        return Refusal(("R8", "O5"), why, destination or unit.id)
    return _refuse_crowd(state, [unit], path[-1])


def move_events(units: list[Unit], start: str, destination: str, cite: str = "") -> tuple[Event, ...]:
    """O3 Return the moves of units that go together, one event for each rule.

    `cite` replaces the units' own rules.
    """
    groups: dict[str, list[str]] = {}
    for unit in units:
        groups.setdefault(cite or MOVE_RULE.get(unit.code, "O3.2"), []).append(unit.id)
    data = {"side": units[0].side, "from": start, "to": destination}
    return tuple([Event("moves", rule, {**data, "units": ids}) for rule, ids in groups.items()])


def move_order(state: State, task: Task) -> Outcome:
    """Carry out MOVE: mark units and leaders, then enter space by space (O3)."""
    order: Move
    order, space = task.args
    refusal = refuse_move(state, order, space)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    ids = tuple(sorted(order.units + order.leaders))
    units = [*map(state.units.__getitem__, ids)]
    near = not order.via and state.edition.map.adjacent(space, order.to)
    path = (order.to,) if near else (space_between(state, space, order.to, units, order.via), order.to)
    gone = _enter_next(state, ids, units, path, False)
    return Did((marking_event(ids, "R3", "activated", "acted"), *gone.events), gone.then)


def enter_space(state: State, task: Task) -> Outcome:
    """O3, O4 Move the units still at their start one space on.

    Arguments: units, space they come from, spaces to enter, whether they charge. A mover that was thrown back is no
    longer at its start, so that its order ends.
    """
    ids, start, path, charging = task.args
    known = state.units
    units = [unit for ident in ids if (unit := known.get(ident)) is not None and unit.at == start]
    return _enter_next(state, ids, units, path, charging) if units else Did()


def _enter_next(state: State, ids: tuple[str, ...], units: list[Unit], path: tuple[str, ...], charging: bool) -> Did:
    """O3, O4 Enter the first space of a path; an empty one may be intercepted.

    A charge that enters the space between goes by R5.
    """
    start, space, rest = units[0].at, path[0], path[1:]
    next_tasks: tuple[Task, ...] = ()
    if state.holder(space) == "":
        next_tasks += (Task("intercept", (ids, space, charging, ())),)
    if rest:
        next_tasks += (Task("enter", (ids, space, rest, charging)),)
    return Did(move_events(units, start, space, "R5" if charging else ""), next_tasks)


def intercept(state: State, task: Task) -> Outcome:
    """O4 Ask enemy cavalry next to an entered space, by id, until one reacts (R7).

    Arguments: the movers, the space entered, whether they charge, cavalry already asked. Cavalry that is activated or
    demoralised (R1) is not asked; that of a broken side does not charge (C12).
    """
    ids, space, charging, asked = task.args
    movers = [unit for ident in ids if (unit := state.units.get(ident)) is not None and unit.at == space]
    rider = _next_rider(state, movers, space, asked)
    if rider is None:
        return Did()
    back = any(mate.id != rider.id for mate in state.own(rider.at, rider.side))
    if not task.got:
        charges = () if state.is_broken(rider.side) else ("CHARGE",)
        options = ("IGNORE", *charges, *(("CARACOLE",) if back else ()))
        return Ask(Window(f"{rider.at}>{space}", "approach", state.answerer(rider), rider.id, options))
    answer = choice(task, 0)
    if answer.value[0] == "CHARGE":
        return _charge(state, rider, space, charging, answer)
    if answer.value[0] == "CARACOLE":
        return _caracole(rider, movers, space, charging, answer)
    return Did((), (Task("intercept", (ids, space, charging, (*asked, rider.id))),))


def _next_rider(state: State, movers: list[Unit], space: str, asked: tuple[str, ...]) -> Unit | None:
    if not movers:
        return None
    enemy = enemy_of(movers[0].side)
    riders = [
        unit
        for near in state.edition.map.neighbours(space)
        for unit in state.own(near, enemy)
        if unit.code == CAVALRY and not (unit.activated or unit.demoralised) and unit.id not in asked
    ]
    return min(riders, key=lambda unit: unit.id, default=None)


def _charge(state: State, rider: Unit, space: str, charging: bool, answer: Choice) -> Outcome:
    """Begin an interceptor's assault on the units that entered (O4)."""
    mark_event = marking_event((rider.id,), "R7", "activated", side=rider.side, by=answer.by)
    intercepts_event = event("intercepts", "O4", side=rider.side, unit=rider.id, space=space, how="CHARGE")
    answers: tuple[Event, ...] = ()
    if state.edition.reread:
        answers = (event("charged", "O4a", side=enemy_of(rider.side), space=space),)
    fight = Fight("", "interception", rider.side, rider.at, space, (rider.id,), vanguard=rider.id, passing=charging)
    return Did((mark_event, intercepts_event, *answers), (Task("begin", (fight,)),))


def _caracole(rider: Unit, movers: list[Unit], space: str, charging: bool, chosen: Choice) -> Outcome:
    """O4 Exchange fire with the mover's best unit, then return to the own space."""
    address = f"{rider.at}>{space}"
    target = weakest_unit(movers)
    mark_event = marking_event((rider.id,), "R7", "activated", side=rider.side, by=chosen.by)
    intercepts_event = event("intercepts", "O4", side=rider.side, unit=rider.id, space=space, how="CARACOLE")
    answer = GroupShot((target.id,), rider.id, bare=True)
    gun = target.code == "ART"
    answers = not (gun and target.fired)
    shots = (GroupShot((rider.id,), target.id, caracoles=True, bare=charging), *((answer,) if answers else ()))
    next_tasks: tuple[Task, ...] = (Task("volley", (address, "O4", shots)),)
    back = Task("fall back", (rider.id, space, rider.at))
    if not (gun and answers):
        return Did((mark_event, intercepts_event), (*next_tasks, back))
    if target.side == "morocco":
        next_tasks += (Task("counterbattery", (address, (target.id,), ())),)
    return Did((mark_event, intercepts_event, marking_event((target.id,), "O7.1.1", "fired")), (*next_tasks, back))


def weakest_unit(units: list[Unit]) -> Unit:
    """O4 Return the unit that a caracole meets if there is no vanguard.

    It is the best combat unit, else a leader, ART or CNV, by id.
    """
    best = best_unit(units, lambda unit: unit.is_combat)
    if best is not None:
        return best
    return min(units, key=lambda unit: (("OF", "ART", "CNV").index(unit.code), unit.id))


def retire_order(state: State, task: Task) -> Outcome:
    """O5, R8 Carry out RETIRE: demoralised units go to their nearest rear town.

    R8a They go as far as their allowance.
    """
    order: Retire
    order, _ = task.args
    refusal = refuse_retire(state, order)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    events: list[Event] = []
    for ident in order.units:
        unit = state.units[ident]
        events.append(marking_event((ident,), "O5", "activated", "acted"))
        path = retire_path(state, unit, order.to)
        events.append(event("moves", "R8", side=unit.side, units=[ident], from_=unit.at, to=path[-1]))
        if state.edition.reread and order.to not in ("", path[-1]):
            events.append(event("on the way", "R8a", side=unit.side, unit=ident, to=order.to))
    return Did(tuple(events))


def fall_back(state: State, task: Task) -> Outcome:
    """R4 Let cavalry that caracoled fall back on friends, perhaps to its origin.

    O4b Units that charge over two spaces count as being in their origin. O8.4.2 The defender's cavalry takes
    shelter (O8.4.1) where it wants to, or finds no friends to go to. Arguments: unit, space fired from or at, space
    wanted or SHELTER.
    """
    ident, space, to = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    fight = state.fight
    passed = fight is not None and bool(fight.between) and state.edition.reread
    counted = (event("counted at home", "O4b", side=enemy_of(unit.side), unit=ident),) if passed else ()
    if may_fall_back(state, unit, space, to):
        return Did((*counted, event("falls back", "R4", side=unit.side, units=[ident], from_=unit.at, to=to)))
    return Did((*counted, event("shelters", "O8.4.1", side=unit.side, unit=ident)) if unit.at == space else ())


# What reports say of it.


def _interception_text(data: Data, before: State) -> Msg:
    charge, caracole = (
        msg("{unit} intercepts at {space} with a charge."),
        msg("{unit} intercepts at {space} with a caracole."),
    )
    return fill_gaps(charge if data["how"] == "CHARGE" else caracole, data)


ENTRY_SENTENCES: Mapping[str, Teller] = {
    "moves": sentence_teller(msg("{units}: from {start} to {to}.")),
    "intercepts": _interception_text,
    "falls back": destination_teller(msg("Fall back to {to}: {units}.")),
}
OUTCOME_KINDS = frozenset({"moves", "falls back"})
