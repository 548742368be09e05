"""T1 What the ground costs and covers: MP, prohibitions, letters of fire and shock; the rounding of R4 and R7."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from pbem.engine.map.hexes import distance, entries
from pbem.games.peninsular.ground.hexmap import TERRAINS
from pbem.games.peninsular.setup.edition import Edition
from pbem.games.peninsular.setup.units import Unit
from pbem.games.peninsular.state import State

COVER = frozenset({"light wood", "dense wood", "marsh", "village", "city", "strong buildings"})
"""T2.2 Terrain that steadies whoever stands in it, besides siege lines."""
DIVISORS = {"A": Fraction(2), "B": Fraction(3, 2)}
_COST = re.compile(r"(?P<plus>\+?)(?P<mp>\d+)(?P<marks>[A-K]*)")
_BY_ROAD = ("bridge", "slope up", "slope down")
"""Sides that cost MP on the road too."""


def column(unit: Unit) -> str:
    """Return the column of T1 for a counter: commanders go as infantry."""
    return "inf" if unit.kind == "cmd" else unit.kind


def least_cost(edition: Edition) -> int:
    """Return the least that any step can cost by T1: 1, or 0 if a moderator's own chart has hexes for nothing."""
    key = "least cost"
    if key not in edition.remembered:
        hexes = [edition.cells[row, arm] for row in (*TERRAINS, "road") for arm in ("inf", "cav", "art")]
        edition.remembered[key] = int(all(code[0] != "0" for code in hexes))
    least: int = edition.remembered[key]
    return least


def barred(edition: Edition, unit: Unit, a: str, b: str) -> bool:
    """Whether the side between two neighbours is P for the counter on its way from `a` to `b`."""
    sides = edition.map.sides(a, b)
    return bool(sides) and _barred(edition, column(unit), a, b)


def _barred(edition: Edition, arm: str, a: str, b: str) -> bool:
    by_road = (a, b) in edition.map.roads
    for row in edition.map.sides(a, b):
        code = edition.cells[row, arm]
        if code[0] == "P" and not (by_road and code == "PH"):
            return True
    return False


class Step(NamedTuple):
    """T1, S4 A step from a hex to its neighbour.

    `manoeuvre`: the counter has a Manoeuvre order; `alone`: no other counter is or comes in the hex.
    """

    a: str
    b: str
    manoeuvre: bool = False
    alone: bool = False


def step_cost(edition: Edition, unit: Unit, step: Step) -> int | None:
    """T1, S4 Return the MP of a step between neighbours, None if it is prohibited."""
    key = (column(unit), step)
    if key not in edition.remembered:
        edition.remembered[key] = _step_cost(edition, *key)
    found: int | None = edition.remembered[key]
    return found


def _step_cost(edition: Edition, arm: str, step: Step) -> int | None:
    a, b, manoeuvre, alone = step
    if _barred(edition, arm, a, b):
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
    whole = 0
    for side in edition.map.sides(a, b):
        code = edition.cells[side, arm]
        if code[0] == "P" or (by_road and side not in _BY_ROAD):
            continue
        plus, mp, marks = _read(code)
        if not plus:
            whole = max(whole, mp)
        elif not (manoeuvre and "F" in marks):
            cost += mp
    return whole or cost


@cache
def _read(code: str) -> tuple[bool, int, str]:
    found = _COST.fullmatch(code)
    if found is None:
        raise ValueError(f"T1 has no such cost as {code!r}")
    return bool(found["plus"]), int(found["mp"]), found["marks"]


def worst(letters: list[str]) -> str:
    """Return the letter that divides most, the empty string for none."""
    known = [letter for letter in letters if letter in DIVISORS]
    return max(known, key=lambda letter: DIVISORS[letter], default="")


def cover_of_fire(edition: Edition, firer: str, target: str) -> str:
    """R4 Return the worst letter against fire at a hex: its own, and that of the side the line comes in by.

    A line that comes in between two sides is covered only if both are.
    """
    known, key = edition.remembered, ("cover", firer, target)
    if key not in known:
        known[key] = _cover_of_fire(edition, firer, target)
    return str(known[key])


def _cover_of_fire(edition: Edition, firer: str, target: str) -> str:
    sides = []
    for last in entries(firer, target):
        rows = edition.map.sides(last, target)
        sides.append(worst([edition.cells[row, "fire"] for row in rows]))
    covered = "" if "" in sides else min(sides, key=lambda letter: DIVISORS[letter])
    return worst([edition.cells[edition.map.terrain(target), "fire"], covered])


def shock_letter(edition: Edition, attacker: str, target: str) -> str:
    """T1 Return the worst letter of a hex and the side it is assaulted across; P if it cannot be."""
    known, key = edition.remembered, ("shock letter", attacker, target)
    if key not in known:
        known[key] = _shock_letter(edition, attacker, target)
    return str(known[key])


def _shock_letter(edition: Edition, attacker: str, target: str) -> str:
    rows = edition.map.sides(attacker, target)
    codes = [edition.cells[row, "shock"] for row in (*rows, edition.map.terrain(target))]
    return "P" if any(code[0] == "P" for code in codes) else worst(codes)


def higher(state: State, ident: str, other: str) -> bool:
    """Whether a hex is higher than another one: by level, or by the slope between them."""
    ground = state.edition.map
    if ground.level(ident) != ground.level(other):
        return ground.level(ident) > ground.level(other)
    up = ("slope up", "impassable slope up")
    return distance(ident, other) == 1 and any(row in up for row in ground.sides(other, ident))


def rounded(dividend: int, divisor: int) -> int:
    """R4, R7 Return the quotient, rounded to the nearest whole number, halves up, at least 1."""
    return max(1, (2 * dividend + divisor) // (2 * divisor))
