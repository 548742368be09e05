"""The curves of a game: points, strength, and luck, moment by moment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from pbem.engine.data.chronicle import Chronicle
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.data.scene import Scene
from pbem.engine.game import Game
from pbem.engine.reasons import labels_of
from pbem.maps.drawn_on import Style
from pbem.maps.graph import Curve, curves
from pbem.pages.archive.moments import Moment


class Tells(NamedTuple):
    """A graph: what it is of, its curves by side, how far chance may well have led."""

    title: Msg
    sides: Mapping[str, Sequence[float]]
    spread: Sequence[float] = ()
    note: Msg | None = None


def fortunes(
    chronicle: Chronicle, game: Game, told: Sequence[Moment], scenes: Sequence[Scene], style: Style
) -> Iterator[tuple[Tells, str]]:
    """Yield what curves there are, each with its drawing; none of what a side may not know at some moment."""
    camps = {camp.id: camp for scene in scenes for camp in scene.camps}
    marks = [at for at, one in enumerate(told) if at and one.chapter != told[at - 1].chapter]
    for one in (*_held(chronicle, game, told), *_luck(chronicle, game, told)):
        found = [
            Curve(camps[side].tone, style.say(camps[side].letter), values)
            for side, values in one.sides.items()
            if side in camps
        ]
        if found and len(told) > 1:
            yield one, curves(found, marks, style.palette, one.spread)


def _held(chronicle: Chronicle, game: Game, told: Sequence[Moment]) -> Iterator[Tells]:
    """Points and strength; no strength of an army of which a part is out of sight."""
    stakes = [game.telling.stakes(one.view, chronicle.seat, one.seen) for one in told]
    points = [{score.side: score.points for score in one.scores} for one in stakes]
    armies = [{army.side: army.strength for army in one.armies if army.whole} for one in stakes]
    for title, rows in ((msg("Points"), points), (msg("Strength"), armies)):
        sides = [side for side in rows[0] if all(side in row for row in rows)]
        yield Tells(title, {side: [row[side] for row in rows] for side in sides})


def _luck(chronicle: Chronicle, game: Game, told: Sequence[Moment]) -> Iterator[Tells]:
    """What the dice gave the first side over what was to be expected of them, summed up."""
    if not chronicle.sides:
        return
    side, (gains, squares) = chronicle.sides[0], _weighed(chronicle, told)
    sums, spread = list(accumulate(gains)), [sqrt(one) for one in accumulate(squares)]
    note = msg(
        "Points that the dice gave {side} beyond what was to be expected of them; in all {luck}. Two games of three "
        "end within the band.",
        side=game.telling.side(side),
        luck=decimal(sums[-1], signed=True),
    )
    yield Tells(msg("Luck"), {side: sums}, spread, note)


def _weighed(chronicle: Chronicle, told: Sequence[Moment]) -> tuple[list[float], list[float]]:
    """What the dice of each moment gave the first side, and the mean square of that.

    What no happening tells of belongs to the last of its phase.
    """
    gains, squares = [0.0] * len(told), [0.0] * len(told)
    for number, chapter in enumerate(chronicle.chapters):
        ats = [at for at, one in enumerate(told) if one.chapter == number]
        of = {label: at for at in reversed(ats) for happened, _ in told[at].seen for label in labels_of(happened.data)}
        for label, fortune in chapter.luck.items():
            at = of.get(label, ats[-1])
            gains[at] += fortune.luck[0]
            squares[at] += fortune.variance[0]
    return gains, squares
