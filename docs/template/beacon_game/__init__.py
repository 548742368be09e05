"""The beacon, a game small enough to be read at once; `GAME` is what the rest of the house plays it by."""

from beacon_game.game import GAME, MARCH

__all__ = ["GAME", "MARCH"]
