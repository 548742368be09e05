"""Draw the ground of an area map: cells, contours, woods, water, roads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import hypot
from typing import NamedTuple

from pbem.engine.map.areas import AreaMap, Edge
from pbem.engine.map.hexes import chains
from pbem.engine.map.plane import Box, Cell, Point, box_of, cells, inset, noise, rough, scatter, shrink, smooth
from pbem.engine.map.sheets import Sheet
from pbem.maps.palette import Palette
from pbem.maps.svg import Patch, curve, fibres, line, number, polygon, sand, smooth_path, tag, text, trees, tufts

_HIGH = frozenset(("heights", "fortified"))
# The length of the ticks of a slope, and their distance.
_TICK, _APART = 7.0, 6.0
_ROUND: Mapping[str, str] = {"stroke_linecap": "round"}
_STREWN = {
    "woods": (19, 8),
    "beach": (12, 3),
    "marsh": (20, 8),
    "town": (30, 14),
    "camp": (30, 14),
    "fortified": (30, 14),
}
"""The distance between a terrain's signs, and from its borders."""
_CONTOURS = ((0.8, 1), (0.6, 2), (0.4, 2))
"""The distance of each contour from a height, and its level in the palette."""
_BEYOND = 60.0
"""How far cells are computed beyond the frame, so that the drawn country does not stop short of its edge."""


class Areas(NamedTuple):
    """An area map, its sheet and the cells computed from them."""

    area: AreaMap
    sheet: Sheet
    cells: Mapping[str, Cell]

    @classmethod
    def of(cls, area: AreaMap, sheet: Sheet) -> Areas:
        """Return the ground of a map."""
        left, top, right, bottom = sheet.box
        return cls(area, sheet, cells(sheet.sites, (left - _BEYOND, top - _BEYOND, right + _BEYOND, bottom + _BEYOND)))

    def outline(self, name: str) -> list[Point]:
        """Return the outline of a space, with natural borders."""
        cell, out = self.cells[name], list[Point]()
        for index, start in enumerate(cell.corners):
            end = cell.corners[(index + 1) % len(cell.corners)]
            out += rough(start, end)[:-1]
        return out

    def border(self, space: str, other: str) -> Sequence[Point]:
        """Return the drawn border of two spaces; empty if they have none."""
        side = self.cells[space].border(other) if space in self.cells else None
        return rough(*side) if side else ()

    def draw(self, palette: Palette) -> list[Patch]:
        """Return the ground in patches, without words but those of the sea."""
        outlines = {name: self.outline(name) for name in sorted(self.cells)}
        boxes = {name: box_of(outline, 9) for name, outline in outlines.items()}
        terrains = {name: self.area.spaces[name].terrain for name in outlines}
        return [
            *(Patch(_space(name, terrains[name], line, palette), boxes[name]) for name, line in outlines.items()),
            Patch(fibres(self.sheet.box, palette)),
            *self._borders(palette),
            *(Patch(way) for way in self._ways(palette)),
            *(
                Patch(_signs(name, terrains[name], line[::4], self.sheet.box, palette), boxes[name])
                for name, line in outlines.items()
            ),
            Patch(self.water(palette)),
        ]

    def glance(self, palette: Palette) -> str:
        """Return the map as seen from afar: cells, heights darker, and water."""
        spots: dict[str, str] = {}
        for name, cell in sorted(self.cells.items()):
            terrain = self.area.spaces[name].terrain
            fill = palette.levels[1] if terrain in _HIGH else palette.terrain.get(terrain, palette.terrain["clear"])
            spots[fill] = spots.get(fill, "") + line(self._inside(cell.corners), closed=True)
        land = "".join(tag("path", d=path, fill=fill, stroke=fill) for fill, path in spots.items())
        return land + "".join(
            polygon(self._inside(smooth(shore, 2)), fill=palette.water[1]) for shore in self.sheet.water
        )

    def _inside(self, outline: Sequence[Point]) -> list[Point]:
        """Return an outline that follows the frame wherever it would otherwise leave it."""
        left, top, right, bottom = self.sheet.box
        return [(min(max(x, left), right), min(max(y, top), bottom)) for x, y in outline]

    def water(self, palette: Palette) -> str:
        """Return water as SVG, which lies above all land, with the words of the sea."""
        return "".join(_water(water, palette) for water in self.sheet.water) + self._sea(palette)

    def _borders(self, palette: Palette) -> Iterator[Patch]:
        for name, cell in sorted(self.cells.items()):
            for other in sorted(filter(None, cell.sides)):
                side = cell.border(other)
                if side is None or other < name or hypot(side[1][0] - side[0][0], side[1][1] - side[0][1]) < 1.0:
                    continue
                points = rough(*side)
                edge = self.area.edge(name, other) if self.area.adjacent(name, other) else None
                yield Patch(_border_line(points, edge, self._foot_of_slope(edge), palette), box_of(points, 9))

    def _foot_of_slope(self, edge: Edge | None) -> Point | None:
        """Return the lower side of a slope: the space that is not high, or the second."""
        if edge is None or edge.kind not in ("slope", "parapet"):
            return None
        low = edge.b if self.area.spaces[edge.a].terrain in _HIGH else edge.a
        return self.sheet.sites[low]

    def _ways(self, palette: Palette) -> Iterator[str]:
        """Yield roads and paths, each in one line as far as it does not fork."""
        edges = [edge for edge in sorted(self.area.edges) if self.cells[edge.a].border(edge.b)]
        # On a sheet that does not fit, possible moves must be visible, though the cells do not meet.
        apart = sorted((edge.a, edge.b) for edge in set(self.area.edges) - set(edges))
        way = "".join(line([self.sheet.sites[a], self.sheet.sites[b]]) for a, b in apart)
        if way:
            yield tag("path", d=way, stroke=palette.barred, stroke_width=1.6, stroke_dasharray="1 4", **_ROUND)
        for kinds, lines in (
            (("path", "ford"), ((palette.path, 1.6, {"stroke_dasharray": "3 2.5"}),)),
            (("road", "bridge"), ((palette.road[0], 4, _ROUND), (palette.road[1], 2, _ROUND))),
        ):
            ways = chains((edge.a, edge.b) for edge in edges if edge.kind in kinds)
            way = "".join(smooth_path(self._way(places)) for places in ways)
            for stroke, stroke_width, attributes in lines if way else ():
                yield tag("path", d=way, fill="none", stroke=stroke, stroke_width=stroke_width, **attributes)

    def _way(self, places: Sequence[str]) -> list[Point]:
        """Return a line from site to site, across the shared side of each two cells."""
        out = [self.sheet.sites[places[0]]]
        for space, other in pairwise(places):
            (a, b), (c, d) = self.sheet.sites[space], self.sheet.sites[other]
            (p, q), (r, s) = self.cells[space].border(other) or ((a, b), (c, d))
            across, along = (c - a) * (q - b) - (d - b) * (p - a), (c - a) * (q - s) - (d - b) * (p - r)
            # Kept off the ends of the side: the straight line may miss it, and the way would cut a third cell. If both
            # are parallel, it crosses at the middle.
            fraction = min(max(across / along if along else 0.5, 0.2), 0.8)
            out += [(p + fraction * (r - p), q + fraction * (s - q)), (c, d)]
        return out

    def _sea(self, palette: Palette) -> str:
        sea = self.sheet.sea
        if sea is None:
            return ""
        turn = f"rotate({number(sea.turn)} {number(sea.at[0])} {number(sea.at[1])})"
        return text(
            sea.text, sea.at, 14, "serif-italic", fill=palette.ink, fill_opacity=0.6, letter_spacing=2, transform=turn
        )


def _space(name: str, terrain: str, outline: list[Point], palette: Palette) -> str:
    """Return the fill of a space, heights with their contours."""
    fill = palette.terrain.get(terrain, palette.terrain["clear"])
    svg = polygon(outline, fill=fill, stroke=fill, stroke_width=0.8)
    if terrain not in _HIGH:
        return svg
    centre = sum(x for x, _ in outline) / len(outline), sum(y for _, y in outline) / len(outline)
    for share, colour in _CONTOURS:
        ring = [
            (x + 4 * noise(name, share, index, "x"), y + 4 * noise(name, share, index, "y"))
            for index, (x, y) in enumerate(shrink(outline, centre, share)[::4])
        ]
        way = curve(ring, closed=True)
        # Light from the north-west: each level throws a shadow and has a bright edge.
        svg += tag("path", d=way, fill=palette.relief[1], fill_opacity=0.3, transform="translate(3.2 3.8)")
        svg += tag("path", d=way, fill=palette.relief[0], fill_opacity=0.55, transform="translate(-1.5 -1.8)")
        svg += tag("path", d=way, fill=palette.levels[colour])
    return svg


def _signs(name: str, terrain: str, outline: list[Point], box: Box, palette: Palette) -> str:
    """Return the signs of a terrain, such as trees, legible in grey as well."""
    spacing, margin = _STREWN.get(terrain, (0, 0))
    spots = [
        (x, y)
        for x, y in (scatter(name, outline, spacing, margin) if spacing else ())
        if box[0] - 9 < x < box[2] + 9 and box[1] - 9 < y < box[3] + 9
    ]
    if terrain == "woods":
        return trees(spots, palette)
    if terrain == "beach":
        return sand(spots, palette)
    if terrain == "marsh":
        return tufts(spots, palette)
    if terrain in ("town", "camp", "fortified"):
        shape = {"town": "h7v5h-7z", "camp": "l5 -9l5 9zm5 -9v9", "fortified": "h8v8h-8z"}[terrain]
        marks = (f"M{number(x)} {number(y)}{shape}" for x, y in spots)
        fill = palette.house if terrain == "town" else "none"
        return tag("path", d="".join(marks), fill=fill, stroke=palette.house, stroke_width=1)
    return ""


def _border_line(points: list[Point], edge: Edge | None, down: Point | None, palette: Palette) -> str:
    """Return a border: dashed, ticked down a slope, blue, or thick if barred."""
    path = line(points)
    if edge is None:
        return tag("path", d=path, fill="none", stroke=palette.barred, stroke_width=4, stroke_linecap="round")
    if edge.kind in ("ford", "bridge"):
        return tag("path", d=path, fill="none", stroke=palette.sea, stroke_width=4, stroke_linecap="round")
    if down is not None:
        wall = {"stroke": palette.barred, "stroke_width": 4, "stroke_dasharray": "7 2"}
        parapet = tag("path", d=path, fill="none", **wall) if edge.kind == "parapet" else ""
        slope = tag(
            "path", d=path + "".join(_ticks(points, down)), fill="none", stroke=palette.hachure, stroke_width=1.2
        )
        return slope + parapet
    return tag("path", d=path, fill="none", stroke=palette.border, stroke_width=1.1, stroke_dasharray="5 3")


def _ticks(points: list[Point], down: Point) -> Iterator[str]:
    """Yield short strokes along a border, to the side on which a point lies."""
    remainder = 0.0
    for (a, b), (c, d) in pairwise(points):
        length = hypot(c - a, d - b)
        if not length:
            continue
        normal = -(d - b) / length, (c - a) / length
        side = 1 if normal[0] * (down[0] - a) + normal[1] * (down[1] - b) > 0 else -1
        distance = _APART - remainder if remainder else 0.0
        while distance < length:
            x, y = a + (c - a) * distance / length, b + (d - b) * distance / length
            yield f"M{number(x)} {number(y)}l{number(side * _TICK * normal[0])} {number(side * _TICK * normal[1])}"
            distance += _APART
        remainder = (remainder + length) % _APART


def _water(outline: tuple[Point, ...], palette: Palette) -> str:
    """Return water, deeper away from its shore."""
    shore = smooth(outline)
    svg = polygon(shore, fill=palette.water[0], stroke=palette.shore, stroke_width=1.4)
    for distance, colour in ((7, palette.water[1]), (15, palette.water[2])):
        inner = inset(shore, distance)
        svg += polygon(inner, fill=colour, stroke=palette.sea, stroke_width=0.7, stroke_opacity=0.6) if inner else ""
    return svg
