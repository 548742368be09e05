"""Peninsular: the hex game of the Peninsular War. `GAME` is what the rest of the house plays it by."""

from pbem.games.peninsular.game import GAME

__all__ = ["GAME"]
