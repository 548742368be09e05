"""Provide a war with a scenario's units, leg results and the next scenario."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pbem.engine.commanders.holding import COMMANDS_KEY
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import line_number_of
from pbem.engine.map.areas import AreaMap, Edge
from pbem.engine.scenarios import ScenarioFile
from pbem.engine.war.chain import DRAW, Changes, Outcome, WarParts
from pbem.engine.war.file import Leg
from pbem.engine.war.ledger import COMBAT, GUN, LEADER, TRAIN, LegResult, ListedUnit
from pbem.games.africa1860.edition import GAME_FILES, Edition
from pbem.games.africa1860.scenario import check_scenario, read_edition
from pbem.games.africa1860.state import State, Unit, enemy_of, read_unit, roster
from pbem.games.africa1860.victory import leads_of, needed_leads, points_by_side, winner_and_rule

_ROLES = {"ART": GUN, "CNV": TRAIN, "OF": LEADER}


FORMER_LEADS = {"brigades": {"spain": 0, "morocco": 5}, "castillejos": {"spain": 2, "morocco": 1}}
"""The least winning leads, as they were, of scenarios whose leads have changed, for wars begun by a version that did
not record them."""


def read_leg(scenario: str) -> Leg:
    """Return a scenario's part in a war.

    Raise ValueError if it has none, SourceError if it is broken.
    """
    edition = read_edition(scenario, {})
    listed = tuple(
        ListedUnit(
            unit.id, unit.side, unit.code, _ROLES.get(unit.code, COMBAT), unit.full, unit.at, turn, _factors(unit)
        )
        for turn, row in _rows(edition.scenario)
        for unit in (read_unit(row),)
    )
    edges = {f"{edge.a}-{edge.b}": edge.kind for edge in edition.map.edges}
    turns, needs = edition.scenario["turns"], leads_of(edition.scenario)
    return Leg(scenario, listed, tuple(edition.map.spaces), edges, turns, needs)


def _factors(unit: Unit) -> str:
    if unit.is_leader:
        return f"{unit.assault}/{unit.bonus}"
    return f"fire {unit.fire} assault {unit.assault} morale {unit.morale}"


def read_war_file(name: str) -> tuple[Mapping[str, Json], str]:
    """Return the file of a war as data and as text; raise KeyError if there is none.

    Raise SourceError if it is broken, or has a successor who is no leader.
    """
    data, text = GAME_FILES.war(name)
    successors = data.get("successors", {})
    for old, new in successors.items() if isinstance(successors, Mapping) else ():
        read_unit(f"spain OF {new} at anywhere", f"{name}.toml", line_number_of(text, f"{old} ="))
    return data, text


def _rows(scenario: Mapping[str, Json]) -> Iterator[tuple[int, str]]:
    yield from ((0, row) for row in scenario["units"])
    yield from ((row["turn"], row["unit"]) for row in scenario.get("reinforcements", ()))


def remaining_units(state: State) -> LegResult:
    """Return all remaining units: those on the map and those yet to enter."""
    steps = {unit.id: unit.steps for unit in roster(state).values() if unit.id not in state.gone}
    steps |= {unit.id: unit.steps for unit in state.units.values()}
    return LegResult(steps, frozenset(ident for ident, how in state.gone.items() if how == "captured"))


def leg_outcome(state: State) -> Outcome:
    """Return the winner of a finished leg, and how far his lead exceeds his need."""
    points, needs = points_by_side(state), needed_leads(state)
    winner, _ = winner_and_rule(state, points)
    if winner == DRAW:
        return Outcome(DRAW)
    # Not below 0: whoever destroys or breaks the enemy wins without that lead (K7.2, C12).
    return Outcome(winner, max(0, points[winner] - points[enemy_of(winner)] - needs[winner]))


def next_leg_edition(legs: Sequence[str], scenario: str, leg_changes: Changes, options: Mapping[str, str]) -> Edition:
    """Return the edition of the leg after a camp.

    It has its scenario, its map and the units changed by all `legs`.

    Raise ValueError if no game can be made of it.
    """
    plain = read_edition(scenario, options)
    scenarios = [GAME_FILES.scenario(leg)[0] for leg in legs]
    known = {read_unit(row).id: row for scenario in scenarios for _, row in _rows(scenario)}
    names = {ident: name for scenario in scenarios for ident, name in scenario.get("names", {}).items()}
    begin = [row for turn, old in _rows(plain.scenario) if not turn for row in _rows_in_place(old, leg_changes, known)]
    later = [
        {"turn": turn, "unit": row}
        for turn, old in _rows(plain.scenario)
        if turn
        for row in _rows_in_place(old, leg_changes, known)
    ]
    for unit, (space, turn) in leg_changes.brought.items():
        later.append({"turn": turn, "unit": _roster_line(read_unit(known[unit])._replace(at=space), leg_changes.steps)})
    sides = {unit.id: unit.side for unit in map(read_unit, (*begin, *(str(entry["unit"]) for entry in later)))}
    listed_sides = {*sides}
    own, listed = plain.scenario.get("names", {}), {row.split()[2] for _, row in _rows(plain.scenario)}
    needs = leg_changes.needs or FORMER_LEADS.get(scenario, {})
    scenario_now = {
        **plain.scenario,
        "victory": {**plain.scenario["victory"], **_leads_by_spain(needs), "destroyed_loses": True},
        "units": begin,
        "reinforcements": later,
        "names": {
            ident: name
            for ident, name in {**names, **own}.items()
            if ident in listed_sides & ({*own} | (listed_sides - listed))
        },
    }
    if commands := plain.scenario.get(COMMANDS_KEY):
        scenario_now[COMMANDS_KEY] = _commands(commands, leg_changes, sides)
    if zones := plain.scenario.get("deployment"):
        scenario_now["deployment"] = [*_zones(zones, begin)]
        scenario_now |= {"sees": leg_changes.sees} if leg_changes.sees else {}
    check_scenario(ScenarioFile(scenario_now, "", f"{scenario} after a camp"), plain.map)
    if leg_changes.turns:
        # Who would come after it has not come by then, as in a leg that was conceded.
        scenario_now["turns"] = leg_changes.turns
    return Edition(_build_map(plain.map, leg_changes), plain.charts, scenario_now, plain.options)


def _rows_in_place(row: str, leg_changes: Changes, known: Mapping[str, str]) -> Iterator[str]:
    """Yield the row that replaces a row of the scenario, if any does."""
    unit = read_unit(row)
    if unit.id in leg_changes.absent:
        return
    if unit.id in leg_changes.successors:
        yield f"{unit.side} {unit.code} {leg_changes.successors[unit.id]} at {unit.at}"
    elif unit.id in leg_changes.replaced:
        new = read_unit(known[leg_changes.replaced[unit.id]])._replace(at=unit.at)
        if new.id not in leg_changes.absent:
            yield _roster_line(new, leg_changes.steps)
    else:
        yield _roster_line(unit, leg_changes.steps) if unit.id in leg_changes.steps else row


def _commands(commands: Mapping[str, Json], leg_changes: Changes, sides: Mapping[str, str]) -> Mapping[str, Json]:
    """M1 Return a leg's commands with the units that come.

    Units that were brought are under the commander-in-chief of their side. If the commander-in-chief is not the one
    of the scenario, his command comes first.
    """
    named = {**{old: new.split()[0] for old, new in leg_changes.successors.items()}, **leg_changes.replaced}
    # By rank, so that commands keep their order below a new commander-in-chief.
    order = sorted(commands, key=lambda seat: (commands[seat]["side"], commands[seat]["rank"]))
    rows = {}
    for seat in order:
        units = [named.get(unit, unit) for unit in commands[seat]["units"]]
        leader = named.get(commands[seat]["leader"], commands[seat]["leader"])
        rows[seat] = {**commands[seat], "leader": leader, "units": [unit for unit in units if unit in sides]}
    for side in {row["side"] for row in rows.values()}:
        chief = leg_changes.chiefs.get(side, "")
        seats = sorted(
            (unit for unit in order if rows[unit]["side"] == side), key=lambda unit: rows[unit]["leader"] != chief
        )
        for rank, seat in enumerate(seats, start=1):
            rows[seat]["rank"] = rank
        rows[seats[0]]["units"] += [unit for unit in leg_changes.brought if sides[unit] == side]
    return rows


def _leads_by_spain(needs: Mapping[str, int]) -> Mapping[str, int]:
    """Return a scenario's winning leads by Spain's lead; empty if a war sets none."""
    return {"spain_needs": needs["spain"], "morocco_needs": -needs["morocco"]} if needs else {}


def _zones(zones: Sequence[Mapping[str, Json]], begin: Sequence[str]) -> Iterator[Mapping[str, Json]]:
    """K6 Yield the zones that contain units of the leg, with only those units."""
    stand = {unit.id: unit.at for unit in map(read_unit, begin)}
    for zone in zones:
        units = [unit for unit in zone.get("units", ()) if unit in stand]
        if units or ("units" not in zone and {*zone["zone"]} & {*stand.values()}):
            yield {**zone, **({"units": units} if units else {})}


def _roster_line(unit: Unit, steps: Mapping[str, int]) -> str:
    """Return a unit as a roster has it."""
    if unit.is_leader:
        return f"{unit.side} {unit.code} {unit.id} {_factors(unit)} at {unit.at}"
    now = steps.get(unit.id, unit.full)
    left_now = f"{now}/{unit.full}" if now != unit.full else f"{now}"
    before, morale = _factors(unit).split(" morale ")
    return f"{unit.side} {unit.code} {unit.id} {before} steps {left_now} morale {morale} at {unit.at}"


def _build_map(plain: AreaMap, leg_changes: Changes) -> AreaMap:
    """Return the map with the works of the camp: entrenched spaces, paths as roads."""
    if not leg_changes.trenches and not leg_changes.roads:
        return plain
    spaces = (
        space._replace(terrain="fortified") if space.id in leg_changes.trenches else space
        for space in plain.spaces.values()
    )
    edges = (Edge(e.a, e.b, "road") if f"{e.a}-{e.b}" in leg_changes.roads else e for e in plain.edges)
    return AreaMap(plain.name, spaces, edges)


WAR_PARTS = WarParts(
    war=read_war_file, leg=read_leg, left=remaining_units, outcome=leg_outcome, next_leg=next_leg_edition
)
