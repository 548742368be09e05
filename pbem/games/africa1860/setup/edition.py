"""C0 Editions: the charts, map, scenario and options a game is pinned to, named by a digest.

Charts are read and checked when this module is imported. An overlay is a set of chart texts laid over the shipped
ones: it makes another edition with another digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pbem.core.map.areas import AreaMap, Legend, read_map
from pbem.games.africa1860.setup.overlay import WANTED
from pbem.kit import edition
from pbem.kit.edition import Printing
from pbem.kit.shelf import Shelf

__all__ = [
    "CHARTS",
    "EDGES",
    "ERRATA",
    "LEGEND",
    "OPTIONS",
    "SHELF",
    "SIDES",
    "TERRAINS",
    "Edition",
    "check_option",
    "shipped_map",
]

SIDES = ("spain", "morocco")
"""The sides, in the order of play."""
TERRAINS = ("clear", "beach", "heights", "woods", "marsh", "town", "camp", "fortified")
EDGES = ("open", "road", "path", "ford", "bridge", "slope", "parapet")
FLAGS = ("locality", "rear:spain", "rear:morocco", "entry:spain", "entry:morocco")
LEGEND = Legend(TERRAINS, EDGES, FLAGS)
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "loss_basis": ("defender-stack", "defender-vanguard", "opponent-stack"),
    "fog": ("off", "on"),
    "breaking": ("off", *map(str, range(1, 101))),
}
"""Edition options and their values, the default first. A scenario may set its own, and a moderator others."""

CHARTS = ("moves", "morale", "stacking", "fire", "recovery", "charge", "shock", "leader", "edges")
SHELF = Shelf("pbem.games.africa1860", CHARTS, WANTED)
REREAD = "2026-11-22"
"""The date of the rulings after a reading against the engine: the first that change the outcome of a game."""
ERRATA = REREAD
"""The date of the last erratum that changes an outcome."""


def shipped_map(name: str) -> AreaMap:
    """Read a shipped map; SourceError if it is broken, KeyError if there is none."""
    spaces, edges = SHELF.map(f"{name}.spaces.csv", f"{name}.edges.csv")
    return read_map(name, spaces, edges, LEGEND)


def check_option(name: str, value: str | int) -> None:
    """C0 ValueError for an option that there is not, or that has no such value."""
    if name not in OPTIONS:
        raise ValueError(f"unknown option {name!r}; there are {', '.join(OPTIONS)}")
    if str(value) not in OPTIONS[name]:
        one = "off or a number of percent from 1 to 100" if name == "breaking" else f"one of {', '.join(OPTIONS[name])}"
        raise ValueError(f"{name} is {one}, not {value!r}")


@dataclass(frozen=True, eq=False)
class Edition(edition.Edition[AreaMap]):
    """C0 A pinned edition on a map of areas."""

    PRINTING = Printing("africa1860", "1", ERRATA)
    MAP = AreaMap

    errata: str = ERRATA

    @classmethod
    def completed(cls, options: Mapping[str, Any]) -> Mapping[str, str]:
        """C0 Every option's value, the default where none is given; ValueError for an unknown option or value."""
        for name, value in options.items():
            check_option(name, value)
        return {name: str(options.get(name, values[0])) for name, values in OPTIONS.items()}

    def told_options(self) -> Mapping[str, str]:
        """The options as they are stored; of C12 nothing is said where nobody breaks: it came later."""
        return {name: value for name, value in self.options.items() if (name, value) != ("breaking", "off")}

    @cached_property
    def reread(self) -> bool:
        """Whether the rulings of `REREAD` are in force."""
        return self.errata >= REREAD

    @cached_property
    def breaking(self) -> int:
        """C12 The share of its steps, in percent, by which a side breaks; 0 if none does."""
        return int(self.options["breaking"].replace("off", "0"))

    @cached_property
    def _flagged(self) -> dict[str, tuple[str, ...]]:
        return {flag: tuple(sorted(i for i, space in self.map.spaces.items() if flag in space.flags)) for flag in FLAGS}

    def flagged(self, flag: str) -> tuple[str, ...]:
        """Return the spaces that carry a flag, in id order."""
        return self._flagged[flag]

    @cached_property
    def seats(self) -> Mapping[str, str]:
        """Seats and their sides, in the order of play, those of a side by id: a stored edition keeps no other order."""
        found: Mapping[str, str] = self.scenario.get("seats", {side: side for side in SIDES})
        return dict(sorted(found.items(), key=lambda seat: (SIDES.index(seat[1]), seat[0])))

    @cached_property
    def _first(self) -> Mapping[str, str]:
        return {side: seat for seat, side in reversed([*self.seats.items()])}

    def seat_of(self, side: str) -> str:
        """Return the seat that answers for a side: its first."""
        return self._first[side]

    @cached_property
    def passes(self) -> frozenset[tuple[str, str]]:
        """C11 Pairs (kind of edge, type of unit) that the chart lets pass."""
        chart = self.charts["edges"]
        return frozenset(key for key, code in chart.cells.items() if code == "yes")

    @cached_property
    def allowance(self) -> Mapping[str, int]:
        """O3 Spaces a type of unit may move in one action."""
        chart = self.charts["moves"]
        return {row: int(chart.cell(row, "spaces")) for row in chart.rows}

    @cached_property
    def stacking(self) -> tuple[int, int]:
        """C5 The most combat units and the most ART of a side in a space."""
        chart = self.charts["stacking"]
        return int(chart.cell("limit", "combat")), int(chart.cell("limit", "ART"))
