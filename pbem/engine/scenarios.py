"""Reading a scenario's file: what every game checks of it, naming file, line and reason."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple, Protocol, TypeVar

from pbem.engine.commanders.holding import Held, check_commands
from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError, line_of
from pbem.engine.deployment import check_zones
from pbem.engine.shelf import Shelf

M = TypeVar("M")


class Placed(Held, Protocol):
    """A unit that stands somewhere."""

    @property
    def at(self) -> str:
        """Where it stands."""
        ...


U = TypeVar("U", bound=Placed)


class ScenarioFile(NamedTuple):
    """A scenario as data, its text, and the name of its file."""

    data: Mapping[str, Json]
    text: str
    name: str

    @classmethod
    def read(cls, shelf: Shelf, scenario: str) -> ScenarioFile:
        """Read a scenario of a shelf; ValueError if there is none of that name, SourceError if it is broken."""
        if scenario not in shelf.scenarios():
            raise ValueError(f"there is no scenario {scenario!r}; there are {', '.join(shelf.scenarios())}")
        return cls(*shelf.scenario(scenario), f"{scenario}.toml")

    def fault(self, near: str, why: str) -> SourceError:
        """Make the error that the line which holds `near` is wrong."""
        return SourceError(self.name, line_of(self.text, near), why)

    def map(self, read: Callable[[str], M]) -> M:
        """Read the map that the scenario is played on; SourceError if there is none."""
        try:
            return read(self.data["map"])
        except KeyError:
            raise self.fault("map =", f"unknown map {self.data.get('map', '')!r}") from None

    def check_keys(self, *keys: str) -> None:
        """SourceError for a key that is missing."""
        for key in keys:
            if key not in self.data:
                raise SourceError(self.name, 0, f"{key} is missing")

    def units(
        self, later: Iterable[str], read: Callable[[str, str, int], U], places: Collection[str], what: str
    ) -> dict[str, U]:
        """Return the units by id, those that come `later` among them; `what` says of what map which place is none."""
        units: dict[str, U] = {}
        for row in (*self.data["units"], *later):
            unit = read(row, self.name, line_of(self.text, row))
            if unit.at not in places:
                raise self.fault(row, f"{unit.at!r} is no {what}")
            if unit.id in units:
                raise self.fault(row, f"{unit.id} stands twice")
            units[unit.id] = unit
        return units

    def check_parties(self, units: Mapping[str, Placed], places: Collection[str], party: Callable[[str], str]) -> None:
        """K6, M1 SourceError for zones of deployment and commands that the units do not bear out."""
        stand = {
            ident: (units[ident].side, units[ident].at) for ident in (row.split()[2] for row in self.data["units"])
        }
        check_zones(self.data, stand, places, party, (self.text, self.name))
        check_commands(self.data, {ident: unit.side for ident, unit in units.items()}, party, (self.text, self.name))

    def check_names(self, units: Collection[str], what: str) -> None:
        """SourceError for a full name of what is no unit."""
        for ident in self.data.get("names", {}):
            if ident not in units:
                raise self.fault(f"{ident} =", f"names {ident}, which is no {what}")
