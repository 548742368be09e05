"""S14 The scenario's points."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from pbem.engine.data.events import event
from pbem.engine.data.stakes import Earned, summed
from pbem.engine.parts import ScoredGame
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.engine.standard import winner_of
from pbem.games.peninsular.arrivals import reserves
from pbem.games.peninsular.edition import SIDES, camp
from pbem.games.peninsular.state import State, hindsight
from pbem.games.peninsular.units import NORMAL, ROUTED, Unit, read_unit


class Prize(NamedTuple):
    """S14 What a side has won besides ground and losses: ``colour``, ``battery`` or ``exit``; whose they were, or who
    stands there; and the points."""

    kind: str
    side: str
    units: tuple[Unit, ...]
    points: int


def counted(state: State) -> list[Earned]:
    """Return what points are counted for now: hexes held, enemy counters eliminated or routed, enemy PF lost, colours
    and batteries taken, battalions at the exit, awards.

    What each is worth stands in the scenario; without one nothing counts.
    """
    rules = state.edition.scenario.get("victory", {})
    found = []
    for ident, value in sorted(rules.get("hexes", {}).items()):
        holder = state.holder(ident) or rules.get("owner", {}).get(ident, "")
        if holder:
            found.append(Earned(party(state, holder), "place", ident, value))
    for prize in prizes(state):
        ids = tuple(unit.id for unit in prize.units)
        found.append(Earned(prize.side, prize.kind, prize.side, prize.points, len(ids), ids))
    per, given = rules.get("pf_per_point", 0), awards(state)
    for side in state.edition.phases:
        foe = next(one for one in state.edition.phases if one != side)
        routed = tuple(u.id for u in state.counters(side) if u.is_combat and u.state == ROUTED)
        lost = sum(n for one, n in state.toll.items() if camp(one) == camp(side))
        dead = sum(n for one, n in state.dead.items() if camp(one) == camp(side))
        if rules.get("eliminated"):
            found.append(Earned(foe, "eliminated", side, rules["eliminated"] * lost, lost, _eliminated(state, side)))
        if rules.get("routed"):
            found.append(Earned(foe, "routed", side, rules["routed"] * len(routed), len(routed), routed))
        if per:
            found.append(Earned(foe, "pf", side, dead // per, dead))
        found.append(Earned(side, "award", side, given[side], given[side]))
    return found


def _eliminated(state: State, side: str) -> tuple[str, ...]:
    """The counters of a side and its friends that are out of play."""
    lost = (roster(state).get(ident) for ident in state.gone)
    return tuple(sorted(unit.id for unit in lost if unit and unit.is_combat and camp(unit.side) == camp(side)))


def count(state: State) -> dict[str, int]:
    """Return the points of both sides now."""
    return summed(counted(state), state.edition.phases)


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


def roster(state: State) -> Mapping[str, Unit]:
    """Return the counters that the scenario brings, at once or later, as they begin."""
    known = state.edition.remembered
    if "roster" not in known:
        now = map(read_unit, state.edition.scenario.get("units", ()))
        known["roster"] = {unit.id: unit for unit in (*now, *reserves(state.edition.scenario))}
    found: Mapping[str, Unit] = known["roster"]
    return found


def colours(state: State) -> list[Unit]:
    """S14 Return the battalions that have lost their colour or eagle: those that carried one and are eliminated."""
    carriers = state.edition.scenario.get("victory", {}).get("colours", ())
    return [roster(state)[ident] for ident in carriers if ident in state.gone]


def guns(state: State) -> list[Unit]:
    """S14 Return the batteries that were lost."""
    lost = [unit for ident in state.gone if (unit := roster(state).get(ident)) is not None]
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
    return Did((told, event("game over", "S14", winner=verdict(state, points), points=points)))


def verdict(state: State, points: Mapping[str, int]) -> str:
    """Return who wins with these points if it ends now, ``draw`` if nobody does; empty without terms of a scenario."""
    first, second = state.edition.phases
    needs, lead = leads(state), points[first] - points[second]
    if not needs:
        return ""
    return first if lead >= needs[first] else second if -lead >= needs[second] else "draw"


def leads(state: State) -> dict[str, int]:
    """Return the least lead over the other with which each side wins; empty where no scenario says."""
    first, second = state.edition.phases
    rules = state.edition.scenario.get("victory", {})
    return {first: rules["first_needs"], second: -rules["second_needs"]} if "first_needs" in rules else {}


SCORED = ScoredGame(worth=worth, party=party, winner=partial(winner_of, worth), hindsight=hindsight)
