"""The bots of the game by name: ``random`` does anything legal, ``forward`` plays to win."""

from __future__ import annotations

from functools import partial

from pbem.core.bots import Bots
from pbem.core.game import Orders
from pbem.games.africa1860.bots.at_random import random_orders
from pbem.games.africa1860.bots.forward import forward_orders
from pbem.games.africa1860.orders.check import check
from pbem.games.africa1860.orders.grammar import canon
from pbem.games.africa1860.orders.reading import parse
from pbem.games.africa1860.phase.steps import RULES
from pbem.kit.bots import Desk, checked

__all__ = ["BOTS"]


def _as_written(orders: Orders) -> Orders:
    return orders


_DESK = Desk(parse, _as_written, partial(check, RULES), canon)

BOTS: Bots = {name: checked(bot, _DESK) for name, bot in {"forward": forward_orders, "random": random_orders}.items()}
