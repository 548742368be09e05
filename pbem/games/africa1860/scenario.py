"""Scenarios: the position before the first phase, checked against the map."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.core.areas import AreaMap
from pbem.core.sources import SourceError
from pbem.games.africa1860.edition import Edition, shipped_charts, shipped_map, shipped_scenario, shipped_scenarios
from pbem.games.africa1860.roster import read_unit
from pbem.games.africa1860.state import SIDES, State, Unit

__all__ = ["check_scenario", "read_edition", "start"]


def read_edition(name: str, options: Mapping[str, str], overlay: Mapping[str, str] | None = None) -> Edition:
    """Return a shipped scenario's edition; ValueError for an unknown name, SourceError for a broken file."""
    if name not in shipped_scenarios():
        raise ValueError(f"there is no scenario {name!r}; there are {', '.join(shipped_scenarios())}")
    data, text = shipped_scenario(name)
    file = f"{name}.toml"
    area = _map(data, text, file)
    check_scenario(data, area, text, file)
    return Edition(area, shipped_charts(overlay or {}), data, options)


def _map(data: Mapping[str, Any], text: str, file: str) -> AreaMap:
    try:
        return shipped_map(data["map"])
    except KeyError:
        raise SourceError(file, _line(text, "map ="), f"unknown map {data.get('map', '')!r}") from None


def check_scenario(data: Mapping[str, Any], area: AreaMap, text: str, file: str) -> None:
    """SourceError, with the line, for whatever in a scenario the map and the rosters do not bear out."""
    for key in ("title", "turns", "units", "victory"):
        if key not in data:
            raise SourceError(file, 0, f"{key} is missing")
    seen: dict[str, str] = {}
    rows = [*data["units"], *(row.get("unit", "") for row in data.get("reinforcements", ()))]
    for row in rows:
        line = _line(text, row)
        unit = read_unit(row, file, line)
        if unit.at not in area.spaces:
            raise SourceError(file, line, f"{unit.at!r} is no space of the map {area.name}")
        if unit.id in seen:
            raise SourceError(file, line, f"{unit.id} stands twice")
        seen[unit.id] = unit.side
    for side in data.get("seats", {}).values():
        if side not in SIDES:
            raise SourceError(file, _line(text, "[seats]"), f"unknown side {side!r}")
    for ident in data.get("names", {}):
        if ident not in seen:
            raise SourceError(file, _line(text, f"{ident} ="), f"names {ident}, which is no unit")
    for table in ("spaces", "owner"):
        for space in data["victory"].get(table, {}):
            if space not in area.spaces:
                raise SourceError(file, _line(text, f"[victory.{table}]"), f"{space!r} is no space of the map")


def _line(text: str, part: str) -> int:
    """Return the number of the first line that holds `part`, 0 if none does."""
    return next((number for number, line in enumerate(text.split("\n"), start=1) if part in line), 0)


def start(edition: Edition) -> State:
    """Return the position before the first phase."""
    units: dict[str, Unit] = {unit.id: unit for unit in map(read_unit, edition.scenario.get("units", ()))}
    return State(edition, units=units)
