"""C12 Breaking, an option of a scenario: a side that has lost too much neither assaults nor charges any more."""

from __future__ import annotations

from collections.abc import Iterator

from pbem.engine.data.events import event
from pbem.engine.run.steps import Did, Outcome, Task
from pbem.games.africa1860.setup.edition import SIDES
from pbem.games.africa1860.state import State


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
