"""The bots of the game by name: ``random`` does anything legal."""

from __future__ import annotations

from pbem.core.bots import Bots
from pbem.games.peninsular.bot_random import random_orders

__all__ = ["BOTS"]

BOTS: Bots = {"random": random_orders}
