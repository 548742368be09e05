"""Scenarios: the position before the first half, checked against the map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbem.engine.commanders.holding import as_commanded
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import line_of
from pbem.engine.deployment import DEPLOYMENT, as_played
from pbem.engine.scenarios import ScenarioFile
from pbem.games.peninsular.arrivals import groups, reserves
from pbem.games.peninsular.cases import mustered
from pbem.games.peninsular.edition import SHELF, SIDES, Edition, camp, shipped_ground
from pbem.games.peninsular.hexmap import Ground
from pbem.games.peninsular.state import State
from pbem.games.peninsular.terrain import stands
from pbem.games.peninsular.units import Unit, read_division, read_unit


def read_edition(scenario: str, options: Mapping[str, str], overlay: Mapping[str, str] | None = None) -> Edition:
    """Return a shipped scenario's edition; ValueError for an unknown name, SourceError for a broken file."""
    file = ScenarioFile.read(SHELF, scenario)
    ground, charts = file.map(shipped_ground), SHELF.charts(overlay or {})
    check_scenario(Edition(ground, charts, file.data, options), file)
    return Edition(ground, charts, as_commanded(as_played(file.data, options), options), options)


def check_scenario(edition: Edition, file: ScenarioFile) -> None:
    """SourceError, with the line, for whatever in a scenario the map and the rosters do not bear out."""
    data, ground = file.data, edition.map
    file.check_keys("title", "turns", "sides", "units", "victory")
    later = [row for group in groups(data) for row in _group(group, file)]
    units = file.units(later, read_unit, ground.hexes, f"hex of the map {ground.name}")
    for row in data.get("divisions", ()):
        division = read_division(row, file.name, line_of(file.text, row))
        if division.commander and division.commander not in units:
            raise file.fault(row, f"{division.commander} is no counter of the scenario")
    file.check_parties(units, ground.hexes, camp)
    for side in (*data.get("seats", {}).values(), *data["sides"]):
        if side not in SIDES:
            raise file.fault("seats", f"unknown side {side!r}")
    file.check_names(units, "counter")
    _check_victory(data["victory"], ground, units, file)
    begin = [units[row.split()[2]] for row in data["units"]]
    for ident in sorted({unit.at for unit in begin}):
        here = [unit for unit in begin if unit.at == ident and unit.is_combat]
        if here and not stands(edition, ident, here):
            raise file.fault(f"at {ident}", f"{ident} is over-stacked")


def _check_victory(rules: Mapping[str, Json], ground: Ground, units: Mapping[str, Unit], file: ScenarioFile) -> None:
    """S14 What wins: hexes of the map, counters of the scenario."""
    for table, idents in (
        ("hexes", rules.get("hexes", {})),
        ("owner", rules.get("owner", {})),
        ("exit", rules.get("exit", {}).get("hexes", ())),
    ):
        for ident in idents:
            if ident not in ground:
                raise file.fault(f"[victory.{table}]", f"{ident!r} is no hex of the map")
    for ident in rules.get("colours", ()):
        if ident not in units:
            raise file.fault("colours", f"{ident} has colours and is no counter")


def _group(group: Mapping[str, Json], file: ScenarioFile) -> Sequence[str]:
    """S1 The counters of reinforcements; they have a name, a turn of the game after the first, and one side."""
    near, turns = f'name = "{group.get("name", "")}"', file.data["turns"]
    if not group.get("name") or not group.get("units") or group.get("turn") not in range(2, turns + 1):
        raise file.fault(near, f"reinforcements have a name, units, and a turn from 2 to {turns}")
    if group.get("needs", 1) not in range(1, 7):
        raise file.fault(near, f"needs is what a die shows, not {group['needs']!r}")
    rows: Sequence[str] = group["units"]
    return rows


def start(edition: Edition) -> State:
    """Return the position before the first half."""
    units = {unit.id: unit for unit in map(read_unit, edition.scenario.get("units", ()))}
    later = {unit.id: unit for unit in reserves(edition.scenario)}
    divisions = [read_division(row) for row in edition.scenario.get("divisions", ())]
    begins = (0, DEPLOYMENT) if edition.zones else (1, edition.phases[0])
    return State(edition, *begins, units, mustered(divisions, {**later, **units}))
