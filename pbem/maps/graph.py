"""Curves over the moments of a game: what each side has, in steps, and how far chance alone would have led."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from pbem.maps.palette import Palette
from pbem.maps.svg import line, number, tag, text

WIDE, HIGH = 420.0, 150.0
PLOT = (34.0, 8.0, 400.0, 132.0)
"""Where the curves are: left, top, right, bottom."""
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


class Curve(NamedTuple):
    """What a side has at each moment: the tone of its counters, the letter that tells it apart, the values."""

    tone: str
    letter: str
    values: Sequence[float]


def curves(found: Sequence[Curve], marks: Sequence[int], palette: Palette, spread: Sequence[float] = ()) -> str:
    """Return curves as SVG, each with its letter at its end; `marks` are the moments at which something begins.

    `spread` is how far from 0 a value of each moment may well lie: it is shown as a band. There are two moments or
    more.
    """
    every = [value for curve in found for value in curve.values]
    low, high = min(0.0, *every, *(-one for one in spread)), max(0.0, *every, *spread)
    step = _step(high - low)
    low, high = floor(low / step) * step, max(ceil(high / step) * step, low + step)
    frame = _Frame(low, high, max((len(curve.values) for curve in found), default=2) - 1)
    body = "".join(_grid(frame, step, marks, palette))
    if spread:
        there = [(frame.x(at), frame.y(one)) for at, one in enumerate(spread)]
        back = [(frame.x(at), frame.y(-one)) for at, one in reversed([*enumerate(spread)])]
        body += tag("path", d=line([*there, *back], closed=True), fill=palette.faint, fill_opacity=0.18)
    body += "".join(_drawn(frame, found, palette))
    return tag("svg", body, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {number(WIDE)} {number(HIGH)}")


class _Frame(NamedTuple):
    """From moments and values to points."""

    low: float
    high: float
    last: int

    def x(self, at: float) -> float:
        left, _, right, _ = PLOT
        return left + (right - left) * at / max(self.last, 1)

    def y(self, value: float) -> float:
        _, top, _, bottom = PLOT
        return bottom - (bottom - top) * (value - self.low) / (self.high - self.low)


def _step(range_: float) -> float:
    """A round distance between lines of the grid, some five of which are the range; whole numbers."""
    rough = max(range_ / 5, 1.0)
    power = 10.0 ** floor(log10(rough))
    return float(next(power * one for one in (1, 2, 5, 10) if power * one >= rough - 1e-9))


def _grid(frame: _Frame, step: float, marks: Sequence[int], palette: Palette) -> Iterator[str]:
    left, top, right, bottom = PLOT
    value = frame.low
    while value <= frame.high + 1e-9:
        y = frame.y(value)
        thick = {"stroke_opacity": 0.9} if abs(value) < 1e-9 else {"stroke_opacity": 0.3}
        yield tag("path", d=line([(left, y), (right, y)]), stroke=palette.faint, stroke_width=0.8, **thick)
        yield text(number(value), (left - 5, y + 3.2), 9, text_anchor="end", fill=palette.ink)
        value += step
    ticks = "".join(line([(frame.x(at), bottom), (frame.x(at), bottom + 4)]) for at in marks)
    if ticks:
        yield tag("path", d=ticks, stroke=palette.faint, stroke_width=1)
    yield tag("path", d=line([(left, top), (left, bottom)]), stroke=palette.faint, stroke_width=0.8)


def _drawn(frame: _Frame, found: Sequence[Curve], palette: Palette) -> Iterator[str]:
    """The curves, and their letters beside one another where they end together."""
    ends: list[float] = []
    for curve, dash in zip(found, _DASHES, strict=False):
        y = frame.y(curve.values[0])
        way = f"M{number(frame.x(0))} {number(y)}"
        for at, value in enumerate(curve.values[1:], 1):
            if value != curve.values[at - 1]:
                way += f"H{number(frame.x(at))}V{number(frame.y(value))}"
        way += f"H{number(frame.x(frame.last))}"
        colour = palette.liveries[curve.tone].arrow
        dashes = {"stroke_dasharray": dash} if dash else {}
        yield tag("path", d=way, fill="none", stroke=colour, stroke_width=2, **dashes)
        end = frame.y(curve.values[-1]) + 3.4
        while any(abs(end - other) < 10 for other in ends):
            end += 2
        ends.append(end)
        yield text(curve.letter, (PLOT[2] + 4, end), 10, "sans-bold", fill=colour)
