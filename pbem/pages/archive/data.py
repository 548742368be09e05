"""What the page of a game knows: the map, every look once, and moment by moment what lies where and what is told.

It is made of a chronicle alone, so that it tells what that may tell and no more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.chronicle import Chronicle
from pbem.engine.data.languages import known
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.data.scene import Scene
from pbem.engine.game import AnyGame
from pbem.engine.reasons import labels_of
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.frames import LAYERS, base, size_of, together
from pbem.maps.graph import PLOT, Curve, curves
from pbem.maps.grounds import ready
from pbem.pages.archive.looks import Looks
from pbem.pages.archive.telling import Moment, Teller, moments
from pbem.pages.theme import THEMED, packed
from pbem.pages.wording import Says
from pbem.pages.wording import both as in_both

# The curves of a game: points, strength, and luck, moment by moment.


class Tells(NamedTuple):
    """A graph: what it is of, its curves by side, how far chance may well have led."""

    title: Msg
    sides: Mapping[str, Sequence[float]]
    spread: Sequence[float] = ()
    note: Msg | None = None


def fortunes(
    chronicle: Chronicle, game: AnyGame, told: Sequence[Moment], scenes: Sequence[Scene], style: Style
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


def _held(chronicle: Chronicle, game: AnyGame, told: Sequence[Moment]) -> Iterator[Tells]:
    """Points and strength; no strength of an army of which a part is out of sight."""
    stakes = [game.telling.stakes(one.view, chronicle.seat, one.seen) for one in told]
    points = [{score.side: score.points for score in one.scores} for one in stakes]
    armies = [{army.side: army.strength for army in one.armies if army.whole} for one in stakes]
    for title, rows in ((msg("Points"), points), (msg("Strength"), armies)):
        sides = [side for side in rows[0] if all(side in row for row in rows)]
        yield Tells(title, {side: [row[side] for row in rows] for side in sides})


def _luck(chronicle: Chronicle, game: AnyGame, told: Sequence[Moment]) -> Iterator[Tells]:
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


FORMAT = "pbemarchive/1"


def archive_data(chronicle: Chronicle, game: AnyGame, says: Says, language: str) -> Json:
    """Return the data of a page, packed; ValueError if the game has no map that can be drawn."""
    both: Callable[[Msg], list[str]] = partial(in_both, says)
    told = moments(chronicle, game)
    scenes = scenes_of(chronicle, game, told)
    ground, style = stage(chronicle, game, scenes, says, language)
    looks = Looks(ground, style, both, size_of(scenes, ground))
    units = {piece.id for scene in scenes for piece in (*scene.pieces, *scene.fallen)}
    teller = Teller(chronicle, game, both, frozenset(units | {*ground.sites}))
    steps = [
        {**teller.step(one), "moment": both(scene.moment), "parts": looks.step(scene)}
        for one, scene in zip(told, scenes, strict=True)
    ]
    camps = {camp.id: camp.name for scene in scenes for camp in scene.camps}
    about = {name for step in steps for name in step.get("about", ())}
    whole = {
        "format": FORMAT,
        "game": chronicle.game,
        "language": language,
        "over": chronicle.over,
        "seat": chronicle.seat,
        "title": both(scenes[0].heading),
        "base": base(ground, style),
        "box": [round(side, 1) for side in ground.box],
        "layers": len(LAYERS),
        "looks": looks.drawn,
        "captions": looks.captions,
        "keys": looks.keys,
        "names": _names(game, units | {*ground.sites}),
        "units": sorted(units & about),
        "places": sorted({*ground.sites} & about),
        "chapters": [teller.chapter(one) for one in chronicle.chapters],
        "rules": teller.rules,
        "letters": teller.letters(),
        "sides": [both(game.telling.side(side)) for side in chronicle.sides],
        "plot": PLOT,
        "graphs": [
            {
                "title": both(one.title),
                "who": [both(camps[side]) for side in one.sides if side in camps],
                "note": both(one.note) if one.note else None,
                "drawn": drawn,
            }
            for one, drawn in fortunes(chronicle, game, told, scenes, style)
        ],
        "steps": steps,
        "result": [both(one) for one in chronicle.result],
    }
    return packed(json.dumps(whole, separators=(",", ":")))


def scenes_of(chronicle: Chronicle, game: AnyGame, told: Sequence[Moment]) -> tuple[Scene, ...]:
    """Return what the map shows at each moment: the position, and what came to pass in it; ValueError without a map."""
    if game.pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    return tuple(game.pictured.picture(one.view, chronicle.seat, one.seen) for one in told)


def stage(
    chronicle: Chronicle, game: AnyGame, scenes: Sequence[Scene], says: Says, language: str
) -> tuple[Ground, Style]:
    """Return the ground, cut to where anybody ever is, and how it is drawn."""
    if game.pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    ground = ready(game.pictured.ground(chronicle.start.edition), together(scenes), chronicle.edition)
    called = game.telling.called.get(language)
    return ground, Style(partial(says, language), called.written if called else str, THEMED)


def _names(game: AnyGame, names: Iterable[str]) -> Json:
    """What is called otherwise than by its id in a language."""
    called = [game.telling.called.get(language) for language in known()]
    said = {name: [one.written(name) if one else name for one in called] for name in sorted(names)}
    return {name: both for name, both in said.items() if set(both) != {name}}
