"""O6 The scenario's victory check at the end of each turn, and C12 the breaking of a side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial

from pbem.engine.data.events import Data, event
from pbem.engine.data.messages import Msg, msg
from pbem.engine.data.stakes import Earned, summed
from pbem.engine.parts import ScoredGame
from pbem.engine.reasons import Teller
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.engine.standard import winner_of
from pbem.games.africa1860.edition import SIDES
from pbem.games.africa1860.state import SIDE_NAMES, State, Unit, of_side, other, read_unit


def counted(state: State) -> list[Earned]:
    """Return what points are counted for now: spaces held, guns and convoys captured, steps the enemy lost, awards.

    What each is worth stands in the scenario; a map without a scenario counts captures alone.
    """
    rules = state.edition.scenario.get("victory", {})
    found = []
    for space, value in sorted(rules.get("spaces", {}).items()):
        holder = state.holder(space) or rules.get("owner", {}).get(space, "")
        if holder:
            found.append(Earned(holder, "place", space, value))
    worth, per = rules.get("capture", 1), rules.get("steps_per_point", 0)
    for side in SIDES:
        taken, dead, given = state.captures.get(side, 0), state.dead.get(side, 0), state.awards.get(side, 0)
        found.append(Earned(side, "capture", side, worth * taken, taken, _captured(state, side) if taken else ()))
        if per:
            found.append(Earned(other(side), "steps", side, dead // per, dead))
        found.append(Earned(side, "award", side, given, given))
    return found


def _captured(state: State, side: str) -> tuple[str, ...]:
    """The guns and convoys that a side has taken."""
    lost = (ident for ident, how in state.gone.items() if how == "captured")
    return tuple(sorted(ident for ident in lost if (unit := roster(state).get(ident)) and unit.side != side))


def roster(state: State) -> Mapping[str, Unit]:
    """Return the units that the scenario brings, at once or later, as they begin."""
    scenario = state.edition.scenario
    later = (row["unit"] for row in scenario.get("reinforcements", ()))
    return {unit.id: unit for unit in map(read_unit, (*scenario.get("units", ()), *later))}


def count(state: State) -> dict[str, int]:
    """Return both sides' victory points now."""
    return summed(counted(state), SIDES)


def worth(state: State) -> dict[str, Fraction]:
    """Return both sides' victory points with the fractions that steps lost since the last full point are worth.

    Where no scenario says what counts, a step is a point.
    """
    points = {side: Fraction(value) for side, value in count(state).items()}
    per = state.edition.scenario.get("victory", {"steps_per_point": 1}).get("steps_per_point", 0)
    if per:
        full = "victory" in state.edition.scenario
        for side in SIDES:
            dead = state.dead.get(side, 0)
            points[other(side)] += Fraction(dead % per if full else dead, per)
    return points


def awards(state: State) -> dict[str, int]:
    """Return the points that a moderator has given to each side."""
    return {side: state.awards.get(side, 0) for side in SIDES}


def victory(state: State, task: Task) -> Outcome:
    """O6 The points are counted; after the last turn the game ends and the scenario's margin decides.

    C12, K7.2 Where a scenario counts a broken or a destroyed side as lost the other has won; if both are, the margin
    decides.
    """
    points = count(state)
    told = event("victory", "O6", points=points)
    last = state.edition.scenario.get("turns", 0)
    if not _beaten(state) and not _destroyed(state) and (not last or state.turn < last):
        return Did((told,))
    winner, cite = verdict(state, points)
    return Did((told, event("game over", cite, winner=winner, points=points)))


def verdict(state: State, points: Mapping[str, int]) -> tuple[str, str]:
    """Return who wins with these points if it ends now, ``draw`` if nobody does, and by which rule.

    K7.2, C12 If one side alone is destroyed or beaten, the other wins whatever the points. Without terms of a scenario
    nobody can tell.
    """
    needs = leads(state)
    for lost, rule in ((_destroyed(state), "K7.2"), (_beaten(state), "C12")):
        if len(lost) == 1:
            return other(lost[0]), rule
    if not needs:
        return "", "O6"
    lead = points["spain"] - points["morocco"]
    return "spain" if lead >= needs["spain"] else "morocco" if -lead >= needs["morocco"] else "draw", "O6"


def _beaten(state: State) -> list[str]:
    """C12 The broken sides, where the scenario counts those as lost."""
    return [*state.broken] if state.edition.scenario.get("victory", {}).get("broken_loses") else []


def _destroyed(state: State) -> list[str]:
    """K7.2 The sides without a combat unit on the map or to come, where the scenario counts those as lost."""
    scenario = state.edition.scenario
    if not scenario.get("victory", {}).get("destroyed_loses"):
        return []
    later = range(state.turn + 1, scenario.get("turns", state.turn) + 1)
    to_come = (row["unit"] for row in scenario.get("reinforcements", ()) if row["turn"] in later)
    units = (*state.units.values(), *map(read_unit, (*state.waiting, *to_come)))
    left = {unit.side for unit in units if unit.is_combat}
    return [side for side in SIDES if side not in left]


def leads(state: State) -> dict[str, int]:
    """Return the least lead over the other with which each side wins; empty where no scenario says."""
    rules = state.edition.scenario.get("victory", {})
    return {"spain": rules["spain_needs"], "morocco": -rules["morocco_needs"]} if "spain_needs" in rules else {}


# C12 Breaking, an option of a scenario: a side that has lost too much neither assaults nor charges any more.


def breaking(state: State, task: Task) -> Outcome:
    """C12 A side breaks that has lost the share of all steps that it has had on the map; both are told.

    It counts from the side's next phase on.
    """
    events = []
    for side, lost, steps in beaten(state):
        if side not in state.broken:
            turn = state.turn + (SIDES.index(side) <= SIDES.index(state.phase))
            events.append(event("breaks", "C12", side=side, lost=lost, steps=steps, turn=turn))
    return Did(tuple(events))


def beaten(state: State) -> Iterator[tuple[str, int, int]]:
    """C12 Yield the sides that have lost the share, with the steps they have lost and all that they have had.

    Leaders have no steps; guns and trains that are captured are lost.
    """
    for side in SIDES:
        lost = state.dead.get(side, 0) + state.taken.get(side, 0)
        left = sum(unit.steps for unit in state.units.values() if unit.side == side and not unit.is_leader)
        if lost and 100 * lost >= state.edition.breaking * (lost + left):
            yield side, lost, lost + left


SCORED = ScoredGame(
    worth=worth,
    party=lambda state, side: side if side in SIDES else "",
    winner=partial(winner_of, worth),
    # An assault, to the end of its shock.
    engaged=lambda state: state.fight is not None,
)


# What reports say of it.


def _counted(data: Data, before: State) -> Msg:
    points = data["points"]
    return msg("Victory points: Spain {spain}, Morocco {morocco}.", spain=points["spain"], morocco=points["morocco"])


def over(data: Data, before: State) -> Msg:
    """Tell who has won."""
    if data["winner"] == "draw":
        return msg("The game is over: a draw.")
    return msg("The game is over: {side} wins.", side=SIDE_NAMES[data["winner"]])


HEADS: Mapping[str, Teller] = {
    "breaks": of_side(
        msg("{side} breaks: {lost} of {steps} steps are lost. From its next phase on it neither assaults nor charges.")
    ),
    "victory": _counted,
    "game over": over,
}
OUTCOMES = frozenset(HEADS)
