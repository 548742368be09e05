"""The bots of the game by name: ``random`` does anything legal, ``forward`` plays to win."""

from __future__ import annotations

from pbem.core.bots import Bots
from pbem.games.africa1860.bots.at_random import random_orders
from pbem.games.africa1860.bots.forward import forward_orders

__all__ = ["BOTS"]

BOTS: Bots = {"forward": forward_orders, "random": random_orders}
