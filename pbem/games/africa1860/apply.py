"""The fold of events: the only place where the position changes.

Events that only tell (rolls, totals, refusals) have no entry and leave the state as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pbem.core.events import Event
from pbem.games.africa1860.roster import read_unit
from pbem.games.africa1860.state import State, Unit, fight_from

__all__ = ["apply"]

Data = Mapping[str, Any]


def apply(state: State, happened: Event) -> State:
    """Return the state after the event."""
    kind, _, data, _ = happened
    handler = _HANDLERS.get(kind)
    if handler is not None:
        state = handler(state, data)
    by = data.get("by")
    if by and by.startswith("standing"):
        key = f"{data['side']} {by} {kind}"
        state = state.change(uses={**state.uses, key: state.uses.get(key, 0) + 1})
    return state


def _begin(state: State, data: Data) -> State:
    acted = {ident: unit._replace(acted=False) for ident, unit in state.units.items() if unit.acted}
    return state.with_units(acted).change(used=(), bouts={}, stopped=False)


def _activate(state: State, data: Data) -> State:
    return state.change(used=(*state.used, data["space"]))


def _moved(state: State, data: Data) -> State:
    return state.moved(data["units"], data["to"])


def _marked(state: State, data: Data) -> State:
    marks: dict[str, Any] = dict.fromkeys(data["marks"], True)
    return state.with_units({i: state.units[i]._replace(**marks) for i in data["units"]})


def _loses(state: State, data: Data) -> State:
    unit = state.units[data["unit"]]
    state = _count_dead(state, unit.side, unit.steps - data["left"])
    if data["left"] > 0:
        return state.with_units({unit.id: unit._replace(steps=data["left"])})
    return _gone(state, [unit.id], "eliminated")


def _count_dead(state: State, side: str, steps: int) -> State:
    return state.change(dead={**state.dead, side: state.dead.get(side, 0) + steps})


def _gone(state: State, ids: list[str], how: str) -> State:
    return state.without(ids).change(gone={**state.gone, **dict.fromkeys(ids, how)})


def _demoralised(state: State, data: Data) -> State:
    return state.with_units({data["unit"]: state.units[data["unit"]]._replace(demoralised=True)})


def _recovered(state: State, data: Data) -> State:
    return state.with_units({data["unit"]: state.units[data["unit"]]._replace(demoralised=False)})


def _casualty(state: State, data: Data) -> State:
    unit = state.units[data["unit"]]
    return _gone(state, [unit.id], "casualty").change(lost=(*state.lost, (unit.side, unit.id, state.turn)))


def _eliminated(state: State, data: Data) -> State:
    steps = sum(state.units[ident].steps for ident in data["units"])
    return _count_dead(_gone(state, data["units"], "eliminated"), data["side"], steps)


def _captured(state: State, data: Data) -> State:
    worth = len(data["units"])
    taken = {**state.captures, data["side"]: state.captures.get(data["side"], 0) + worth}
    return _gone(state, data["units"], "captured").change(captures=taken)


def _assault(state: State, data: Data) -> State:
    fight = fight_from(data["fight"])
    pair = f"{fight.origin}>{fight.target}"
    return state.change(fight=fight, bouts={**state.bouts, pair: state.bouts.get(pair, 0) + 1})


def _named(role: str) -> Callable[[State, Data], State]:
    def name(state: State, data: Data) -> State:
        fight = state.fight
        if fight is None:
            return state
        slot = role if data["side"] == fight.side else f"enemy_{role}"
        return state.change(fight=fight._replace(**{slot: data["unit"]}))

    return name


def _rejoins(state: State, data: Data) -> State:
    return _named("screen")(state, {**data, "unit": ""})


def _assault_over(state: State, data: Data) -> State:
    return state.change(fight=None)


def _stopped(state: State, data: Data) -> State:
    return state.change(stopped=True)


def _enters(state: State, data: Data) -> State:
    unit: Unit = read_unit(data["unit"])
    lost = tuple(item for item in state.lost if item[1] != data.get("replaces"))
    waiting = tuple(text for text in state.waiting if text != data["unit"])
    return state.with_units({unit.id: unit}).change(lost=lost, waiting=waiting)


def _waits(state: State, data: Data) -> State:
    return state.change(waiting=(*state.waiting, *data["units"]))


def _leader_waits(state: State, data: Data) -> State:
    """O9 His loss counts from a turn later."""
    lost = tuple((side, i, turn + (i == data["unit"])) for side, i, turn in state.lost)
    return state.change(lost=lost)


def _markers_off(state: State, data: Data) -> State:
    marked = {
        ident: unit._replace(activated=False, fired=False, acted=False)
        for ident, unit in state.units.items()
        if unit.activated or unit.fired or unit.acted
    }
    return state.with_units(marked)


def _over(state: State, data: Data) -> State:
    return state.change(phase=data["next"], turn=data["turn"], uses={} if data["turn"] != state.turn else state.uses)


def _victory(state: State, data: Data) -> State:
    return state.change(points=dict(data["points"]))


def _game_over(state: State, data: Data) -> State:
    return state.change(winner=data["winner"], phase="over")


_HANDLERS: Mapping[str, Callable[[State, Data], State]] = {
    "phase begins": _begin,
    "activates": _activate,
    "moves": _moved,
    "retreats": _moved,
    "returns": _moved,
    "occupies": _moved,
    "falls back": _moved,
    "marked": _marked,
    "loses": _loses,
    "demoralised": _demoralised,
    "recovers": _recovered,
    "casualty": _casualty,
    "eliminated": _eliminated,
    "captured": _captured,
    "assault": _assault,
    "vanguard": _named("vanguard"),
    "screen": _named("screen"),
    "rejoins": _rejoins,
    "assault over": _assault_over,
    "breaks off": _stopped,
    "enters": _enters,
    "waits": _waits,
    "leader waits": _leader_waits,
    "markers off": _markers_off,
    "phase over": _over,
    "victory": _victory,
    "game over": _game_over,
}
