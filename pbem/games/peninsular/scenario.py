"""Scenarios: the position before the first half, checked against the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine.commanders.holding import as_commanded, check_commands
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.deployment import DEPLOYMENT, as_played, check_zones
from pbem.games.peninsular.arrivals import groups, reserves
from pbem.games.peninsular.cases import mustered
from pbem.games.peninsular.edition import SHELF, SIDES, Edition, camp, shipped_ground
from pbem.games.peninsular.hexmap import Ground
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import stands
from pbem.games.peninsular.units import Unit, read_division, read_unit


def read_edition(scenario: str, options: Mapping[str, str], overlay: Mapping[str, str] | None = None) -> Edition:
    """Return a shipped scenario's edition; ValueError for an unknown name, SourceError for a broken file."""
    if scenario not in SHELF.scenarios():
        raise ValueError(f"there is no scenario {scenario!r}; there are {', '.join(SHELF.scenarios())}")
    data, text = SHELF.scenario(scenario)
    file = f"{scenario}.toml"
    try:
        ground = shipped_ground(data["map"])
    except KeyError:
        raise SourceError(file, line_of(text, "map ="), f"unknown map {data.get('map', '')!r}") from None
    charts = SHELF.charts(overlay or {})
    check_scenario(Edition(ground, charts, data, options), text, file)
    return Edition(ground, charts, as_commanded(as_played(data, options), options), options)


def check_scenario(edition: Edition, text: str, file: str) -> None:
    """SourceError, with the line, for whatever in a scenario the map and the rosters do not bear out."""
    data, ground = edition.scenario, edition.map
    for key in ("title", "turns", "sides", "units", "victory"):
        if key not in data:
            raise SourceError(file, 0, f"{key} is missing")
    units = _units(data, ground, text, file)
    for row in data.get("divisions", ()):
        division = read_division(row, file, line_of(text, row))
        if division.commander and division.commander not in units:
            raise SourceError(file, line_of(text, row), f"{division.commander} is no counter of the scenario")
    stand = {row.split()[2]: (units[row.split()[2]].side, units[row.split()[2]].at) for row in data["units"]}
    check_zones(data, stand, ground.hexes, camp, (text, file))
    check_commands(data, {ident: unit.side for ident, unit in units.items()}, camp, (text, file))
    for side in (*data.get("seats", {}).values(), *data["sides"]):
        if side not in SIDES:
            raise SourceError(file, line_of(text, "seats"), f"unknown side {side!r}")
    for ident in data.get("names", {}):
        if ident not in units:
            raise SourceError(file, line_of(text, f"{ident}"), f"names {ident}, which is no counter")
    for table in ("hexes", "owner"):
        for ident in data["victory"].get(table, {}):
            if ident not in ground:
                raise SourceError(file, line_of(text, f"[victory.{table}]"), f"{ident!r} is no hex of the map")
    for ident in data["victory"].get("colours", ()):
        if ident not in units:
            raise SourceError(file, line_of(text, "colours"), f"{ident} has colours and is no counter")
    for ident in data["victory"].get("exit", {}).get("hexes", ()):
        if ident not in ground:
            raise SourceError(file, line_of(text, "[victory.exit]"), f"{ident!r} is no hex of the map")
    begin = [units[row.split()[2]] for row in data["units"]]
    for ident in sorted({unit.at for unit in begin}):
        here = [unit for unit in begin if unit.at == ident and unit.is_combat]
        if here and not stands(edition, ident, here):
            raise SourceError(file, line_of(text, f"at {ident}"), f"{ident} is over-stacked")


def _units(data: Mapping[str, Json], ground: Ground, text: str, file: str) -> dict[str, Unit]:
    units: dict[str, Unit] = {}
    later = [row for group in groups(data) for row in _group(data, group, text, file)]
    for row in (*data["units"], *later):
        line = line_of(text, row)
        unit = read_unit(row, file, line)
        if unit.at not in ground:
            raise SourceError(file, line, f"{unit.at!r} is no hex of the map {ground.name}")
        if unit.id in units:
            raise SourceError(file, line, f"{unit.id} stands twice")
        units[unit.id] = unit
    return units


def _group(data: Mapping[str, Json], group: Mapping[str, Json], text: str, file: str) -> Sequence[str]:
    """S1 The counters of reinforcements; they have a name, a turn of the game after the first, and one side."""
    line = line_of(text, f'name = "{group.get("name", "")}"')
    if not group.get("name") or not group.get("units") or group.get("turn") not in range(2, data["turns"] + 1):
        raise SourceError(file, line, f"reinforcements have a name, units, and a turn from 2 to {data['turns']}")
    if group.get("needs", 1) not in range(1, 7):
        raise SourceError(file, line, f"needs is what a die shows, not {group['needs']!r}")
    rows: Sequence[str] = group["units"]
    return rows


def start(edition: Edition) -> State:
    """Return the position before the first half."""
    units = {unit.id: unit for unit in map(read_unit, edition.scenario.get("units", ()))}
    later = {unit.id: unit for unit in reserves(edition.scenario)}
    divisions = [read_division(row) for row in edition.scenario.get("divisions", ())]
    begins = (0, DEPLOYMENT) if edition.zones else (1, edition.phases[0])
    return State(edition, *begins, units, mustered(divisions, {**later, **units}))
