"""Read positions from scenarios and rule cases, and check their invariants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pbem.engine.cases import BATTLE_CASE_KEYS, errata_date, lookup_holds
from pbem.engine.commanders.holding import seat_of_unit, with_command_seats, without_enemy_commands
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import line_number_of
from pbem.engine.deployment import DEPLOYMENT_PHASE, drop_unused_zones
from pbem.engine.map.charts import Chart
from pbem.engine.map.hexes import neighbours
from pbem.engine.parts import RuleCases
from pbem.engine.run.steps import World
from pbem.engine.scenarios import ANY_KEY, SCENARIO_SHAPE, ScenarioFile, Shape
from pbem.engine.terms import Orders
from pbem.games.peninsular.edition import GAME_FILES, LAST_ERRATUM_DATE, SIDES, Edition, alliance_of, shipped_ground
from pbem.games.peninsular.hexmap import TerrainMap, make_open_ground, read_ground
from pbem.games.peninsular.sequence import END_OF_TURN_TASKS, end_world, phase_world
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import Step, may_stand, step_cost
from pbem.games.peninsular.units import (
    Division,
    Unit,
    counters_by_alliance,
    later_units,
    read_division,
    read_unit,
    reinforcement_groups,
)
from pbem.games.peninsular.victory import points_by_side


def read_edition(scenario: str, options: Mapping[str, str], overlay: Mapping[str, str] | None = None) -> Edition:
    """Return a shipped scenario's edition.

    Raise ValueError for an unknown name, SourceError for a broken file.
    """
    file = ScenarioFile.read(GAME_FILES, scenario)
    file.check_shape(SHAPE_OF_BATTLES)
    ground, charts = file.map(shipped_ground), GAME_FILES.charts(overlay or {})
    plain = Edition(ground, charts, file.data, options)
    check_scenario(plain, file)
    _check_winnable(plain, file)
    return Edition(ground, charts, with_command_seats(drop_unused_zones(file.data, options), options), options)


SHAPE_OF_BATTLES: Shape = {
    **SCENARIO_SHAPE,
    "sides": [str],
    "divisions": [str],
    "chief": {ANY_KEY: str},
    "edge": {ANY_KEY: str},
    "victory": {
        **dict.fromkeys(("first_needs", "second_needs", "eliminated", "routed", "pf_per_point"), int),
        **dict.fromkeys(("colour", "battery"), int),
        "colours": [str],
        "exit": {"side": str, "hexes": [str], "battalions": int, "points": int},
        "hexes": {ANY_KEY: int},
        "owner": {ANY_KEY: str},
    },
}
"""The keys of a scenario's file and what they hold."""


def check_scenario(edition: Edition, file: ScenarioFile) -> None:
    """Check a scenario by map and rosters; raise SourceError with the line."""
    data, ground = file.data, edition.map
    file.check_keys("title", "turns", "sides", "units", "victory")
    later = [row for group in reinforcement_groups(data) for row in _check_group(group, file)]
    units = file.units(later, read_unit, ground.hexes, f"hex of the map {ground.name}")
    for row in data.get("divisions", ()):
        division = read_division(row, file.name, line_number_of(file.text, row))
        if division.commander and division.commander not in units:
            raise file.fault(row, f"{division.commander} is no counter of the scenario")
    file.check_parties(units, ground.hexes, alliance_of)
    for side in (*data.get("seats", {}).values(), *data["sides"]):
        if side not in SIDES:
            raise file.fault("seats", f"unknown side {side!r}")
    file.check_names(units, "counter")
    _check_victory(data["victory"], ground, units, file)
    begin = [units[row.split()[2]] for row in data["units"]]
    for ident in sorted({unit.at for unit in begin}):
        units_here = [unit for unit in begin if unit.at == ident and unit.is_combat]
        if units_here and not may_stand(edition, ident, units_here):
            raise file.fault(f"at {ident}", f"{ident} is over-stacked")


def _check_winnable(edition: Edition, file: ScenarioFile) -> None:
    """Raise SourceError for a side without a leader, terms, or reachable goals."""
    units = list(map(read_unit, file.data["units"]))
    both = units + list(later_units(file.data))
    sides = file.data["sides"]
    if len(sides) != 2 or alliance_of(sides[0]) == alliance_of(sides[1]):
        raise file.fault("sides =", f"sides are the French and one other, not {sides!r}")
    leading = {alliance_of(unit.side) for unit in both if unit.kind == "cmd"}
    file.check_leaders(sides, {side for side in sides if alliance_of(side) in leading})
    for side, chief in file.data.get("chief", {}).items():
        if chief not in {
            unit.id for unit in both if unit.kind == "cmd" and alliance_of(unit.side) == alliance_of(side)
        }:
            raise file.at_key(("chief",), side, f"{chief} is no commander (cmd) of that side")
    for key in ("first_needs", "second_needs"):
        if key not in file.data["victory"]:
            raise file.fault("[victory]", f"{key} is missing: the lead with which that side wins")
    reached = _reachable_hexes(edition, [unit for unit in both if unit.is_combat])
    for ident in file.data["victory"].get("hexes", {}):
        if ident not in reached:
            why = f"no counter can reach {ident}: change the map or take the hex out"
            raise file.at_key(("victory", "hexes"), ident, why)


def _reachable_hexes(edition: Edition, units: Sequence[Unit]) -> set[str]:
    """Return the hexes that units could reach in any number of turns.

    Each arm moves by its own rules.
    """
    reached = {unit.at for unit in units}
    for arm in {unit.kind: unit for unit in units}.values():
        seen = {unit.at for unit in units if unit.kind == arm.kind}
        left = sorted(seen)
        while left:
            hex_id = left.pop()
            for near in neighbours(hex_id):
                if near in edition.map and near not in seen and step_cost(edition, arm, Step(hex_id, near)) is not None:
                    seen.add(near)
                    left.append(near)
        reached |= seen
    return reached


def _check_victory(
    rules: Mapping[str, Json], ground: TerrainMap, units: Mapping[str, Unit], file: ScenarioFile
) -> None:
    """Check the victory terms: hexes of the map, counters of the scenario (S14)."""
    for table, idents in (
        ("hexes", rules.get("hexes", {})),
        ("owner", rules.get("owner", {})),
        ("exit", rules.get("exit", {}).get("hexes", ())),
    ):
        for ident in idents:
            if ident not in ground:
                key = "hexes" if table == "exit" else ident
                raise file.at_key(("victory", table), key, f"{ident!r} is no hex of the map")
    for ident in rules.get("colours", ()):
        if ident not in units:
            raise file.fault("colours", f"{ident} has colours and is no counter")


def _check_group(group: Mapping[str, Json], file: ScenarioFile) -> Sequence[str]:
    """Check reinforcements: name, a turn after the first, and one side (S1)."""
    near, turns = f'name = "{group.get("name", "")}"', file.data["turns"]
    if not group.get("name") or not group.get("units") or group.get("turn") not in range(2, turns + 1):
        raise file.fault(near, f"reinforcements have a name, units, and a turn from 2 to {turns}")
    if group.get("needs", 1) not in range(1, 7):
        raise file.fault(near, f"needs is what a die shows, not {group['needs']!r}")
    rows: Sequence[str] = group["units"]
    return rows


def starting_position(edition: Edition) -> State:
    """Return the position before the first half-turn, or before deployment."""
    units = {unit.id: unit for unit in map(read_unit, edition.scenario.get("units", ()))}
    later = {unit.id: unit for unit in later_units(edition.scenario)}
    divisions = [read_division(row) for row in edition.scenario.get("divisions", ())]
    begins = (0, DEPLOYMENT_PHASE) if edition.zones else (1, edition.phases[0])
    return State(edition, *begins, units, full_divisions(divisions, {**later, **units}))


Table = Mapping[str, Json]
CASE_KEYS = BATTLE_CASE_KEYS | {"terrain", "edge", "divisions", "chief"}
_TUNED = ("victory", "turns", "chief", "edge", "reinforcements", "deployment")


def case_state(file: Table, case: Table, charts: Mapping[str, Chart] | None = None) -> State:
    """Return a case's position on its own map, the file's, or open ground."""
    units = {unit.id: unit for unit in map(read_unit, case.get("units", ()))}
    tuned = {key: value for key, value in {**file, **case}.items() if key in _TUNED}
    scenario = {"units": [*case.get("units", ())]} | tuned | _sides(case.get("phase", ""), units, case)
    both = {**file, **case}
    options = both.get("options", {})
    if "commands" in both:
        scenario = {**with_command_seats({**scenario, "commands": both["commands"]}, options)}
    edition = Edition(
        _ground(file, case), charts or GAME_FILES.charts({}), scenario, options, errata_date(both, LAST_ERRATUM_DATE)
    )
    for unit in units.values():
        if unit.at not in edition.map:
            raise ValueError(f"{unit.id} is in {unit.at!r}, which is no hex of the map")
    divisions = [read_division(text) for text in case.get("divisions", ())]
    phase = case.get("phase", "")
    if phase not in (*SIDES, DEPLOYMENT_PHASE, "end"):
        raise ValueError(f"a phase is one of {', '.join(SIDES)}, deployment or end, not {phase!r}")
    state = State(edition, case.get("turn", 1), edition.phases[1] if phase == "end" else phase, units)
    state = state.change(silent=tuple(case.get("silent", ())))
    state = state.change(fallen=tuple(tuple(_read_lost_commander(text)) for text in case.get("lost", ())))
    # A case of the end of a turn is a turn in which somebody was routed or eliminated: else nothing is tested (S11).
    later = {unit.id: unit for unit in later_units(tuned)}
    return state.change(divisions=full_divisions(divisions, {**later, **units}), shaken=phase == "end")


def _read_lost_commander(text: str) -> Unit:
    """Read an earlier lost commander: ``SIDE ID turn N``."""
    side, ident, word, number = text.split()
    if side not in SIDES or word != "turn" or not number.isdecimal():
        raise ValueError(f"a lost commander reads SIDE ID turn N, got {text!r}")
    return Unit(ident, side, "cmd", "0101")


def _ground(file: Table, case: Table) -> TerrainMap:
    text = case.get("map", file.get("map", ""))
    terrain = case.get("terrain", ())
    if not text:
        return make_open_ground(terrain)
    if terrain:
        raise ValueError("a case has a map or terrain, not both")
    return read_ground(text.lstrip("\n"), "map") if "\n" in text else shipped_ground(text)


def _sides(phase: str, units: Mapping[str, Unit], case: Table) -> dict[str, Any]:
    """Return the seats of a case, and each half's side."""
    named_sides = {unit.side for unit in units.values()} | {*case.get("orders", {}), *case.get("standing", {}), phase}
    present = [side for side in SIDES if side in named_sides]
    allied = next((side for side in (phase, *present) if side in SIDES and alliance_of(side) == "allied"), "british")
    first = ["french", allied] if phase == "french" else [allied, "french"]
    seats = {side: side for side in {*present, allied, "french"}}
    return {"sides": first, "seats": seats}


def full_divisions(divisions: Sequence[Division], units: Mapping[str, Unit]) -> dict[str, Division]:
    """Return divisions by name with initial PF; unlisted ones have morale 4."""
    by_name = {division.name: division for division in divisions}
    for _, unit in sorted(units.items()):
        if unit.division and unit.division not in by_name:
            chief = unit.division if unit.division in units and units[unit.division].kind == "cmd" else ""
            by_name[unit.division] = Division(unit.division, unit.side, commander=chief)
    full = {
        name: sum(unit.full for unit in units.values() if unit.division == name and unit.is_combat) for name in by_name
    }
    return {name: division._replace(full=full[name]) for name, division in sorted(by_name.items())}


def case_world(state: State, orders: Mapping[str, Orders], phase: str) -> World[State]:
    """Return a side's half without the end of the turn, or that end alone."""
    if phase == "end":
        return end_world(state)
    world = phase_world(state, orders)
    tasks = [
        task
        for task in world.agenda
        if task.name == "lone" or task.name not in (*END_OF_TURN_TASKS, "close phase", "deployment over")
    ]
    return world._replace(agenda=tuple(tasks))


def phrase_holds(phrase: str, state: State) -> bool:
    """Return whether a phrase on the position is true; raise ValueError if unknown."""
    match phrase.split():
        case [side, "victory", number] if side in SIDES:
            points = points_by_side(state)
            return next(n for name, n in points.items() if alliance_of(name) == alliance_of(side)) == int(number)
        case [name, "order", order]:
            division = state.divisions.get(name)
            return division is not None and (division.order or "none").lower() == order.lower()
        case [ident, *words_left]:
            return _unit_holds(phrase, state, ident, words_left)
    raise ValueError(f"{phrase!r} is no expectation")


def _unit_holds(phrase: str, state: State, ident: str, words_left: Sequence[str]) -> bool:
    match words_left:
        case ["under", seat]:
            return seat_of_unit(state, ident) == seat
        case ["soon", "under", seat]:
            return state.transfers.get(ident) == seat
        case ["not", "here"]:
            return ident not in state.units
        case ["gone"]:
            return state.gone.get(ident) in ("eliminated", "casualty")
        case ["captured"]:
            return state.gone.get(ident) == "captured"
        case ["not", mark]:
            return ident in state.units and not _has_mark(state.units[ident], mark, phrase)
        case [key, value]:
            return ident in state.units and _has(state.units[ident], key, value, phrase)
        case [mark]:
            return ident in state.units and _has_mark(state.units[ident], mark, phrase)
    raise ValueError(f"{phrase!r} is no expectation")


def _has_mark(unit: Unit, mark: str, phrase: str) -> bool:
    if mark == "disordered":
        return unit.state == "D"
    if mark == "routed":
        return unit.state == "DE"
    if mark not in ("fired", "limbered"):
        raise ValueError(f"{phrase!r} is no expectation")
    return bool(getattr(unit, mark))


def _has(unit: Unit, key: str, value: str, phrase: str) -> bool:
    if key not in ("at", "pf", "state", "formation", "facing", "fatigue", "morale", "shock"):
        raise ValueError(f"{phrase!r} is no expectation")
    if key == "formation" and value == "column":
        value = "formed"
    return str(getattr(unit, key)) == value


def case_lookup(phrase: str) -> bool:
    """Return whether ``CHART die ROW column COLUMN = CELL`` is true."""
    return lookup_holds(GAME_FILES, phrase)


RULE_CASES = RuleCases(
    keys=CASE_KEYS,
    state=case_state,
    world=case_world,
    holds=phrase_holds,
    lookup=case_lookup,
    eyes=without_enemy_commands,
)


def _wrong_unit(state: State, ident: str, unit: Unit) -> Iterator[str]:
    if ident != unit.id or ident in state.gone:
        yield f"{ident} is misfiled"
    if unit.at not in state.edition.map:
        yield f"{ident} is in {unit.at!r}, which is no hex of the map"
    if not 0 < unit.pf <= unit.full:
        yield f"{ident} has {unit.pf} of {unit.full} PF"
    if not 0 <= unit.fatigue <= 3:
        yield f"{ident} has {unit.fatigue} levels of fatigue"


def find_faults(state: State) -> tuple[str, ...]:
    """Return what is wrong with the position, in plain words.

    T3 is not checked in the middle of a half: a square formed against a charge, or a retreat, may overfill a hex
    for a while; so may counters during deployment (K6).
    """
    wrong = [why for ident, unit in state.units.items() for why in _wrong_unit(state, ident, unit)]
    if state.camps != counters_by_alliance(state.units):
        wrong.append("what is known of who stands where, and of the zones, is not so")
    for hex_id in sorted({unit.at for unit in state.units.values()}):
        units_here = state.at(hex_id)
        if len({unit.camp for unit in units_here}) > 1:
            wrong.append(f"both sides stand in {hex_id}")
        for ours in sorted({unit.camp for unit in units_here}):
            own_units = [unit for unit in units_here if unit.camp == ours and unit.is_combat]
            if own_units and state.phase != DEPLOYMENT_PHASE and not may_stand(state.edition, hex_id, own_units):
                wrong.append(f"{ours} counters are overstacked in {hex_id}")
    return tuple(wrong)
