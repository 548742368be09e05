"""Resolve fire: the fire action (C6), artillery (O7), and counter-battery.

Rule: O7.1.7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.charts import AppliedModifier, Chart, EditionModifiers
from pbem.engine.orders.refusals import Refusal
from pbem.engine.reasons import ChartRead, Reads, Teller, fill_gaps
from pbem.engine.run.steps import Ask, Did, Outcome, Roll, Task, Window, choice, coins, die
from pbem.games.africa1860.doctrine import default_notice
from pbem.games.africa1860.edition import Edition
from pbem.games.africa1860.legality import (
    MOVE_RULE,
    IntendedAction,
    bars_to_gun,
    crosses_parapet,
    no_enemy_text,
    not_carried_out,
    refuse_units,
)
from pbem.games.africa1860.morale import loss_events
from pbem.games.africa1860.orders import Fire
from pbem.games.africa1860.state import State, Unit
from pbem.games.africa1860.view import UNSEEN_MARK


class GroupShot(NamedTuple):
    """A group of firers at one target.

    `caracoles`: the firer's own caracole; `bare`: the target has no terrain.
    """

    firers: tuple[str, ...]
    target: str
    caracoles: bool = False
    bare: bool = False


class FireFacts(NamedTuple):
    """The facts of C6's modifiers: the target's terrain, and the caracole.

    The terrain is empty if it does not protect the target.

    `parapet` is whether the fire crosses a parapet from outside (C11.2).
    """

    terrain: str
    caracoles: bool
    parapet: bool


FIRE_MODIFIERS: Mapping[str, Callable[[FireFacts], bool]] = {
    "C6.1": lambda aim: aim.terrain == "town",
    "C6.2": lambda aim: aim.terrain == "fortified",
    "C6.3": lambda aim: aim.terrain == "heights",
    "C6.4": lambda aim: aim.terrain == "woods",
    "C6.5": lambda aim: aim.caracoles,
    "C6.6": lambda aim: aim.parapet,
}
_modifiers = EditionModifiers("fire", FIRE_MODIFIERS, later=("C6.6",))


def marking_event(units: tuple[str, ...], cite: str, *marks: str, **more: str) -> Event:
    """Return the event that puts markers (activated, acted, fired) on units."""
    return Event("marked", cite, {"units": [*units], "marks": [*marks], **more})


def is_gun_ready(unit: Unit) -> bool:
    """Return whether a gun may fire in reaction: not demoralised, activated or fired.

    Rules: O7.1.1, R1.
    """
    return unit.code == "ART" and not (unit.demoralised or unit.activated or unit.fired)


def resolve_volley(state: State, task: Task) -> Outcome:
    """Resolve simultaneous fire actions: all throws come before any effect (C6).

    Arguments: address, rule cited, shots (as `GroupShot`). Lost firers or targets do not count; a group without fire
    throws no coins. Morale checks follow by id.
    """
    address, cite, shots = task.args
    units = state.units
    chart = state.edition.chart("fire")
    shots_with_points: list[tuple[GroupShot, int]] = []
    for shot in shots:
        if (points := _points(units, shot)) > 0:
            shots_with_points.append((shot, points))
    if len(task.got) < len(shots_with_points):
        shot, points = shots_with_points[len(task.got)]
        for _, value, _ in _applied_modifiers(state, shot):
            points += value
        # C6 At least one coin.
        thrown = (1, 6) if is_by_die(chart) else (max(1, points), 2)
        return Roll(address, f"fire {'+'.join(sorted(shot.firers))} > {shot.target}", *thrown)
    events: list[Event] = []
    effects: list[Event] = []
    units_to_check: list[Unit] = []
    for index, (shot, points) in enumerate(shots_with_points):
        applied = _applied_modifiers(state, shot)
        points += sum(value for _, value, _ in applied)
        # The column by at least one point, as for coins (C6).
        fell = _by_die(chart, task, index, max(1, points)) if is_by_die(chart) else _by_coins(chart, task, index)
        effect = fell["cell"]
        target = units[shot.target]
        side = next(filter(None, map(units.get, shot.firers))).side
        events.append(event("fires", cite, side=side, firers=[*shot.firers], target=target.id, where=address))
        events.append(
            event(
                "volley",
                "C6",
                side=side,
                target=target.id,
                **fell,
                modifiers=[*map(list, applied)],
            )
        )
        if effect == "none":
            continue
        if target.is_leader:
            units_to_check.append(target)
            continue
        steps = int(effect[0]) if effect[0].isdigit() else 0
        effects += loss_events(target, steps, "C6")
        if effect.endswith("M") and steps < target.steps:
            units_to_check.append(target)
    if len(units_to_check) > 1:
        units_to_check.sort(key=lambda unit: unit.id)
    return Did((*events, *effects), tuple([Task("check", (address, unit.id)) for unit in units_to_check]))


def is_by_die(chart: Chart) -> bool:
    """C6 Return whether an edition resolves fire by one die and points.

    A chart of an overlay may say so.
    """
    return "effect" not in chart.rows


def _by_coins(chart: Chart, task: Task, index: int) -> dict[str, Any]:
    """C6 Read the result of a volley's coins from the chart."""
    label, faces = coins(task, index)
    heads = sum(faces)
    return {"label": label, "coins": faces, "heads": heads, "cell": chart.cell("effect", heads)}


def _by_die(chart: Chart, task: Task, index: int, points: int) -> dict[str, Any]:
    """C6 Read the result of one die from the chart.

    `points` are those of the fire, modifiers included.
    """
    label, shown = die(task, index)
    return {"label": label, "die": shown, "points": points, "cell": chart.cell(shown, points)}


def _points(units: Mapping[str, Unit], shot: GroupShot) -> int:
    """C6 Return a group's points before modifiers; none if its target is gone.

    Each unit gives the smaller of fire and steps.
    """
    points = 0
    if shot.target in units:
        for firer in shot.firers:
            unit = units.get(firer)
            if unit is not None:
                points += min(unit.fire, unit.steps)
    return points


def _applied_modifiers(state: State, shot: GroupShot) -> tuple[AppliedModifier, ...]:
    edition, units = state.edition, state.units
    if shot.bare:
        return _modifiers(edition).of(FireFacts("", shot.caracoles, False))
    space = units[shot.target].at
    parapet = any(crosses_parapet(state, units[firer].at, space) for firer in shot.firers if firer in units)
    return _modifiers(edition).of(FireFacts(edition.map.spaces[space].terrain, shot.caracoles, parapet))


def fire_tasks(state: State, address: str, cite: str, shot: GroupShot) -> tuple[Task, ...]:
    """Return the tasks of artillery fire and the answer to Moroccan guns (O7.1.7)."""
    next_tasks: tuple[Task, ...] = (Task("volley", (address, cite, (shot,))),)
    if state.units[shot.firers[0]].side == "morocco":
        next_tasks += (Task("counterbattery", (address, shot.firers, ())),)
    return next_tasks


def fire_order(state: State, task: Task) -> Outcome:
    """Carry out FIRE: each shot draws its target and resolves before the next (O7)."""
    order: Fire
    order, space = task.args
    refusal = refuse_fire(state, order, space)
    if refusal is not None:
        return Did((not_carried_out(state, order, refusal),))
    return Did((), tuple([Task("shot", (order.line, group, order.at)) for group in order.shots]))


def fire_shot(state: State, task: Task) -> Outcome:
    """Fire at a random unit of an adjacent space, leaders, guns and convoys included.

    Rules: O7.1.6, R10.

    Arguments: line of the order, guns, space.
    """
    line, group, space = task.args
    guns = tuple([gun for gun in group if gun in state.units])
    units_here = state.at(space)
    if not guns or not units_here:
        why = msg("nobody is left to fire at in {to}", to=space) if guns else msg("the guns are lost")
        order = Fire(line, (group,), space)
        return Did((not_carried_out(state, order, Refusal(("O7.1.6",), why, space)),))
    address = f"{state.units[guns[0]].at}>{space}"
    if not task.got:
        return Roll(address, f"target {space}", 1, len(units_here))
    label, value = die(task, 0)
    target = units_here[value - 1]
    events = [marking_event(guns, "O7.1.1", "activated", "acted", "fired")]
    others = [unit.id for unit in units_here if not (unit.is_combat or unit.is_leader)]
    if others:
        events.append(event("drawn from", "R10", units=others, space=space))
    events.append(
        event(
            "target", "O7.1.6", label=label, die=value, of=[unit.id for unit in units_here], unit=target.id, space=space
        )
    )
    return Did((*events, *group_event(guns)), fire_tasks(state, address, "O7.1.4", GroupShot(guns, target.id)))


def group_event(guns: tuple[str, ...]) -> tuple[Event, ...]:
    """O7.1.2 Return the event that guns fire as a group, if there are several."""
    return (event("grouped", "O7.1.2", units=sorted(guns)),) if len(guns) > 1 else ()


def answer_fire(state: State, task: Task) -> Outcome:
    """Answer Moroccan fire by adjacent Spanish guns one by one, by id.

    They answer until the target is gone. Rule: O7.1.7.

    R12 The target is the group's unit with most steps, then by id. R11 An answering gun is activated and has fired.
    Arguments: address, the Moroccan group, Spanish guns already asked.
    """
    address, group, asked = task.args
    alive = [state.units[gun] for gun in group if gun in state.units]
    target = min(alive, key=lambda unit: (-unit.steps, unit.id), default=None)
    if target is None:
        return Did()
    ready = (
        unit
        for _, unit in sorted(state.units.items())
        if unit.side == "spain"
        and unit.id not in asked
        and is_gun_ready(unit)
        and state.edition.map.adjacent(unit.at, target.at)
    )
    gun = next(ready, None)
    if gun is None:
        return Did()
    if not task.got:
        seat = state.answerer(gun)
        return Ask(Window(address, "counterbattery", seat, gun.id, ("YES", "NO")))
    answer = choice(task, 0)
    if answer.value[0] == "NO":
        return Did((), (Task("counterbattery", (address, group, (*asked, gun.id))),))
    again = Task("counterbattery", (address, (target.id,), (*asked, gun.id)))
    events = [marking_event((gun.id,), "R11", "activated", "fired", side="spain", by=answer.by)]
    if len(group) > 1:
        events.append(event("answered once", "R12", side="spain", unit=target.id))
    shots = (GroupShot((gun.id,), target.id),)
    default_events = default_notice(state, state.answerer(gun), answer)
    return Did((*default_events, *events), (Task("volley", (address, "O7.1.7", shots)), again))


def refuse_fire(state: State, order: Fire, space: str, lasting_only: bool = False) -> Refusal | None:
    """Return why FIRE is refused (O7)."""
    for group in order.shots:
        for gun in group:
            unit = state.units.get(gun)
            if unit is not None and unit.side == state.phase and unit.code != "ART":
                other = MOVE_RULE.get(unit.code, "O3.2")
                return Refusal(("O3.1", other), msg("{unit} is no artillery", unit=gun), gun)
            if unit is not None and not lasting_only and len(group) > 1 and unit.at != space:
                why = msg("{unit} is in another space: guns fire together from one space only", unit=gun)
                return Refusal(("O7.1.3", "O3", "O2"), why, gun)
            if unit is not None and not lasting_only and unit.side == state.phase and unit.fired:
                why = msg("{unit} has fired already in this turn", unit=gun)
                return Refusal(("O7.1.1", *bars_to_gun(state, unit, space)), why, gun)
    refusal = refuse_units(state, [gun for group in order.shots for gun in group], IntendedAction(space, lasting_only))
    if refusal is not None:
        twice = refusal.rules == ("R3",)
        return refusal._replace(rules=("O7.1.1", *refusal.rules)) if twice else refusal
    if not state.edition.map.adjacent(space, order.at):
        why = msg("{to} is not next to {space}", to=order.at, space=space)
        return Refusal(("O3.1", "O7.1.6"), why, order.at)
    if not lasting_only and state.holder(order.at) in ("", state.phase):
        return Refusal(("O7.1.6",), no_enemy_text(state, order.at), order.at)
    return None


# What reports say of it, and the charts that WHY shows.


def _target_text(data: Data, before: State) -> Msg:
    if len(data["of"]) == 1:
        return fill_gaps(msg("Fire at {space}: only {unit} is there."), data)
    sentence = msg("Fire at {space}: the die shows {die}, and of {units} it is {unit}.")
    return fill_gaps(sentence, data, units=tuple(data["of"]))


def _fire_text(data: Data, before: State) -> Msg:
    """Return the firers and their target, as far as they are seen."""
    if data["firers"] == [UNSEEN_MARK]:
        return fill_gaps(msg("Fire from out of sight at {target}."), data)
    if data["target"] == UNSEEN_MARK:
        return fill_gaps(msg("Fire of {firers} at somebody out of sight."), data)
    return fill_gaps(msg("Fire of {firers} at {target}."), data)


def _volley_text(data: Data, before: State) -> Msg:
    effect = Msg(before.edition.chart("fire").legend[data["cell"]])
    if "die" in data:
        return fill_gaps(
            msg("the die shows {die}, points of fire {points}; the chart reads {cell}: {effect}"), data, effect=effect
        )
    sentence = msg("coins {coins}: heads {heads}, the chart reads {cell}: {effect}")
    return fill_gaps(sentence, data, coins=" ".join(map(str, data["coins"])), effect=effect)


def explain_coins(data: Data, before: State) -> tuple[Msg, ...]:
    """C6 Return where a volley's coins come from, if not from fire alone.

    Steps may count instead of fire, and at least one coin is thrown.
    """
    modifiers = data["modifiers"]
    firers = data["label"].partition("/fire ")[2].partition(" > ")[0].split("+")
    if any(ident not in before.units for ident in firers):
        return ()
    units = [before.units[ident] for ident in firers]
    thrown = sum(min(unit.fire, unit.steps) for unit in units) + sum(row[1] for row in modifiers)
    if "die" in data:
        return (msg("points of fire: {units}", units=tuple(map(_coin_count_text, units))),)
    if thrown > 0 and all(unit.steps >= unit.fire for unit in units):
        return ()
    coin_texts, more = tuple(map(_coin_count_text, units)), "".join(f"{row[1]:+d}" for row in modifiers)
    if not more:
        return (msg("coins: {units}", units=coin_texts),)
    if thrown < 1:
        return (msg("coins: {units}; with {more} one at least", units=coin_texts, more=more),)
    return (msg("coins: {units}; with {more} it is {n}", units=coin_texts, more=more, n=thrown),)


def _coin_count_text(unit: Unit) -> Msg:
    if unit.steps < unit.fire:
        return msg("{unit} {n} by its steps (fire {fire})", unit=unit.id, n=unit.steps, fire=unit.fire)
    return msg("{unit} {n}", unit=unit.id, n=unit.fire)


def _read(edition: Edition, data: Data) -> ChartRead:
    chart = edition.chart("fire")
    if "die" in data:
        return ChartRead("fire", ((chart.row(data["die"]), chart.column(data["points"])),), data["modifiers"])
    return ChartRead("fire", (("effect", chart.column(data["heads"])),), data["modifiers"])


ENTRY_SENTENCES: Mapping[str, Teller] = {"target": _target_text, "fires": _fire_text}
DETAIL_SENTENCES: Mapping[str, Teller] = {"volley": _volley_text}
CHART_READS: Mapping[str, Reads] = {"volley": _read}
