"""Compute terrain costs and cover (T1), zones (S3), stacking (T3), and steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from pbem.engine.map.hexes import between, distance, entries, neighbours
from pbem.games.peninsular.edition import Edition, alliance_of
from pbem.games.peninsular.hexmap import TERRAINS, TerrainMap
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import Unit

# T1 The ground: MP, prohibitions, letters of fire and shock; the rounding of R4 and R7.


STEADYING_TERRAIN = frozenset({"light wood", "dense wood", "marsh", "village", "city", "strong buildings"})
"""T2.2 Terrain, besides siege lines, that steadies the units in it."""
LETTER_DIVISORS = {"A": Fraction(2), "B": Fraction(3, 2)}
# A cell of the terrain chart: a cost in MP, added to another cost if there is a plus; then letters of notes.
_COST = re.compile(r"(?P<plus>\+?)(?P<mp>\d+)(?P<marks>[A-K]*)")
_BY_ROAD = ("bridge", "slope up", "slope down")
"""Hexsides that cost MP on a road too."""


def terrain_column(unit: Unit) -> str:
    """Return the column of T1 for a counter: commanders go as infantry."""
    return "inf" if unit.kind == "cmd" else unit.kind


def least_step_cost(edition: Edition) -> int:
    """Return the least cost of any step by T1: 1, or 0 if a chart has free hexes."""
    key = "least cost"
    if key not in edition.cache:
        hexes = [edition.cells[row, arm] for row in (*TERRAINS, "road") for arm in ("inf", "cav", "art")]
        edition.cache[key] = int(all(code[0] != "0" for code in hexes))
    least: int = edition.cache[key]
    return least


def is_prohibited(edition: Edition, unit: Unit, a: str, b: str) -> bool:
    """Return whether T1 prohibits (P) a counter the side from `a` to `b`."""
    sides = edition.map.sides(a, b)
    return bool(sides) and _is_prohibited(edition, terrain_column(unit), a, b)


def _is_prohibited(edition: Edition, arm: str, a: str, b: str) -> bool:
    by_road = (a, b) in edition.map.roads
    for row in edition.map.sides(a, b):
        code = edition.cells[row, arm]
        if code[0] == "P" and not (by_road and code == "PH"):
            return True
    return False


class Step(NamedTuple):
    """A step to an adjacent hex.

    `manoeuvre`: the counter has a Manoeuvre order; `alone`: no other counter is or comes in the hex. Rules: T1, S4.
    """

    a: str
    b: str
    manoeuvre: bool = False
    alone: bool = False


def step_cost(edition: Edition, unit: Unit, step: Step) -> int | None:
    """T1, S4 Return the MP of a step between neighbours, None if it is prohibited."""
    key = (terrain_column(unit), step)
    if key not in edition.cache:
        edition.cache[key] = _step_cost(edition, *key)
    result: int | None = edition.cache[key]
    return result


def _step_cost(edition: Edition, arm: str, step: Step) -> int | None:
    a, b, manoeuvre, alone = step
    if _is_prohibited(edition, arm, a, b):
        return None
    by_road = (a, b) in edition.map.roads
    row = "road" if by_road else edition.map.terrain(b)
    code = edition.cells[row, arm]
    if code[0] == "P":
        return None
    plus, mp, marks = _read(code)
    cost = (1 + (0 if manoeuvre and "F" in marks else mp)) if plus else mp
    if manoeuvre and alone and "D" in marks:
        cost = 1
    full_cost = 0
    for side in edition.map.sides(a, b):
        code = edition.cells[side, arm]
        if code[0] == "P" or (by_road and side not in _BY_ROAD):
            continue
        plus, mp, marks = _read(code)
        if not plus:
            full_cost = max(full_cost, mp)
        elif not (manoeuvre and "F" in marks):
            cost += mp
    return full_cost or cost


@cache
def _read(code: str) -> tuple[bool, int, str]:
    match = _COST.fullmatch(code)
    if match is None:
        raise ValueError(f"T1 has no such cost as {code!r}")
    return bool(match["plus"]), int(match["mp"]), match["marks"]


def worst_letter(letters: list[str]) -> str:
    """Return the letter with the largest divisor, or ""."""
    known = [letter for letter in letters if letter in LETTER_DIVISORS]
    return max(known, key=lambda letter: LETTER_DIVISORS[letter], default="")


def cover_of_fire(edition: Edition, firer: str, target: str) -> str:
    """Return the worst letter against fire at a hex (R4).

    It is the letter of the hex, or of the hexside that the line crosses. If the line runs between two hexsides,
    both must give cover.
    """
    known, key = edition.cache, ("cover", firer, target)
    if key not in known:
        known[key] = _cover_of_fire(edition, firer, target)
    return str(known[key])


def _cover_of_fire(edition: Edition, firer: str, target: str) -> str:
    sides = []
    for last in entries(firer, target):
        rows = edition.map.sides(last, target)
        sides.append(worst_letter([edition.cells[row, "fire"] for row in rows]))
    covered = "" if "" in sides else min(sides, key=lambda letter: LETTER_DIVISORS[letter])
    return worst_letter([edition.cells[edition.map.terrain(target), "fire"], covered])


def shock_letter(edition: Edition, attacker: str, target: str) -> str:
    """Return the worst letter of a hex and the side crossed; P if prohibited (T1)."""
    known, key = edition.cache, ("shock letter", attacker, target)
    if key not in known:
        known[key] = _shock_letter(edition, attacker, target)
    return str(known[key])


def _shock_letter(edition: Edition, attacker: str, target: str) -> str:
    rows = edition.map.sides(attacker, target)
    codes = [edition.cells[row, "shock"] for row in (*rows, edition.map.terrain(target))]
    return "P" if any(code[0] == "P" for code in codes) else worst_letter(codes)


def shock_grounds(edition: Edition, attacker: str, target: str) -> tuple[str, ...]:
    """Return the sides and the terrain that have the worst letter (T1)."""
    names = (*edition.map.sides(attacker, target), edition.map.terrain(target))
    worst = shock_letter(edition, attacker, target)
    return tuple(name for name in names if edition.cells[name, "shock"].startswith(worst))


def is_higher(state: State, ident: str, lower: str) -> bool:
    """Return whether a hex is higher than another, by level or slope."""
    ground = state.edition.map
    if ground.level(ident) != ground.level(lower):
        return ground.level(ident) > ground.level(lower)
    up_sides = ("slope up", "impassable slope up")
    return distance(ident, lower) == 1 and any(row in up_sides for row in ground.sides(lower, ident))


def rounded_quotient(dividend: int, divisor: int) -> int:
    """R4, R7 Return the quotient to the nearest whole number, at least 1.

    Halves are rounded up.
    """
    return max(1, (2 * dividend + divisor) // (2 * divisor))


# S3 Zones of control, and who stands where: the nearest enemy, lines of sight.


_BLOCKS = frozenset({"light wood", "dense wood", "village", "city", "strong buildings"})


def in_zone(state: State, ident: str, unit: Unit) -> bool:
    """Return whether a hex is in an enemy zone for the counter; not across P sides.

    Rule: S3.
    """
    reached = state.enemy(unit.side).zones.get(ident, ())
    return bool(reached) and any(not is_prohibited(state.edition, unit, ident, hex_id) for hex_id in reached)


def nearest_enemy(state: State, ident: str, side: str) -> Unit | None:
    """Return the nearest enemy combat counter: by distance, hex, then id."""
    known, key = state.cache, ("nearest", ident, alliance_of(side))
    if key not in known:
        known[key] = _nearest(state, ident, side)
    result: Unit | None = known[key]
    return result


def _nearest(state: State, ident: str, side: str) -> Unit | None:
    foes = [foe for foe in state.enemies(side) if foe.kind != "cmd"]
    return min(foes, key=lambda foe: (distance(ident, foe.at), foe.at, foe.id), default=None)


def has_line_of_fire(state: State, a: str, b: str) -> bool:
    """Return whether the line of fire between two hexes is free (S7).

    Wood, villages, cities, buildings and ground higher than both ends block it; if the line runs along a hexside,
    both hexes must block it.
    """
    known, key = state.edition.cache, ("sees", a, b)
    if key not in known:
        known[key] = _has_line_of_fire(state.edition.map, a, b)
    return bool(known[key])


def _has_line_of_fire(ground: TerrainMap, a: str, b: str) -> bool:
    return not any(all(_is_in_the_way(ground, a, b, ident) for ident in passed) for passed in between(a, b))


def _is_in_the_way(ground: TerrainMap, a: str, b: str, ident: str) -> bool:
    """Return whether a hex between two others blocks fire, by terrain or height."""
    top = max(ground.level(a), ground.level(b))
    return ident in ground and (ground.terrain(ident) in _BLOCKS or ground.level(ident) > top)


def line_blockers(ground: TerrainMap, a: str, b: str) -> tuple[str, ...]:
    """Return the hexes blocking a line of fire, nearest first; both along a side.

    Rule: S7.
    """
    ways = [passed for passed in between(a, b) if all(_is_in_the_way(ground, a, b, ident) for ident in passed)]
    return tuple(ident for passed in ways for ident in passed)


# T3 What may stand together in a hex.


def stacking_row(edition: Edition, ident: str) -> str:
    """Return the row of T3 for a hex."""
    return "siege lines" if edition.map.lines(ident) else edition.map.terrain(ident)


def is_dismounted(state: State, unit: Unit) -> bool:
    """Return whether cavalry is on foot: it skirmishes where T3 bars horses.

    Rule: T3.
    """
    if unit.kind != "cav" or not unit.skirmishing:
        return False
    return state.edition.chart("stacking").cell(stacking_row(state.edition, unit.at), "riders") == "dismounted"


def has_room(state: State, ident: str, coming: Iterable[Unit]) -> bool:
    """Return whether counters may end in a hex beside those of their camp (T3)."""
    units = [unit for unit in coming if unit.is_combat]
    if not units:
        return True
    units_there = state.fighting(ident, units[0].side)
    if units_there:
        ids = {unit.id for unit in units}
        units = [*[unit for unit in units_there if unit.id not in ids], *units]
    return may_stand(state.edition, ident, units)


def may_stand(edition: Edition, ident: str, units: Sequence[Unit]) -> bool:
    """Return whether these counters may stand together in a hex (T3, S4).

    Formed and skirmishing counters count together, against the infantry's limit if there is infantry; cavalry also
    against its own; squares against theirs. S4b If that limit is one battalion, skirmishers and cavalry do not
    count against it.
    """
    row, known = stacking_row(edition, ident), edition.cache
    key = ("stands", row, *[(unit.kind, unit.formation, unit.pf) for unit in units])
    if key not in known:
        known[key] = _may_stand(edition, row, units)
    return bool(known[key])


def _may_stand(edition: Edition, row: str, units: Sequence[Unit]) -> bool:
    cells = edition.chart("stacking").cells
    if (row, "inf") not in cells:
        return False
    foot = [unit for unit in units if unit.kind == "inf"]
    horse = [unit for unit in units if unit.kind == "cav"]
    guns = [unit for unit in units if unit.kind == "art"]
    squares = [unit for unit in foot if unit.square]
    if cells[row, "skirmish"] == "no" and any(unit.skirmishing for unit in foot):
        return False
    if cells[row, "riders"] == "no" and any(unit.skirmishing for unit in horse):
        return False
    if squares and not _is_within(cells[row, "square"], squares):
        return False
    battalions = edition.reread and cells[row, "inf"] == "unit"
    together = [unit for unit in foot if not unit.skirmishing] if battalions else [*foot, *horse]
    if foot and not _is_within(cells[row, "inf"], together):
        return False
    if horse and not _is_within(cells[row, "cav"], horse):
        return False
    return not guns or _is_within(cells[row, "with" if foot or horse else "alone"], guns, batteries=True)


def _is_within(cell: str, units: list[Unit], batteries: bool = False) -> bool:
    if cell in ("yes", "no"):
        return cell == "yes"
    if cell == "unit":
        return len(units) <= 1
    return (len(units) if batteries else sum([unit.pf for unit in units])) <= int(cell)


# T1 Steps out of a hex: what the ground asks of counters that go together, the same for ever and reckoned once.


Sort = tuple[str, bool, int]
"""The qualities that terrain costs depend on: column of T1, whether under a Manoeuvre order, and how many such
counters move together."""


class OpenStep(NamedTuple):
    """A step to a neighbour: MP by sort and in all.

    `lone`: for a single counter alone in the hex (T1 D); `plain`: no other than in company. No zone is `zoned`.
    """

    to: str
    costs: tuple[int, ...]
    total: int
    lone: int
    road: bool
    plain: bool
    zoned: bool = False


def terrain_sort(state: State, unit: Unit) -> Sort:
    """Return the sort of a counter by itself."""
    return terrain_column(unit), state.order_of(unit) == "MANOEUVRE", 1


_MOST_SORTS = 64
"""Marching parties of other make-up whose steps are cached for a map; a choice, above what one battle has."""


def cached_steps(edition: Edition, sorts: tuple[Sort, ...]) -> dict[str, Mapping[str, OpenStep]]:
    """Return the steps that `open_steps` has found for all sorts, by hex."""
    known: dict[tuple[Sort, ...], dict[str, Mapping[str, OpenStep]]] = edition.cache.setdefault("steps", {})
    if (steps := known.get(sorts)) is None:
        if len(known) >= _MOST_SORTS:
            known.clear()
        steps = known.setdefault(sorts, {})
    return steps


def open_steps(edition: Edition, sorts: tuple[Sort, ...], ones: Sequence[Unit], current: str) -> Mapping[str, OpenStep]:
    """Return the steps open to all sorts by hex, clockwise from N.

    `ones` has one counter of each sort.
    """
    steps = cached_steps(edition, sorts)
    ways_out = steps.get(current)
    if ways_out is None:
        near = [ident for ident in neighbours(current) if ident in edition.map]
        ways = [_exit(edition, sorts, ones, current, ident) for ident in near]
        ways_out = steps[current] = {way.to: way for way in ways if way is not None}
    return ways_out


def _exit(edition: Edition, sorts: Sequence[Sort], ones: Sequence[Unit], current: str, near: str) -> OpenStep | None:
    costs, total, lone = [], 0, None
    for (_, manoeuvre, number), unit in zip(sorts, ones, strict=True):
        cost = step_cost(edition, unit, Step(current, near, manoeuvre))
        if cost is None:
            return None
        costs.append(cost)
        total += cost * number
        if number == len(sorts) == 1:
            lone = step_cost(edition, unit, Step(current, near, manoeuvre, alone=True))
    road = (current, near) in edition.map.roads
    return OpenStep(near, tuple(costs), total, total if lone is None else lone, road, lone in (None, total))


def step_mp(state: State, unit: Unit, way: OpenStep) -> int:
    """Return a single counter's MP for a step.

    A step with D costs less if the hex is empty (T1).
    """
    if way.lone == way.total or any(mate.id != unit.id for mate in state.at(way.to)):
        return way.total
    return way.lone
