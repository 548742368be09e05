"""Ways over the map: room (C5), the space between (R5), falling back on friends (R4), retiring (R8), retreats (C9)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pbem.games.africa1860.state import State, Unit, crowd, other

__all__ = ["fallbacks", "falls_back", "fits", "lacking", "middle", "retire_path", "retreats"]


def middle(state: State, start: str, goal: str, units: Iterable[Unit], via: str = "") -> str:
    """O3.3 Return the lowest-id space between two spaces that the units may pass and no enemy holds, or ""."""
    area, passes = state.edition.map, state.edition.passes
    group = list(units)
    side = group[0].side if group else state.phase
    for way in area.neighbours(start):
        if not area.adjacent(way, goal) or way == goal or (via and way != via):
            continue
        kinds = (area.edge(start, way).kind, area.edge(way, goal).kind)
        if state.holder(way) != other(side) and all((k, u.code) in passes for k in kinds for u in group):
            return way
    return ""


def fallbacks(state: State, unit: Unit, at: str) -> tuple[str, ...]:
    """R4 Return the spaces a caracoling unit may fall back to from `at` (see `falls_back`), in id order."""
    return tuple([space for space in state.camping(unit.side) if falls_back(state, unit, at, space)])


def falls_back(state: State, unit: Unit, at: str, to: str) -> bool:
    """R4 Return whether a caracoling unit may fall back from `at` to another space: friends there, no enemy on the way.

    It is adjacent to `at`, or two spaces off when the space between holds no enemy; with room for one more (C5).
    """
    if to == at or not _friends(state, unit, to) or not (to == unit.at or fits(state, to, [unit])):
        return False
    area, enemy = state.edition.map, other(unit.side)
    return any((near == to or area.adjacent(near, to)) and state.holder(near) != enemy for near in area.neighbours(at))


def _friends(state: State, unit: Unit, space: str) -> bool:
    return len(state.camp(space, unit.side)) > (unit.at == space)


def retire_path(state: State, unit: Unit, to: str = "") -> tuple[str, ...]:
    """R8 Return the spaces a demoralised unit passes towards its nearest rear town, or () if it cannot.

    Each step shortens the way, by edges the unit may use and never into an enemy-held space; ties go by space id, so
    there is one way. With `to` it must end there, unless that is the town itself, which may be farther off than the
    allowance reaches; without it the unit goes as far as it may.
    """
    area, passes = state.edition.map, state.edition.passes

    def usable(a: str, b: str) -> bool:
        return (area.edge(a, b).kind, unit.code) in passes

    far = area.spread(state.rear_towns(unit.side), usable)
    path: tuple[str, ...] = ()
    for _ in range(state.edition.allowance[unit.code]):
        here = path[-1] if path else unit.at
        ways = [
            near
            for near in area.neighbours(here)
            if usable(here, near) and far.get(near, 999) < far.get(here, 999) and state.holder(near) != other(unit.side)
        ]
        if not ways or here == to:
            break
        path = (*path, ways[0])
    if to in ("", *path[-1:]):
        return path
    town = to in state.rear_towns(unit.side) and area.spread((to,), usable).get(unit.at) == far.get(unit.at)
    return path if town else ()


def retreats(state: State, side: str, space: str, barred: Iterable[str], units: Iterable[Unit]) -> tuple[str, ...]:
    """C9 Return where a beaten stack may retreat: the spaces of the first class that has any, the best first.

    Class 1: adjacent with friends and no enemy; class 2: adjacent and empty. Within a class the nearest to a rear
    town of its side, then by id. Never into `barred` spaces nor past the stacking limit.
    """
    area = state.edition.map
    shut = set(barred)
    group = list(units)
    far = area.distances(state.rear_towns(side))
    open_to = [s for s in area.neighbours(space) if s not in shut and fits(state, s, group)]
    for holder in (side, ""):
        ranked = sorted([(far.get(s, 999), s) for s in open_to if state.holder(s) == holder])
        if ranked:
            return tuple([s for _, s in ranked])
    return ()


def fits(state: State, space: str, group: Sequence[Unit]) -> bool:
    """C5 Return whether units that come may stand in a space with those of their side that are there already."""
    return lacking(state, space, group) == ""


def lacking(state: State, space: str, group: Sequence[Unit]) -> str:
    """C5 Return what a space has no room for if units come, ``combat`` or ``ART``; empty if they may stand there.

    What does not come is not held against them: a leader may join a space that is full.
    """
    combat, guns = crowd(group)
    if not (combat or guns):
        return ""
    limits, here = state.edition.stacking, state.camp(space, group[0].side)
    # Only where it might get tight is it asked what those are that are there.
    if combat + len(here) < limits[0] and not guns:
        return ""
    there = crowd([state.units[ident] for ident in here])
    if combat and combat + there[0] > limits[0]:
        return "combat"
    return "ART" if guns and guns + there[1] > limits[1] else ""
