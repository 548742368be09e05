"""Describe the lookups of each chart; an overlay's chart must answer them too."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pbem.engine import edition
from pbem.engine.commanders.holding import COMMANDS_VALUES as ONE_OR_SPLIT
from pbem.engine.commanders.holding import RuleNumbers
from pbem.engine.data.messages import Msg, msg
from pbem.engine.deployment import DEPLOY_VALUES as ONOFF
from pbem.engine.edition import CommonValues
from pbem.engine.game_files import GameFiles
from pbem.engine.map.charts import ChartNeeds, Codes, Facts, last_number, order_by_place
from pbem.games.peninsular.hexmap import TERRAINS, TerrainMap, read_ground

_DIE = (-40, -20, *range(-10, 16), 40)
"""The dice with their modifiers that a chart must answer; both ends of its columns must be open."""
_WILLS = tuple("ABCDEF")
_SIDES = ("river", "stream", "bridge", "ford", "ravine", "slope up", "slope down", "impassable slope up")
_LINES = ("impassable slope down", "siege lines front", "siege lines behind")
_MP = Codes(r"\+?\d{1,2}[A-K]*|PH?", "MP with or without + and letters, P or PH")
_NUMBER = Codes("[1-9]|1[0-9]", "a number of 1 to 19")
_LIMIT = Codes(r"\d{1,2}|unit|yes|no", "a number, unit, yes or no")
_CHANGE = Codes("[0-9]", "MP of 0 to 9")
_FORMATIONS = ("inf formed", "inf skirmish", "inf square", "cav formed", "cav skirmish", "unlimbered", "limbered")

RETREAT_CRITERIA = ("edge", "mp", "far", "friends", "cover")
"""S12 The criteria that may decide among the hexes of a retreat, before their numbers: fewest rows to the own edge,
least MP, farthest from the enemy, friends there, cover there (T2.2)."""

CHART_NEEDS: Mapping[str, ChartNeeds] = {
    "terrain": ChartNeeds(
        (*TERRAINS, "road", *_SIDES, *_LINES),
        ("inf", "cav", "art", "fire", "shock"),
        _MP,
        {"fire": Codes("[-ABG]", "-, A, B or G"), "shock": Codes("[-AB]|PL?", "-, A, B, P or PL")},
    ),
    "will": ChartNeeds(_DIE, _WILLS, Codes("SE|DE?", "SE, D or DE")),
    "stacking": ChartNeeds(
        (*(name for name in TERRAINS if name != "sea"), "siege lines"),
        ("inf", "square", "skirmish", "cav", "riders", "alone", "with"),
        _LIMIT,
        {
            "skirmish": Codes("yes|no", "yes or no"),
            "riders": Codes("yes|no|dismounted", "yes, no or dismounted"),
        },
    ),
    "division": ChartNeeds(_DIE, tuple("654321"), Codes("H|RE|SE", "H, RE or SE")),
    "fire": ChartNeeds(_DIE, (), Codes(r"SE|[PMR]|[1-9][PMR]?", "SE, or PF with or without P, M, R"), first=1),
    "shock": ChartNeeds(_DIE, (), Codes(r"SE|AB|BM|[AD]R[1-9]|DB[2-9]?", "SE, AB, BM, AR, DR or DB with its number")),
    "allowance": ChartNeeds(
        ("infantry", "skirmishers", "cavalry", "heavy cavalry", "artillery", "horse artillery", "commanders"),
        ("spanish", "british", "portuguese", "french"),
        _NUMBER,
    ),
    "formation": ChartNeeds(
        _FORMATIONS,
        ("formed", "skirmish", "square", "limbered", "unlimbered"),
        Codes("[0-9]|no", "MP of 0 to 9, or no"),
        {("unlimbered", "limbered"): _CHANGE, ("limbered", "unlimbered"): _CHANGE},
    ),
    "control": ChartNeeds(_DIE, _WILLS, Codes("C|NC", "C or NC")),
    "range": ChartNeeds(("light", "medium", "heavy"), ("range",), _NUMBER),
    "factor": ChartNeeds(tuple(range(1, 20)), ("alone", "square"), Codes(r"x\d(/[1-9])?", "a multiple such as x3/2")),
    "retreat": ChartNeeds(RETREAT_CRITERIA, ("place",), Codes("[0-5]", "a place from 1 to 5, or 0")),
}
"""The lookups by the name of the chart."""


# Editions: the charts, the ground, the scenario a game is pinned to.
#
# Charts are read and checked when they are first asked for. Those of another printing of the card are laid over them.


SIDES = ("british", "spanish", "portuguese", "french")

SIDE_NAMES: Mapping[str, Msg] = {
    "british": msg("the British"),
    "spanish": msg("the Spanish"),
    "portuguese": msg("the Portuguese"),
    "french": msg("the French"),
}
WILL_RATINGS = "ABCDEF"
CHART_NAMES = (
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
OPTIONS: Mapping[str, tuple[str, ...]] = {"deploy": ONOFF, "commands": ONE_OR_SPLIT}
"""Options of an edition and their values, the default first. A scenario may set its own, and a moderator others."""
_UNIT_FACTS: Mapping[str, Callable[[Any], bool]] = {
    "british": lambda unit: unit.nation == "british",
    "spanish": lambda unit: unit.nation == "spanish",
    "portuguese": lambda unit: unit.nation == "portuguese",
    "french": lambda unit: unit.nation == "french",
    "infantry": lambda unit: unit.kind == "inf",
    "cavalry": lambda unit: unit.kind == "cav",
    "artillery": lambda unit: unit.kind == "art",
    "light": lambda unit: unit.size == "light",
    "heavy": lambda unit: unit.size == "heavy",
    "formed": lambda unit: unit.formation == "formed",
    "skirmishing": lambda unit: unit.skirmishing,
    "square": lambda unit: unit.square,
    "disordered": lambda unit: unit.state == "D",
    "charging": lambda unit: unit.charge > 0,
    "tired": lambda unit: unit.fatigue > 0,
}
"""Facts that an added modifier may use about a counter."""


def _facts(*roles: str) -> Facts:
    """Return facts on the counters in these roles, such as ``attacker is french``."""

    def of_role(role: str, fact: Callable[[Any], bool]) -> Callable[[Any], bool]:
        return lambda moment: fact(getattr(moment, role))

    return {f"{role} is {name}": of_role(role, fact) for role in roles for name, fact in _UNIT_FACTS.items()}


OVERLAY_FACTS: Mapping[str, Facts] = {
    "fire": _facts("firer", "target"),
    "shock": _facts("attacker", "defender"),
    "will": _facts("unit"),
    "control": _facts("unit"),
}
"""Facts that the modifiers added by an overlay may use, by the name of the chart; attacker and defender are the
leading units."""
GAME_FILES = GameFiles("pbem.games.peninsular", CHART_NAMES, CHART_NEEDS, OVERLAY_FACTS, {"retreat": "S12"})
REREADING_DATE = "2026-11-22"
"""The date of the errata of a rereading of all rules against the engine: the first that change the outcome of a game.
"""
LAST_ERRATUM_DATE = REREADING_DATE
"""The date of the last erratum that changes an outcome."""


def alliance_of(side: str) -> str:
    """Return the camp of a side: ``french`` or ``allied``."""
    return "french" if side == "french" else "allied"


def shipped_ground(name: str) -> TerrainMap:
    """Read a shipped map.

    Raise SourceError if it is broken, KeyError if there is none.
    """
    (text,) = GAME_FILES.map(f"{name}.txt")
    return read_ground(text, f"{name}.txt")


@dataclass(frozen=True, eq=False)
class Edition(edition.Edition[TerrainMap]):
    """A pinned edition on a map of hexes."""

    PRINTING = CommonValues("peninsular", "1", LAST_ERRATUM_DATE)
    MAP = TerrainMap
    OPTIONS = OPTIONS
    LATER = frozenset(OPTIONS)
    ON_COMMANDERS = RuleNumbers("M1", "M2", "M2.1", "M2.2", "M3", "M4", "M5")

    errata: str = LAST_ERRATUM_DATE

    @cached_property
    def reread(self) -> bool:
        """Return whether the rulings of `REREADING_DATE` are in force."""
        return self.errata >= REREADING_DATE

    @cached_property
    def cache(self) -> dict[Any, Any]:
        """Return the cache of values that depend on charts and map only."""
        return {}

    @cached_property
    def cells(self) -> Mapping[tuple[str, str], str]:
        """Return the cells of T1 by row and column."""
        return self.charts["terrain"].cells

    @cached_property
    def most_points(self) -> int:
        """Return the fire points of T5's last column; points above it roll again (S7a)."""
        return last_number(self.charts["fire"])

    @cached_property
    def retreat_by(self) -> tuple[str, ...]:
        """Return what decides among the hexes of a retreat, in order (S12).

        Without a chart they are the three that S12 names; an overlay may ask for the others.
        """
        chart = self.charts.get("retreat")
        return RETREAT_CRITERIA[:3] if chart is None else order_by_place(chart)

    @cached_property
    def phases(self) -> tuple[str, str]:
        """Return the sides that play the first and second half of a turn (S1)."""
        first, second = self.scenario.get("sides", ("british", "french"))
        return first, second

    @cached_property
    def seats(self) -> Mapping[str, str]:
        """Return seats and sides in the order of play; within a camp by rank, then id."""
        sides: Mapping[str, str] = self.scenario.get("seats", {side: side for side in self.phases})
        order = [alliance_of(side) for side in self.phases]
        return dict(
            sorted(sides.items(), key=lambda seat: (order.index(alliance_of(seat[1])), self.rank(seat[0]), seat[0]))
        )

    def seat_of(self, side: str) -> str:
        """Return the seat that answers for a side: its own, else an ally's first one."""
        return self._answering[side]

    @cached_property
    def _answering(self) -> Mapping[str, str]:
        result = {}
        for side in SIDES:
            own = [seat for seat, holds in self.seats.items() if holds == side]
            result[side] = next(iter((*own, *self.seats_of(side))), "")
        return result

    def seats_of(self, side: str) -> tuple[str, ...]:
        """Return the seats of a side and its friends."""
        return tuple(seat for seat, holds in self.seats.items() if alliance_of(holds) == alliance_of(side))

    @cached_property
    def edges(self) -> Mapping[str, str]:
        """Return each side's own map edge: S, French N, unless the scenario sets it."""
        edges: Mapping[str, str] = self.scenario.get("edge", {})
        return {side: edges.get(side, "N" if side == "french" else "S") for side in SIDES}
