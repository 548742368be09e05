"""C0 Editions: the charts, map, scenario and options a game is pinned to, named by a digest.

Charts are read and checked when this module is imported. An overlay is a set of chart texts laid over the shipped
ones: it makes another edition with another digest.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import Any

from pbem.core.data.canon import Json, digest
from pbem.core.data.sources import SourceError, brief_in, contents_of, rules_in, rules_of
from pbem.core.map.areas import AreaMap, Legend, read_map
from pbem.core.map.charts import Chart, read_chart
from pbem.core.map.overlays import check_overlay
from pbem.games.africa1860.setup.overlay import WANTED

__all__ = [
    "EDGES",
    "ERRATA",
    "LEGEND",
    "OPTIONS",
    "SIDES",
    "TERRAINS",
    "Edition",
    "check_option",
    "rule_contents",
    "rule_lines",
    "shipped_brief",
    "shipped_charts",
    "shipped_map",
    "shipped_scenario",
    "shipped_scenarios",
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
RULES_VERSION = "1"
REREAD = "2026-11-22"
"""The date of the rulings after a reading against the engine: the first that change the outcome of a game."""
ERRATA = REREAD
"""The date of the last erratum that changes an outcome. An edition carries the one it was made under, and is played by
the rulings up to it; one made before there was any carries none."""

_HERE = resources.files("pbem.games.africa1860")


def _text(*path: str) -> str:
    return _HERE.joinpath(*path).read_text(encoding="utf-8")


def shipped_charts(overlay: Mapping[str, str]) -> Mapping[str, Chart]:
    """Read the charts of the game by file name, those of `overlay` laid over them.

    ValueError for an unknown name, SourceError for a chart that the rules cannot be played by.
    """
    for name in overlay:
        if name not in CHARTS:
            raise ValueError(f"unknown chart {name!r}; there are {', '.join(CHARTS)}")
    charts = {name: read_chart(_text("charts", f"{name}.txt"), f"{name}.txt") for name in CHARTS}
    for name, text in overlay.items():
        laid = read_chart(text, f"{name}.txt")
        check_overlay(name, laid, charts[name], WANTED.get(name))
        charts[name] = laid
    return charts


def shipped_map(name: str) -> AreaMap:
    """Read a shipped map; SourceError if it is broken, KeyError if there is none."""
    try:
        spaces, edges = _text("maps", f"{name}.spaces.csv"), _text("maps", f"{name}.edges.csv")
    except FileNotFoundError:
        raise KeyError(name) from None
    return read_map(name, spaces, edges, LEGEND)


def shipped_scenarios() -> tuple[str, ...]:
    """Return the ids of the shipped scenarios, in id order."""
    return tuple(sorted(f.name.removesuffix(".toml") for f in _HERE.joinpath("scenarios").iterdir()))


def shipped_scenario(name: str) -> tuple[Mapping[str, Any], str]:
    """Return a shipped scenario as TOML data and as text; KeyError if there is none, SourceError if it is broken."""
    try:
        text = _text("scenarios", f"{name}.toml")
    except FileNotFoundError:
        raise KeyError(name) from None
    try:
        return tomllib.loads(text), text
    except tomllib.TOMLDecodeError as error:
        raise SourceError(f"{name}.toml", 0, str(error)) from None


def rule_lines(number: str, language: str = "en") -> tuple[str, ...]:
    """Return the lines of rules.txt in a language for a rule number, with or without its letter, and those below it."""
    return rules_of(rules_in(_HERE, language), number)


def check_option(name: str, value: str | int) -> None:
    """C0 ValueError for an option that there is not, or that has no such value."""
    if name not in OPTIONS:
        raise ValueError(f"unknown option {name!r}; there are {', '.join(OPTIONS)}")
    if str(value) not in OPTIONS[name]:
        one = "off or a number of percent from 1 to 100" if name == "breaking" else f"one of {', '.join(OPTIONS[name])}"
        raise ValueError(f"{name} is {one}, not {value!r}")


def rule_contents(language: str = "en") -> tuple[str, ...]:
    """Return the lines of rules.txt in a language that stand below no other."""
    return contents_of(rules_in(_HERE, language))


def shipped_brief(scenario: str, language: str = "en") -> Mapping[str, str]:
    """Return what is told of a shipped scenario before it begins, which is no part of its edition."""
    return brief_in(_HERE, scenario, language)


@dataclass(frozen=True, eq=False)
class Edition:
    """A pinned edition. `scenario` is plain data as in the scenario's file; `options` hold every option's value.

    `errata` is the date of the last erratum in force (see `ERRATA`), empty if none is.
    """

    map: AreaMap
    charts: Mapping[str, Chart]
    scenario: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    errata: str = ERRATA

    def __post_init__(self) -> None:
        """Fill in default options; ValueError for an unknown option or value."""
        for name, value in self.options.items():
            check_option(name, value)
        given = {name: str(value) for name, value in self.options.items()}
        object.__setattr__(self, "options", {**{name: values[0] for name, values in OPTIONS.items()}, **given})

    def to_json(self) -> Json:
        """Return the edition whole: chart texts, map, scenario, options, version and errata of the rules.

        Of errata nothing is said where none is in force, nor of C12 where nobody breaks: what was stored before there
        was either keeps its name.
        """
        options = {name: value for name, value in self.options.items() if (name, value) != ("breaking", "off")}
        return {
            "game": "africa1860",
            "rules": RULES_VERSION,
            "options": options,
            "charts": {name: chart.text for name, chart in self.charts.items()},
            "map": self.map.to_json(),
            "scenario": self.scenario,
            **({"errata": self.errata} if self.errata else {}),
        }

    @classmethod
    def from_json(cls, value: Json) -> Edition:
        """Read a stored edition back; ValueError if it was made for rules this program does not have."""
        if value["game"] != "africa1860" or value["rules"] != RULES_VERSION:
            raise ValueError(f"edition of {value['game']} rules {value['rules']} cannot be played here")
        charts = {name: read_chart(text, f"{name}.txt") for name, text in value["charts"].items()}
        area, errata = AreaMap.from_json(value["map"]), value.get("errata", "")
        if errata > ERRATA:
            raise ValueError(f"edition with the errata of {errata} cannot be played here")
        return cls(area, charts, value["scenario"], value["options"], errata)

    @cached_property
    def reread(self) -> bool:
        """Whether the rulings of `REREAD` are in force."""
        return self.errata >= REREAD

    @cached_property
    def breaking(self) -> int:
        """C12 The share of its steps, in percent, by which a side breaks; 0 if none does."""
        return int(self.options["breaking"].replace("off", "0"))

    @cached_property
    def digest(self) -> str:
        """``sha256:`` and the hash that names this edition."""
        return digest(self.to_json())

    def chart(self, name: str) -> Chart:
        """Return a chart by its file name."""
        return self.charts[name]

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
    def names(self) -> Mapping[str, str]:
        """Full names of units, by id, where the scenario gives one."""
        found: Mapping[str, str] = self.scenario.get("names", {})
        return found

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
