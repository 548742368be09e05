"""The games that this program knows the rules of, found by the names of their folders. Standard library only."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import pbem.games
from pbem.core.game import Game

__all__ = ["games", "registry"]


def games() -> tuple[str, ...]:
    """The names of the games that this program knows the rules of."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules(pbem.games.__path__) if found.ispkg))


@cache
def registry(name: str) -> Game:
    """Find a game by name; KeyError if there is none. What was found is not looked for again."""
    if name not in games():
        raise KeyError(name)
    game: Game = importlib.import_module(f"pbem.games.{name}").GAME
    return game
