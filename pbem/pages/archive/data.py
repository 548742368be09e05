"""Make the data of a game's page: the map, every look once, and the moments.

The data are made only from a chronicle, so that the page shows no more than the chronicle may show.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from math import sqrt
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.chronicle import Chronicle
from pbem.engine.data.languages import supported_languages
from pbem.engine.data.messages import Msg, decimal, msg
from pbem.engine.data.scene import Scene
from pbem.engine.game import AnyGame
from pbem.engine.reasons import roll_labels
from pbem.maps.drawn_on import Ground, Style
from pbem.maps.frames import LAYERS, base_svg, common_counter_size, merge_scenes
from pbem.maps.grounds import prepare_ground
from pbem.pages.archive.looks import Looks
from pbem.pages.archive.moments import Both, Moment, MomentWriter, moments
from pbem.pages.theme import THEMED, pack
from pbem.pages.wording import Says
from pbem.pages.wording import in_all_languages as in_both

# The graphs of a game: points, strength, and luck, moment by moment.


class Graph(NamedTuple):
    """A graph: title, curves by side, usual spread by chance."""

    title: Msg
    sides: Mapping[str, Sequence[float]]
    spread: Sequence[float] = ()
    note: Msg | None = None


def list_graphs(
    chronicle: Chronicle, game: AnyGame, moments_told: Sequence[Moment], scenes: Sequence[Scene], both: Both
) -> Iterator[Json]:
    """Yield the graphs with each side's curve; none with values hidden from a side."""
    camps = {camp.id: camp for scene in scenes for camp in scene.camps}
    for graph in (*_points_and_strength(chronicle, game, moments_told), *_luck_graph(chronicle, game, moments_told)):
        sides: list[Json] = [
            {
                "name": both(camps[side].name),
                "colour": THEMED.liveries[camps[side].tone].arrow,
                "values": [round(value, 2) for value in values],
            }
            for side, values in graph.sides.items()
            if side in camps
        ]
        if sides and len(moments_told) > 1:
            yield {
                "title": both(graph.title),
                "sides": sides,
                "spread": [round(deviation, 2) for deviation in graph.spread],
                "note": both(graph.note) if graph.note else None,
            }


def _points_and_strength(chronicle: Chronicle, game: AnyGame, moments_told: Sequence[Moment]) -> Iterator[Graph]:
    """Yield graphs of points and strength; no strength of armies partly out of sight."""
    situations = [game.telling.stakes(moment.view, chronicle.seat, moment.seen) for moment in moments_told]
    points = [{score.side: score.points for score in situation.scores} for situation in situations]
    armies = [{army.side: army.strength for army in situation.armies if army.whole} for situation in situations]
    for title, rows in ((msg("Points"), points), (msg("Strength"), armies)):
        sides = [side for side in rows[0] if all(side in row for row in rows)]
        yield Graph(title, {side: [row[side] for row in rows] for side in sides})


def _luck_graph(chronicle: Chronicle, game: AnyGame, moments_told: Sequence[Moment]) -> Iterator[Graph]:
    """Yield the graph of the first side's dice results above expectation, summed up."""
    if not chronicle.sides:
        return
    side, (gains, squares) = chronicle.sides[0], _luck_by_moment(chronicle, moments_told)
    sums, spread = list(accumulate(gains)), [sqrt(variance) for variance in accumulate(squares)]
    note = msg(
        "Points that the dice gave {side} beyond what was to be expected of them; in all {luck}. Two games of three "
        "end within the band.",
        side=game.telling.side(side),
        luck=decimal(sums[-1], signed=True),
    )
    yield Graph(msg("Luck"), {side: sums}, spread, note)


def _luck_by_moment(chronicle: Chronicle, moments_told: Sequence[Moment]) -> tuple[list[float], list[float]]:
    """Return each moment's luck for the first side, and its variance.

    Rolls without a moment count for the last of their phase.
    """
    gains, squares = [0.0] * len(moments_told), [0.0] * len(moments_told)
    for number, chapter in enumerate(chronicle.chapters):
        indexes = [index for index, moment in enumerate(moments_told) if moment.chapter == number]
        index_of_label = {
            label: index
            for index in reversed(indexes)
            for happened, _ in moments_told[index].seen
            for label in roll_labels(happened.data)
        }
        for label, fortune in chapter.luck.items():
            index = index_of_label.get(label, indexes[-1])
            gains[index] += fortune.luck[0]
            squares[index] += fortune.variance[0]
    return gains, squares


FORMAT = "pbemarchive/1"


def archive_data(chronicle: Chronicle, game: AnyGame, says: Says, language: str, rulebook: Sequence[str] = ()) -> Json:
    """Return the data of a page, packed; raise ValueError without a drawable map.

    `rulebook` are the pages of the game's rules beside it, one for each language.
    """
    both: Both = partial(in_both, says)
    moments_told = moments(chronicle, game)
    scenes = scenes_of(chronicle, game, moments_told)
    ground, style = ground_and_style(chronicle, game, scenes, says, language)
    looks = Looks(ground, style, both, common_counter_size(scenes, ground))
    units = {piece.id for scene in scenes for piece in (*scene.pieces, *scene.fallen)}
    teller = MomentWriter(chronicle, game, both, frozenset(units | {*ground.sites}))
    steps = [
        {**teller.step(moment), "moment": both(scene.moment), "parts": looks.step(scene)}
        for moment, scene in zip(moments_told, scenes, strict=True)
    ]
    mentioned = {name for step in steps for name in step.get("about", ())}
    content = {
        "format": FORMAT,
        "game": chronicle.game,
        "language": language,
        "over": chronicle.over,
        "seat": chronicle.seat,
        "title": both(scenes[0].heading),
        "base": base_svg(ground, style),
        "box": [round(side, 1) for side in ground.box],
        "layers": len(LAYERS),
        "looks": looks.drawn,
        "captions": looks.captions,
        "keys": looks.keys,
        "names": _translated_names(game, units | {*ground.sites}),
        "units": sorted(units & mentioned),
        "places": sorted({*ground.sites} & mentioned),
        "chapters": [teller.chapter(chapter) for chapter in chronicle.chapters],
        "rules": teller.rules,
        "rulebook": [*rulebook],
        "letters": teller.letters(),
        "sides": [both(game.telling.side(side)) for side in chronicle.sides],
        "graphs": [*list_graphs(chronicle, game, moments_told, scenes, both)],
        "steps": steps,
        "result": [both(sentence) for sentence in chronicle.result],
    }
    return pack(json.dumps(content, separators=(",", ":")))


def scenes_of(chronicle: Chronicle, game: AnyGame, moments_told: Sequence[Moment]) -> tuple[Scene, ...]:
    """Return the map's scene at each moment; raise ValueError without a map."""
    if game.pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    return tuple(game.pictured.picture(moment.view, chronicle.seat, moment.shown) for moment in moments_told)


def ground_and_style(
    chronicle: Chronicle, game: AnyGame, scenes: Sequence[Scene], says: Says, language: str
) -> tuple[Ground, Style]:
    """Return the ground, cut to all pieces ever on it, and the style."""
    if game.pictured is None:
        raise ValueError(f"{game.name} has no map to be drawn")
    ground = prepare_ground(game.pictured.ground(chronicle.start.edition), merge_scenes(scenes), chronicle.edition)
    vocabulary = game.telling.called.get(language)
    return ground, Style(partial(says, language), vocabulary.with_names if vocabulary else str, THEMED)


def _translated_names(game: AnyGame, names: Iterable[str]) -> Json:
    """Return the names that differ from their id in some language."""
    vocabularies = [game.telling.called.get(language) for language in supported_languages()]
    translations = {
        name: [vocabulary.with_names(name) if vocabulary else name for vocabulary in vocabularies]
        for name in sorted(names)
    }
    return {name: versions for name, versions in translations.items() if set(versions) != {name}}
