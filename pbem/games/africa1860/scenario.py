"""Scenarios: the position before the first phase, checked against the map."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pbem.engine.commanders.holding import as_commanded, check_commands
from pbem.engine.couriers import check_couriers
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.deployment import DEPLOYMENT, as_played, check_zones
from pbem.engine.map.areas import AreaMap
from pbem.games.africa1860.edition import SHELF, SIDES, Edition, shipped_map
from pbem.games.africa1860.state import State
from pbem.games.africa1860.units import Unit, read_unit
from pbem.games.africa1860.view import councilled

_HEADING = re.compile(r"""\s*\[+\s*["']?(\w+)""")
_STACKING = SHELF.charts({})["stacking"]
ROOM = (int(_STACKING.cell("limit", "combat")), int(_STACKING.cell("limit", "ART")))
"""C5 The most combat units and batteries of a side in a space, by the shipped chart."""


def read_edition(scenario: str, options: Mapping[str, str], overlay: Mapping[str, str] | None = None) -> Edition:
    """Return a shipped scenario's edition; ValueError for an unknown name, SourceError for a broken file.

    C0 The options given stand above those that the scenario sets.
    """
    if scenario not in SHELF.scenarios():
        raise ValueError(f"there is no scenario {scenario!r}; there are {', '.join(SHELF.scenarios())}")
    data, text = SHELF.scenario(scenario)
    file = f"{scenario}.toml"
    area = _map(data, text, file)
    check_scenario(data, area, text, file)
    chosen = {**data.get("options", {}), **options}
    check_couriers(chosen)
    return Edition(area, SHELF.charts(overlay or {}), as_commanded(as_played(data, chosen), chosen), chosen)


def _map(data: Mapping[str, Json], text: str, file: str) -> AreaMap:
    try:
        return shipped_map(data["map"])
    except KeyError:
        raise SourceError(file, line_of(text, "map ="), f"unknown map {data.get('map', '')!r}") from None


def check_scenario(data: Mapping[str, Json], area: AreaMap, text: str, file: str) -> None:
    """SourceError, with the line, for whatever in a scenario the map and the rosters do not bear out."""
    for key in ("title", "turns", "units", "victory"):
        if key not in data:
            raise SourceError(file, 0, f"{key} is missing")
    if not isinstance(data["turns"], int) or data["turns"] < 1:
        raise SourceError(file, line_of(text, "turns ="), f"turns is a whole number from 1, not {data['turns']!r}")
    _options(data, text, file)
    units = _units(data, area, text, file)
    _room([units[row.split()[2]] for row in data["units"]], text, file)
    stand = {row.split()[2]: (units[row.split()[2]].side, units[row.split()[2]].at) for row in data["units"]}
    check_zones(data, stand, area.spaces, str, (text, file))
    check_commands(data, {ident: unit.side for ident, unit in units.items()}, str, (text, file))
    held = set(data.get("seats", {side: side for side in SIDES}).values())
    for side in sorted(held - set(SIDES)):
        raise SourceError(file, line_of(text, "[seats]"), f"unknown side {side!r}")
    for side in SIDES:
        if side not in held:
            raise SourceError(file, line_of(text, "[seats]"), f"nobody plays {side}")
    for ident in data.get("names", {}):
        if ident not in units:
            raise SourceError(file, line_of(text, f"{ident} ="), f"names {ident}, which is no unit")
    _victory(data["victory"], area, text, file)


def _options(data: Mapping[str, object], text: str, file: str) -> None:
    """C0 Options of an edition that a scenario sets."""
    options = data.get("options", {})
    if not isinstance(options, Mapping):
        raise SourceError(file, _set_at(text, "options"), f"[options] holds names and values, not {options!r}")
    for name, value in options.items():
        try:
            Edition.check_option(name, value)
        except ValueError as error:
            raise SourceError(file, _set_at(text, name), str(error)) from None


def _set_at(text: str, name: str) -> int:
    """Return the line in the table of options that sets a name, else the one that begins that table.

    Of comments, and of what other tables set under that name, nothing is taken.
    """
    table, begins = "", 0
    for number, line in enumerate(text.split("\n"), start=1):
        if found := _HEADING.match(line):
            table = found[1]
        if table == "options" and re.match(rf"""\s*["']?{re.escape(name)}["']?\s*=""", line):
            return number
        if (table == "options" and not begins) or re.match(r"\s*options\s*[.=]", line):
            begins = number
    return begins


def _units(data: Mapping[str, Json], area: AreaMap, text: str, file: str) -> dict[str, Unit]:
    """Return the units of a scenario by id, those that come later among them."""
    units: dict[str, Unit] = {}
    later = data.get("reinforcements", ())
    for row in later:
        line = line_of(text, row.get("unit", "") or "reinforcements")
        if set(row) != {"turn", "unit"} or row["turn"] not in range(1, data["turns"] + 1):
            raise SourceError(file, line, f"a reinforcement has a turn from 1 to {data['turns']} and a unit")
    for row in (*data["units"], *(row["unit"] for row in later)):
        line = line_of(text, row)
        unit = read_unit(row, file, line)
        if unit.at not in area.spaces:
            raise SourceError(file, line, f"{unit.at!r} is no space of the map {area.name}")
        if unit.id in units:
            raise SourceError(file, line, f"{unit.id} stands twice")
        units[unit.id] = unit
    return units


def _room(units: Iterable[Unit], text: str, file: str) -> None:
    """C5 At the start every space is one side's and has room for its units."""
    here: dict[str, list[Unit]] = {}
    for unit in units:
        others = here.setdefault(unit.at, [])
        line = line_of(text, f"{unit.side} {unit.code} {unit.id} ")
        if any(other.side != unit.side for other in others):
            raise SourceError(file, line, f"{unit.id} stands with the enemy in {unit.at}")
        others.append(unit)
        full = sum(u.is_combat for u in others) > ROOM[0] or sum(u.code == "ART" for u in others) > ROOM[1]
        if full:
            raise SourceError(file, line, f"{unit.id} finds no room in {unit.at}")


def _victory(rules: Mapping[str, Json], area: AreaMap, text: str, file: str) -> None:
    """What wins: whole numbers, spaces of the map, sides that own them."""
    for key in ("spain_needs", "morocco_needs"):
        if not isinstance(rules.get(key), int):
            raise SourceError(file, line_of(text, key) or line_of(text, "[victory]"), f"{key} is a whole number")
    for key in ("broken_loses", "destroyed_loses"):
        if not isinstance(rules.get(key, False), bool):
            raise SourceError(file, line_of(text, key), f"{key} is true or false")
    for table in ("spaces", "owner"):
        line = line_of(text, f"[victory.{table}]")
        for space, value in rules.get(table, {}).items():
            if space not in area.spaces:
                raise SourceError(file, line, f"{space!r} is no space of the map")
            if table == "spaces" and not isinstance(value, int):
                raise SourceError(file, line, f"{space} is worth a whole number of points")
            if table == "owner" and value not in SIDES:
                raise SourceError(file, line, f"{space} is owned by the unknown side {value!r}")


def start(edition: Edition) -> State:
    """Return the position before the first phase."""
    units: dict[str, Unit] = {unit.id: unit for unit in map(read_unit, edition.scenario.get("units", ()))}
    state = State(edition, 0, DEPLOYMENT, units) if edition.zones else State(edition, units=units)
    return councilled(state) if edition.couriers else state
