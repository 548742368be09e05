"""Rule cases of this game: positions and expectations as they are written there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine.cases import KEYS_OF_BATTLES, dated, looked_up
from pbem.engine.commanders.holding import as_commanded, closed_to, command_of
from pbem.engine.couriers import Hearsay, check_couriers, delay, moment
from pbem.engine.data.canon import Json
from pbem.engine.deployment import DEPLOYMENT
from pbem.engine.map.areas import AreaMap, Edge, Space
from pbem.engine.map.charts import Chart
from pbem.engine.parts import Cased
from pbem.engine.run.steps import World
from pbem.engine.terms import Orders
from pbem.games.africa1860.edition import EDGES, ERRATA, FLAGS, SHELF, SIDES, TERRAINS, Edition, shipped_map
from pbem.games.africa1860.sequence import end_world, phase_world
from pbem.games.africa1860.state import State, read_unit
from pbem.games.africa1860.victory import beaten, count
from pbem.games.africa1860.view import COURIERS, as_known, councilled, sight

Table = Mapping[str, Json]
KEYS = KEYS_OF_BATTLES | {"broken", "riding", "seats"}


def sketch(spaces: Sequence[str], edges: Sequence[str]) -> AreaMap:
    """Make a map from short lines: ``A clear rear:spain entry:spain``, ``A-B open``; ValueError for unknown words."""
    made: list[Space] = []
    for line in spaces:
        ident, terrain, *flags = line.split()
        if terrain not in TERRAINS or not set(flags) <= set(FLAGS):
            raise ValueError(f"a space reads ID TERRAIN FLAGS, got {line!r}")
        made.append(Space(ident, ident, ident, terrain, tuple(flags)))
    joined: list[Edge] = []
    for line in edges:
        pair, _, kind = line.partition(" ")
        a, dash, b = pair.partition("-")
        if not dash or kind not in EDGES:
            raise ValueError(f"an edge reads A-B KIND, got {line!r}")
        joined.append(Edge(a, b, kind))
    return AreaMap("case", made, joined)


def case_state(file: Table, case: Table, charts: Mapping[str, Chart] | None = None) -> State:
    """Return the position of a case on its map, else the file's, else the drill map.

    C12 Where sides may break, the steps that units lack are lost: who lacks the share is broken, unless `broken` tells.
    """
    area = _area(file, case)
    scenario = {key: case[key] for key in ("units", "deployment") if "deployment" in case}
    scenario |= {key: case[key] for key in ("turns", "reinforcements", "victory") if key in case}
    both = {**file, **case}
    options = both.get("options", {})
    scenario |= {key: both[key] for key in ("commands", "seats") if key in both}
    check_couriers(options)
    errata = dated(both, ERRATA)
    edition = Edition(area, charts or SHELF.charts({}), as_commanded(scenario, options), options, errata)
    units = [read_unit(text) for text in case.get("units", ())]
    for unit in units:
        if unit.at not in area.spaces:
            raise ValueError(f"{unit.id} is in {unit.at!r}, which is no space of the map")
    lost = []
    for text in case.get("lost", ()):
        side, ident, word, turn = text.split()
        if side not in SIDES or word != "turn":
            raise ValueError(f"a lost leader reads SIDE ID turn N, got {text!r}")
        lost.append((side, ident, int(turn)))
    phase = case["phase"] if case["phase"] in (*SIDES, DEPLOYMENT) else "morocco"
    known = {unit.id: unit for unit in units}
    state = State(edition, case.get("turn", 1), phase, known, lost=tuple(lost), broken=_broken(case))
    state = state.change(silent=tuple(case.get("silent", ())))
    state = _with_riders(councilled(state), case) if edition.couriers else state
    return _worn(state, told="broken" in case) if edition.breaking else state


def _with_riders(state: State, case: Table) -> State:
    """M6 The position with the reports that a case says arrive as its phase ends, written as it begins."""
    known, now = state.known or Hearsay(), moment(state, SIDES)
    ways = [(sender, reader) for sender, _, reader in map(str.split, case.get("riding", ()))]
    letters = tuple(COURIERS.letter(state, way, (now - 1, now)) for way in ways)
    return state.change(known=known._replace(letters=letters))


def _broken(case: Table) -> Mapping[str, int]:
    """C12 The sides that a case says are broken, with the turn."""
    broken = {}
    for text in case.get("broken", ()):
        side, word, turn = text.split()
        if side not in SIDES or word != "turn":
            raise ValueError(f"a broken side reads SIDE turn N, got {text!r}")
        broken[side] = int(turn)
    return broken


def _worn(state: State, told: bool) -> State:
    """C12 The position with the steps that its units have lost before; who is broken by it is so since before."""
    dead: dict[str, int] = {}
    for unit in state.units.values():
        if unit.steps < unit.full and not unit.is_leader:
            dead[unit.side] = dead.get(unit.side, 0) + unit.full - unit.steps
    worn = state.change(dead=dead)
    return worn if told else worn.change(broken=dict.fromkeys((side for side, _, _ in beaten(worn)), 0))


def _area(file: Table, case: Table) -> AreaMap:
    if "map" in case:
        return shipped_map(case["map"])
    if "map" in file:
        return sketch(file["map"]["spaces"], file["map"]["edges"])
    return shipped_map("drill")


def case_world(state: State, orders: Mapping[str, Orders], phase: str) -> World[State]:
    """Return a side's phase without the end phase, or the end phase alone."""
    if phase == "end":
        return end_world(state)
    if phase not in (*SIDES, DEPLOYMENT):
        raise ValueError(f"a phase is spain, morocco, deployment or end, not {phase!r}")
    world = phase_world(state, orders)
    return world._replace(agenda=tuple(task for task in world.agenda if task.name not in _AFTER))


_AFTER = ("recovery", "reinforcements", "replacements", "markers off", "victory", "close phase", "deployment over")


def case_holds(phrase: str, state: State) -> bool:
    """Return whether a phrase about the position is true; ValueError for one that is not known."""
    match phrase.split():
        case [seat, *told] if seat in state.edition.commands and state.known is not None:
            return _known(state, seat, told)
        case [side, *told] if side in SIDES:
            held = _side_holds(state, side, told)
        case ["nobody", "wins"]:
            held = state.phase == "over" and state.winner not in SIDES
        case ["not", "over"]:
            held = state.phase != "over"
        case [ident, *told]:
            held = _unit_holds(state, ident, told)
        case _:
            held = None
    if held is None:
        raise ValueError(f"{phrase!r} is no expectation")
    return held


def _side_holds(state: State, side: str, told: Sequence[str]) -> bool | None:
    """Return whether what is told of a side is true; None if it is no phrase."""
    match told:
        case ["broken"]:
            return side in state.broken
        case ["broken", "turn", number]:
            return state.broken.get(side) == int(number)
        case ["not", "broken"]:
            return side not in state.broken
        case ["wins"]:
            return state.phase == "over" and state.winner == side
        case ["victory", number]:
            return count(state)[side] == int(number)
    return None


def _unit_holds(state: State, ident: str, told: Sequence[str]) -> bool | None:
    """Return whether what is told of a unit is true; None if it is no phrase."""
    match told:
        case ["at", space]:
            return ident in state.units and state.units[ident].at == space
        case ["steps", number]:
            return ident in state.units and state.units[ident].steps == int(number)
        case ["not", "demoralised" | "activated" | "fired" as mark]:
            return ident in state.units and not getattr(state.units[ident], mark)
        case ["demoralised" | "activated" | "fired" as mark]:
            return ident in state.units and bool(getattr(state.units[ident], mark))
        case ["gone"]:
            return state.gone.get(ident) in ("eliminated", "casualty")
        case ["captured"]:
            return state.gone.get(ident) == "captured"
        case ["under", seat]:
            return command_of(state, ident) == seat
        case ["not", "soon", "under", seat]:
            return state.transfers.get(ident) != seat
        case ["soon", "under", seat]:
            return state.transfers.get(ident) == seat
    return None


def _known(state: State, seat: str, told: Sequence[str]) -> bool:
    """M6 Return whether a phrase about what a command knows is true; ValueError for one that is not known."""
    there = as_known(state, seat)
    match told:
        case ["sees", space]:
            return space in sight(state, seat)
        case ["sees", "not", space]:
            return space not in sight(state, seat)
        case ["takes", ident, "at", space]:
            return ident in there.units and there.units[ident].at == space
        case ["takes", ident, "gone"]:
            return ident in there.gone and ident not in there.units
        case ["knows", "nothing", "of", ident]:
            return ident not in there.units and ident not in there.gone
        case ["writes", other, "phases", number]:
            return delay(state, seat, other) == int(number)
    raise ValueError(f"{' '.join((seat, *told))!r} is no expectation")


def case_lookup(phrase: str) -> bool:
    """Return whether ``CHART die ROW column COLUMN = CELL`` is true."""
    return looked_up(SHELF, phrase)


CASED = Cased(
    keys=KEYS,
    state=case_state,
    world=case_world,
    holds=case_holds,
    lookup=case_lookup,
    eyes=closed_to,
    # C6 Fire throws coins; everything else is a die, even one of two sides (O7.1.6).
    coins=lambda what: what.startswith("fire "),
)
