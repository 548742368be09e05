"""S14 The scenario's points."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from pbem.core.data.events import event
from pbem.core.run.steps import Did, Outcome, Task
from pbem.games.peninsular.phase.arrivals import reserves
from pbem.games.peninsular.setup.edition import SIDES, camp
from pbem.games.peninsular.setup.roster import read_unit
from pbem.games.peninsular.state import NORMAL, ROUTED, State, Unit

__all__ = ["Prize", "awards", "colours", "count", "gone_out", "guns", "party", "prizes", "victory", "worth"]


class Prize(NamedTuple):
    """S14 What a side has won besides ground and losses: ``colour``, ``battery`` or ``exit``; whose they were, or who
    stands there; and the points."""

    kind: str
    side: str
    units: tuple[Unit, ...]
    points: int


def count(state: State) -> dict[str, int]:
    """Return the points of both sides now: hexes held, enemy counters eliminated or routed, enemy PF lost, colours and
    batteries taken, battalions at the exit, awards.

    What each is worth stands in the scenario; without one nothing counts.
    """
    rules = state.edition.scenario.get("victory", {})
    sides = state.edition.phases
    points = awards(state)
    by_camp = {camp(side): side for side in sides}
    for ident, value in sorted(rules.get("hexes", {}).items()):
        holder = state.holder(ident) or rules.get("owner", {}).get(ident, "")
        if holder:
            points[by_camp[camp(holder)]] += value
    for side, lost in sorted(state.toll.items()):
        points[_enemy(by_camp, side)] += rules.get("eliminated", 0) * lost
    for unit in state.units.values():
        if unit.is_combat and unit.state == ROUTED:
            points[_enemy(by_camp, unit.side)] += rules.get("routed", 0)
    for prize in prizes(state):
        points[prize.side] += prize.points
    per = rules.get("pf_per_point", 0)
    if per:
        for side in sides:
            lost = sum(n for other, n in state.dead.items() if camp(other) == camp(side))
            points[_enemy(by_camp, side)] += lost // per
    return points


def prizes(state: State) -> list[Prize]:
    """S14 Return the colours and guns that each side has taken, and who stands at the exit, where they count."""
    rules = state.edition.scenario.get("victory", {})
    found = []
    for kind, lost in (("colour", colours(state)), ("battery", guns(state))):
        value = rules.get(kind, 0)
        for side in state.edition.phases if value else ():
            units = tuple(unit for unit in lost if camp(unit.side) != camp(side))
            found.append(Prize(kind, side, units, value * len(units)))
    way_out, there = rules.get("exit", {}), tuple(gone_out(state))
    if there:
        through = len(there) >= way_out["battalions"]
        found.append(Prize("exit", party(state, way_out["side"]), there, way_out["points"] if through else 0))
    return [prize for prize in found if prize.units]


def _roster(state: State) -> Mapping[str, Unit]:
    """The counters that the scenario brings, at once or later, as they begin."""
    known = state.edition.remembered
    if "roster" not in known:
        now = map(read_unit, state.edition.scenario.get("units", ()))
        known["roster"] = {unit.id: unit for unit in (*now, *reserves(state.edition.scenario))}
    found: Mapping[str, Unit] = known["roster"]
    return found


def colours(state: State) -> list[Unit]:
    """S14 Return the battalions that have lost their colour or eagle: those that carried one and are eliminated."""
    carriers = state.edition.scenario.get("victory", {}).get("colours", ())
    return [_roster(state)[ident] for ident in carriers if ident in state.gone]


def guns(state: State) -> list[Unit]:
    """S14 Return the batteries that were lost."""
    lost = [unit for ident in state.gone if (unit := _roster(state).get(ident)) is not None]
    return sorted(unit for unit in lost if unit.kind == "art")


def gone_out(state: State) -> list[Unit]:
    """S14 Return the battalions that stand steady at the exit of their side: they are as good as through."""
    way_out = state.edition.scenario.get("victory", {}).get("exit", {})
    there = [unit for at in way_out.get("hexes", ()) for unit in state.own(at, way_out["side"])]
    return [unit for unit in there if unit.kind == "inf" and unit.state == NORMAL]


def worth(state: State) -> dict[str, Fraction]:
    """Return the points of both sides with the fractions that PF lost since the last full point are worth.

    Where no scenario says what counts, a PF is a point.
    """
    points = {side: Fraction(value) for side, value in count(state).items()}
    per = state.edition.scenario.get("victory", {}).get("pf_per_point", 0)
    scored = "victory" in state.edition.scenario
    by_camp = {camp(side): side for side in points}
    for side in points if per or not scored else ():
        lost = sum(n for other, n in state.dead.items() if camp(other) == camp(side))
        points[_enemy(by_camp, side)] += Fraction(lost % per, per) if scored else lost
    return points


def party(state: State, side: str) -> str:
    """Return the side that a side, or one of its friends, counts its points for; empty if it is none."""
    return next((ours for ours in state.edition.phases if side in SIDES and camp(ours) == camp(side)), "")


def awards(state: State) -> dict[str, int]:
    """Return the points that a moderator has given to each side."""
    return {side: state.awards.get(side, 0) for side in state.edition.phases}


def _enemy(by_camp: dict[str, str], side: str) -> str:
    return next(other for ours, other in by_camp.items() if ours != camp(side))


def victory(state: State, task: Task) -> Outcome:
    """S14 The points are counted; after the last turn the scenario's margin decides."""
    points = count(state)
    told = event("victory", "S14", points=points)
    last = state.edition.scenario.get("turns", 0)
    if not last or state.turn < last:
        return Did((told,))
    first, second = state.edition.phases
    rules = state.edition.scenario["victory"]
    lead = points[first] - points[second]
    winner = first if lead >= rules["first_needs"] else second if lead <= rules["second_needs"] else "draw"
    return Did((told, event("game over", "S14", winner=winner, points=points)))
