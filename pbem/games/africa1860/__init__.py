"""Implement the area game of the war of 1859-60.

`GAME` is the record that the server loads.
"""

from pbem.games.africa1860.game import GAME

__all__ = ["GAME"]
