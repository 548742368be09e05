"""A bot in the place of a player: what it orders in a position, read and checked as a player's letter is."""

from __future__ import annotations

from typing import Any, NamedTuple

from pbem.engine.bots import Pick, picks
from pbem.engine.data.canon import dumps
from pbem.engine.game import Game
from pbem.engine.terms import Orders, Seat


class Given(NamedTuple):
    """The orders that a bot gives, in the order in which they are carried out, and what is `against` them, if anything
    is: then there are none."""

    orders: Orders
    against: str = ""


def pick_of(rules: Game, bot: str, seat: Seat, view: Any) -> Pick:
    """Return a bot's chance in a view: it follows from the view itself, so that who has that gets the same orders."""
    return picks(dumps([bot, seat, rules.encode(view)]).encode("ascii"))


def given(rules: Game, bot: str, seat: Seat, view: Any, pick: Pick | None = None) -> Given:
    """Return what a bot of the game orders for a seat that sees `view`, with its standing orders.

    Its chance is `pick_of` unless another `pick` is given.
    """
    text = rules.bots[bot](view, seat, pick or pick_of(rules, bot, seat, view))
    read = rules.parse(text, view, seat)
    if read.rejected:
        return Given(Orders(), str(read.rejected[0].why))
    orders = rules.aids.in_order(read.orders)
    refused = rules.check(view, seat, Orders(orders.actions))
    return Given(Orders(), f"{refused[0].why} in\n{text}") if refused else Given(orders)
