"""Editions: charts, map, scenario and options that a game is pinned to.

An edition is named by its digest. An overlay is a set of chart texts laid over the shipped ones; it makes
another edition with another digest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, Protocol, Self, TypeVar

from pbem.engine.commanders.holding import COMMANDS_KEY, Command, RuleNumbers, commands_of
from pbem.engine.data.canon import Json, digest
from pbem.engine.deployment import Zone, zones_of
from pbem.engine.map.charts import Chart, read_chart


class StorableMap(Protocol):
    """A map that can be stored."""

    def to_json(self) -> Json:
        """Return the whole map."""
        ...

    def described(self) -> Json:
        """Return the whole map for programs: its parts by name."""
        ...

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read the output of `to_json`."""
        ...


Map = TypeVar("Map", bound=StorableMap)


class CommonValues(NamedTuple):
    """Values common to all editions of a game.

    They are its name, the version of its rules, and the date of the last erratum. Only errata that change the
    outcome of a game count here. An edition carries the date of the last erratum when it was made, and is played by
    the errata up to it; an edition made before the first one carries no date. `release` is the package of the game
    and its version, ``pbem-lantern 1.0``; a shipped game has none.
    """

    game: str
    rules: str
    errata: str
    release: str = ""


@dataclass(frozen=True, eq=False)
class Edition(Generic[Map]):
    """A pinned edition.

    `scenario` is plain data as in the scenario's file; `options` hold every option's value; `errata` is the date of
    the last erratum in force, empty if there is none. A game sets its own `PRINTING`, the latest date as the
    default, and the kind of its `MAP`; its `OPTIONS` with their values, the default first, of which those in
    `LATER` are not stored while they have the default; and the numbers of its rules `ON_COMMANDERS`.
    """

    PRINTING: ClassVar[CommonValues]
    MAP: ClassVar[type[StorableMap]]
    OPTIONS: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    LATER: ClassVar[frozenset[str]] = frozenset()
    ON_COMMANDERS: ClassVar[RuleNumbers] = RuleNumbers()

    map: Map
    charts: Mapping[str, Chart]
    scenario: Mapping[str, Json] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    errata: str = ""
    release: str | None = None

    def __post_init__(self) -> None:
        """Complete the options; raise ValueError for an unknown option or value."""
        object.__setattr__(self, "options", self.completed(self.options))
        if self.release is None:
            object.__setattr__(self, "release", self.PRINTING.release)

    @classmethod
    def completed(cls, options: Mapping[str, object]) -> Mapping[str, str]:
        """Return every option's value, the default where none is given.

        Raise ValueError for an unknown option or value.
        """
        for name, value in options.items():
            cls.check_option(name, value)
        return {name: str(options.get(name, values[0])) for name, values in cls.OPTIONS.items()}

    @classmethod
    def check_option(cls, name: str, value: object) -> None:
        """Raise ValueError for an unknown option or value."""
        if name not in cls.OPTIONS:
            known = f"there are {', '.join(cls.OPTIONS)}" if cls.OPTIONS else "this game has none"
            raise ValueError(f"unknown option {name!r}; {known}")
        if str(value) not in cls.OPTIONS[name]:
            raise ValueError(f"{name} is {cls.values_of(name)}, not {value!r}")

    @classmethod
    def values_of(cls, name: str) -> str:
        """Return the values of an option in words."""
        return f"one of {', '.join(cls.OPTIONS[name])}"

    def stored_options(self) -> Mapping[str, str]:
        """Return the options to store: those in `LATER` only if not the default."""
        later = {name: self.OPTIONS[name][0] for name in self.LATER}
        return {name: value for name, value in self.options.items() if later.get(name) != value}

    def to_json(self) -> Json:
        """Return the edition whole, as it is stored.

        It has chart texts, map, scenario, options, version and errata. The date of errata is left out if there is
        none, and the package of a shipped game too, so that older editions keep their digest.
        """
        return {
            "game": self.PRINTING.game,
            "rules": self.PRINTING.rules,
            "options": dict(self.stored_options()),
            "charts": {name: chart.text for name, chart in self.charts.items()},
            "map": self.map.to_json(),
            "scenario": self.scenario,
            **({"errata": self.errata} if self.errata else {}),
            **({"release": self.release} if self.release else {}),
        }

    @classmethod
    def from_json(cls, value: Json) -> Self:
        """Read a stored edition; raise ValueError if it needs other rules."""
        game, rules, latest, installed = cls.PRINTING
        if (value["game"], value["rules"]) != (game, rules):
            raise ValueError(f"edition of {value['game']} rules {value['rules']} cannot be played here")
        charts = {name: read_chart(text, f"{name}.txt") for name, text in value["charts"].items()}
        area: Any = cls.MAP.from_json(value["map"])
        errata = value.get("errata", "")
        if errata > latest:
            raise ValueError(f"edition with the errata of {errata} cannot be played here")
        release = value.get("release", "")
        if not _goes_on(release, installed):
            raise ValueError(
                f"a game begun under {release} cannot be played by {installed or 'the house'}: install the former"
            )
        return cls(area, charts, value["scenario"], value["options"], errata, release)

    @classmethod
    def brought_by(cls, package: str, version: str) -> None:
        """Set the release that new editions of this class name: package and version."""
        cls.PRINTING = cls.PRINTING._replace(release=f"{package} {version}")

    @cached_property
    def digest(self) -> str:
        """Return ``sha256:`` and the hash that names this edition."""
        return digest(self.to_json())

    def chart(self, name: str) -> Chart:
        """Return a chart by its file name."""
        return self.charts[name]

    @cached_property
    def zones(self) -> tuple[Zone, ...]:
        """Return the deployment zones; empty where nobody deploys."""
        return zones_of(self.scenario)

    @property
    def sees(self) -> str:
        """Return the side that deploys second and sees; empty if both deploy at once."""
        side: str = self.scenario.get("sees", "")
        return side

    @cached_property
    def commands(self) -> Mapping[str, Command]:
        """M1 Return the commands by seat, in the order of side and rank.

        There are none where one seat has all units of a side.
        """
        return commands_of(self.scenario) if self.options.get(COMMANDS_KEY) == "split" else {}

    @cached_property
    def homes(self) -> Mapping[str, str]:
        """M1 Return, by unit, the seat of its command in the scenario."""
        return {unit: command.seat for command in self.commands.values() for unit in command.units}

    def rank(self, seat: str) -> int:
        """M1 Return the rank of a seat's command.

        It is 1 if the command has the whole side.
        """
        return self.commands[seat].rank if seat in self.commands else 1

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Return the full names of units, by id, where the scenario gives one."""
        full_names: Mapping[str, str] = self.scenario.get("names", {})
        return full_names


def _goes_on(begun: str, installed: str) -> bool:
    """Return whether a game begun under one release can go on under another.

    Package and first number must be the same; with ``0.x`` the second number too. Games stored without a release
    can be played by any.
    """
    return not begun or _compatible_part(begun) == _compatible_part(installed)


def _compatible_part(release: str) -> tuple[str, ...]:
    package, _, version = release.partition(" ")
    first, *more = version.split(".")
    return (package, first, *more[:1]) if first == "0" else (package, first)


def other_release_notice(edition: Any) -> str:
    """Return the sentence that a game was begun under another release, or ""."""
    begun = getattr(edition, "release", "")
    installed = edition.PRINTING.release if begun else ""  # what was stored before releases were says nothing
    return f"begun under {begun}, here is {installed}" if begun != installed else ""
