"""The bots of the game by name: ``random`` does anything legal, ``forward`` plays to win."""

from __future__ import annotations

from pbem.core.bots import Bots
from pbem.games.africa1860.bot_forward import forward_orders
from pbem.games.africa1860.bot_random import random_orders

__all__ = ["BOTS"]

BOTS: Bots = {"forward": forward_orders, "random": random_orders}
