"""Draw curves over a game's moments: sides' values and the band of chance."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil, floor, log10
from typing import NamedTuple

from pbem.maps.palette import Palette
from pbem.maps.svg import line, number, tag, text

WIDE, HIGH = 420.0, 150.0
PLOT = (34.0, 8.0, 400.0, 132.0)
"""The area of the curves: left, top, right, bottom."""
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


class Curve(NamedTuple):
    """A side's values at each moment, with its counters' tone and its letter."""

    tone: str
    letter: str
    values: Sequence[float]


def curves(sides: Sequence[Curve], marks: Sequence[int], palette: Palette, spread: Sequence[float] = ()) -> str:
    """Return curves as SVG, each with its letter at its end.

    `marks` are moments that begin a phase. `spread` is the usual deviation from 0 at each moment, shown as a
    band. There are two moments or more.
    """
    values = [value for curve in sides for value in curve.values]
    low, high = min(0.0, *values, *(-deviation for deviation in spread)), max(0.0, *values, *spread)
    step = _step(high - low)
    low, high = floor(low / step) * step, max(ceil(high / step) * step, low + step)
    frame = _Frame(low, high, max((len(curve.values) for curve in sides), default=2) - 1)
    body = "".join(_grid(frame, step, marks, palette))
    if spread:
        upper = [(frame.x(moment), frame.y(deviation)) for moment, deviation in enumerate(spread)]
        lower = [(frame.x(moment), frame.y(-deviation)) for moment, deviation in reversed([*enumerate(spread)])]
        body += tag("path", d=line([*upper, *lower], closed=True), fill=palette.faint, fill_opacity=0.18)
    body += "".join(_draw_curves(frame, sides, palette))
    return tag("svg", body, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {number(WIDE)} {number(HIGH)}")


class _Frame(NamedTuple):
    """A scale from moments and values to points."""

    low: float
    high: float
    last: int

    def x(self, moment: float) -> float:
        left, _, right, _ = PLOT
        return left + (right - left) * moment / max(self.last, 1)

    def y(self, value: float) -> float:
        _, top, _, bottom = PLOT
        return bottom - (bottom - top) * (value - self.low) / (self.high - self.low)


def _step(range_: float) -> float:
    """Return a round whole distance between lines of the grid, a fifth of the range."""
    estimate = max(range_ / 5, 1.0)
    power = 10.0 ** floor(log10(estimate))
    return float(next(power * multiple for multiple in (1, 2, 5, 10) if power * multiple >= estimate - 1e-9))


def _grid(frame: _Frame, step: float, marks: Sequence[int], palette: Palette) -> Iterator[str]:
    left, top, right, bottom = PLOT
    value = frame.low
    while value <= frame.high + 1e-9:
        y = frame.y(value)
        thick = {"stroke_opacity": 0.9} if abs(value) < 1e-9 else {"stroke_opacity": 0.3}
        yield tag("path", d=line([(left, y), (right, y)]), stroke=palette.faint, stroke_width=0.8, **thick)
        yield text(number(value), (left - 5, y + 3.2), 9, text_anchor="end", fill=palette.ink)
        value += step
    ticks = "".join(line([(frame.x(moment), bottom), (frame.x(moment), bottom + 4)]) for moment in marks)
    if ticks:
        yield tag("path", d=ticks, stroke=palette.faint, stroke_width=1)
    yield tag("path", d=line([(left, top), (left, bottom)]), stroke=palette.faint, stroke_width=0.8)


def _draw_curves(frame: _Frame, sides: Sequence[Curve], palette: Palette) -> Iterator[str]:
    """Yield the curves, and their letters side by side where they end together."""
    ends: list[float] = []
    for curve, dash in zip(sides, _DASHES, strict=False):
        y = frame.y(curve.values[0])
        path = f"M{number(frame.x(0))} {number(y)}"
        for moment, value in enumerate(curve.values[1:], 1):
            if value != curve.values[moment - 1]:
                path += f"H{number(frame.x(moment))}V{number(frame.y(value))}"
        path += f"H{number(frame.x(frame.last))}"
        colour = palette.liveries[curve.tone].arrow
        dashes = {"stroke_dasharray": dash} if dash else {}
        yield tag("path", d=path, fill="none", stroke=colour, stroke_width=2, **dashes)
        end = frame.y(curve.values[-1]) + 3.4
        while any(abs(end - other) < 10 for other in ends):
            end += 2
        ends.append(end)
        yield text(curve.letter, (PLOT[2] + 4, end), 10, "sans-bold", fill=colour)
