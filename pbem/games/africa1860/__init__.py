"""África 1859-60: the area game of the Spanish-Moroccan War. `GAME` is what the rest of the house plays it by."""

from pbem.games.africa1860.game import GAME

__all__ = ["GAME"]
