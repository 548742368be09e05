"""T1 Read the ground of a hex map: terrain, levels, hexsides and roads.

Its text can be proof-read by a player.

::

    Training ground  12 x 10             (name, columns x rows; odd columns lie higher)
          01 02 03 04 05 06 07 08 09 10 11 12
      01   .  .  .  w  w  .  .  .  .  .  .  .
      ...
      .  clear
      w  light wood

      0304-0404 stream
      0305-0405 slope            from the lower hex to the higher
      0305-0405 siege lines      from the front to behind
      0510-0509-0508 road        a chain of hexes; several sides may share a line:
      0304-0404 0404-0503 stream
      0505 0605 level 1          several hexes too
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError
from pbem.engine.map.hexes import distance, field, is_hex

TERRAINS = (
    "clear",
    "beach",
    "cultivated",
    "village",
    "city",
    "strong buildings",
    "pontoon bridge",
    "marsh",
    "light wood",
    "dense wood",
    "sea",
)
_ALIASES = {
    "creek": "sea",
    "tidal creek": "sea",
    "lake": "sea",
    "buildings": "strong buildings",
    "wood": "light wood",
    "track": "road",
    "path": "road",
    "moderate slope": "slope",
    "impassable": "impassable slope",
}
HEXSIDE_KINDS = ("river", "stream", "bridge", "ford", "ravine", "slope", "impassable slope", "siege lines", "road")
_DIRECTED = {
    "slope": ("slope up", "slope down"),
    "impassable slope": ("impassable slope up", "impassable slope down"),
    "siege lines": ("siege lines front", "siege lines behind"),
}
CROSSINGS = ("bridge", "ford")
WATER_KINDS = ("river", "stream")
# The lines of a file of a hex map: head with its size, legend, chains of hexsides, hexes with their terrain. Columns
# and rows have at most two digits, as in the numbers of hexes; two blanks end a name, which may have blanks in it.
_HEAD = re.compile(r"(?P<name>\S.*?)  +(?P<columns>\d\d?) x (?P<rows>\d\d?)(?:  +\(.*\))?\s*")
_LEGEND = re.compile(r"\s+(?P<sign>\S)  (?P<words>\S.*?)\s*")
_SIDES = re.compile(r"(?P<chains>\d{4}(?:-\d{4})+(?: +\d{4}(?:-\d{4})+)*) +(?P<words>\S.*)")
_HEXES = re.compile(r"(?P<hexes>\S+(?: +\d{4})*) +(?P<words>\S.*)")


class TerrainMap:
    """The terrain, heights and features of a map of hexes; immutable when made."""

    def __init__(
        self,
        name: str,
        size: tuple[int, int],
        terrain: Mapping[str, str],
        levels: Mapping[str, int],
        sides: Iterable[tuple[str, str, str]],
    ) -> None:
        """Store the size in columns and rows, and what differs from clear, level ground.

        `terrain` has the hexes that are not clear, `levels` those not at 0, `sides` rows (a, b, feature) for the
        border between two hexes.
        """
        self.name, (self.columns, self.rows) = name, size
        self.hexes = frozenset(field(*size))
        self._terrain, self._levels = dict(terrain), dict(levels)
        self.features = tuple(sides)
        self.roads: set[tuple[str, str]] = set()
        kinds: dict[tuple[str, str], list[str]] = {}
        self._lines: set[str] = set()
        self._behind: set[str] = set()
        for a, b, feature in self.features:
            if feature == "road":
                self.roads |= {(a, b), (b, a)}
                continue
            there, back = _DIRECTED.get(feature, (feature, feature))
            kinds.setdefault((a, b), []).append(there)
            kinds.setdefault((b, a), []).append(back)
            if feature == "siege lines":
                self._lines |= {a, b}
                self._behind.add(b)
        self._sides = {pair: _without_water(rows) for pair, rows in kinds.items()}

    def __contains__(self, ident: str) -> bool:
        """Return whether the hex is on the map."""
        return ident in self.hexes

    def terrain(self, ident: str) -> str:
        """Return the terrain of a hex, as T1 names it."""
        return self._terrain.get(ident, "clear")

    def level(self, ident: str) -> int:
        """Return the height of a hex; 0 is the plain."""
        return self._levels.get(ident, 0)

    def sides(self, a: str, b: str) -> tuple[str, ...]:
        """Return the rows of T1 crossed from a hex to the next one, without roads."""
        return self._sides.get((a, b), ())

    def lines(self, ident: str) -> bool:
        """Return whether siege lines run along a side of the hex."""
        return ident in self._lines

    def behind_lines(self, ident: str) -> bool:
        """T2a Return whether the hex lies behind siege lines."""
        return ident in self._behind

    def to_json(self) -> Json:
        """Return the map as JSON, for the edition."""
        return {
            "name": self.name,
            "size": [self.columns, self.rows],
            "terrain": dict(self._terrain),
            "levels": dict(self._levels),
            "sides": [list(side) for side in self.features],
        }

    def described(self) -> Json:
        """Return each hex and hexside feature, for drawing and searching programs."""
        hexes = [
            {"id": hex_id, "terrain": self.terrain(hex_id), "level": self.level(hex_id)}
            for hex_id in sorted(self.hexes)
        ]
        sides = [{"from": a, "to": b, "kind": kind} for a, b, kind in sorted(self.features)]
        size = {"columns": self.columns, "rows": self.rows}
        return {"kind": "hexes", "name": self.name, **size, "hexes": hexes, "sides": sides}

    @classmethod
    def from_json(cls, value: Json) -> TerrainMap:
        """Read the output of `to_json`."""
        columns, rows = value["size"]
        size = columns, rows
        sides = ((a, b, feature) for a, b, feature in value["sides"])
        return cls(value["name"], size, value["terrain"], value["levels"], sides)


def _without_water(rows: list[str]) -> tuple[str, ...]:
    """Return the rows without the water that a bridge or ford crosses."""
    dry = any(row in CROSSINGS for row in rows)
    return tuple(row for row in dict.fromkeys(rows) if not (dry and row in WATER_KINDS))


class _Lines:
    """Terrain, levels and sides while they are read line by line."""

    def __init__(self, columns: int, rows: int) -> None:
        self.hexes = frozenset(field(columns, rows))
        self.terrain: dict[str, str] = {}
        self.levels: dict[str, int] = {}
        self.sides: list[tuple[str, str, str]] = []

    def read(self, text: str) -> None:
        """Read ``0304-0404 stream``, ``0404 village`` or ``0505 level 1``.

        Raise ValueError for any other line.
        """
        match = _SIDES.fullmatch(text)
        if match is not None:
            for chain in match["chains"].split():
                for a, b in pairwise(chain.split("-")):
                    self._side(a, b, _plain_words(match["words"]))
            return
        match = _HEXES.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} says nothing of a hex")
        for ident in match["hexes"].split():
            self._hex(ident, match["words"].strip())

    def _hex(self, ident: str, words: str) -> None:
        if not is_hex(ident) or ident not in self.hexes:
            raise ValueError(f"{ident!r} is no hex of the map")
        level = re.fullmatch(r"level (-?\d+)", words)
        if level is not None:
            self.levels[ident] = int(level[1])
        elif _plain_words(words) in TERRAINS:
            self.terrain[ident] = _plain_words(words)
        else:
            raise ValueError(f"unknown terrain {words!r}; one of {', '.join(TERRAINS)}")

    def _side(self, a: str, b: str, feature: str) -> None:
        for ident in (a, b):
            if ident not in self.hexes:
                raise ValueError(f"{ident!r} is no hex of the map")
        if distance(a, b) != 1:
            raise ValueError(f"{a} and {b} are no neighbours")
        if feature not in HEXSIDE_KINDS:
            raise ValueError(f"unknown side {feature!r}; one of {', '.join(HEXSIDE_KINDS)}")
        if (a, b, feature) in self.sides or (b, a, feature) in self.sides:
            raise ValueError(f"{a}-{b} {feature} stands twice")
        self.sides.append((a, b, feature))

    def ground(self, name: str, size: tuple[int, int]) -> TerrainMap:
        terrain = {ident: kind for ident, kind in sorted(self.terrain.items()) if kind != "clear"}
        levels = {ident: level for ident, level in sorted(self.levels.items()) if level}
        return TerrainMap(name, size, terrain, levels, self.sides)


def _plain_words(words: str) -> str:
    plain = " ".join(words.lower().split())
    return _ALIASES.get(plain, plain)


def make_open_ground(lines: Iterable[str], columns: int = 12, rows: int = 10) -> TerrainMap:
    """Return open ground with the lines added; raise ValueError for a bad line."""
    reader = _Lines(columns, rows)
    for line in lines:
        reader.read(line.strip())
    return reader.ground("case", (columns, rows))


def read_ground(text: str, file: str) -> TerrainMap:
    """Read a map; raise SourceError with file, line and fault."""
    lines = text.split("\n")
    head = _HEAD.fullmatch(lines[0])
    if head is None:
        raise SourceError(file, 1, "the first line reads NAME, two blanks, COLUMNS x ROWS")
    columns, rows = int(head["columns"]), int(head["rows"])
    reader = _Lines(columns, rows)
    heads = [f"{column:02}" for column in range(1, columns + 1)]
    if len(lines) < rows + 2 or lines[1].split() != heads:
        raise SourceError(file, 2, f"the second line holds the columns, 01 to {columns:02}")
    signs: dict[str, tuple[str, int]] = {}
    for row in range(1, rows + 1):
        number, *cells = lines[row + 1].split()
        if number != f"{row:02}" or len(cells) != columns:
            raise SourceError(file, row + 2, f"row {row:02} begins with its number and holds {columns} signs")
        for column, sign in enumerate(cells, start=1):
            signs[f"{column:02}{row:02}"] = sign, row + 2
    legend = _legend(lines, rows + 2, file, reader)
    for ident, (sign, line) in signs.items():
        if sign not in legend:
            raise SourceError(file, line, f"{ident} is {sign!r}, which the legend does not explain")
        reader.terrain.setdefault(ident, legend[sign])
    return reader.ground(head["name"], (columns, rows))


def _legend(lines: list[str], start: int, file: str, reader: _Lines) -> dict[str, str]:
    """Read the text below the grid: signs, and lines of terrain, levels and sides."""
    legend: dict[str, str] = {}
    for number, line in enumerate(lines[start:], start=start + 1):
        plain = line.split("#")[0].rstrip()
        match = _LEGEND.fullmatch(plain)
        try:
            if match is not None:
                if _plain_words(match["words"]) not in TERRAINS:
                    raise ValueError(f"unknown terrain {match['words']!r}; one of {', '.join(TERRAINS)}")
                legend[match["sign"]] = _plain_words(match["words"])
            elif plain.strip():
                reader.read(plain.strip())
        except ValueError as wrong:
            raise SourceError(file, number, str(wrong)) from None
    return legend
