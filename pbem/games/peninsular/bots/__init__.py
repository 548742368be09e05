"""The bots of the game by name: ``forward`` plays to win, ``random`` does anything legal."""

from __future__ import annotations

from pbem.core.bots import Bots
from pbem.games.peninsular.bots.at_random import random_orders
from pbem.games.peninsular.bots.forward import forward_orders

__all__ = ["BOTS"]

BOTS: Bots = {"forward": forward_orders, "random": random_orders}
