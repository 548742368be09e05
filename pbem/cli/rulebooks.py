"""Find the games whose rules this program knows, shipped or brought by packages.

A game is imported when it is needed. If a package's game cannot be played, it is reported with the package and the
reason, and other games still work. Standard library only.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.cli.exit_codes import CommandError, MissingError
from pbem.installed import PackagedGame, folder_of, packaged_games, playable_games, shipped_games
from pbem.lazy import lazily

with lazily():
    from pbem.engine import classes_of_1_0

if TYPE_CHECKING:
    from pbem.engine.game import AnyGame


class GameNotInstalled(MissingError):
    """Raised for a game that no installed package provides."""

    def __str__(self) -> str:
        return f"no game {self.args[0]} is installed here: if a package brought it, install that again"


class GameUnplayable(MissingError):
    """Raised for a package's game that cannot be played: name, package, reason."""

    def __init__(self, brought_game: PackagedGame) -> None:
        super().__init__(brought_game.name)
        self.found = brought_game

    def __str__(self) -> str:
        name, package, *_, why = self.found
        return f"{name}, a game that the package {package} brings, cannot be played: {why}"


_FOLDER: list[Path] = []


def use_folder(folder: Path | None) -> None:
    """Use the scenarios of the server's folder, ``GAME/scenarios/NAME.toml``, too."""
    _FOLDER[:] = [folder] if folder else []


def own_charts(folder: Path | None, game: str) -> dict[str, str]:
    """Return the files of a folder's charts for new games.

    Their names are ``GAME/charts/NAME.txt``.
    """
    charts_folder = folder / game / "charts" if folder else None
    return {file.stem: str(file) for file in sorted(charts_folder.glob("*.txt"))} if charts_folder else {}


def scenarios_of(game: AnyGame) -> tuple[str, ...]:
    """Return the scenarios of a game and the server's own, valid or not."""
    shelf = getattr(game, "shelf", None)
    return tuple(sorted({*game.editions(), *(shelf.scenarios() if shelf else ())}))


def wars_of(game: AnyGame) -> tuple[str, ...]:
    """Return the names of a game's wars, the server's own among them."""
    shelf = getattr(game, "shelf", None)
    return shelf.wars() if shelf else ()


def games() -> tuple[str, ...]:
    """Return the names of the known games, shipped ones first."""
    return *playable_games(), *(name for name, brought_game in packaged_games().items() if not brought_game.fault)


def unplayable_lines() -> tuple[str, ...]:
    """Return a line for each faulty game of a package, without importing any."""
    return tuple(str(GameUnplayable(brought_game)) for brought_game in packaged_games().values() if brought_game.fault)


def game_by_name(name: str) -> AnyGame:
    """Find a game by name; raise GameNotInstalled or Unplayable."""
    game = _find(name)
    if game.shelf is not None:
        game.shelf.add_folder(_FOLDER[0] / name if _FOLDER else None)
    return game


def _find(name: str) -> AnyGame:
    if name in shipped_games():
        return _import_shipped(name)
    if name not in packaged_games():
        raise GameNotInstalled(name)
    game, fault = _import_brought(name)
    if game is None:
        raise GameUnplayable(packaged_games()[name]._replace(fault=fault))
    return game


@cache
def _import_shipped(name: str) -> AnyGame:
    """Import a shipped game, once."""
    game: AnyGame = importlib.import_module(f"pbem.games.{name}").GAME
    return game


@cache
def _import_brought(name: str) -> tuple[AnyGame | None, str]:
    """Import a game that a package brings; return None and the fault if it is bad."""
    brought_game = packaged_games()[name]
    if brought_game.fault:
        return None, brought_game.fault
    module, _, member = brought_game.value.partition(":")
    try:
        member_found: Any = importlib.import_module(module.strip())
        for part in filter(None, member.partition("[")[0].strip().split(".")):
            member_found = getattr(member_found, part)
    except Exception as broken:  # whatever a stranger's module does when it is read
        return None, f"{module} cannot be imported: {type(broken).__name__}: {broken}"
    if lacking := classes_of_1_0.missing(member_found):
        return None, f"it lacks {', '.join(lacking)}"
    game = classes_of_1_0.as_game(member_found)
    if game.name != name:
        return None, f"it calls itself {game.name!r}"
    if game.brought_by is not None:
        game.brought_by(brought_game.package, brought_game.version)
    return game, ""


def playable_rulebooks() -> Iterator[tuple[str, AnyGame]]:
    """Return every playable game by name; print a line for each other on stderr."""
    for line in unplayable_lines():
        print(line, file=sys.stderr)
    for name in games():
        try:
            yield name, game_by_name(name)
        except GameUnplayable as wrong:
            print(wrong, file=sys.stderr)


def find_game(name: str) -> AnyGame:
    """Find a game by name; raise CommandError, with those there are, if unplayable."""
    try:
        return game_by_name(name)
    except GameUnplayable as wrong:
        raise CommandError(str(wrong)) from None
    except GameNotInstalled:
        raise CommandError(f"no game is called {name!r}; there are: {', '.join(games())}") from None


def shipped_scenarios(game: str) -> tuple[str, ...]:
    """Return the ids of a game's scenarios by their file names alone."""
    folder = folder_of(game)
    return tuple(sorted(path.stem for path in (folder / "scenarios").glob("*.toml"))) if folder else ()


def game_of_scenario(scenario: str) -> str:
    """Return the one game that has a scenario; raise CommandError otherwise."""
    editions = {name: scenarios_of(game) for name, game in playable_rulebooks()}
    matches = [name for name, known in editions.items() if scenario in known]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise CommandError(f"{scenario} is a scenario of {' and of '.join(matches)}: say which with --game")
    lines = "; ".join(f"{name}: {', '.join(sorted(known))}" for name, known in editions.items())
    raise CommandError(f"no game has a scenario {scenario!r}; there are: {lines}")


def game_with_chart(name: str) -> str:
    """Return the first game that has a chart; raise CommandError if none has."""
    known = dict(playable_rulebooks())
    game_found = next((game for game, rules in known.items() if rules.rulebook.chart(name) is not None), "")
    if not game_found:
        lines = "; ".join(f"{game}: {', '.join(rules.rulebook.charts())}" for game, rules in known.items())
        raise CommandError(f"no game has a chart {name!r}; there are: {lines}")
    return game_found
