"""Pictures of positions that bots came to."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import cache
from itertools import count, islice
from typing import Any

from pbem.engine.game import AnyGame
from pbem.engine.run.runners import Done, play
from pbem.engine.terms import Orders
from pbem.letters.catalogue import load_catalogue
from pbem.maps.drawing import draw
from pbem.maps.drawn_on import Style
from pbem.maps.grounds import prepare_ground
from pbem.maps.palette import LIGHT, Palette
from tests.games.odds_held import Luck

_WORDS = cache(load_catalogue)


def svg_of(
    game: AnyGame,
    state: Any,
    seat: str,
    seen: Any = (),
    language: str = "en",
    palette: Palette = LIGHT,
    narrow: bool = False,
) -> str:
    """The picture that a seat gets."""
    assert game.pictured is not None
    scene = game.pictured.picture(game.view(state, seat), seat, seen)
    words = _WORDS(language, game.name)
    ground = prepare_ground(game.pictured.ground(state.edition), scene, state.edition.digest, narrow)
    return draw(scene, ground, Style(words.say, words.called.with_names, palette))


def is_named(name: str, svg: str) -> bool:
    """Whether a picture has a name, of two words perhaps with the first abbreviated."""
    short = re.sub(r"^([A-Z])[a-z]+(?=[A-Z])", r"\1[a-z]*[.]", name)
    return f">{name}<" in svg or bool(re.search(f">{short}<", svg))


Turn = tuple[Any, str, Any]
_BEGUN: dict[tuple[Any, ...], tuple[list[Turn], Iterator[Turn]]] = {}
"""Of each game the phases that were played so far, and those that are still to come."""


def turns(game: AnyGame, scenario: str, options: dict[str, str], phases: int) -> Iterator[Turn]:
    """Positions after so many phases of a game between bots: the state, a seat, and what that seat saw."""
    key = (game.name, scenario, *sorted(options.items()))
    met, more = _BEGUN.setdefault(key, ([], _played(game, scenario, options)))
    met += islice(more, max(phases - len(met), 0))
    yield from met[:phases]


def _played(game: AnyGame, scenario: str, options: dict[str, str]) -> Iterator[Turn]:
    state, chance = game.start(game.edition(scenario, options, {})), random.Random(3)
    for number in count():
        if game.phase(state) is None:
            return
        orders = {}
        for seat in game.seats(state):
            view = game.view(state, seat)
            read = game.parse(game.bots["forward"](view, seat, chance.randrange), view, seat).orders
            orders[seat] = read if seat in game.active(state) else Orders((), read.standing)
        done = play(game.rules, game.world(state, orders), Luck(number), game.decisions(state, orders, {}))
        assert isinstance(done, Done)
        before, seen, seat = state, [], sorted(game.seats(state))[number % len(game.seats(state))]
        for happened in done.events:
            shown = game.see(happened, seat, before)
            seen += [(shown, game.view(before, seat))] if shown else []
            before = game.rules.apply(before, happened)
        state = done.state
        yield state, seat, seen
