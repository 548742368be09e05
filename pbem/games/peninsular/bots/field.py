"""The position as a bot thinks of it: what its orders so far make of it, and what a hex, fire and a shock are worth."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.map.hexes import DIRECTIONS, FRONT, distance, neighbours, sector, towards
from pbem.engine.run.steps import Did
from pbem.games.peninsular.choices import fresh
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.fire import TOP, points
from pbem.games.peninsular.orders import Action
from pbem.games.peninsular.sequence import RULES, task_of
from pbem.games.peninsular.shock import SHOCK_MODIFIERS, Clash, strengths
from pbem.games.peninsular.state import State
from pbem.games.peninsular.units import NORMAL, ROUTED, Unit, best, grade, squares

LATE = 2
"""Turns before the end in which ground counts double."""


def _turned_away(unit: Unit) -> bool:
    """S3, S1 Whether a counter that is to assault no longer faces its target: whoever comes to it turns it, and all
    marches come before any assault, in whatever order they are written."""
    return bool(unit.assault) and unit.faces and sector(unit.at, unit.facing, unit.assault) != FRONT


class Field:
    """A side's half: `state` is the position as the `actions` written down so far leave it."""

    def __init__(self, view: State, side: str) -> None:
        self.state = fresh(view, side)
        self.side, self.camp = side, camp(side)
        self.actions: list[Action] = []
        rules = view.edition.scenario.get("victory", {})
        self.owner: dict[str, str] = rules.get("owner", {})
        self.late = view.turn + LATE > view.edition.scenario.get("turns", 0)
        self.prizes: dict[str, int] = {at: n * (1 + self.late) for at, n in rules.get("hexes", {}).items()}
        self.foes = [unit for unit in view.units.values() if unit.camp != self.camp and unit.is_combat]

    def own(self, *kinds: str) -> list[Unit]:
        units = [unit for _, unit in sorted(self.state.units.items()) if unit.camp == self.camp]
        return [unit for unit in units if unit.kind in kinds] if kinds else [u for u in units if u.is_combat]

    def gap(self, at: str) -> int:
        """Hexes to the nearest enemy."""
        return min((distance(at, foe.at) for foe in self.foes), default=99)

    def do(self, action: Action) -> bool:
        """Write an order down if it is legal, and carry it out on the position thought of."""
        task = task_of(action)
        told = RULES.step(self.state, task)
        events = told.events if isinstance(told, Did) else ()
        if not events or any(happened.kind == "not carried out" for happened in events):
            return False
        state = self.state
        for happened in events:
            state = RULES.apply(state, happened)
        if any(_turned_away(unit) for unit in state.units.values()):
            return False
        self.state = state
        self.actions.append(action)
        return True

    def horse_near(self, unit: Unit) -> bool:
        return any(foe.kind == "cav" and foe.state == NORMAL and distance(foe.at, unit.at) <= 4 for foe in self.foes)

    def value(self, unit: Unit, at: str, goal: str) -> float:
        """What a hex is worth to a counter: near the goal, with friends, in cover, and not alone against many."""
        ground = self.state.edition.map
        worth = -2.0 * distance(at, goal)
        held = self.state.fighting(at, self.side)
        if at in self.prizes and not any(mate.id != unit.id for mate in held):
            worth += 2.0 * self.prizes[at]
        gap = self.gap(at)
        if gap <= 3:
            worth += {"light wood": 1.0, "village": 2.0, "strong buildings": 2.0}.get(ground.terrain(at), 0.0)
            worth += 1.0 * ground.level(at)
        around = [mate for near in neighbours(at) for mate in self.state.fighting(near, self.side)]
        friends = sum(mate.pf for mate in (*around, *held) if mate.id != unit.id and mate.kind == "inf")
        worth += min(2.0, friends / 6)
        if unit.kind == "inf" and gap <= 6:
            worth += min(3.0, sum(mate.pf for mate in held if mate.kind == "inf" and mate.id != unit.id) / 3)
        foes = [foe for foe in self.foes if distance(foe.at, at) == 1 and foe.state != ROUTED]
        if foes:
            against = sum(foe.pf for foe in foes)
            ours = unit.pf + friends / 2
            worth += 1.5 if unit.kind == "inf" else -4.0
            worth -= max(0.0, against - ours) * (0.5 if self.late else 1.0)
            worth -= 3.0 * max(0.0, self.odds_against(at) - 1.0)
        elif unit.kind == "cav" and gap <= 2:
            worth -= 2.0
        return worth

    def odds_against(self, at: str) -> float:
        """The enemy's PF for each of ours within 3 hexes."""
        theirs = sum(foe.pf for foe in self.foes if foe.state != ROUTED and distance(foe.at, at) <= 3)
        ours = sum(unit.pf for unit in self.own() if unit.state == NORMAL and distance(unit.at, at) <= 3)
        return theirs / (ours or 1)

    def facing(self, unit: Unit, at: str) -> str:
        """The facing with most of the enemy in front, the near ones first."""
        weight = dict.fromkeys(DIRECTIONS, 0.0)
        for foe in self.foes:
            for side in towards(at, foe.at):
                turned = DIRECTIONS.index(side)
                share = foe.pf / (distance(at, foe.at) ** 3 or 1)
                for turn, part in ((0, 1.0), (1, 0.8), (5, 0.8)):
                    weight[DIRECTIONS[(turned + turn) % 6]] += part * share
        return max(DIRECTIONS, key=lambda side: (weight[side], side == unit.facing))


# What fire and a shock promise, in strength points: every face of the die, read from the edition's own charts.


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
