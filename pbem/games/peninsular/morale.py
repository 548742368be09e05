"""T2 Will: morale tests and what they do to a counter; losses, retreats (S12), and commanders (S13)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Data, Event, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.map.charts import AppliedModifier, EditionModifiers
from pbem.engine.map.hexes import bounds, distance, neighbours, straight
from pbem.engine.reasons import Teller, fill_gaps, says
from pbem.engine.run.steps import Did, Outcome, Roll, Task, die, total
from pbem.games.peninsular.edition import WILLS, Edition
from pbem.games.peninsular.paths import allowance
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import COVER, Exit, exits, fits, higher, in_zone, nearest, paid, sort_of
from pbem.games.peninsular.units import DISORDERED, NORMAL, ROUTED, Unit, grade


def summed(modifiers: Iterable[AppliedModifier]) -> int:
    """Return what modifiers add to a die."""
    return sum([item.value for item in modifiers])


def read_roll(
    edition: Edition, chart: str, column: str | int, modifiers: Sequence[AppliedModifier], rolled: tuple[str, int]
) -> dict[str, Json]:
    """Return what an event holds of a die, with its label, that is read on a chart: modifiers as rule, value, words."""
    label, value = rolled
    row = value + summed(modifiers)
    cell = edition.chart(chart).cell(row, column)
    told = [list(item) for item in modifiers]
    return {"label": label, "die": value, "modifiers": told, "total": row, "column": column, "cell": cell}


LOST = {"fire": 2, "shock": 3}
"""S13 The highest throw of two dice on which a commander is lost."""
ROUT = 2
"""S6 Hexes a counter retreats that becomes routed."""
REORGANISED = 1
"""S2 What an order to reorganise adds when a counter rallies."""


class Trial(NamedTuple):
    """A morale test: the counter, the hex of the enemy who caused it (or empty), and why it is made.

    `why` is ``charges``, ``receives`` (a charge), ``after charge``, ``rally`` or empty; `square` whether the charged
    infantry stands in square, `short` that the cavalry moved one hex.
    """

    state: State
    unit: Unit
    against: str = ""
    why: str = ""
    square: bool = False
    short: bool = False


def _commander(trial: Trial) -> int:
    found = trial.state.commanders(trial.unit.at, trial.unit.side)
    return max((max(1, unit.morale) for unit in found), default=0)


def _cover(trial: Trial) -> int:
    ground, at = trial.state.edition.map, trial.unit.at
    fortified = ground.behind_lines(at) if trial.state.edition.reread else ground.lines(at)
    covered = ground.terrain(at) in COVER or fortified
    return covered or bool(trial.against and higher(trial.state, at, trial.against))


def _pressed(trial: Trial) -> int:
    return trial.why == "rally" and in_zone(trial.state, trial.unit.at, trial.unit)


WILL_MODIFIERS: Mapping[str, Callable[[Trial], int]] = {
    "T2.1": _commander,
    "T2.2": _cover,
    "T2.3": _pressed,
    "T2.4": lambda trial: trial.unit.state == DISORDERED,
    "T2.5": lambda trial: trial.unit.state == ROUTED,
    "T2.6": lambda trial: max(0, trial.unit.full - trial.unit.pf - 1),
    "T2.7": lambda trial: trial.why == "charges" and not trial.square,
    "T2.8": lambda trial: trial.why == "receives" and trial.short,
    "T2.9": lambda trial: trial.why == "after charge",
    "T2.10": lambda trial: trial.unit.fatigue,
}
_modifiers = EditionModifiers("will", WILL_MODIFIERS)


def try_each(where: str, ids: tuple[str, ...], against: str, why: str = "") -> tuple[Task, ...]:
    """Return the tasks of morale tests of several counters, one after another."""
    return tuple(Task("test", (where, ident, against, why, ())) for ident in ids)


def try_will(state: State, task: Task) -> Outcome:
    """T2 A counter tests its will. Arguments: address, counter, hex of the enemy, why, who tests if it is affected."""
    where, ident, against, why, follow = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(where, f"morale {ident}", 1, 6)
    told, cell = told_test(Trial(state, unit, against, why), task)
    events, then = suffer(unit, cell, where, against)
    more = try_each(where, follow, against) if cell != "SE" else ()
    return Did((told, *events), (*then, *more))


def told_test(trial: Trial, task: Task, index: int = 0) -> tuple[Event, str]:
    """T2 Return the event that tells of a test whose die is the task's answer number `index`, and its result.

    It is read one column worse when T2.3 holds.
    """
    edition = trial.state.edition
    modifiers = _modifiers(edition).holding(trial)
    if trial.why == "rally" and trial.state.order_of(trial.unit) == "REORGANISE":
        modifiers = (*modifiers, AppliedModifier("S2", REORGANISED, "order to reorganise"))
    worse = any(item.rule == "T2.3" for item in modifiers)
    column = WILLS[min(grade(trial.unit.will) + worse, len(WILLS) - 1)]
    roll = read_roll(edition, "will", column, modifiers, die(task, index))
    return event("test", "T2", side=trial.unit.side, unit=trial.unit.id, **roll), roll["cell"]


def suffer(unit: Unit, cell: str, where: str, against: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """T2, S6 Return what D or DE does to a counter in combat; SE leaves it as it is (R2).

    Who becomes routed retreats 2 hexes at once; unlimbered guns are lost.
    """
    if cell == "D" and unit.state == NORMAL:
        return (event("shaken", "T2", side=unit.side, unit=unit.id, state=DISORDERED),), ()
    if cell == "DE" and unit.state != ROUTED:
        routed = event("routed", "S6", side=unit.side, unit=unit.id)
        return (routed,), (Task("retreat", (where, unit.id, ROUT, against, "S6")),)
    return (), ()


def lose(state: State, unit: Unit, pf: int, how: str, where: str) -> tuple[tuple[Event, ...], tuple[Task, ...]]:
    """T5, T6 Return what a loss of PF does: the counter may be eliminated; S13 commanders of the hex throw.

    `how` is ``fire`` or ``shock``.
    """
    lost = min(pf, unit.pf)
    rule = "T5" if how == "fire" else "T6"
    told = event("loses", rule, side=unit.side, unit=unit.id, pf=lost, left=unit.pf - lost)
    chiefs = state.commanders(unit.at, unit.side)
    then = tuple([Task("commander", (where, chief.id, how)) for chief in chiefs])
    return (told,), (*then, Task("bereft", (unit.at, unit.side))) if chiefs else ()


def commander(state: State, task: Task) -> Outcome:
    """S13 A commander whose hex has suffered a loss. Arguments: address, commander, ``fire`` or ``shock``."""
    where, ident, how = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if not task.got:
        return Roll(where, f"commander {ident}", 2, 6)
    label, value = total(task, 0)
    told = event(
        "commander throws", "S13", side=unit.side, unit=ident, label=label, dice=value, lost=value <= LOST[how]
    )
    if value > LOST[how]:
        return Did((told,))
    return Did((told, event("commander lost", "S13", side=unit.side, unit=ident)))


# S12 Retreats; S13 commanders who are alone or lost with their stack; S9 cavalry that goes back.


MOST_FATIGUE = 3
FAR = 40
"""Hexes after which a retreat has nowhere to go: more than any map is wide."""


def way_back(state: State, unit: Unit, hexes: int, against: str) -> tuple[str, ...]:
    """S12 Return the hexes of a retreat, as many as wanted and on while over-stacked; () if there is nowhere to go.

    `against` is the hex of the enemy it gives way to; when empty, the nearest enemy's.
    """
    if not against:
        foe = nearest(state, unit.at, unit.side)
        against = foe.at if foe is not None else ""
    path: list[str] = []
    here = unit.at
    while len(path) < hexes or not fits(state, here, [unit]):
        options = _options(state, unit, here, against)
        if not options or len(path) > FAR:
            return ()
        here = min(options)[-1]
        path.append(here)
    return tuple(path)


def _options(state: State, unit: Unit, here: str, against: str) -> list[tuple[int, int, int, str]]:
    """The hexes a retreat may take next: rows to the own edge, MP, minus the distance, number."""
    found = []
    for near, way in _onward(state, unit, here):
        farther = not against or distance(near, against) > distance(here, against)
        if not farther or in_zone(state, near, unit):
            continue
        cost, away = paid(state, unit, way), -straight(near, against) if against else 0
        found.append((_rows(state, unit, near), cost, away, near))
    return found


def _onward(state: State, unit: Unit, here: str) -> list[tuple[str, Exit]]:
    """The hexes next to one that a counter could go to, none with an enemy in it, each with the step there."""
    foes, ways = state.enemy(unit.side).hexes, exits(state.edition, (sort_of(state, unit),), (unit,), here)
    return [item for item in ways.items() if item[0] not in foes]


def _rows(state: State, unit: Unit, ident: str) -> int:
    ground = state.edition.map
    return bounds(ident, state.edition.edges[unit.side], ground.columns, ground.rows)


def retreat(state: State, task: Task) -> Outcome:
    """S12 A counter retreats, or is eliminated. Arguments: address, counter, hexes, hex of the enemy, rule cited.

    S6 Unlimbered guns that are routed are lost instead.
    """
    _, ident, hexes, against, cite = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    if unit.unlimbered and unit.state == ROUTED:
        return _lost(state, unit, "S6")
    path = way_back(state, unit, hexes, against)
    if not path:
        return _lost(state, unit, "S12")
    told = event("retreats", cite, side=unit.side, units=[ident], **{"from": unit.at, "to": path[-1], "path": [*path]})
    return Did((told, *_followed(state, unit, path[-1])))


def _lost(state: State, unit: Unit, cite: str) -> Did:
    gone = event("eliminated", cite, side=unit.side, units=[unit.id], at=unit.at)
    return Did((gone,), (Task("bereft", (unit.at, unit.side)),))


def _followed(state: State, unit: Unit, to: str) -> tuple[Event, ...]:
    """S13 A commander goes with the last counter of his hex."""
    if not unit.is_combat or len(state.fighting(unit.at, unit.side)) > 1:
        return ()
    chiefs = [chief.id for chief in state.commanders(unit.at, unit.side)]
    if not chiefs:
        return ()
    return (event("follows", "S13", side=unit.side, units=chiefs, **{"from": unit.at, "to": to}),)


def bereft(state: State, task: Task) -> Outcome:
    """S13 Commanders in a hex whose last counter was eliminated are captured. Arguments: hex, side."""
    at, side = task.args
    chiefs = [chief.id for chief in state.commanders(at, side)]
    if not chiefs or state.fighting(at, side):
        return Did()
    return Did((event("captured", "S13", side=side, units=chiefs, at=at),))


def lone(state: State, task: Task) -> Outcome:
    """S13 A commander alone with an enemy next to him goes to the nearest friends; without any he is captured."""
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
        to = min(friends, key=lambda unit: (distance(chief.at, unit.at), unit.at)).at
        events.append(event("follows", "S13", side=chief.side, units=[ident], **{"from": chief.at, "to": to}))
    return Did(tuple(events))


def withdraw(state: State, task: Task) -> Outcome:
    """S9 Cavalry goes back out of the enemy's zones towards its own edge and tires. Arguments: address, counter, hex
    of the enemy, why it tests afterwards (``-`` for no test)."""
    where, ident, against, why = task.args
    unit = state.units.get(ident)
    if unit is None:
        return Did()
    to = _refuge(state, unit, against)
    if not to:
        return _lost(state, unit, "S12")
    told = event("withdraws", "S9", side=unit.side, units=[ident], **{"from": unit.at, "to": to})
    level = min(MOST_FATIGUE, unit.fatigue + 1)
    tired = event("fatigue", "S9", side=unit.side, unit=ident, level=level)
    then = () if why == "-" else try_each(where, (ident,), against, why)
    return Did((told, *_followed(state, unit, to), tired), then)


def _refuge(state: State, unit: Unit, against: str) -> str:
    """S9 Return the first hex out of enemy zones that is within the allowance, the empty string if there is none.

    First is what costs least; nearer to the own edge comes before all others, then S12's order.
    """
    start, most = _rows(state, unit, unit.at), allowance(state, unit)
    waiting, costs = [(0, unit.at)], {unit.at: 0}
    best: tuple[bool, int, int, int, str] | None = None
    while waiting:
        cost, here = heapq.heappop(waiting)
        if cost > costs[here]:
            continue
        if best is not None and not best[0] and cost > best[1]:
            break  # Hexes come in the order of their cost: none that is still to come is before this one.
        rows = _rows(state, unit, here)
        rank = (rows >= start, cost, rows, -straight(here, against), here)
        if here != unit.at and (best is None or rank < best) and _free(state, unit, here):
            best = rank
        for near, way in _onward(state, unit, here):
            more = paid(state, unit, way)
            if cost + more < costs.get(near, most + 1):
                costs[near] = cost + more
                heapq.heappush(waiting, (cost + more, near))
    return best[-1] if best is not None else ""


def _free(state: State, unit: Unit, ident: str) -> bool:
    """Whether a counter may end its way back in a hex."""
    return not in_zone(state, ident, unit) and fits(state, ident, [unit])


# What a report says of tests, losses and retreats.


LOST_BECAUSE: Mapping[str, Msg] = {
    "T5": msg("unlimbered guns cannot retreat"),
    "T6": msg("unlimbered guns cannot retreat with their stack"),
    "S6": msg("unlimbered guns are lost when they are routed"),
    "S12": msg("no way to retreat"),
}
"""By the rule under which a counter is eliminated that has not lost all its PF."""


def tell_roll(chart: str, sentence: Msg) -> Teller:
    """Tell a roll on a chart: `effect` is what the chart's legend says of the cell."""
    return lambda data, before: fill_gaps(sentence, data, effect=Msg(before.edition.chart(chart).legend[data["cell"]]))


def _tell_loss(data: Data, before: State) -> Msg:
    some, all_of_it = msg("{unit} loses {pf} PF, {left} left"), msg("{unit} loses {pf} PF and is eliminated")
    return fill_gaps(some if data["left"] else all_of_it, data)


def _tell_throw(data: Data, before: State) -> Msg:
    fate = msg("he is lost") if data["lost"] else msg("he is unharmed")
    return fill_gaps(msg("{unit} is under fire: the dice show {dice}, {fate}"), data, fate=fate)


DETAILS: Mapping[str, Teller] = {
    "test": tell_roll(
        "will", msg("{unit} tests its will: die {die}, with modifiers {total}, column {column}: {effect}")
    ),
    "commander throws": _tell_throw,
}
EFFECTS: Mapping[str, Teller] = {
    "shaken": says(msg("{unit} is disordered")),
    "routed": says(msg("{unit} is routed")),
    "retreats": says(msg("{units} {units:|retreats|retreat} from {start} to {to}")),
    "withdraws": says(msg("{units} {units:|goes back|go back} from {start} to {to}")),
    "follows": says(msg("{units} {units:|goes along|go along} from {start} to {to}")),
    "loses": _tell_loss,
    "eliminated": says(msg("{units} {units:|is|are} eliminated")),
    "captured": says(msg("{units} {units:|is|are} captured")),
    "commander lost": says(msg("the commander {unit} has fallen")),
    "fatigue": says(msg("{unit}: fatigue {level}")),
}
READ = {"test": "will"}
