"""C0 Name the lookups of each chart, and the facts that the rules read from it.

A chart laid over it must answer the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pbem.engine import edition
from pbem.engine.commanders.holding import COMMANDS_VALUES as ONE_OR_SPLIT
from pbem.engine.commanders.holding import RuleNumbers
from pbem.engine.couriers import COURIERS_OPTION
from pbem.engine.deployment import DEPLOY_VALUES as ONOFF
from pbem.engine.edition import CommonValues
from pbem.engine.game_files import GameFiles
from pbem.engine.map.areas import AreaMap, Legend, read_map
from pbem.engine.map.charts import ChartNeeds, Codes, Facts, order_by_place

MOST_HEADS = 32
"""More coins than any group of guns can throw; up to here a chart needs columns, beyond only an open end."""
WIDEST_DIFFERENCE = 20
"""A larger difference than two totals of a charge can have."""
_DIE = tuple(range(1, 7))
"""The faces of a die."""
UNIT_CODES = ("IR", "NZ", "IL", "CAB", "ART", "CNV", "OF")
"""The kinds of units."""
EDGE_KINDS = ("open", "road", "path", "ford", "bridge", "slope", "parapet")
_NUMBER = Codes(r"\d{1,2}", "a number")
_EFFECT = Codes(r"none|M|\dM?", "none, M, or steps with or without M")

RETREAT_CRITERIA = ("friends", "rear", "leader", "cover")
"""C9 The criteria that may decide among the spaces of a retreat, before their ids: friends there, fewest edges to a
rear town, a leader of the side there, ground that counts in the defender's favour."""

CHART_NEEDS: Mapping[str, ChartNeeds] = {
    "moves": ChartNeeds(UNIT_CODES, ("spaces",), Codes("[012]", "0, 1 or 2")),
    "edges": ChartNeeds(EDGE_KINDS, UNIT_CODES, Codes("yes|no", "yes or no")),
    "stacking": ChartNeeds(("limit",), ("combat", "ART"), _NUMBER),
    "morale": ChartNeeds(_DIE, ("check",), Codes("pass|test|fail", "pass, test or fail")),
    "recovery": ChartNeeds(_DIE, ("try",), Codes("test|fail", "test or fail")),
    "leader": ChartNeeds(_DIE, ("fate",), Codes("safe|lost", "safe or lost")),
    "charge": ChartNeeds(tuple(range(WIDEST_DIFFERENCE + 1)), ("loser", "winner"), _NUMBER),
    "retreat": ChartNeeds(RETREAT_CRITERIA, ("place",), Codes("[0-4]", "a place from 1 to 4, or 0")),
    "fire": ChartNeeds(
        ("effect",),
        tuple(range(MOST_HEADS + 1)),
        _EFFECT,
        # A chart by one die: its rows are what that shows, its columns the points of fire after modifiers.
        instead=ChartNeeds(_DIE, tuple(range(1, MOST_HEADS + 1)), _EFFECT),
    ),
}
"""The lookups by the name of the chart; charts that are left out have modifiers and no grid."""


# C0 Editions: the charts, map, scenario and options a game is pinned to, named by a digest.
#
# Charts are read and checked when this module is imported. An overlay is a set of chart texts laid over the shipped
# ones: it makes another edition with another digest.


SIDES = ("spain", "morocco")
"""The sides, in the order of play."""
TERRAINS = ("clear", "beach", "heights", "woods", "marsh", "town", "camp", "fortified")
SPACE_FLAGS = ("locality", "rear:spain", "rear:morocco", "entry:spain", "entry:morocco")
LEGEND = Legend(TERRAINS, EDGE_KINDS, SPACE_FLAGS)
OPTIONS: Mapping[str, tuple[str, ...]] = {
    "loss_basis": ("defender-stack", "defender-vanguard", "opponent-stack"),
    "fog": ("off", "on"),
    "breaking": ("off", *map(str, range(1, 101))),
    "deploy": ONOFF,
    "commands": ONE_OR_SPLIT,
    COURIERS_OPTION: ONOFF,
}
"""C0 Edition options and their values, the default first. A scenario may set its own, and a moderator others."""

CHART_NAMES = ("moves", "morale", "stacking", "fire", "recovery", "charge", "shock", "leader", "edges")
_VANGUARD_FACTS: Mapping[str, Callable[[Any], bool]] = {
    "attacker": lambda clash: clash.attacks,
    "defender": lambda clash: not clash.attacks,
    "demoralised": lambda clash: clash.vanguard.demoralised,
}
"""Facts that an added modifier may use about its side: whether it attacks, and its vanguard."""


def _shock_facts() -> Facts:
    """Return the facts that own modifiers of the shock may depend on.

    For example ``ground is camp``.
    """

    def where(name: str, value: str) -> Callable[[Any], bool]:
        return lambda clash: getattr(clash, name) == value

    def who(name: str, value: str) -> Callable[[Any], bool]:
        return lambda clash: getattr(clash.vanguard, name) == value

    return {
        **{f"side is {name}": fact for name, fact in _VANGUARD_FACTS.items()},
        **{f"side is {name}": who("side", name) for name in SIDES},
        # Only combat units lead a fight: leaders, guns and trains do not.
        **{f"vanguard is {code}": who("code", code) for code in UNIT_CODES[:4]},
        **{f"ground is {terrain}": where("terrain", terrain) for terrain in TERRAINS},
        **{f"edge is {edge}": where("edge", edge) for edge in EDGE_KINDS},
    }


GAME_FILES = GameFiles("pbem.games.africa1860", CHART_NAMES, CHART_NEEDS, {"shock": _shock_facts()}, {"retreat": "C9"})
REREADING_DATE = "2026-11-22"
"""The date of the errata of a rereading of all rules against the engine: the first that change the outcome of a game.
"""
LAST_ERRATUM_DATE = REREADING_DATE
"""The date of the last erratum that changes an outcome."""


def shipped_map(name: str) -> AreaMap:
    """Read a shipped map.

    Raise SourceError if it is broken, KeyError if there is none.
    """
    spaces, edges = GAME_FILES.map(f"{name}.spaces.csv", f"{name}.edges.csv")
    return read_map(name, spaces, edges, LEGEND)


@dataclass(frozen=True, eq=False)
class Edition(edition.Edition[AreaMap]):
    """C0 A pinned edition on a map of areas."""

    PRINTING = CommonValues("africa1860", "1", LAST_ERRATUM_DATE)
    MAP = AreaMap
    OPTIONS = OPTIONS
    LATER = frozenset({"breaking", "deploy", "commands", COURIERS_OPTION})
    ON_COMMANDERS = RuleNumbers("M1", "M2", "M2.1", "M2.2", "M3", "M4", "M5", "M6", "M7")

    errata: str = LAST_ERRATUM_DATE

    @cached_property
    def retreat_by(self) -> tuple[str, ...]:
        """C9 Return what decides among the spaces of a retreat, in order."""
        chart = self.charts.get("retreat")
        return RETREAT_CRITERIA[:2] if chart is None else order_by_place(chart)

    @classmethod
    def values_of(cls, name: str) -> str:
        """C12 Return an option's values in words; the share of breaking is a range."""
        return "off or a number of percent from 1 to 100" if name == "breaking" else super().values_of(name)

    @cached_property
    def reread(self) -> bool:
        """Return whether the rulings of `REREADING_DATE` are in force."""
        return self.errata >= REREADING_DATE

    @property
    def couriers(self) -> bool:
        """M6 Return whether commanders hear of one another by couriers."""
        return self.options[COURIERS_OPTION] == "on"

    @cached_property
    def breaking(self) -> int:
        """C12 Return the share of its steps, in percent, by which a side breaks.

        It is 0 if sides do not break in this edition.
        """
        return int(self.options["breaking"].replace("off", "0"))

    @cached_property
    def _spaces_by_flag(self) -> dict[str, tuple[str, ...]]:
        return {
            flag: tuple(sorted(ident for ident, space in self.map.spaces.items() if flag in space.flags))
            for flag in SPACE_FLAGS
        }

    def spaces_with(self, flag: str) -> tuple[str, ...]:
        """Return the spaces that carry a flag, in id order."""
        return self._spaces_by_flag[flag]

    @cached_property
    def seats(self) -> Mapping[str, str]:
        """Return seats and their sides in the order of play.

        Seats of a side are in order of rank, then id, because a stored edition does not keep the order of its file.
        """
        sides: Mapping[str, str] = self.scenario.get("seats", {side: side for side in SIDES})
        return dict(sorted(sides.items(), key=lambda seat: (SIDES.index(seat[1]), self.rank(seat[0]), seat[0])))

    @cached_property
    def _first(self) -> Mapping[str, str]:
        return {side: seat for seat, side in reversed([*self.seats.items()])}

    def seat_of(self, side: str) -> str:
        """Return the seat that answers for a side: its first."""
        return self._first[side]

    @cached_property
    def passes(self) -> frozenset[tuple[str, str]]:
        """C11 Return the pairs (kind of edge, type of unit) that may pass by the chart."""
        chart = self.charts["edges"]
        return frozenset(key for key, code in chart.cells.items() if code == "yes")

    @cached_property
    def allowance(self) -> Mapping[str, int]:
        """O3 Return the spaces that each type of unit may move in one action."""
        chart = self.charts["moves"]
        return {row: int(chart.cell(row, "spaces")) for row in chart.rows}

    @cached_property
    def stacking(self) -> tuple[int, int]:
        """C5 Return the most combat units and the most ART of a side in a space."""
        chart = self.charts["stacking"]
        return int(chart.cell("limit", "combat")), int(chart.cell("limit", "ART"))
