"""What fire and a shock promise, in strength points: every face of the die, read from the edition's own charts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.map.hexes import FRONT, sector
from pbem.games.peninsular.battle.assault import squares
from pbem.games.peninsular.battle.fire import TOP, points
from pbem.games.peninsular.battle.shock import SHOCK_MODIFIERS, Clash, strengths
from pbem.games.peninsular.setup.units import ROUTED, Unit, best, grade
from pbem.games.peninsular.state import State

_FIRE = re.compile(r"(?P<lost>\d?)(?P<effect>[PMR]?)")
_STOPS = {"": 0.0, "P": 1.0, "M": 0.4, "R": 1.0}
_EFFECT = {"": 0.0, "P": 0.4, "M": 0.5, "R": 1.0}
_SHOCK = {"AB": -1.0, "AR1": -2.5, "AR2": -4.0, "SE": -0.2, "BM": 0.0, "DR1": 2.5, "DR2": 3.5}
"""A retreat is worth the points that its morale test puts out of the fight for a while."""
FACES = range(1, 7)


class Volley(NamedTuple):
    """What fire does on average: PF lost and what unsettles the target, and how often it stops an assault."""

    harm: float = 0.0
    stops: float = 0.0


def volley(state: State, firer: Unit, at: str) -> Volley:
    """T5 Return what a counter's fire at a hex promises; nothing if nobody is there."""
    foes = state.foes(at, firer.side)
    target = best(foes)
    if target is None:
        return Volley()
    shift = (grade(firer.will) <= grade("B")) - (grade(firer.will) >= grade("E"))
    shift += firer.kind == "inf" and firer.nation == "british" and grade(firer.will) <= grade("C")
    shift += 2 * target.square - 2 * target.skirmishing - target.unlimbered
    shift += 2 * (target.faces and sector(at, target.facing, firer.at) != FRONT)
    chart = state.edition.chart("fire")
    column = min(TOP, points(state, firer, at))
    harm = stops = 0.0
    for face in FACES:
        found = _FIRE.fullmatch(chart.cell(face + shift, column))
        if found is not None:
            harm += min(target.pf, int(found["lost"] or 0)) + _EFFECT[found["effect"]]
            stops += _STOPS[found["effect"]]
    return Volley(harm / len(FACES), stops / len(FACES))


def shock_worth(state: State, units: Sequence[Unit], at: str, prize: float) -> float:
    """T6 Return what a shock promises the attackers, who stand where they will assault from: PF the enemy loses, less
    their own, `prize` where the hex is won, less what the defenders' fire does before.

    Odds that are forbidden are worth nothing at all.
    """
    foes = [foe for foe in state.foes(at, units[0].side) if foe.state != ROUTED]
    if not foes:
        return prize + 1.0
    head, leader = best(list(units)), best(foes)
    assert head is not None  # noqa: S101 - there are attackers
    assert leader is not None  # noqa: S101 - and defenders
    clash = Clash(state, tuple(units), head, tuple(foes), leader, at, squares(foes))
    chart = state.edition.chart("shock")
    try:
        column = chart.odds(*strengths(clash))
    except KeyError:
        return -99.0
    shift = sum(line.value * int(SHOCK_MODIFIERS[line.rule](clash)) for line in chart.modifiers)
    total = 0.0
    for face in FACES:
        cell = chart.cell(face + shift, column)
        total += _shock(cell, sum(foe.pf for foe in foes), squares(foes), prize)
    through, suffered = 1.0, 0.0
    for foe in foes:
        if not (foe.fired or foe.limbered or foe.kind == "cav"):
            found = volley(state, foe, head.at)
            through *= 1.0 - found.stops / len({unit.at for unit in units})
            suffered += found.harm
    return through * total / len(FACES) - suffered


def _shock(cell: str, strength: int, squared: bool, prize: float) -> float:
    if cell.startswith("DB"):
        lost = min(strength, int(cell[2:] or 1))
        return lost + (prize if lost == strength else 0.0)
    if squared and cell.startswith("DR"):
        return float(cell == "DR2")
    return _SHOCK[cell] + (prize if cell.startswith("DR") else 0.0)
