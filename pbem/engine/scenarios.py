"""Read and check a scenario's file; errors name file, line and reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple, Protocol, TypeVar

from pbem.engine.commanders.holding import OwnedUnit, check_commands
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError, line_number_of
from pbem.engine.deployment import check_zones
from pbem.engine.game_files import GameFiles

M = TypeVar("M")

ANY_KEY = "*"
"""In a shape: a key of any name."""
Shape = Mapping[str, Any]
"""The keys of a table, each with a type, ``[type]`` for a list, the shape of a table, or `object` for anything."""
SCENARIO_SHAPE: Shape = {
    "title": str,
    "map": str,
    "turns": int,
    "units": [str],
    "deployment": object,
    "reinforcements": [dict],
    "seats": {ANY_KEY: str},
    "names": {ANY_KEY: str},
    "commands": {ANY_KEY: object},
}
"""The keys that the scenario of any battle may have."""
_WORDS: Mapping[type, str] = {str: "a text in quotes", int: "a whole number", bool: "true or false", dict: "a table"}
# The head of a table in TOML, to find the line of a fault.
_TABLE = re.compile(r"\s*\[+\s*(?P<path>[^\]]+?)\s*\]+")


class PlacedUnit(OwnedUnit, Protocol):
    """A unit with a place."""

    @property
    def at(self) -> str:
        """Return its place."""
        ...


U = TypeVar("U", bound=PlacedUnit)


class ScenarioFile(NamedTuple):
    """A scenario as data, its text, and the name of its file."""

    data: Mapping[str, Json]
    text: str
    name: str

    @classmethod
    def read(cls, files: GameFiles, scenario: str) -> ScenarioFile:
        """Read a scenario of a game.

        Raise ValueError for an unknown name, SourceError if the file is broken.
        """
        if scenario not in files.scenarios():
            raise ValueError(f"there is no scenario {scenario!r}; there are {', '.join(files.scenarios())}")
        return cls(*files.scenario(scenario), f"{scenario}.toml")

    def fault(self, near: str, why: str) -> SourceError:
        """Return the error for the first line that contains `near`."""
        return SourceError(self.name, line_number_of(self.text, near), why)

    def map(self, read: Callable[[str], M]) -> M:
        """Read the scenario's map; raise SourceError if there is none."""
        try:
            return read(self.data["map"])
        except KeyError:
            # No map is named, or an unknown one.
            raise self.fault("map =", f"unknown map {self.data.get('map', '')!r}") from None

    def check_keys(self, *keys: str) -> None:
        """Raise SourceError for a missing key."""
        for key in keys:
            if key not in self.data:
                raise SourceError(self.name, 0, f"{key} is missing")

    def check_shape(self, shape: Shape) -> None:
        """Raise SourceError for unknown keys and for values of another kind.

        The first error carries all others.
        """
        wrong = tuple(self._misshapen(self.data, shape, ()))
        if wrong:
            raise wrong[0].with_others(wrong[1:])

    def _misshapen(self, table: Mapping[str, Json], shape: Shape, path: tuple[str, ...]) -> Iterator[SourceError]:
        for key, value in table.items():
            wanted = shape.get(key, shape.get(ANY_KEY))
            where = f"[{'.'.join(path)}]" if path else "a scenario"
            if wanted is None:
                near = get_close_matches(key, shape, 1)
                hint = f"write {near[0]}" if near else f"there are {', '.join(shape)}"
                yield self.at_key(path, key, f"{where} has no key {key!r}: {hint}, or take it out")
            elif isinstance(wanted, Mapping) and isinstance(value, Mapping):
                yield from self._misshapen(value, wanted, (*path, key))
            elif not _is_kind(value, wanted):
                yield self.at_key(path, key, f"{key} is {_kind_words(wanted)}, not {value!r}")

    def at_key(self, path: tuple[str, ...], key: str, why: str) -> SourceError:
        """Make the error that a key of a table is wrong, with its line."""
        table: tuple[str, ...] = ()
        line_number = 0
        for number, line in enumerate(self.text.split("\n"), start=1):
            if heading := _TABLE.match(line):
                table = tuple(part.strip(" \"'") for part in heading["path"].split("."))
                if table[: len(path) + 1] == (*path, key):
                    line_number = line_number or number
            elif table == path and re.match(rf"""\s*["']?{re.escape(key)}["']?\s*[.=]""", line):
                line_number = line_number or number
        return SourceError(self.name, line_number, why)

    def units(
        self, later: Iterable[str], read: Callable[[str, str, int], U], places: Collection[str], what: str
    ) -> dict[str, U]:
        """Return the units by id, including those that come `later`.

        `what` describes the allowed places, for errors.
        """
        units: dict[str, U] = {}
        wrong: list[SourceError] = []
        for row in (*self.data["units"], *later):
            try:
                unit = read(row, self.name, line_number_of(self.text, row))
            except SourceError as fault:
                # All faults of the units are reported at once.
                wrong.append(fault)
                continue
            if unit.at not in places:
                wrong.append(self.fault(row, f"{unit.at!r} is no {what}"))
            if unit.id in units:
                wrong.append(self.fault(row, f"{unit.id} stands twice"))
            units[unit.id] = unit
        if wrong:
            raise wrong[0].with_others(wrong[1:])
        return units

    def check_leaders(self, sides: Iterable[str], leading: Collection[str]) -> None:
        """Raise SourceError for a side without a leader, unless `leading` excludes it."""
        for side in sides:
            if side not in leading:
                raise self.fault("units =", f"{side} has no leader: add one to its units")

    def check_parties(
        self, units: Mapping[str, PlacedUnit], places: Collection[str], party: Callable[[str], str]
    ) -> None:
        """K6, M1 Raise SourceError for zones or commands that do not fit the units."""
        starts = {
            ident: (units[ident].side, units[ident].at) for ident in (row.split()[2] for row in self.data["units"])
        }
        check_zones(self.data, starts, places, party, (self.text, self.name))
        check_commands(self.data, {ident: unit.side for ident, unit in units.items()}, party, (self.text, self.name))

    def check_names(self, units: Collection[str], what: str) -> None:
        """Raise SourceError for a full name of an unknown unit."""
        for ident in self.data.get("names", {}):
            if ident not in units:
                raise self.fault(f"{ident} =", f"names {ident}, which is no {what}")


def _is_kind(value: Json, wanted: object) -> bool:
    """Return whether a value is of the kind that a shape wants.

    True and false are no numbers.
    """
    if isinstance(wanted, list):
        return isinstance(value, list) and all(type(item) is wanted[0] for item in value)
    return wanted is object or type(value) is wanted


def _kind_words(wanted: object) -> str:
    """Say in words what a shape wants."""
    if isinstance(wanted, list):
        return f"a list, each {_WORDS[wanted[0]]}"
    return _WORDS[wanted if isinstance(wanted, type) else dict]
