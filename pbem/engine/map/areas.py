"""Area maps: spaces joined by edges, read from two CSV texts.

A player can check the texts. ``spaces``: ``id,en,es,terrain,flags,x,y`` (flags separated by blanks, x and y
for drawing); ``edges``: ``a,b,kind``, where the order of a and b matters to kinds that have a direction
(from the lower space to the higher).
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.sources import SourceError

# Characters that need no quotes in orders, files and SVG. Unlike a unit's, a space's id may begin with a digit: hexes
# and numbered areas do.
_ID = re.compile(r"[A-Za-z0-9_-]+")
"""An id may stand in orders, file names and pages, so that it has no blanks and no punctuation."""


class Space(NamedTuple):
    """A space: id, names, terrain, flags, and position on the drawing."""

    id: str
    en: str
    es: str
    terrain: str
    flags: tuple[str, ...] = ()
    x: int = 0
    y: int = 0


class Edge(NamedTuple):
    """A way between two spaces, as written from `a` to `b`."""

    a: str
    b: str
    kind: str


class AreaMap:
    """Spaces and edges; immutable after it is made."""

    def __init__(self, name: str, spaces: Iterable[Space], edges: Iterable[Edge]) -> None:
        """Build the map.

        Raise ValueError if an edge names an unknown space, joins a space to itself or occurs twice.
        """
        self.name = name
        self.spaces: Mapping[str, Space] = {space.id: space for space in spaces}
        self.edges = tuple(edges)
        near: dict[str, dict[str, Edge]] = {ident: {} for ident in self.spaces}
        for edge in self.edges:
            for end in (edge.a, edge.b):
                if end not in near:
                    raise ValueError(f"edge {edge.a}-{edge.b} names the unknown space {end}")
            if edge.a == edge.b:
                raise ValueError(f"edge {edge.a}-{edge.b} joins a space to itself")
            if edge.b in near[edge.a]:
                raise ValueError(f"edge {edge.a}-{edge.b} stands twice")
            near[edge.a][edge.b] = near[edge.b][edge.a] = edge
        self._near: Mapping[str, Mapping[str, Edge]] = {
            ident: dict(sorted(others.items())) for ident, others in near.items()
        }
        self._around = {ident: tuple(others) for ident, others in self._near.items()}
        self._distances: dict[tuple[str, ...], Mapping[str, int]] = {}

    def neighbours(self, space: str) -> tuple[str, ...]:
        """Return the ids next to `space`, in id order."""
        return self._around[space]

    def adjacent(self, a: str, b: str) -> bool:
        """Return whether an edge joins the two."""
        return b in self._near.get(a, ())

    def edge(self, a: str, b: str) -> Edge:
        """Return the edge between two adjacent spaces; raise KeyError if there is none."""
        return self._near[a][b]

    def distances(self, goals: tuple[str, ...]) -> Mapping[str, int]:
        """Return every space's distance in edges to the nearest of `goals`.

        Spaces from which no way leads to a goal are missing.
        """
        cached = self._distances.get(goals)
        if cached is None:
            cached = self._distances[goals] = self.spread(goals, lambda _a, _b: True)
        return cached

    def spread(self, goals: Iterable[str], passable: Callable[[str, str], bool]) -> Mapping[str, int]:
        """Return distances to `goals` over edges for which ``passable(from, to)`` holds."""
        distances = dict.fromkeys(sorted(goals), 0)
        queue = deque(distances)
        while queue:
            space = queue.popleft()
            for other in self._near[space]:
                if other not in distances and passable(other, space):
                    distances[other] = distances[space] + 1
                    queue.append(other)
        return distances

    def to_json(self) -> Json:
        """Return the map as JSON, for the edition."""
        return {
            "name": self.name,
            "spaces": [[s.id, s.en, s.es, s.terrain, list(s.flags), s.x, s.y] for _, s in sorted(self.spaces.items())],
            "edges": [list(edge) for edge in sorted(self.edges)],
        }

    def described(self) -> Json:
        """Return the map for programs: spaces and edges with named fields."""
        spaces = [
            {
                "id": s.id,
                "names": {"en": s.en, "es": s.es},
                "terrain": s.terrain,
                "flags": list(s.flags),
                "x": s.x,
                "y": s.y,
            }
            for _, s in sorted(self.spaces.items())
        ]
        return {
            "kind": "areas",
            "name": self.name,
            "spaces": spaces,
            "edges": [e._asdict() for e in sorted(self.edges)],
        }

    @classmethod
    def from_json(cls, value: Json) -> AreaMap:
        """Read the output of `to_json`."""
        spaces = (Space(i, en, es, terrain, tuple(flags), x, y) for i, en, es, terrain, flags, x, y in value["spaces"])
        return cls(value["name"], spaces, (Edge(*edge) for edge in value["edges"]))


class Legend(NamedTuple):
    """The words of a map: terrains, kinds of edges, and flags of spaces."""

    terrains: Iterable[str]
    kinds: Iterable[str]
    flags: Iterable[str]


def read_map(name: str, spaces: str, edges: str, legend: Legend) -> AreaMap:
    """Read a map from the two texts, NAME.spaces.csv and NAME.edges.csv.

    Raises SourceError with file, line and reason for an id with other characters than letters, digits, ``_`` and
    ``-`` (so that it can stand in any line of orders), an empty name, an unknown terrain, kind or flag, a space or
    edge that occurs twice, an invalid number, or a part of the map that cannot be reached.
    """
    files = (f"{name}.spaces.csv", f"{name}.edges.csv")
    terrains, kinds, flags = map(tuple, legend)
    read_spaces: dict[str, Space] = {}
    for line, row in _rows(spaces, files[0], ("id", "en", "es", "terrain", "flags", "x", "y")):
        if row["id"] in read_spaces:
            raise SourceError(files[0], line, f"space {row['id']} stands twice")
        try:
            read_spaces[row["id"]] = _read_space(row, terrains, flags)
        except ValueError as error:
            # Only here the line of the fault is known.
            raise SourceError(files[0], line, str(error)) from None
    if not read_spaces:
        raise SourceError(files[0], 0, "the map has no spaces")
    read_edges: list[Edge] = []
    for line, row in _rows(edges, files[1], ("a", "b", "kind")):
        if row["kind"] not in kinds:
            raise SourceError(files[1], line, f"unknown kind of edge {row['kind']!r}; one of {', '.join(kinds)}")
        read_edges.append(Edge(row["a"], row["b"], row["kind"]))
        try:
            # The map's own checks know no lines: it is made anew with each edge, so that the first faulty one is named.
            AreaMap(name, read_spaces.values(), read_edges)
        except ValueError as error:
            raise SourceError(files[1], line, str(error)) from None
    area = AreaMap(name, read_spaces.values(), read_edges)
    unreachable = sorted(set(area.spaces) - set(area.distances(tuple(sorted(area.spaces))[:1])))
    if unreachable:
        raise SourceError(files[1], 0, f"no way leads to {', '.join(unreachable)}")
    return area


def _read_space(row: Mapping[str, str], terrains: Sequence[str], flags: Sequence[str]) -> Space:
    """Read a line of spaces; raise ValueError with the reason if it is wrong."""
    # A space's id is part of addresses (B>C.2) and labels (B>C/morale Leon): it must not hold their signs.
    if not _ID.fullmatch(row["id"]):
        raise ValueError(f"{row['id']!r} is no id: letters, digits, _ and -")
    if not (row["en"].strip() and row["es"].strip()):
        raise ValueError(f"space {row['id']} has no name in each language")
    if row["terrain"] not in terrains:
        raise ValueError(f"unknown terrain {row['terrain']!r}; one of {', '.join(terrains)}")
    marks = tuple(row["flags"].split())
    for mark in marks:
        if mark not in flags:
            raise ValueError(f"unknown flag {mark!r}; one of {', '.join(flags)}")
    if not (re.fullmatch("[0-9]+", row["x"]) and re.fullmatch("[0-9]+", row["y"])):
        raise ValueError("x and y are whole numbers")
    return Space(row["id"], row["en"], row["es"], row["terrain"], marks, int(row["x"]), int(row["y"]))


def _rows(text: str, file: str, heads: tuple[str, ...]) -> Iterable[tuple[int, dict[str, str]]]:
    reader = csv.reader(io.StringIO(text))
    first = next(reader, [])
    if tuple(first) != heads:
        raise SourceError(file, 1, f"the first line reads {','.join(heads)}")
    for cells in reader:
        if not cells:
            continue
        if len(cells) != len(heads):
            raise SourceError(file, reader.line_num, f"{len(cells)} values, there are {len(heads)} columns")
        yield reader.line_num, dict(zip(heads, cells, strict=True))
