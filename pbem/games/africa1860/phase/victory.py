"""The scenario's victory check at the end of each turn (O6)."""

from __future__ import annotations

from fractions import Fraction

from pbem.core.data.events import event
from pbem.core.run.steps import Did, Outcome, Task
from pbem.games.africa1860.state import SIDES, State, other

__all__ = ["awards", "count", "victory", "worth"]


def count(state: State) -> dict[str, int]:
    """Return both sides' victory points now: spaces held, guns and convoys captured, steps the enemy lost, awards.

    What each is worth stands in the scenario; a map without a scenario counts captures alone.
    """
    rules = state.edition.scenario.get("victory", {})
    worth = rules.get("capture", 1)
    points = {side: worth * state.captures.get(side, 0) + given for side, given in awards(state).items()}
    for space, value in sorted(rules.get("spaces", {}).items()):
        holder = state.holder(space) or rules.get("owner", {}).get(space, "")
        if holder:
            points[holder] += value
    per = rules.get("steps_per_point", 0)
    if per:
        for side in SIDES:
            points[other(side)] += state.dead.get(side, 0) // per
    return points


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

    C12 Where a scenario counts a broken side as lost the other has won; if both are, the margin decides.
    """
    points = count(state)
    told = event("victory", "O6", points=points)
    last = state.edition.scenario.get("turns", 0)
    rules = state.edition.scenario.get("victory", {})
    beaten = [*state.broken] if rules.get("broken_loses") else []
    if len(beaten) == 1:
        return Did((told, event("game over", "C12", winner=other(beaten[0]), points=points)))
    if not beaten and (not last or state.turn < last):
        return Did((told,))
    lead = points["spain"] - points["morocco"]
    winner = "spain" if lead >= rules["spain_needs"] else "morocco" if lead <= rules["morocco_needs"] else "draw"
    return Did((told, event("game over", "O6", winner=winner, points=points)))
