"""What the page of a game knows: the map, every look once, and moment by moment what lies where and what is told.

It is made of a chronicle alone, so that it tells what that may tell and no more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from pbem.engine.data.canon import Json
from pbem.engine.data.chronicle import Chronicle
from pbem.engine.data.languages import known
from pbem.engine.data.messages import Msg
from pbem.engine.data.scene import Scene
from pbem.engine.game import Game
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.frames import LAYERS, base, size_of, together
from pbem.maps.graph import PLOT
from pbem.maps.grounds import ready
from pbem.pages.archive.fortunes import fortunes
from pbem.pages.archive.looks import Looks
from pbem.pages.archive.moments import Moment, moments
from pbem.pages.archive.telling import Teller
from pbem.pages.packed import packed
from pbem.pages.theme import THEMED
from pbem.pages.wording import Says
from pbem.pages.wording import both as in_both

FORMAT = "pbemarchive/1"


def archive_data(chronicle: Chronicle, game: Game, says: Says, language: str) -> Json:
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


def scenes_of(chronicle: Chronicle, game: Game, told: Sequence[Moment]) -> tuple[Scene, ...]:
    """Return what the map shows at each moment: the position, and what came to pass in it; ValueError without a map."""
    if game.pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    return tuple(game.pictured.picture(one.view, chronicle.seat, one.seen) for one in told)


def stage(chronicle: Chronicle, game: Game, scenes: Sequence[Scene], says: Says, language: str) -> tuple[Ground, Style]:
    """Return the ground, cut to where anybody ever is, and how it is drawn."""
    if game.pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    ground = ready(game.pictured.ground(chronicle.start.edition), together(scenes), chronicle.edition)
    called = game.telling.called.get(language)
    return ground, Style(partial(says, language), called.written if called else str, THEMED)


def _names(game: Game, names: Iterable[str]) -> Json:
    """What is called otherwise than by its id in a language."""
    called = [game.telling.called.get(language) for language in known()]
    said = {name: [one.written(name) if one else name for one in called] for name in sorted(names)}
    return {name: both for name, both in said.items() if set(both) != {name}}
