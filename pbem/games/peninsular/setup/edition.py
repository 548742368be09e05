"""Editions: the charts, the ground, the scenario a game is pinned to, named by a digest.

Charts are read and checked when this module is imported. An overlay is a set of chart texts laid over the shipped
ones, for another printing of the card: it makes another edition with another digest.
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
from pbem.core.map.charts import Chart, read_chart
from pbem.core.map.overlays import check_overlay
from pbem.games.peninsular.ground.hexmap import Ground, read_ground
from pbem.games.peninsular.setup.overlay import WANTED

__all__ = [
    "CHARTS",
    "ERRATA",
    "SIDES",
    "WILLS",
    "Edition",
    "camp",
    "rule_contents",
    "rule_lines",
    "shipped_brief",
    "shipped_charts",
    "shipped_ground",
    "shipped_scenario",
    "shipped_scenarios",
]

SIDES = ("british", "spanish", "portuguese", "french")
WILLS = "ABCDEF"
CHARTS = (
    "terrain",
    "will",
    "stacking",
    "division",
    "fire",
    "shock",
    "allowance",
    "formation",
    "control",
    "range",
    "factor",
)
RULES_VERSION = "1"
REREAD = "2026-11-22"
"""The date of the rulings after a reading against the engine: the first that change the outcome of a game."""
ERRATA = REREAD
"""The date of the last erratum that changes an outcome. An edition carries the one it was made under, and is played by
the rulings up to it; one made before there was any carries none."""
_HERE = resources.files("pbem.games.peninsular")


def camp(side: str) -> str:
    """Return who a side stands with: ``french`` or ``allied``."""
    return "french" if side == "french" else "allied"


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
        check_overlay(name, laid, charts[name], WANTED[name])
        charts[name] = laid
    return charts


def shipped_ground(name: str) -> Ground:
    """Read a shipped map; SourceError if it is broken, KeyError if there is none."""
    try:
        text = _text("maps", f"{name}.txt")
    except FileNotFoundError:
        raise KeyError(name) from None
    return read_ground(text, f"{name}.txt")


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

    ground: Ground
    charts: Mapping[str, Chart]
    scenario: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    errata: str = ERRATA

    def __post_init__(self) -> None:
        """ValueError for an option: this game has none."""
        for name in self.options:
            raise ValueError(f"unknown option {name!r}; this game has none")

    def to_json(self) -> Json:
        """Return the edition whole: chart texts, ground, scenario, version and errata of the rules.

        Of errata nothing is said where none is in force: what was stored before there were any keeps its name.
        """
        return {
            "game": "peninsular",
            "rules": RULES_VERSION,
            "options": dict(self.options),
            "charts": {name: chart.text for name, chart in self.charts.items()},
            "map": self.ground.to_json(),
            "scenario": self.scenario,
            **({"errata": self.errata} if self.errata else {}),
        }

    @classmethod
    def from_json(cls, value: Json) -> Edition:
        """Read a stored edition back; ValueError if it was made for rules this program does not have."""
        if value["game"] != "peninsular" or value["rules"] != RULES_VERSION:
            raise ValueError(f"edition of {value['game']} rules {value['rules']} cannot be played here")
        charts = {name: read_chart(text, f"{name}.txt") for name, text in value["charts"].items()}
        errata = value.get("errata", "")
        if errata > ERRATA:
            raise ValueError(f"edition with the errata of {errata} cannot be played here")
        return cls(Ground.from_json(value["map"]), charts, value["scenario"], value["options"], errata)

    @cached_property
    def digest(self) -> str:
        """``sha256:`` and the hash that names this edition."""
        return digest(self.to_json())

    @cached_property
    def reread(self) -> bool:
        """Whether the rulings of `REREAD` are in force."""
        return self.errata >= REREAD

    def chart(self, name: str) -> Chart:
        """Return a chart by its file name."""
        return self.charts[name]

    @cached_property
    def remembered(self) -> dict[Any, Any]:
        """What was reckoned from charts and map alone, and is the same for ever."""
        return {}

    @cached_property
    def cells(self) -> Mapping[tuple[str, str], str]:
        """T1 by row and column."""
        return self.charts["terrain"].cells

    @cached_property
    def phases(self) -> tuple[str, str]:
        """S1 The sides that play the first and the second half of a turn."""
        first, second = self.scenario.get("sides", ("british", "french"))
        return first, second

    @cached_property
    def seats(self) -> Mapping[str, str]:
        """Seats and their sides, in the order of play, those of a camp by id."""
        found: Mapping[str, str] = self.scenario.get("seats", {side: side for side in self.phases})
        order = [camp(side) for side in self.phases]
        return dict(sorted(found.items(), key=lambda seat: (order.index(camp(seat[1])), seat[0])))

    def seat_of(self, side: str) -> str:
        """Return the seat that answers for a side: its own, else the first of its friends."""
        return self._answering[side]

    @cached_property
    def _answering(self) -> Mapping[str, str]:
        found = {}
        for side in SIDES:
            own = [seat for seat, holds in self.seats.items() if holds == side]
            found[side] = next(iter((*own, *self.seats_of(side))), "")
        return found

    def seats_of(self, side: str) -> tuple[str, ...]:
        """Return the seats of a side and its friends."""
        return tuple(seat for seat, holds in self.seats.items() if camp(holds) == camp(side))

    @cached_property
    def edges(self) -> Mapping[str, str]:
        """Each side's own map edge: S, for the French N, unless the scenario says otherwise."""
        found: Mapping[str, str] = self.scenario.get("edge", {})
        return {side: found.get(side, "N" if side == "french" else "S") for side in SIDES}

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Full names of counters, by id, where the scenario gives one."""
        found: Mapping[str, str] = self.scenario.get("names", {})
        return found
