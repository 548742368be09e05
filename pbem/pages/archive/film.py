"""Draw the steps of a turn for an animation, as the page of a game shows them.

The ground is drawn once, and for each step what lies on it, with a title above and the step's sentence below.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import NamedTuple

from pbem.engine.data.chronicle import Chronicle
from pbem.engine.data.messages import Msg, msg
from pbem.engine.game import AnyGame
from pbem.engine.reasons import refusal_for_others
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.frames import LAYERS, CounterCache, base_svg, common_counter_size, frame, merge_scenes
from pbem.maps.grounds import prepare_ground
from pbem.maps.svg import number, tag, text
from pbem.pages.archive.data import scenes_of
from pbem.pages.archive.moments import Moment, chapter_title, moments

HEAD, FOOT = 40.0, 74.0
"""The heights of the strips for the title and for the sentence."""
_EDGE, _TYPE = 14.0, 15.0
"""The room at both sides of the words, and the size of their type, in units of the map."""
_MOST_LINES = 3
"""The most lines of a sentence: the foot has room for them."""


class Film(NamedTuple):
    """The drawings of a turn: the ground, a transparent one for each step, a width."""

    ground: str
    frames: tuple[str, ...]
    width: float


def draw_film(chronicle: Chronicle, game: AnyGame, style: Style, turn: int, phase: str = "") -> Film | None:
    """Return the drawings of a turn or a phase, after the position before it.

    None if nothing of it is over; raise ValueError for a game without a map.
    """
    all_moments = moments(chronicle, game)
    wanted = [
        index
        for index, moment in enumerate(all_moments)
        if moment.chapter >= 0
        and chronicle.chapters[moment.chapter].turn == turn
        and phase in ("", chronicle.chapters[moment.chapter].phase)
    ]
    if not wanted:
        return None
    steps = [all_moments[index] for index in (wanted[0] - 1, *wanted)]
    scenes = scenes_of(chronicle, game, steps)
    if game.pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    ground = prepare_ground(game.pictured.ground(chronicle.start.edition), merge_scenes(scenes), chronicle.edition)
    size, counters = common_counter_size(scenes, ground), CounterCache()
    frames = []
    for step, scene in zip(steps, scenes, strict=True):
        # By layers, then from the top of the map down: what is drawn later covers the rest.
        parts = sorted(
            frame(scene, ground, style, size, counters), key=lambda part: (LAYERS.index(part.layer), part.at[1])
        )
        pieces = (
            tag("g", part.look, transform=f"translate({number(part.at[0])} {number(part.at[1])})") for part in parts
        )
        moment = chapter_title(chronicle.chapters[step.chapter]) if step.chapter >= 0 else scene.moment
        title = msg("{title}: {name}", title=scene.heading, name=moment)
        frames.append(_frame("".join((*pieces, *_words(title, step, ground, style, chronicle.seat))), ground))
    return Film(_frame(_paper(ground, style) + base_svg(ground, style), ground), tuple(frames), _width(ground))


def _width(ground: Ground) -> float:
    return ground.box[2] - ground.box[0]


def _frame(body: str, ground: Ground) -> str:
    """Return a drawing with room for the words above and below the map."""
    left, top, right, bottom = ground.box
    height = bottom - top + HEAD + FOOT
    view = f"{number(left)} {number(top - HEAD)} {number(right - left)} {number(height)}"
    return tag("svg", body, xmlns="http://www.w3.org/2000/svg", width=right - left, height=height, viewBox=view)


def _paper(ground: Ground, style: Style) -> str:
    left, top, right, bottom = ground.box
    return tag(
        "rect", x=left, y=top - HEAD, width=right - left, height=bottom - top + HEAD + FOOT, fill=style.palette.paper
    )


def _words(title: Msg, step: Moment, ground: Ground, style: Style, seat: str) -> Iterator[str]:
    """Yield the strips of title and sentence, below which the map may reach."""
    left, top, right, bottom = ground.box
    palette = style.palette
    for y, height in ((top - HEAD, HEAD), (bottom, FOOT)):
        yield tag("rect", x=left, y=y, width=right - left, height=height, fill=palette.paper)
    yield text(style.say(title), (left + _EDGE, top - 14), _TYPE, "serif-bold", fill=palette.ink)
    if step.entry is not None:
        sentence = style.say(step.entry.text if seat else refusal_for_others(step.entry.text))
        # A letter is half as wide as it is high, or less.
        lines = textwrap.wrap(
            sentence, int(2 * (right - left - 2 * _EDGE) / _TYPE), max_lines=_MOST_LINES, placeholder=" ..."
        )
        for row, line in enumerate(lines):
            yield text(line, (left + _EDGE, bottom + 22 + row * 20), _TYPE, fill=palette.ink)
