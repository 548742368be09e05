"""What a seat cannot see changes nothing that it gets, now and as events go by.

A game says what a seat cannot see by its `Twin`: the position with what is hidden from the seat changed. From both the
seat must be told the same, to the byte.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from pbem.engine.data.canon import dumps
from pbem.engine.data.events import Event
from pbem.engine.game import Game
from pbem.engine.run.runners import Dice, advance
from pbem.engine.run.steps import Did, World
from pbem.engine.terms import Orders
from pbem.engine.testing.dice import Thrown
from pbem.engine.testing.laws import LANGUAGES, Broken

Twin = Callable[[Any, str, random.Random], Any]
"""From a position, a seat and luck to the position with what the seat cannot see changed; None if nothing is hidden."""


def shown(game: Game, state: Any, seat: str, text: str) -> dict[str, Any]:
    """Return all that the house makes for a seat from a position, `text` being what it writes, by what it is."""
    view = game.view(state, seat)
    reading = game.parse(text, view, seat)
    return {
        "the view": dumps(game.encode(view)),
        "the form": [game.aids.template(view, seat, language) for language in LANGUAGES],
        "the report": dumps(game.telling.report(view, seat, []).to_json()),
        "how the game stands": dumps(game.telling.stakes(view, seat, []).to_json()),
        "what counts": game.telling.winning(view, seat),
        "the map": game.telling.text_map(view, seat),
        "its picture": game.pictured.picture(view, seat, ()).to_json() if game.pictured else None,
        "its places": game.aids.places(view, seat),
        "what is read": (reading, game.canon(reading.orders)),
        "what is refused": game.check(view, seat, reading.orders),
        "second thoughts": game.aids.review(view, seat, reading.orders),
    }


def known_alike(game: Game, both: tuple[Any, Any], seat: str, text: str) -> None:
    """Hold a position and its twin against each other; Broken says what shows to the seat."""
    here, there = (shown(game, state, seat, text) for state in both)
    for what, told in here.items():
        if told != there[what]:
            raise Broken(f"{what} of {seat} changes with what {seat} cannot see:\n{told}\n{there[what]}")


Ordered = tuple[Any, dict[str, Orders]]
"""A position and what everybody orders in it."""


def untold(game: Game, both: tuple[Ordered, Ordered], seat: str) -> int:
    """Play a phase from two positions that look the same, others ordering what they like: what is unseen is untold.

    Where the seat knows the same before and after a step, it must have been told the same. Returned is how many steps.
    """
    dice, count = Thrown(b"7" * 64), 0
    worlds = [game.world(state, orders) for state, orders in both]
    while all(world.agenda for world in worlds):
        (one, seen), (two, seen_there) = (
            step(game, world, seat, orders, dice) for world, (_, orders) in zip(worlds, both, strict=True)
        )
        if game.encode(game.view(one.state, seat)) != game.encode(game.view(two.state, seat)):
            break
        if seen != seen_there:
            raise Broken(f"{seat} is told of what it does not see: {seen} / {seen_there}")
        worlds, count = [one, two], count + 1
    return count


def step(game: Game, world: World[Any], seat: str, orders: dict[str, Orders], dice: Dice) -> tuple[Any, list[str]]:
    """One step: the world after it, and what the seat sees happen. Nothing of an event for others is seen."""
    moment = advance(game.rules, world, dice, game.decisions(world.state, orders, {}))
    state, seen = world.state, list[str]()
    happenings: Sequence[Event] = moment.outcome.events if isinstance(moment.outcome, Did) else ()
    for happened in happenings:
        found = game.see(happened, seat, state)
        if found is not None and happened.seen_by is not None and seat not in happened.seen_by:
            raise Broken(f"{seat} sees what is for {', '.join(happened.seen_by)}: {happened}")
        state = game.rules.apply(state, happened)
        seen += [dumps(found.to_json())] if found else []
    return moment.world, seen


def followed(
    game: Game, both: tuple[Any, Any], seat: str, orders: dict[str, Orders], wider: Callable[[Any, Any, str], bool]
) -> int:
    """Play a phase in both positions while the seat sees the same happen; it must go on knowing the same.

    `wider` says of two positions whether the seat came to see more: only then may a difference show that no event told
    of. Returned is how much was seen.
    """
    dice, count = Thrown(b"7" * 64), 0
    worlds = [game.world(state, orders) for state in both]
    while all(world.agenda for world in worlds):
        before = worlds[0].state
        (one, seen), (two, seen_there) = (step(game, world, seat, orders, dice) for world in worlds)
        if seen != seen_there:
            break
        if game.encode(game.view(one.state, seat)) != game.encode(game.view(two.state, seat)):
            if not wider(before, one.state, seat):
                raise Broken(f"the view of {seat} tells two positions apart after it saw the same happen: {seen}")
            break
        worlds, count = [one, two], count + len(seen)
    return count
