"""The fold of events: the only place where the position changes.

Events that only tell (rolls, refusals) have no entry and leave the state as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from typing import Any

from pbem.core.events import Event
from pbem.core.hexes import direction
from pbem.games.peninsular.edition import camp
from pbem.games.peninsular.roster import read_unit
from pbem.games.peninsular.state import ROUTED, State, Unit

__all__ = ["apply"]

Data = Mapping[str, Any]


def apply(state: State, happened: Event) -> State:
    """Return the state after the event."""
    handler = _HANDLERS.get(happened.kind)
    if handler is not None:
        state = handler(state, happened.data)
    by = happened.data.get("by", "")
    if by.startswith("standing"):
        key = f"{happened.data['side']} {by} {happened.kind}"
        state = state.change(uses={**state.uses, key: state.uses.get(key, 0) + 1})
    return state


def _each(state: State, ids: Iterable[str], /, **what: Any) -> State:
    return state.with_units({i: state.units[i]._replace(**what) for i in ids if i in state.units})


def _half_begins(state: State, data: Data) -> State:
    ours = camp(data["side"])
    units: dict[str, Unit] = {}
    for ident, unit in state.units.items():
        new = unit._replace(start=unit.at, halted=False)
        if unit.camp == ours:
            new = new._replace(
                used=0, offroad=False, zoned=False, base=unit.formation, run=("", 0), assault="", charge=0, pursuits=0
            )
        units[ident] = new
    return state.change(units=units, shots=(), assaults=(), stopped=False)


def _ordered(state: State, data: Data) -> State:
    division = state.divisions[data["division"]]
    if data["now"]:
        division = division._replace(order=data["order"], pending="")
    else:
        division = division._replace(pending=data["order"] or "NONE")
    return state.change(divisions={**state.divisions, division.name: division})


def _moves(state: State, data: Data) -> State:
    way = [data["from"], *data["path"]]
    facing, last = data["facing"], 0
    for a, b in reversed(list(pairwise(way))):
        if direction(a, b) != facing:
            break
        last += 1
    changed = {}
    for ident in data["units"]:
        unit = state.units[ident]
        # One path in several orders is one path.
        run = last + (unit.run[1] if last == len(data["path"]) and unit.run[0] == facing else 0)
        changed[ident] = unit._replace(
            at=data["to"],
            used=unit.used + data["costs"][ident],
            offroad=unit.offroad or data["offroad"],
            zoned=data["zoned"],
            run=(facing, run),
            stirred=True,
        )
    return _turn_all(state.with_units(changed), data["to"], data["side"], facing)


def _turn_all(state: State, at: str, side: str, facing: str) -> State:
    """S3 Counters of one hex share the last arrival's facing."""
    return _each(state, [unit.id for unit in state.fighting(at, side)], facing=facing)


def _faces(state: State, data: Data) -> State:
    changed = {i: state.units[i]._replace(used=state.units[i].used + cost) for i, cost in data["costs"].items()}
    return _turn_all(state.with_units(changed), data["at"], data["side"], data["facing"])


def _forms(state: State, data: Data) -> State:
    unit = state.units[data["unit"]]
    return _each(state, [unit.id], formation=data["formation"], used=unit.used + data["cost"])


def _limbers(state: State, data: Data) -> State:
    unit = state.units[data["unit"]]
    return _each(state, [unit.id], limbered=data["limbered"], used=unit.used + data["cost"])


def _fire_ordered(state: State, data: Data) -> State:
    return state.change(shots=(*state.shots, (tuple(data["units"]), data["at"], data["line"])))


def _assault(state: State, data: Data) -> State:
    state = _each(state, data["units"], assault=data["at"], stirred=True)
    state = state.with_units({i: state.units[i]._replace(charge=n) for i, n in data["charges"].items()})
    if any(target == data["at"] for target, _ in state.assaults):
        return state
    return state.change(assaults=(*state.assaults, (data["at"], data["unit"])))


def _fires(state: State, data: Data) -> State:
    return _each(state, [data["unit"]], fired=True, stirred=True)


def _shaken(state: State, data: Data) -> State:
    return _each(state, [data["unit"]], state=data["state"], assault="", charge=0)


def _routed(state: State, data: Data) -> State:
    return _each(state, [data["unit"]], state=ROUTED, assault="", charge=0).change(shaken=True)


def _halted(state: State, data: Data) -> State:
    state = _each(state, data["units"], halted=True)
    return _each(state, [data["target"]], assault="", charge=0)


def _gives_way(state: State, data: Data) -> State:
    return _each(state, [data["unit"]], assault="", charge=0)


def _no_fire(state: State, data: Data) -> State:
    return _each(state, [data["unit"]], nofire=data["until"])


def _goes(state: State, data: Data) -> State:
    return _each(state, data["units"], at=data["to"], stirred=True)


def _falls(state: State, data: Data) -> State:
    """S3 Whoever retreats keeps his facing, and who has a front gives it to those he comes to."""
    unit = state.units[data["units"][0]]
    state = _goes(state, data)
    return _turn_all(state, data["to"], data["side"], unit.facing) if unit.faces else state


def _advances(state: State, data: Data) -> State:
    return _turn_all(_goes(state, data), data["to"], data["side"], data["facing"])


def _pursues(state: State, data: Data) -> State:
    ident = data["units"][0]
    state = _each(state, [ident], pursuits=state.units[ident].pursuits + 1)
    return _advances(state, data)


def _loses(state: State, data: Data) -> State:
    unit = state.units[data["unit"]]
    state = state.change(dead=_more(state.dead, unit.side, data["pf"]))
    if data["left"] > 0:
        return _each(state, [unit.id], pf=data["left"])
    return _gone(state, [unit.id], "eliminated")


def _more(table: Mapping[str, int], side: str, n: int) -> dict[str, int]:
    return {**table, side: table.get(side, 0) + n}


def _gone(state: State, ids: list[str], how: str) -> State:
    lost = [state.units[ident] for ident in ids if ident in state.units]
    units = {i: u for i, u in state.units.items() if i not in ids}
    toll = state.toll
    for unit in lost:
        if unit.is_combat:
            toll = _more(toll, unit.side, 1)
    shaken = state.shaken or any(unit.is_combat for unit in lost)
    return state.change(units=units, gone={**state.gone, **dict.fromkeys(ids, how)}, toll=toll, shaken=shaken)


def _eliminated(state: State, data: Data) -> State:
    dead = state.dead
    for unit in (state.units[ident] for ident in data["units"] if ident in state.units):
        # Friends of several sides may be lost together.
        dead = _more(dead, unit.side, unit.pf)
    return _gone(state.change(dead=dead), data["units"], "eliminated")


def _captured(state: State, data: Data) -> State:
    fallen = tuple(tuple(state.units[i]) for i in data["units"] if i in state.units)
    return _gone(state, data["units"], "captured").change(fallen=(*state.fallen, *fallen))


def _commander_lost(state: State, data: Data) -> State:
    fallen = tuple(state.units[data["unit"]])
    return _gone(state, [data["unit"]], "casualty").change(fallen=(*state.fallen, fallen))


def _shock(state: State, data: Data) -> State:
    return _each(state, [*data["attackers"], *data["defenders"]], stirred=True)


def _fatigue(state: State, data: Data) -> State:
    return _each(state, [data["unit"]], fatigue=data["level"])


def _rallies(state: State, data: Data) -> State:
    return _each(state, [data["unit"]], state=data["state"])


def _half_over(state: State, data: Data) -> State:
    units = {i: u._replace(assault="", charge=0, halted=False) for i, u in state.units.items()}
    return state.change(units=units, shots=(), assaults=())


def _falls_back(state: State, data: Data) -> State:
    division = state.divisions[data["division"]]._replace(order="HOLD", pending="")
    return state.change(divisions={**state.divisions, division.name: division})


def _replaced(state: State, data: Data) -> State:
    row = next(row for row in state.fallen if row[0] == data["unit"])
    old = Unit(*row)
    new = old._replace(at=data["at"], morale=0, shock=0, start="", stirred=False)
    gone = {ident: how for ident, how in state.gone.items() if ident != old.id}
    return state.with_units({new.id: new}).change(gone=gone, fallen=tuple(r for r in state.fallen if r[0] != old.id))


def _arrives(state: State, data: Data) -> State:
    counters = (read_unit(text)._replace(at=at) for text, at in data["counters"])
    return state.with_units({unit.id: unit for unit in counters})


def _turn_over(state: State, data: Data) -> State:
    units = {
        i: u._replace(fired=False, stirred=False, nofire=u.nofire if u.nofire > data["turn"] else 0)
        for i, u in state.units.items()
    }
    divisions = {
        name: d._replace(order="" if d.pending == "NONE" else d.pending, pending="") if d.pending else d
        for name, d in state.divisions.items()
    }
    return state.change(units=units, divisions=divisions, shaken=False, uses={})


def _over(state: State, data: Data) -> State:
    return state.change(phase=data["next"], turn=data["turn"])


def _stopped(state: State, data: Data) -> State:
    return state.change(stopped=True)


def _victory(state: State, data: Data) -> State:
    return state.change(points=dict(data["points"]))


def _game_over(state: State, data: Data) -> State:
    return state.change(winner=data["winner"], phase="over")


_HANDLERS: Mapping[str, Callable[[State, Data], State]] = {
    "half begins": _half_begins,
    "ordered": _ordered,
    "moves": _moves,
    "faces": _faces,
    "forms": _forms,
    "limbers": _limbers,
    "fire ordered": _fire_ordered,
    "assault": _assault,
    "charge": _assault,
    "fires": _fires,
    "shaken": _shaken,
    "routed": _routed,
    "halted": _halted,
    "gives way": _gives_way,
    "no fire": _no_fire,
    "retreats": _falls,
    "withdraws": _falls,
    "follows": _goes,
    "advances": _advances,
    "pursues": _pursues,
    "loses": _loses,
    "eliminated": _eliminated,
    "captured": _captured,
    "commander lost": _commander_lost,
    "shock": _shock,
    "fatigue": _fatigue,
    "rested": _fatigue,
    "rallies": _rallies,
    "half over": _half_over,
    "falls back": _falls_back,
    "replaced": _replaced,
    "arrives": _arrives,
    "turn over": _turn_over,
    "phase over": _over,
    "breaks off": _stopped,
    "victory": _victory,
    "game over": _game_over,
}
