"""All that a picture tells, and positions that look the same to a seat, played on for as long as they do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import plain_english
from pbem.engine.data.scene import alt_text
from pbem.engine.game import AnyGame
from pbem.engine.run.runners import advance
from pbem.engine.run.steps import Did
from pbem.engine.testing.laws import SeededDice
from pbem.letters.catalogue import load_catalogue
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.png import encode_png
from tests.pictures.drawn import svg_of


def picture(game: AnyGame, state: Any, seat: str, seen: Any) -> tuple[str, str, str, tuple[float, ...], str]:
    """What a seat gets without its pixels: SVG for wide screens and phones, words, its cut, what it is kept under."""
    assert game.pictured is not None
    scene = game.pictured.picture(game.view(state, seat), seat, seen)
    ground = prepare_ground(game.pictured.ground(state.edition), scene, state.edition.digest)
    narrow = svg_of(game, state, seat, seen, narrow=True)
    return svg_of(game, state, seat, seen), narrow, plain_english(alt_text(scene)), ground.box, ground.edition


def pixels(game: AnyGame, state: Any, seat: str, seen: Any) -> bytes:
    """What a seat gets as PNG."""
    assert game.pictured is not None
    scene = game.pictured.picture(game.view(state, seat), seat, seen)
    words = load_catalogue("es", game.name)
    ground = prepare_ground(game.pictured.ground(state.edition), scene, state.edition.digest)
    return encode_png(scene, ground, Style(words.say, words.called.with_names))


def looked(game: AnyGame, both: tuple[Any, Any], seat: str, orders: tuple[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Play a phase of two positions while the seat sees and knows the same; each with what it has seen, step by step.

    What others order may differ.
    """
    dice = SeededDice(b"7" * 64)
    worlds = [game.world(state, given) for state, given in zip(both, orders, strict=True)]
    seen: list[list[Any]] = [[], []]
    while all(world.agenda for world in worlds):
        for index, given in enumerate(orders):
            before = worlds[index].state
            moment = advance(game.rules, worlds[index], dice, game.decisions(before, given, {}))
            for happened in moment.outcome.events if isinstance(moment.outcome, Did) else ():
                shown = game.see(happened, seat, before)
                seen[index] += [(shown, game.view(before, seat))] if shown is not None else []
                before = game.rules.apply(before, happened)
            worlds[index] = moment.world
        event_texts = [[dumps(shown.to_json()) for shown, _ in each] for each in seen]
        known = [game.encode(game.view(world.state, seat)) for world in worlds]
        if event_texts[0] != event_texts[1] or known[0] != known[1]:
            return
        yield (worlds[0].state, tuple(seen[0])), (worlds[1].state, tuple(seen[1]))
