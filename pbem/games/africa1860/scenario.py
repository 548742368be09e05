"""Scenarios: the position before the first phase, checked against the map."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pbem.engine.commanders.holding import as_commanded
from pbem.engine.couriers import check_couriers
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.deployment import DEPLOYMENT, as_played
from pbem.engine.map.areas import AreaMap
from pbem.engine.scenarios import ScenarioFile
from pbem.games.africa1860.edition import SHELF, SIDES, Edition, shipped_map
from pbem.games.africa1860.state import State, Unit, read_unit
from pbem.games.africa1860.view import councilled

_HEADING = re.compile(r"""\s*\[+\s*["']?(\w+)""")
_STACKING = SHELF.charts({})["stacking"]
ROOM = (int(_STACKING.cell("limit", "combat")), int(_STACKING.cell("limit", "ART")))
"""C5 The most combat units and batteries of a side in a space, by the shipped chart."""


def read_edition(scenario: str, options: Mapping[str, str], overlay: Mapping[str, str] | None = None) -> Edition:
    """Return a shipped scenario's edition; ValueError for an unknown name, SourceError for a broken file.

    C0 The options given stand above those that the scenario sets.
    """
    file = ScenarioFile.read(SHELF, scenario)
    area = file.map(shipped_map)
    check_scenario(file, area)
    chosen = {**file.data.get("options", {}), **options}
    check_couriers(chosen)
    return Edition(area, SHELF.charts(overlay or {}), as_commanded(as_played(file.data, chosen), chosen), chosen)


def check_scenario(file: ScenarioFile, area: AreaMap) -> None:
    """SourceError, with the line, for whatever in a scenario the map and the rosters do not bear out."""
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


def _later(file: ScenarioFile) -> list[str]:
    """Return the rows of the units that come later."""
    turns = file.data["turns"]
    for row in file.data.get("reinforcements", ()):
        if set(row) != {"turn", "unit"} or row["turn"] not in range(1, turns + 1):
            near = row.get("unit", "") or "reinforcements"
            raise file.fault(near, f"a reinforcement has a turn from 1 to {turns} and a unit")
    return [row["unit"] for row in file.data.get("reinforcements", ())]


def _room(units: Iterable[Unit], file: ScenarioFile) -> None:
    """C5 At the start every space is one side's and has room for its units."""
    here: dict[str, list[Unit]] = {}
    for unit in units:
        others = here.setdefault(unit.at, [])
        near = f"{unit.side} {unit.code} {unit.id} "
        if any(other.side != unit.side for other in others):
            raise file.fault(near, f"{unit.id} stands with the enemy in {unit.at}")
        others.append(unit)
        if sum(u.is_combat for u in others) > ROOM[0] or sum(u.code == "ART" for u in others) > ROOM[1]:
            raise file.fault(near, f"{unit.id} finds no room in {unit.at}")


def _victory(rules: Mapping[str, Json], area: AreaMap, file: ScenarioFile) -> None:
    """What wins: whole numbers, spaces of the map, sides that own them."""
    for key in ("spain_needs", "morocco_needs"):
        if not isinstance(rules.get(key), int):
            raise file.fault(key if line_of(file.text, key) else "[victory]", f"{key} is a whole number")
    for key in ("broken_loses", "destroyed_loses"):
        if not isinstance(rules.get(key, False), bool):
            raise file.fault(key, f"{key} is true or false")
    for table in ("spaces", "owner"):
        for space, value in rules.get(table, {}).items():
            why = _against(table, space, value, area)
            if why:
                raise file.fault(f"[victory.{table}]", why)


def _against(table: str, space: str, value: Json, area: AreaMap) -> str:
    """Return what is wrong with a line on a space that counts; empty if nothing is."""
    if space not in area.spaces:
        return f"{space!r} is no space of the map"
    if table == "spaces" and not isinstance(value, int):
        return f"{space} is worth a whole number of points"
    return f"{space} is owned by the unknown side {value!r}" if table == "owner" and value not in SIDES else ""


def start(edition: Edition) -> State:
    """Return the position before the first phase."""
    units: dict[str, Unit] = {unit.id: unit for unit in map(read_unit, edition.scenario.get("units", ()))}
    state = State(edition, 0, DEPLOYMENT, units) if edition.zones else State(edition, units=units)
    return councilled(state) if edition.couriers else state
