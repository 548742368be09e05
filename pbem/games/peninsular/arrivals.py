"""S1 Reinforcements: whom a scenario brings later, when, and where there is room for them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pbem.engine.data.canon import Json
from pbem.engine.data.events import Event, event
from pbem.engine.map.hexes import distance, within
from pbem.engine.run.steps import Did, Outcome, Roll, Task, die
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import fits, in_zone, row_of
from pbem.games.peninsular.units import Unit, groups, read_unit

ASIDE = 3
"""Hexes from the one that is named within which reinforcements find room."""


def awaited(state: State) -> Iterator[Mapping[str, Json]]:
    """Return the reinforcements that have not come."""
    for group in groups(state.edition.scenario):
        first = read_unit(group["units"][0]).id
        if first not in state.units and first not in state.gone:
            yield group


def arrivals(state: State, task: Task) -> Outcome:
    """S1 At the end of a turn those may come who can be there from the next one on."""
    if state.phase == "over":
        return Did()
    due = [group["name"] for group in awaited(state) if group["turn"] <= state.turn + 1]
    return Did((), tuple(Task("arrival", (name,)) for name in due))


def arrival(state: State, task: Task) -> Outcome:
    """S1 A group of reinforcements: a die if it is not sure to come, then the room for it. Argument: its name.

    It comes whole or waits for the next turn, and then throws again.
    """
    (name,) = task.args
    group = next(group for group in groups(state.edition.scenario) if group["name"] == name)
    needs, side = group.get("needs", 1), read_unit(group["units"][0]).side
    events: list[Event] = []
    if needs > 1:
        if not task.got:
            return Roll("end", f"arrival {name}", 1, 6)
        label, value = die(task, 0)
        data = {"side": side, "name": name, "label": label, "die": value, "needs": needs}
        events.append(event("arrival", "S1", **data))
        if value < needs:
            return Did(tuple(events))
    comers = _placed(state, group["units"])
    if not comers:
        return Did((*events, event("no room", "T3", side=side, name=name)))
    told = [[text, at] for text, at in zip(group["units"], comers, strict=True)]
    ids = [read_unit(text).id for text in group["units"]]
    return Did((*events, event("arrives", "S1", side=side, name=name, units=ids, counters=told)))


def _placed(state: State, texts: Sequence[str]) -> list[str]:
    """Return the hex of each counter of a group, one after another; [] if one of them finds none."""
    found: list[str] = []
    for text in texts:
        unit = read_unit(text)
        at = next((at for at in _near(unit.at) if _free(state, at, unit)), "")
        if not at:
            return []
        found.append(at)
        state = state.with_units({unit.id: unit._replace(at=at)})
    return found


def _near(wanted: str) -> list[str]:
    return sorted(within(wanted, ASIDE), key=lambda at: (distance(wanted, at), at))


def _free(state: State, at: str, unit: Unit) -> bool:
    """Whether a hex is on the map, without an enemy in it or in reach of it, and has room."""
    edition, placed = state.edition, unit._replace(at=at)
    if at not in edition.map or row_of(edition, at) not in edition.chart("stacking").rows:
        return False
    ours = all(other.camp == unit.camp for other in state.at(at))
    return ours and not in_zone(state, at, placed) and fits(state, at, [placed])
