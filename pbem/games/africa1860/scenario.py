"""Read positions from files: scenarios, checked against the map, and rule cases."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from pbem.engine.cases import BATTLE_CASE_KEYS, errata_date, lookup_holds
from pbem.engine.commanders.holding import seat_of_unit, with_command_seats, without_enemy_commands
from pbem.engine.couriers import LastKnownPositions, check_couriers, letter_delay, phase_number
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError, line_number_of
from pbem.engine.deployment import DEPLOYMENT_PHASE, drop_unused_zones
from pbem.engine.map.areas import AreaMap, Edge, Space
from pbem.engine.map.charts import Chart
from pbem.engine.parts import RuleCases
from pbem.engine.run.steps import World
from pbem.engine.scenarios import ANY_KEY, SCENARIO_SHAPE, ScenarioFile, Shape
from pbem.engine.terms import Orders
from pbem.games.africa1860.edition import (
    EDGE_KINDS,
    GAME_FILES,
    LAST_ERRATUM_DATE,
    SIDES,
    SPACE_FLAGS,
    TERRAINS,
    Edition,
    shipped_map,
)
from pbem.games.africa1860.sequence import end_world, phase_world
from pbem.games.africa1860.state import UNIT_FORM, State, Unit, read_unit
from pbem.games.africa1860.victory import points_by_side, sides_below_share
from pbem.games.africa1860.view import COURIERS, believed_position, seen_spaces, share_knowledge

# The head of a table or of an array of tables in TOML, its name perhaps quoted, to find the line of a fault.
_HEADING = re.compile(r"""\s*\[+\s*["']?(\w+)""")
_STACKING = GAME_FILES.charts({})["stacking"]
SPACE_LIMITS = (int(_STACKING.cell("limit", "combat")), int(_STACKING.cell("limit", "ART")))
"""C5 The most combat units and batteries of a side in a space, by the shipped chart."""


def read_edition(scenario: str, options: Mapping[str, str], overlay: Mapping[str, str] | None = None) -> Edition:
    """Return a shipped scenario's edition.

    Raise ValueError for an unknown name, SourceError for a broken file.

    C0 Given options replace those that the scenario sets.
    """
    file = ScenarioFile.read(GAME_FILES, scenario)
    file.check_shape(SHAPE_OF_BATTLES)
    area = file.map(shipped_map)
    check_scenario(file, area)
    chosen = {**file.data.get("options", {}), **options}
    check_couriers(chosen)
    edition = Edition(
        area, GAME_FILES.charts(overlay or {}), with_command_seats(drop_unused_zones(file.data, chosen), chosen), chosen
    )
    _check_winnable(edition, file)
    return edition


def _check_winnable(edition: Edition, file: ScenarioFile) -> None:
    """Raise SourceError for a side without a leader or an unreachable goal."""
    units = list(map(read_unit, (*file.data["units"], *_later(file))))
    file.check_leaders(SIDES, {unit.side for unit in units if unit.is_leader})
    stand = {(unit.code, unit.at) for unit in units if not unit.is_leader}
    for goal in file.data["victory"].get("spaces", {}):
        if not any(space in _ways(edition, goal, code) for code, space in stand):
            why = f"no unit can reach {goal}: change the map or take the goal out"
            raise file.at_key(("victory", "spaces"), goal, why)


SHAPE_OF_BATTLES: Shape = {
    **SCENARIO_SHAPE,
    "turns": object,
    "options": object,
    "victory": {
        **dict.fromkeys(("capture", "steps_per_point"), int),
        **dict.fromkeys(("spain_needs", "morocco_needs", "broken_loses", "destroyed_loses"), object),
        "spaces": {ANY_KEY: object},
        "owner": {ANY_KEY: object},
    },
}
"""The keys of a scenario's file and what they hold; `object` where a check of its own follows."""


def _ways(edition: Edition, goal: str, code: str) -> Mapping[str, int]:
    """Return the spaces from which a type of unit can come to a goal."""
    area, passes = edition.map, edition.passes
    return area.spread((goal,), lambda a, b: (area.edge(a, b).kind, code) in passes)


def check_scenario(file: ScenarioFile, area: AreaMap) -> None:
    """Raise SourceError, with the line, where a scenario contradicts map or rosters."""
    data = file.data
    file.check_keys("title", "turns", "units", "victory")
    if not isinstance(data["turns"], int) or data["turns"] < 1:
        raise file.fault("turns =", f"turns is a whole number from 1, not {data['turns']!r}")
    _options(data, file.text, file.name)
    units = file.units(_later(file), read_unit, area.spaces, f"space of the map {area.name}")
    _room([units[row.split()[2]] for row in data["units"]], file)
    file.check_parties(units, area.spaces, str)
    held = set(data.get("seats", {side: side for side in SIDES}).values())
    for side in sorted(held - set(SIDES)):
        raise file.fault("[seats]", f"unknown side {side!r}")
    for side in SIDES:
        if side not in held:
            raise file.fault("[seats]", f"nobody plays {side}")
    file.check_names(units, "unit")
    _victory(data["victory"], area, file)


def _options(data: Mapping[str, object], text: str, file: str) -> None:
    """C0 Return the options that a scenario sets."""
    options = data.get("options", {})
    if not isinstance(options, Mapping):
        raise SourceError(file, _set_at(text, "options"), f"[options] holds names and values, not {options!r}")
    for name, value in options.items():
        try:
            Edition.check_option(name, value)
        except ValueError as error:
            raise SourceError(file, _set_at(text, name), str(error)) from None


def _set_at(text: str, name: str) -> int:
    """Return the line that sets an option, else the first line of its table.

    Comments, and lines of other tables with that name, are skipped.
    """
    table, begins = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        if match := _HEADING.match(line):
            table = match[1]
        if table == "options" and re.match(rf"""\s*["']?{re.escape(name)}["']?\s*=""", line):
            return number
        if (table == "options" and not begins) or re.match(r"\s*options\s*[.=]", line):
            begins = number
    return begins


def _later(file: ScenarioFile) -> list[str]:
    """Return the rows of the units that come later."""
    turns = file.data["turns"]
    for row in file.data.get("reinforcements", ()):
        if set(row) != {"turn", "unit"} or row["turn"] not in range(1, turns + 1):
            near = row.get("unit", "") or "reinforcements"
            why = f'a reinforcement reads {{ turn = {turns}, unit = "{UNIT_FORM}" }}, with a turn from 1 to {turns}'
            raise file.fault(near, why)
    return [row["unit"] for row in file.data.get("reinforcements", ())]


def _room(units: Iterable[Unit], file: ScenarioFile) -> None:
    """C5 Check that at the start each space has units of one side, and room for them."""
    units_here: dict[str, list[Unit]] = {}
    for unit in units:
        others = units_here.setdefault(unit.at, [])
        near = f"{unit.side} {unit.code} {unit.id} "
        if any(other.side != unit.side for other in others):
            raise file.fault(near, f"{unit.id} stands with the enemy in {unit.at}")
        others.append(unit)
        if sum(u.is_combat for u in others) > SPACE_LIMITS[0] or sum(u.code == "ART" for u in others) > SPACE_LIMITS[1]:
            raise file.fault(near, f"{unit.id} finds no room in {unit.at}")


def _victory(rules: Mapping[str, Json], area: AreaMap, file: ScenarioFile) -> None:
    """Check the terms of victory: whole numbers, spaces of the map, sides."""
    for key in ("spain_needs", "morocco_needs"):
        if not isinstance(rules.get(key), int):
            raise file.fault(key if line_number_of(file.text, key) else "[victory]", f"{key} is a whole number")
    for key in ("broken_loses", "destroyed_loses"):
        if not isinstance(rules.get(key, False), bool):
            raise file.fault(key, f"{key} is true or false")
    for table in ("spaces", "owner"):
        for space, value in rules.get(table, {}).items():
            why = _against(table, space, value, area)
            if why:
                raise file.fault(f"[victory.{table}]", why)


def _against(table: str, space: str, value: Json, area: AreaMap) -> str:
    """Return the fault of a line on a space that counts; empty if it has none."""
    if space not in area.spaces:
        return f"{space!r} is no space of the map"
    if table == "spaces" and not isinstance(value, int):
        return f"{space} is worth a whole number of points"
    return f"{space} is owned by the unknown side {value!r}" if table == "owner" and value not in SIDES else ""


def starting_position(edition: Edition) -> State:
    """Return the position before the first phase."""
    units: dict[str, Unit] = {unit.id: unit for unit in map(read_unit, edition.scenario.get("units", ()))}
    state = State(edition, 0, DEPLOYMENT_PHASE, units) if edition.zones else State(edition, units=units)
    return share_knowledge(state) if edition.couriers else state


# Rule cases: positions and expectations as they are written there.

Table = Mapping[str, Json]
CASE_KEYS = BATTLE_CASE_KEYS | {"broken", "riding", "seats"}


def sketch_map(spaces: Sequence[str], edges: Sequence[str]) -> AreaMap:
    """Make a map from short lines: ``A clear rear:spain entry:spain``, ``A-B open``.

    Raise ValueError for unknown words.
    """
    made: list[Space] = []
    for line in spaces:
        ident, terrain, *flags = line.split()
        if terrain not in TERRAINS or not set(flags) <= set(SPACE_FLAGS):
            raise ValueError(f"a space reads ID TERRAIN FLAGS, got {line!r}")
        made.append(Space(ident, ident, ident, terrain, tuple(flags)))
    joined: list[Edge] = []
    for line in edges:
        pair, _, kind = line.partition(" ")
        a, dash, b = pair.partition("-")
        if not dash or kind not in EDGE_KINDS:
            raise ValueError(f"an edge reads A-B KIND, got {line!r}")
        joined.append(Edge(a, b, kind))
    return AreaMap("case", made, joined)


def case_state(file: Table, case: Table, charts: Mapping[str, Chart] | None = None) -> State:
    """Return the position of a case on its map, else the file's, else the drill map.

    C12 If sides may break, missing steps of units count as lost, and a side that has lost the share is broken,
    unless the case says otherwise by `broken`.
    """
    area = _area(file, case)
    scenario = {key: case[key] for key in ("units", "deployment") if "deployment" in case}
    scenario |= {key: case[key] for key in ("turns", "reinforcements", "victory") if key in case}
    both = {**file, **case}
    options = both.get("options", {})
    scenario |= {key: both[key] for key in ("commands", "seats") if key in both}
    check_couriers(options)
    errata = errata_date(both, LAST_ERRATUM_DATE)
    edition = Edition(area, charts or GAME_FILES.charts({}), with_command_seats(scenario, options), options, errata)
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
    phase = case["phase"] if case["phase"] in (*SIDES, DEPLOYMENT_PHASE) else "morocco"
    known = {unit.id: unit for unit in units}
    state = State(edition, case.get("turn", 1), phase, known, lost=tuple(lost), broken=_broken_sides(case))
    state = state.change(silent=tuple(case.get("silent", ())))
    state = _with_riders(share_knowledge(state), case) if edition.couriers else state
    return _with_losses(state, has_broken="broken" in case) if edition.breaking else state


def _with_riders(state: State, case: Table) -> State:
    """M6 Return the position with a case's reports that arrive as its phase ends.

    The reports were sent as the phase began.
    """
    known, now = state.known or LastKnownPositions(), phase_number(state, SIDES)
    ways = [(sender, reader) for sender, _, reader in map(str.split, case.get("riding", ()))]
    letters = tuple(COURIERS.letter(state, way, (now - 1, now)) for way in ways)
    return state.change(known=known._replace(letters=letters))


def _broken_sides(case: Table) -> Mapping[str, int]:
    """C12 Return a case's broken sides, each with the turn."""
    broken = {}
    for text in case.get("broken", ()):
        side, word, turn = text.split()
        if side not in SIDES or word != "turn":
            raise ValueError(f"a broken side reads SIDE turn N, got {text!r}")
        broken[side] = int(turn)
    return broken


def _with_losses(state: State, has_broken: bool) -> State:
    """C12 Return the position with steps that its units lost before.

    A side that is broken by these losses was broken before the case begins.
    """
    dead: dict[str, int] = {}
    for unit in state.units.values():
        if unit.steps < unit.full and not unit.is_leader:
            dead[unit.side] = dead.get(unit.side, 0) + unit.full - unit.steps
    worn = state.change(dead=dead)
    return (
        worn if has_broken else worn.change(broken=dict.fromkeys((side for side, _, _ in sides_below_share(worn)), 0))
    )


def _area(file: Table, case: Table) -> AreaMap:
    if "map" in case:
        return shipped_map(case["map"])
    if "map" in file:
        return sketch_map(file["map"]["spaces"], file["map"]["edges"])
    return shipped_map("drill")


def case_world(state: State, orders: Mapping[str, Orders], phase: str) -> World[State]:
    """Return a side's phase without the end phase, or the end phase alone."""
    if phase == "end":
        return end_world(state)
    if phase not in (*SIDES, DEPLOYMENT_PHASE):
        raise ValueError(f"a phase is spain, morocco, deployment or end, not {phase!r}")
    world = phase_world(state, orders)
    return world._replace(agenda=tuple(task for task in world.agenda if task.name not in _AFTER))


_AFTER = ("recovery", "reinforcements", "replacements", "markers off", "victory", "close phase", "deployment over")


def phrase_holds(phrase: str, state: State) -> bool:
    """Return whether a phrase about the position is true.

    Raise ValueError for an unknown phrase.
    """
    match phrase.split():
        case [seat, *words_left] if seat in state.edition.commands and state.known is not None:
            return _knows(state, seat, words_left)
        case [side, *words_left] if side in SIDES:
            held = _side_holds(state, side, words_left)
        case ["nobody", "wins"]:
            held = state.phase == "over" and state.winner not in SIDES
        case ["not", "over"]:
            held = state.phase != "over"
        case [ident, *words_left]:
            held = _unit_holds(state, ident, words_left)
        case _:
            held = None
    if held is None:
        raise ValueError(f"{phrase!r} is no expectation")
    return held


def _side_holds(state: State, side: str, words: Sequence[str]) -> bool | None:
    """Return whether a phrase about a side is true; None if it is no such phrase."""
    match words:
        case ["broken"]:
            return side in state.broken
        case ["broken", "turn", number]:
            return state.broken.get(side) == int(number)
        case ["not", "broken"]:
            return side not in state.broken
        case ["wins"]:
            return state.phase == "over" and state.winner == side
        case ["victory", number]:
            return points_by_side(state)[side] == int(number)
    return None


def _unit_holds(state: State, ident: str, words: Sequence[str]) -> bool | None:
    """Return whether a phrase about a unit is true; None if it is no such phrase."""
    match words:
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
            return seat_of_unit(state, ident) == seat
        case ["not", "soon", "under", seat]:
            return state.transfers.get(ident) != seat
        case ["soon", "under", seat]:
            return state.transfers.get(ident) == seat
    return None


def _knows(state: State, seat: str, words: Sequence[str]) -> bool:
    """M6 Return whether a phrase about a command's knowledge is true.

    Raise ValueError for an unknown phrase.
    """
    there = believed_position(state, seat)
    match words:
        case ["sees", space]:
            return space in seen_spaces(state, seat)
        case ["sees", "not", space]:
            return space not in seen_spaces(state, seat)
        case ["takes", ident, "at", space]:
            return ident in there.units and there.units[ident].at == space
        case ["takes", ident, "gone"]:
            return ident in there.gone and ident not in there.units
        case ["knows", "nothing", "of", ident]:
            return ident not in there.units and ident not in there.gone
        case ["writes", other, "phases", number]:
            return letter_delay(state, seat, other) == int(number)
    raise ValueError(f"{' '.join((seat, *words))!r} is no expectation")


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
    # C6 Fire throws coins; everything else is a die, even one of two sides (O7.1.6).
    coins=lambda what: what.startswith("fire "),
)
