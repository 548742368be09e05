"""The games that this program knows the rules of, found by the names of their folders. Standard library only."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pbem.games
from pbem.cli.exit_codes import Stop

if TYPE_CHECKING:
    from pbem.core.game import Game

__all__ = ["find_game", "game_of", "game_with_chart", "games", "registry", "shipped_scenarios"]


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


def find_game(name: str) -> Game:
    """Find a game by name; Stop, with those there are, if there is none."""
    try:
        return registry(name)
    except KeyError:
        raise Stop(f"no game is called {name!r}; there are: {', '.join(games())}") from None


def shipped_scenarios(game: str) -> tuple[str, ...]:
    """The ids of a game's scenarios, by the names of their files: for those who need no more of it."""
    folder = Path(pbem.games.__path__[0], game, "scenarios")
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


def game_of(scenario: str) -> str:
    """Return the game that ships a scenario; Stop, with all there are, if none does or several do."""
    found = [name for name in games() if scenario in registry(name).editions()]
    if len(found) == 1:
        return found[0]
    if found:
        raise Stop(f"{scenario} is a scenario of {' and of '.join(found)}: say which with --game")
    listed = "; ".join(f"{game}: {', '.join(sorted(registry(game).editions()))}" for game in games())
    raise Stop(f"no game has a scenario {scenario!r}; there are: {listed}")


def game_with_chart(name: str) -> str:
    """Return the first game, by name, that has such a chart; Stop, with the charts of all, if none has."""
    found = next((game for game in games() if registry(game).rulebook.chart(name) is not None), "")
    if not found:
        listed = "; ".join(f"{game}: {', '.join(registry(game).rulebook.charts())}" for game in games())
        raise Stop(f"no game has a chart {name!r}; there are: {listed}")
    return found
