"""S12 Retreats, S9 the withdrawal of cavalry, S13 what becomes of commanders when their hex is left."""

from __future__ import annotations

import heapq

from pbem.engine.data.events import Event, event
from pbem.engine.map.hexes import bounds, distance, neighbours, straight
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.games.peninsular.morale import try_each
from pbem.games.peninsular.paths import allowance
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import Exit, exits, fits, in_zone, nearest, paid, sort_of
from pbem.games.peninsular.units import ROUTED, Unit

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
