"""List the bots of the game by name.

``random`` gives any legal orders, ``forward`` plays to win and is the benchmark; ``recruit``, ``veteran`` and
``marshal`` are levels for players. A bot is a version: its orders in a position never change, and a changed bot
gets a new name.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from pbem.engine.bots import Bots, OrderFunctions, drop_refused_lines
from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import Orders
from pbem.games.africa1860.bots.at_random import random_orders
from pbem.games.africa1860.bots.forward import forward_orders, marshal_orders, recruit_orders, veteran_orders
from pbem.games.africa1860.check import check_orders
from pbem.games.africa1860.orders import canon, parse
from pbem.games.africa1860.sequence import RULES


def _keep_orders(orders: Orders) -> Orders:
    return orders


_DESK = OrderFunctions(parse, _keep_orders, partial(check_orders, RULES), canon)

_WRITERS: Bots = {
    "forward": forward_orders,
    "random": random_orders,
    "recruit": recruit_orders,
    "veteran": veteran_orders,
    "marshal": marshal_orders,
}
BOT_STRENGTHS: Mapping[str, Msg] = {
    "random": msg("orders at random, to try things out"),
    "recruit": msg("weak: for a first game"),
    "forward": msg("middling: it always attacks"),
    "veteran": msg("good"),
    "marshal": msg("the strongest: it thinks ahead"),
}
"""The strength of each bot, the weakest first (docs/balance.md)."""

BOTS: Bots = {name: drop_refused_lines(bot, _DESK) for name, bot in _WRITERS.items()}
