"""A position played on to its end by bots, with dice and chance that the caller names: what might have come of it.

The same position, dice and chance give the same end on every machine. The bot takes all of a state, so what comes of
it is for games that are open by now, or for whoever may know everything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from pbem.engine.bots import Bot, Pick
from pbem.engine.game import Game
from pbem.engine.run.runners import Dice, play
from pbem.engine.terms import Orders, Seat

LONGEST = 500
"""Phases past which a play is given up as drawn: no game of bots comes near."""


class Playing(NamedTuple):
    """How a position is played on: by whose rules and which bot, with which dice and chance.

    Both are asked with the state of a phase; the chance with the seat that orders too.
    """

    rules: Game
    bot: Bot
    dice: Callable[[Any], Dice]
    chance: Callable[[Any, Seat], Pick]


def play_on(how: Playing, state: Any) -> Any:
    """Play on to the end, and return the last state; one that has gone too far is returned as it is then."""
    rules, standing = how.rules, dict[Seat, tuple[Any, ...]]()
    for _ in range(LONGEST):
        if rules.phase(state) is None:
            break
        given = dict(_orders(how, state, standing))
        decisions = rules.decisions(state, given, {})
        state = play(rules.rules, rules.world(state, given), how.dice(state), decisions).state
    return state


def _orders(how: Playing, state: Any, standing: dict[Seat, tuple[Any, ...]]) -> Iterator[tuple[Seat, Orders]]:
    """What the bots order; a seat that does not move keeps to the standing orders that its bot gave last."""
    rules, active = how.rules, how.rules.active(state)
    for seat in rules.seats(state):
        if seat in active or seat not in standing:
            view = rules.view(state, seat)
            text = how.bot(view, seat, how.chance(state, seat))
            orders = rules.aids.in_order(rules.parse(text, view, seat).orders)
            standing[seat] = orders.standing or standing.get(seat, ())
            yield seat, Orders(orders.actions if seat in active else (), standing[seat])
        else:
            yield seat, Orders((), standing[seat])
