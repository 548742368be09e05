"""Zones: the places of a scenario between which units may be shifted before turn 1."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from pbem.engine.data.sources import SourceError, line_of

OPTION = ("off", "on")
"""The values of an edition's option `deploy`, the default first."""
_KEY = "deployment"


class Zone(NamedTuple):
    """Places, and the units that may be put into them, both in the order of the file."""

    places: tuple[str, ...]
    units: tuple[str, ...]


def zones_of(scenario: Mapping[str, Any]) -> tuple[Zone, ...]:
    """Return the zones of a scenario's data; its rows of units read ``SIDE KIND ID ... at PLACE``.

    A zone that names no units is for those who stand in its places at the start.
    """
    stand = {words[2]: words[-1] for words in map(str.split, scenario.get("units", ()))}
    return tuple(
        Zone(tuple(row["zone"]), tuple(row.get("units") or (one for one, at in stand.items() if at in row["zone"])))
        for row in scenario.get(_KEY, ())
    )


def as_played(scenario: Mapping[str, Any], options: Mapping[str, str]) -> Mapping[str, Any]:
    """Return a scenario's data without its zones unless they are played; ValueError if there are none to be played.

    So an edition without deployment is what it was before its scenario named any.
    """
    if options.get("deploy", OPTION[0]) == OPTION[0]:
        return {key: value for key, value in scenario.items() if key != _KEY}
    if not scenario.get(_KEY):
        raise ValueError("deploy = on: the scenario names no zones, so that there is nothing to deploy")
    return scenario


def check_zones(
    data: Mapping[str, Any],
    stand: Mapping[str, tuple[str, str]],
    places: Collection[str],
    party: Callable[[str], str],
    source: tuple[str, str],
) -> None:
    """SourceError for what cannot be among a scenario's zones; `stand` has side and place of each unit at the start.

    Zones of two parties share no place and hold no enemy, so that nothing that one side orders bears on the other.
    `source` is the text of the file, and its name.
    """
    text, file = source
    owner: dict[str, str] = {}
    zoned: set[str] = set()
    rows = data.get(_KEY, ())
    for row in rows:
        _check_row(row, stand, places, source)
    for zone in zones_of(data):
        line = line_of(text, f'"{zone.places[0]}"') or line_of(text, _KEY)
        parties = {party(stand[unit][0]) for unit in zone.units}
        if len(parties) != 1:
            raise SourceError(file, line, "a zone is for units of one side, and has at least one")
        if again := sorted(zoned.intersection(zone.units)):
            raise SourceError(file, line, f"{again[0]} is in two zones")
        zoned.update(zone.units)
        for place in zone.places:
            if owner.setdefault(place, *parties) not in parties:
                raise SourceError(file, line, f"{place} is in zones of both sides")
    for unit, (side, at) in stand.items():
        if owner.get(at, party(side)) != party(side):
            raise SourceError(file, line_of(text, f" {unit} "), f"{unit} stands in a zone of the enemy")


def _check_row(row: Any, stand: Mapping[str, object], places: Collection[str], source: tuple[str, str]) -> None:
    text, file = source
    line = line_of(text, _KEY)
    if not isinstance(row, Mapping) or not row.get("zone") or not {*row} <= {"zone", "units"}:
        raise SourceError(file, line, "a row of deployment has a zone, which is a list of places, and perhaps units")
    for key, known, what in (("zone", places, "no place of the map"), ("units", stand, "no unit at the start")):
        names: Sequence[str] = row.get(key, ())
        if wrong := [name for name in names if name not in known]:
            raise SourceError(file, line_of(text, f'"{wrong[0]}"') or line, f"{wrong[0]!r} is {what}")
