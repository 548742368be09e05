"""Editions: the charts, the map, the scenario and the options that a game is pinned to, named by a digest.

An overlay is a set of chart texts laid over the shipped ones: it makes another edition with another digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from pbem.core.data.canon import Json, digest
from pbem.core.map.charts import Chart, read_chart

__all__ = ["Edition", "Printing"]


class Drawn(Protocol):
    """A map that can be stored."""

    def to_json(self) -> Json:
        """The whole map."""
        ...

    def described(self) -> Json:
        """The whole map for programs: its parts by name."""
        ...

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read what `to_json` wrote."""
        ...


Map = TypeVar("Map", bound=Drawn)


class Printing(NamedTuple):
    """What all editions of a game have in common: its name, the version of its rules, the date of the last erratum.

    An erratum counts here if it changes the outcome of a game. An edition carries the date of the one it was made
    under, and is played by the rulings up to it; one made before there was any carries none.
    """

    game: str
    rules: str
    errata: str


@dataclass(frozen=True, eq=False)
class Edition(Generic[Map]):
    """A pinned edition. `scenario` is plain data as in the scenario's file; `options` hold every option's value.

    `errata` is the date of the last erratum in force, empty if none is. A game gives it its own `PRINTING`, the latest
    date as the default, and the kind of its `MAP`.
    """

    PRINTING: ClassVar[Printing]
    MAP: ClassVar[type[Drawn]]

    map: Map
    charts: Mapping[str, Chart]
    scenario: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    errata: str = ""

    def __post_init__(self) -> None:
        """Fill in what options there are; ValueError for one that there is not, or that has no such value."""
        object.__setattr__(self, "options", self.completed(self.options))

    @classmethod
    def completed(cls, options: Mapping[str, Any]) -> Mapping[str, str]:
        """Return every option's value; a game without options has none of it."""
        for name in options:
            raise ValueError(f"unknown option {name!r}; this game has none")
        return {}

    def told_options(self) -> Mapping[str, str]:
        """Return the options that are written down: one that came later is left out where it changes nothing."""
        return self.options

    def to_json(self) -> Json:
        """Return the edition whole: chart texts, map, scenario, options, version and errata of the rules.

        Of errata nothing is said where none is in force: what was stored before there were any keeps its name.
        """
        return {
            "game": self.PRINTING.game,
            "rules": self.PRINTING.rules,
            "options": dict(self.told_options()),
            "charts": {name: chart.text for name, chart in self.charts.items()},
            "map": self.map.to_json(),
            "scenario": self.scenario,
            **({"errata": self.errata} if self.errata else {}),
        }

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read a stored edition back; ValueError if it was made for rules this program does not have."""
        game, rules, latest = cls.PRINTING
        if (value["game"], value["rules"]) != (game, rules):
            raise ValueError(f"edition of {value['game']} rules {value['rules']} cannot be played here")
        charts = {name: read_chart(text, f"{name}.txt") for name, text in value["charts"].items()}
        area: Any = cls.MAP.from_json(value["map"])
        errata = value.get("errata", "")
        if errata > latest:
            raise ValueError(f"edition with the errata of {errata} cannot be played here")
        return cls(area, charts, value["scenario"], value["options"], errata)

    @cached_property
    def digest(self) -> str:
        """``sha256:`` and the hash that names this edition."""
        return digest(self.to_json())

    def chart(self, name: str) -> Chart:
        """Return a chart by its file name."""
        return self.charts[name]

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Full names of units, by id, where the scenario gives one."""
        found: Mapping[str, str] = self.scenario.get("names", {})
        return found
