"""Measure and split parts, as ``<rect x="1" y="2" width="3" height="4"/>``.

It reads what the modules beside it write. The box may be larger than the part: every line is as wide there as its
sharpest corner, and a curve reaches the points that bend it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import unescape

from pbem.engine.map.plane import Box, Point, box_of
from pbem.maps.svg import FACES, Drawn, number, width

_TAG = re.compile(r'<(/?)([a-z]+)((?: [\w-]+="[^"]*")*)(/?)>([^<]*)')
_ATTRIBUTE = re.compile(r'([\w-]+)="([^"]*)"')
_COMMAND = re.compile(r"([A-Za-z])([^A-Za-z]*)")
_NUMBER = re.compile(r"-?\d*\.?\d+")
_MOVE = re.compile(r"(translate|scale)\(([^)]*)\)")
_GROUP = re.compile(r' transform="translate\(([-\d.]+) ([-\d.]+)\)(?: scale\(([-\d.]+)\))?"')
_START = re.compile(r' d="M(-?[\d.]+) (-?[\d.]+)')
_NAMES, _PATH = re.compile(r"<([a-z]+)"), re.compile(r' d="([^"]*)"')
_COUNTS = {"m": 2, "l": 2, "t": 2, "h": 1, "v": 1, "c": 6, "s": 4, "q": 4, "a": 7}
"""The number of figures in a step of each command of a path."""
_SHARP = 2.0
"""How far a line reaches beside its middle at its sharpest corner, in its widths: at that the corner is cut off."""
_FACES = {frozenset(_ATTRIBUTE.findall(look)): face for face, look in FACES.items()}


def extent(svg: str) -> Box:
    """Return the box of a part.

    Raises KeyError and ValueError for elements and transforms that this package does not write, and for nothing.
    """
    scales, corners = [(1.0, 0.0, 0.0)], list[Point]()
    for end, name, attributes, alone, words in _TAG.findall(svg):
        if end:
            scales = scales[:-1] if name == "g" else scales
            continue
        look = dict(_ATTRIBUTE.findall(attributes))
        scale, right, down = _apply_transform(look.get("transform", ""), *scales[-1])
        if name == "g":
            scales += [] if alone else [(scale, right, down)]
        elif points := list(_SHAPES[name](look) if name != "text" else _text(look, unescape(words))):
            rim = _SHARP * float(look.get("stroke-width", 1)) if look.get("stroke", "none") != "none" else 0.0
            box = box_of(points, rim)
            corners += [(x * scale + right, y * scale + down) for x, y in (box[:2], box[2:])]
    return box_of(corners)


def split(svg: str) -> list[Drawn]:
    """Return words, moved groups and what lies between them, in order.

    Words and groups are around the origin.
    """
    parts, run, depth, start, group = list[Drawn](), "", 0, 0, ""
    for element in _TAG.finditer(svg):
        end, name, attributes, alone, _ = element.groups()
        if name == "g" and not alone:
            depth += -1 if end else 1
            if not end and depth == 1:
                group, start = attributes, element.end()
            if depth or not end:
                continue
            inner, moved = svg[start : element.start()], _GROUP.fullmatch(group)
            if moved is None and group:
                run += f"<g{group}>{inner}</g>"
                continue
            added = split(inner)
            if moved is not None:
                point, size = (float(moved[1]), float(moved[2])), float(moved[3] or 1)
                added = [_move(part, point, size) for part in added]
        elif depth or end:
            continue
        elif name == "text":
            look = dict(_ATTRIBUTE.findall(attributes))
            words = svg[element.start() : element.end()] + "</text>"
            words = words.replace(f' x="{look["x"]}"', ' x="0"', 1).replace(f' y="{look["y"]}"', ' y="0"', 1)
            added = [Drawn(words, (float(look["x"]), float(look["y"])))]
        else:
            run += svg[element.start() : element.end()]
            continue
        parts += [Drawn(run), *added] if run else added
        run = ""
    return [*parts, Drawn(run)] if run else parts


def anchor(svg: str) -> Drawn:
    """Return lines around the origin, and their place.

    So they look alike wherever they are. A part with words, groups or other shapes stays as it is.
    """
    first = _START.search(svg)
    if first is None or set(_NAMES.findall(svg)) - {"path"} or "transform" in svg:
        return Drawn(svg)
    x, y = float(first[1]), float(first[2])
    return Drawn(_PATH.sub(lambda path: f' d="{_shift(path[1], x, y)}"', svg), (x, y))


def _shift(path: str, x: float, y: float) -> str:
    """Return a path so much further to the left and up."""
    moved = ""
    for letter, written in _COMMAND.findall(path):
        figures = list(map(float, _NUMBER.findall(written)))
        if letter.isupper():
            count, fixed = _COUNTS.get(letter.lower(), 1), 5 if letter == "A" else 0
            for index in range(len(figures)):
                along = index % count - fixed
                if along >= 0:
                    figures[index] -= y if letter == "V" or along % 2 else x
        moved += letter + " ".join(map(number, figures))
    return moved


def _move(part: Drawn, point: Point, size: float) -> Drawn:
    """Return a part of a group at its place outside the group."""
    x, y = part.at or (0.0, 0.0)
    return Drawn(part.look, (point[0] + size * x, point[1] + size * y), size * part.size)


def _apply_transform(transform: str, scale: float, right: float, down: float) -> tuple[float, float, float]:
    """Return scale and shift within a transform."""
    if _MOVE.sub("", transform).strip():
        raise ValueError(f"not measured: {transform}")
    for kind, figures in _MOVE.findall(transform):
        x, *more = map(float, figures.split())
        if kind == "scale":
            scale *= x
        else:
            right, down = right + scale * x, down + scale * more[0]
    return scale, right, down


def _rect(look: Mapping[str, str]) -> Iterator[Point]:
    x, y = float(look.get("x", 0)), float(look.get("y", 0))
    yield from ((x, y), (x + float(look["width"]), y + float(look["height"])))


def _circle(look: Mapping[str, str]) -> Iterator[Point]:
    x, y, radius = float(look.get("cx", 0)), float(look.get("cy", 0)), float(look["r"])
    yield from ((x - radius, y - radius), (x + radius, y + radius))


def _path(look: Mapping[str, str]) -> Iterator[Point]:
    """Yield the points of a path, also those that bend it."""
    x = y = 0.0
    start = x, y
    for letter, written in _COMMAND.findall(look["d"]):
        kind, figures = letter.lower(), list(map(float, _NUMBER.findall(written)))
        if kind == "z":
            x, y = start
            continue
        for first in range(0, len(figures), _COUNTS[kind]):
            step = figures[first : first + _COUNTS[kind]]
            from_x, from_y = (x, y) if letter == kind else (0.0, 0.0)
            if kind == "a":
                # Its points are at most a diameter away, of a short arc a radius.
                far = max(step[:2]) * (2 if step[3] else 1)
                yield from ((x - far, y - far), (x + far, y + far))
                step = step[5:]
            if kind == "h":
                x = from_x + step[0]
            elif kind == "v":
                y = from_y + step[0]
            for along, down in zip(step[::2], step[1::2], strict=kind not in "hv"):
                x, y = from_x + along, from_y + down
                yield x, y
            if kind in "hv":
                yield x, y
            if kind == "m" and not first:
                start = x, y


def _text(look: Mapping[str, str], words: str) -> Iterator[Point]:
    """Yield the corners of words, with room for accents and for letters that lean."""
    x, y, size = float(look["x"]), float(look["y"]), float(look["font-size"])
    face = _FACES[frozenset((key, value) for key, value in look.items() if key in _FACE_KEYS)]
    wide = float(look["textLength"]) if "textLength" in look else width(words, size, face)
    wide += len(words) * float(look.get("letter-spacing", 0))
    left = x - wide * {"middle": 0.5, "end": 1.0}.get(look.get("text-anchor", ""), 0.0)
    yield from ((left - 0.3 * size, y - 1.2 * size), (left + wide + 0.3 * size, y + 0.4 * size))


_FACE_KEYS = {key for look in _FACES for key, _ in look}
_SHAPES = {"rect": _rect, "circle": _circle, "path": _path}
