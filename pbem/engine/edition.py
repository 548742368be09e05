"""Editions: the charts, the map, the scenario and the options that a game is pinned to, named by a digest.

An overlay is a set of chart texts laid over the shipped ones: it makes another edition with another digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from pbem.engine.commanders.holding import COMMANDS, Command, Numbers, commands_of
from pbem.engine.data.canon import Json, digest
from pbem.engine.deployment import Zone, zones_of
from pbem.engine.map.charts import Chart, read_chart


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
    under, and is played by the rulings up to it; one made before there was any carries none. `release` is the package
    that brings the game and its version, ``pbem-lantern 1.0``; a game of the house has none.
    """

    game: str
    rules: str
    errata: str
    release: str = ""


@dataclass(frozen=True, eq=False)
class Edition(Generic[Map]):
    """A pinned edition. `scenario` is plain data as in the scenario's file; `options` hold every option's value.

    `errata` is the date of the last erratum in force, empty if none is. A game gives it its own `PRINTING`, the latest
    date as the default, and the kind of its `MAP`; its `OPTIONS` with their values, the default first, of which those
    that came `LATER` are not written down where they have it; and the numbers of its rules `ON_COMMANDERS`.
    """

    PRINTING: ClassVar[Printing]
    MAP: ClassVar[type[Drawn]]
    OPTIONS: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    LATER: ClassVar[frozenset[str]] = frozenset()
    ON_COMMANDERS: ClassVar[Numbers] = Numbers()

    map: Map
    charts: Mapping[str, Chart]
    scenario: Mapping[str, Json] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    errata: str = ""
    release: str | None = None

    def __post_init__(self) -> None:
        """Fill in what options there are; ValueError for one that there is not, or that has no such value."""
        object.__setattr__(self, "options", self.completed(self.options))
        if self.release is None:
            object.__setattr__(self, "release", self.PRINTING.release)

    @classmethod
    def completed(cls, options: Mapping[str, object]) -> Mapping[str, str]:
        """Return every option's value, the default where none is given; ValueError for an unknown option or value."""
        for name, value in options.items():
            cls.check_option(name, value)
        return {name: str(options.get(name, values[0])) for name, values in cls.OPTIONS.items()}

    @classmethod
    def check_option(cls, name: str, value: object) -> None:
        """ValueError for an option that there is not, or that has no such value."""
        if name not in cls.OPTIONS:
            known = f"there are {', '.join(cls.OPTIONS)}" if cls.OPTIONS else "this game has none"
            raise ValueError(f"unknown option {name!r}; {known}")
        if str(value) not in cls.OPTIONS[name]:
            raise ValueError(f"{name} is {cls.values_of(name)}, not {value!r}")

    @classmethod
    def values_of(cls, name: str) -> str:
        """Return the values of an option in words."""
        return f"one of {', '.join(cls.OPTIONS[name])}"

    def told_options(self) -> Mapping[str, str]:
        """Return the options that are written down: one that came later is left out where it changes nothing."""
        later = {name: self.OPTIONS[name][0] for name in self.LATER}
        return {name: value for name, value in self.options.items() if later.get(name) != value}

    def to_json(self) -> Json:
        """Return the edition whole: chart texts, map, scenario, options, version and errata of the rules.

        Of errata nothing is said where none is in force: what was stored before there were any keeps its name. The
        same is true of the package that brings the game.
        """
        return {
            "game": self.PRINTING.game,
            "rules": self.PRINTING.rules,
            "options": dict(self.told_options()),
            "charts": {name: chart.text for name, chart in self.charts.items()},
            "map": self.map.to_json(),
            "scenario": self.scenario,
            **({"errata": self.errata} if self.errata else {}),
            **({"release": self.release} if self.release else {}),
        }

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read a stored edition back; ValueError if it was made for rules this program does not have."""
        game, rules, latest, here = cls.PRINTING
        if (value["game"], value["rules"]) != (game, rules):
            raise ValueError(f"edition of {value['game']} rules {value['rules']} cannot be played here")
        charts = {name: read_chart(text, f"{name}.txt") for name, text in value["charts"].items()}
        area: Any = cls.MAP.from_json(value["map"])
        errata = value.get("errata", "")
        if errata > latest:
            raise ValueError(f"edition with the errata of {errata} cannot be played here")
        release = value.get("release", "")
        if not _goes_on(release, here):
            raise ValueError(
                f"a game begun under {release} cannot be played by {here or 'the house'}: install the former"
            )
        return cls(area, charts, value["scenario"], value["options"], errata, release)

    @classmethod
    def brought_by(cls, package: str, version: str) -> None:
        """Pin editions that are made from now on to the package that brings the game, and to its version."""
        cls.PRINTING = cls.PRINTING._replace(release=f"{package} {version}")

    @cached_property
    def digest(self) -> str:
        """``sha256:`` and the hash that names this edition."""
        return digest(self.to_json())

    def chart(self, name: str) -> Chart:
        """Return a chart by its file name."""
        return self.charts[name]

    @cached_property
    def zones(self) -> tuple[Zone, ...]:
        """Between which places units may be deployed before turn 1; none where nobody deploys."""
        return zones_of(self.scenario)

    @property
    def sees(self) -> str:
        """The side that deploys with the other's deployment in sight; empty if both do so at once."""
        side: str = self.scenario.get("sees", "")
        return side

    @cached_property
    def commands(self) -> Mapping[str, Command]:
        """M1 The commands by seat, in the order of side and rank; none where one seat has all units of a side."""
        return commands_of(self.scenario) if self.options.get(COMMANDS) == "split" else {}

    @cached_property
    def homes(self) -> Mapping[str, str]:
        """M1 The seat of the command that a unit is under by the scenario, by id."""
        return {unit: one.seat for one in self.commands.values() for unit in one.units}

    def rank(self, seat: str) -> int:
        """M1 The rank of a seat's command; 1 if it has the whole side."""
        return self.commands[seat].rank if seat in self.commands else 1

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Full names of units, by id, where the scenario gives one."""
        found: Mapping[str, str] = self.scenario.get("names", {})
        return found


def _goes_on(begun: str, here: str) -> bool:
    """Whether a game that was begun under one release can be played by another: of one package and one first number.

    With ``0.x`` it is the second number that counts. What was stored before releases were goes on under any.
    """
    return not begun or _line(begun) == _line(here)


def _line(release: str) -> tuple[str, ...]:
    package, _, version = release.partition(" ")
    first, *more = version.split(".")
    return (package, first, *more[:1]) if first == "0" else (package, first)


def other_release(edition: Any) -> str:
    """Say under which release a game was begun and which is here, where they are two; empty where not."""
    begun = getattr(edition, "release", "")
    here = edition.PRINTING.release if begun else ""  # what was stored before releases were says nothing
    return f"begun under {begun}, here is {here}" if begun != here else ""
