"""Test will and apply the results: losses, retreats (S12) and commanders (S13).

Rule: T2.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.charts import AppliedModifier, EditionModifiers
from pbem.engine.map.hexes import bounds, distance, neighbours, straight
from pbem.engine.reasons import Teller, fill_gaps, sentence_teller
from pbem.engine.run.steps import Did, Outcome, Roll, Task, die, total
from pbem.games.peninsular.edition import OVERLAY_FACTS, WILL_RATINGS, Edition
from pbem.games.peninsular.paths import allowance
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import (
    STEADYING_TERRAIN,
    OpenStep,
    has_room,
    in_zone,
    is_higher,
    nearest_enemy,
    open_steps,
    step_mp,
    terrain_sort,
)
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, will_rank


def total_modifier(modifiers: Iterable[AppliedModifier]) -> int:
    """Return the sum of modifiers to a die."""
    return sum([item.value for item in modifiers])


def read_roll(
    edition: Edition,
    chart: str,
    column: str | int,
    modifiers: Sequence[AppliedModifier],
    label_and_value: tuple[str, int],
) -> dict[str, Json]:
    """Return an event's data for a die, with its label, read on a chart.

    The modifiers are listed as rule, value, words.
    """
    label, value = label_and_value
    row = value + total_modifier(modifiers)
    cell = edition.chart(chart).cell(row, column)
    modifier_rows = [list(item) for item in modifiers]
    return {"label": label, "die": value, "modifiers": modifier_rows, "total": row, "column": column, "cell": cell}


COMMANDER_LOST_AT = {"fire": 2, "shock": 3}
"""S13 The highest total of two dice on which a commander is lost."""
ROUT_HEXES = 2
"""S6 Hexes a counter retreats that becomes routed."""
REORGANISE_BONUS = 1
"""S2 The bonus on a rally by an order to reorganise."""


class MoraleTest(NamedTuple):
    """A morale test: the counter, where its cause is, and why it is made.

    `against` is the hex of the enemy that caused the test, or empty. `why` is ``charges``, ``receives`` (a charge),
    ``after charge``, ``rally`` or empty. `square`: the charged infantry is in square. `short`: the cavalry moved
    one hex.
    """

    state: State
    unit: Unit
    against: str = ""
    why: str = ""
    square: bool = False
    short: bool = False


def _commander(trial: MoraleTest) -> int:
    chiefs = trial.state.commanders(trial.unit.at, trial.unit.side)
    # T2.1 A morale factor of 0 counts as 1.
    return max((max(1, unit.morale) for unit in chiefs), default=0)


def _cover(trial: MoraleTest) -> int:
    ground, hex_id = trial.state.edition.map, trial.unit.at
    fortified = ground.behind_lines(hex_id) if trial.state.edition.reread else ground.lines(hex_id)
    covered = ground.terrain(hex_id) in STEADYING_TERRAIN or fortified
    return covered or bool(trial.against and is_higher(trial.state, hex_id, trial.against))


def _pressed_modifier(trial: MoraleTest) -> int:
    return trial.why == "rally" and in_zone(trial.state, trial.unit.at, trial.unit)


WILL_MODIFIERS: Mapping[str, Callable[[MoraleTest], int]] = {
    "T2.1": _commander,
    "T2.2": _cover,
    "T2.3": _pressed_modifier,
    "T2.4": lambda trial: trial.unit.state == DISORDERED,
    "T2.5": lambda trial: trial.unit.state == ROUTED,
    # The first lost PF does not count.
    "T2.6": lambda trial: max(0, trial.unit.full - trial.unit.pf - 1),
    "T2.7": lambda trial: trial.why == "charges" and not trial.square,
    "T2.8": lambda trial: trial.why == "receives" and trial.short,
    "T2.9": lambda trial: trial.why == "after charge",
    "T2.10": lambda trial: trial.unit.fatigue,
}
_modifiers = EditionModifiers("will", WILL_MODIFIERS, facts=OVERLAY_FACTS["will"])


def morale_tasks(address: str, ids: tuple[str, ...], against: str, why: str = "") -> tuple[Task, ...]:
    """Return the morale test tasks of several counters in order."""
    return tuple(Task("test", (address, ident, against, why, ())) for ident in ids)


def roll_for_will(state: State, task: Task) -> Outcome:
    """Test a counter's will (T2).

    Arguments: address, counter, hex of the enemy, why, and the units that test in turn if the counter is affected.
    """
    address, ident, against, why, follow = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(address, f"morale {ident}", 1, 6)
    test_event, cell = result_of_test(MoraleTest(state, unit, against, why), task)
    events, next_tasks = apply_test_result(unit, cell, address, against)
    follow_tests = morale_tasks(address, follow, against) if cell != "SE" else ()
    return Did((test_event, *events), (*next_tasks, *follow_tests))


def result_of_test(trial: MoraleTest, task: Task, index: int = 0) -> tuple[Event, str]:
    """Return the event of a test and its result (T2).

    Its die is number `index` of the task's results. If T2.3 applies, it is read one column worse.
    """
    edition = trial.state.edition
    modifiers = _modifiers(edition).holding(trial)
    if trial.why == "rally" and trial.state.order_of(trial.unit) == "REORGANISE":
        modifiers = (*modifiers, AppliedModifier("S2", REORGANISE_BONUS, "order to reorganise"))
    worse = any(item.rule == "T2.3" for item in modifiers)
    column = WILL_RATINGS[min(will_rank(trial.unit.will) + worse, len(WILL_RATINGS) - 1)]
    roll = read_roll(edition, "will", column, modifiers, die(task, index))
    return event("test", "T2", side=trial.unit.side, unit=trial.unit.id, **roll), roll["cell"]


def apply_test_result(unit: Unit, cell: str, address: str, against: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """Return the effects of D or DE on a counter in combat; SE has none.

    Rules: T2, S6, R2.

    A routed counter retreats 2 hexes at once; unlimbered guns are lost.
    """
    if cell == "D" and unit.state == NORMAL:
        return (event("shaken", "T2", side=unit.side, unit=unit.id, state=DISORDERED),), ()
    if cell == "DE" and unit.state != ROUTED:
        routed = event("routed", "S6", side=unit.side, unit=unit.id)
        return (routed,), (Task("retreat", (address, unit.id, ROUT_HEXES, against, "S6")),)
    return (), ()


def loss_effects(
    state: State, unit: Unit, pf: int, how: str, address: str
) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """Return the effects of a PF loss, elimination included.

    Commanders of the hex roll. Rules: T5, T6, S13.

    `how` is ``fire`` or ``shock``.
    """
    pf_lost = min(pf, unit.pf)
    rule = "T5" if how == "fire" else "T6"
    loses_event = event("loses", rule, side=unit.side, unit=unit.id, pf=pf_lost, left=unit.pf - pf_lost)
    chiefs = state.commanders(unit.at, unit.side)
    next_tasks = tuple([Task("commander", (address, chief.id, how)) for chief in chiefs])
    return (loses_event,), (*next_tasks, Task("bereft", (unit.at, unit.side))) if chiefs else ()


def roll_for_commander(state: State, task: Task) -> Outcome:
    """Roll for a commander whose hex has lost PF (S13).

    Arguments: address, commander, ``fire`` or ``shock``.
    """
    address, ident, how = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(address, f"commander {ident}", 2, 6)
    label, value = total(task, 0)
    commander_throws_event = event(
        "commander throws",
        "S13",
        side=unit.side,
        unit=ident,
        label=label,
        dice=value,
        lost=value <= COMMANDER_LOST_AT[how],
    )
    if value > COMMANDER_LOST_AT[how]:
        return Did((commander_throws_event,))
    return Did((commander_throws_event, event("commander lost", "S13", side=unit.side, unit=ident)))


# S12 Retreats; S13 commanders who are alone or lost with their stack; S9 cavalry that goes back.


MOST_FATIGUE = 3
"""The highest level of fatigue that a counter can have, by the rules."""
LONGEST_RETREAT = 40
"""Hexes after which a retreat fails: more than any map is wide."""


def retreat_path(state: State, unit: Unit, hexes: int, against: str) -> tuple[str, ...]:
    """Return the hexes of a retreat, or () if there is none (S12).

    It has as many hexes as ordered, and more while the stack is too large. `against` is the hex of the enemy from
    whom it retreats; if empty, that of the nearest enemy.
    """
    if not against:
        foe = nearest_enemy(state, unit.at, unit.side)
        against = foe.at if foe is not None else ""
    path: list[str] = []
    current = unit.at
    while len(path) < hexes or not has_room(state, current, [unit]):
        options = _options(state, unit, current, against)
        if not options or len(path) > LONGEST_RETREAT:
            return ()
        current = min(options)[-1]
        path.append(current)
    return tuple(path)


class _Step(NamedTuple):
    """A step that a retreat may take: to a hex, at a cost, away from an enemy's hex."""

    state: State
    unit: Unit
    to: str
    cost: int
    against: str


_LESS_IS_BETTER: Mapping[str, Callable[[_Step], int]] = {
    "edge": lambda step: _rows_to_edge(step.state, step.unit, step.to),
    "mp": lambda step: step.cost,
    "far": lambda step: -straight(step.to, step.against) if step.against else 0,
    "friends": lambda step: not step.state.fighting(step.to, step.unit.side),
    "cover": lambda step: step.state.edition.map.terrain(step.to) not in STEADYING_TERRAIN,
}
"""S12 The criteria among the hexes of a retreat, as numbers of which the least is best."""


def _options(state: State, unit: Unit, current: str, against: str) -> list[tuple[tuple[int, ...], str]]:
    """Return a retreat's next hexes, each with its sort key.

    The key has the criteria, then the hex's number.
    """
    result = []
    for near, way in _possible_steps(state, unit, current):
        farther = not against or distance(near, against) > distance(current, against)
        if not farther or in_zone(state, near, unit):
            continue
        step = _Step(state, unit, near, step_mp(state, unit, way), against)
        result.append((tuple([_LESS_IS_BETTER[name](step) for name in state.edition.retreat_by]), near))
    return result


def _possible_steps(state: State, unit: Unit, current: str) -> list[tuple[str, OpenStep]]:
    """Return the adjacent hexes that a counter could enter, each with its step.

    Hexes with enemies are left out.
    """
    foes, ways = state.enemy(unit.side).hexes, open_steps(state.edition, (terrain_sort(state, unit),), (unit,), current)
    return [item for item in ways.items() if item[0] not in foes]


def _rows_to_edge(state: State, unit: Unit, ident: str) -> int:
    ground = state.edition.map
    return bounds(ident, state.edition.edges[unit.side], ground.columns, ground.rows)


def retreat(state: State, task: Task) -> Outcome:
    """Retreat a counter, or eliminate it (S12).

    Arguments: address, counter, hexes, hex of the enemy, rule cited. S6 Unlimbered guns that rout are lost.
    """
    _, ident, hexes, against, cite = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if unit.is_unlimbered and unit.state == ROUTED:
        return _eliminate(state, unit, "S6")
    path = retreat_path(state, unit, hexes, against)
    if not path:
        return _eliminate(state, unit, "S12")
    retreats_event = event(
        "retreats", cite, side=unit.side, units=[ident], **{"from": unit.at, "to": path[-1], "path": [*path]}
    )
    return Did((retreats_event, *_commanders_follow(state, unit, path[-1])))


def _eliminate(state: State, unit: Unit, cite: str) -> Did:
    eliminated_event = event("eliminated", cite, side=unit.side, units=[unit.id], at=unit.at)
    return Did((eliminated_event,), (Task("bereft", (unit.at, unit.side)),))


def _commanders_follow(state: State, unit: Unit, destination: str) -> tuple[Event, ...]:
    """Return the moves of commanders with the last counter of their hex (S13)."""
    if not unit.is_combat or len(state.fighting(unit.at, unit.side)) > 1:
        return ()
    chiefs = [chief.id for chief in state.commanders(unit.at, unit.side)]
    if not chiefs:
        return ()
    return (event("follows", "S13", side=unit.side, units=chiefs, **{"from": unit.at, "to": destination}),)


def capture_commanders(state: State, task: Task) -> Outcome:
    """Capture commanders whose hex lost its last counter by elimination (S13).

    Arguments: hex, side.
    """
    hex_id, side = task.args
    chiefs = [chief.id for chief in state.commanders(hex_id, side)]
    if not chiefs or state.fighting(hex_id, side):
        return Did()
    return Did((event("captured", "S13", side=side, units=chiefs, at=hex_id),))


def check_lone_commanders(state: State, task: Task) -> Outcome:
    """Move a commander alone next to an enemy to the nearest friends, or capture him.

    Rule: S13.
    """
    events: list[Event] = []
    for ident, chief in sorted([item for item in state.units.items() if item[1].kind == "cmd"]):
        if state.fighting(chief.at, chief.side):
            continue
        foes = state.enemy(chief.side).hexes
        if not [near for near in neighbours(chief.at) if near in foes and state.foes(near, chief.side)]:
            continue
        friends = [unit for unit in state.counters(chief.side) if unit.is_combat]
        if not friends:
            events.append(event("captured", "S13", side=chief.side, units=[ident], at=chief.at))
            continue
        destination = min(friends, key=lambda unit: (distance(chief.at, unit.at), unit.at)).at
        events.append(event("follows", "S13", side=chief.side, units=[ident], **{"from": chief.at, "to": destination}))
    return Did(tuple(events))


def withdraw(state: State, task: Task) -> Outcome:
    """Move cavalry out of enemy zones towards its own edge and tire it (S9).

    Arguments: address, counter, hex of the enemy, reason of the later test (``-`` for no test).
    """
    address, ident, against, why = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    destination = _refuge(state, unit, against)
    if not destination:
        return _eliminate(state, unit, "S12")
    withdraws_event = event("withdraws", "S9", side=unit.side, units=[ident], **{"from": unit.at, "to": destination})
    level = min(MOST_FATIGUE, unit.fatigue + 1)
    fatigue_event = event("fatigue", "S9", side=unit.side, unit=ident, level=level)
    then = () if why == "-" else morale_tasks(address, (ident,), against, why)
    return Did((withdraws_event, *_commanders_follow(state, unit, destination), fatigue_event), then)


def _refuge(state: State, unit: Unit, against: str) -> str:
    """Return the first hex out of enemy zones within the allowance, or "" (S9).

    Hexes nearer to the own edge come first, then the least cost, then the order of S12.
    """
    start, most_mp = _rows_to_edge(state, unit, unit.at), allowance(state, unit)
    waiting, costs = [(0, unit.at)], {unit.at: 0}
    best: tuple[bool, int, int, int, str] | None = None
    while waiting:
        cost, current = heapq.heappop(waiting)
        if cost > costs[current]:
            continue
        if best is not None and not best[0] and cost > best[1]:
            break  # Hexes come in the order of their cost: none that is still to come is before this one.
        rows = _rows_to_edge(state, unit, current)
        rank = (rows >= start, cost, rows, -straight(current, against), current)
        if current != unit.at and (best is None or rank < best) and _may_end_in(state, unit, current):
            best = rank
        for near, way in _possible_steps(state, unit, current):
            entry_mp = step_mp(state, unit, way)
            if cost + entry_mp < costs.get(near, most_mp + 1):
                costs[near] = cost + entry_mp
                heapq.heappush(waiting, (cost + entry_mp, near))
    return best[-1] if best is not None else ""


def _may_end_in(state: State, unit: Unit, ident: str) -> bool:
    """Return whether a counter may end its retreat in a hex."""
    return not in_zone(state, ident, unit) and has_room(state, ident, [unit])


# What a report says of tests, losses and retreats.


LOSS_REASONS: Mapping[str, Msg] = {
    "T5": msg("unlimbered guns cannot retreat"),
    "T6": msg("unlimbered guns cannot retreat with their stack"),
    "S6": msg("unlimbered guns are lost when they are routed"),
    "S12": msg("no way to retreat (each hex behind is full, closed or in an enemy zone)"),
}
"""The reason for eliminating a counter that has not lost all its PF, by the rule."""


def roll_teller(chart: str, sentence: Msg) -> Teller:
    """Return a teller of a roll on a chart.

    `effect` is the cell's text in the legend.
    """
    return lambda data, before: fill_gaps(sentence, data, effect=Msg(before.edition.chart(chart).legend[data["cell"]]))


def _loss_text(data: Data, before: State) -> Msg:
    some, all_of_it = msg("{unit} loses {pf} PF, {left} left"), msg("{unit} loses {pf} PF and is eliminated")
    return fill_gaps(some if data["left"] else all_of_it, data)


def _throw_text(data: Data, before: State) -> Msg:
    fate = msg("he is lost") if data["lost"] else msg("he is unharmed")
    return fill_gaps(msg("{unit} is under fire: the dice show {dice}, {fate}"), data, fate=fate)


DETAIL_SENTENCES: Mapping[str, Teller] = {
    "test": roll_teller(
        "will", msg("{unit} tests its will: die {die}, with modifiers {total}, column {column}: {effect}")
    ),
    "commander throws": _throw_text,
}
EFFECT_SENTENCES: Mapping[str, Teller] = {
    "shaken": sentence_teller(msg("{unit} is disordered")),
    "routed": sentence_teller(msg("{unit} is routed")),
    "retreats": sentence_teller(msg("{units} {units:|retreats|retreat} to {to}")),
    "withdraws": sentence_teller(msg("{units} {units:|goes back|go back} to {to}")),
    "follows": sentence_teller(msg("{units} {units:|goes along|go along} to {to}")),
    "loses": _loss_text,
    "eliminated": sentence_teller(msg("{units} {units:|is|are} eliminated")),
    "captured": sentence_teller(msg("{units} {units:|is|are} captured")),
    "commander lost": sentence_teller(msg("the commander {unit} has fallen")),
    "fatigue": sentence_teller(msg("{unit}: fatigue {level}")),
}
CHART_READS = {"test": "will"}
