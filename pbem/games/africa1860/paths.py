"""Ways over the map: room (C5), the space between (R5), falling back on friends (R4), retiring (R8), retreats (C9)."""

from __future__ import annotations

from collections.abc import Iterable

from pbem.games.africa1860.state import State, Unit, crowd, other

__all__ = ["fallbacks", "fits", "middle", "retire_path", "retreats"]


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
    """R4 Return the spaces a caracoling unit may fall back to from `at`: friends there, and no enemy on the way.

    Adjacent to `at`, or two spaces off when the space between holds no enemy; with room for one more (C5); in id
    order.
    """
    area, enemy = state.edition.map, other(unit.side)
    found: set[str] = set()
    for near in area.neighbours(at):
        if state.holder(near) == enemy:
            continue
        found.add(near)
        found.update(area.neighbours(near))
    found.discard(at)
    return tuple(sorted([s for s in found if _friends(state, unit, s) and (s == unit.at or fits(state, s, [unit]))]))


def _friends(state: State, unit: Unit, space: str) -> bool:
    return len(state.camp(space, unit.side).ids) > (unit.at == space)


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


def fits(state: State, space: str, group: Iterable[Unit]) -> bool:
    """C5 Return whether units that come may stand in a space with those of their side that are there already.

    What does not come is not held against them: a leader may join a space that is full.
    """
    coming = list(group)
    combat, guns = crowd(coming)
    if not (combat or guns):
        return True
    limits = state.edition.stacking
    there = state.camp(space, coming[0].side)
    return not (combat and combat + there.combat > limits[0]) and not (guns and guns + there.guns > limits[1])
