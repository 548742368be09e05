"""The games that this program knows the rules of: those of the house, and those that installed packages bring.

A game is imported when it is asked for. One that a package brings and that cannot be played is told of with the package
and the reason, and stands in nobody else's way. Standard library only.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.cli.exit_codes import NotHere, Stop
from pbem.installed import Brought, brought, folder_of, housed, shipped
from pbem.lazy import lazily

with lazily():
    from pbem.engine import classes_of_1_0

if TYPE_CHECKING:
    from pbem.engine.game import AnyGame


class Absent(NotHere):
    """A game that no package brings which is installed here."""

    def __str__(self) -> str:
        return f"no game {self.args[0]} is installed here: if a package brought it, install that again"


class Unplayable(NotHere):
    """A game that a package brings and that cannot be played: which, by which package, and why."""

    def __init__(self, found: Brought) -> None:
        super().__init__(found.name)
        self.found = found

    def __str__(self) -> str:
        name, package, *_, why = self.found
        return f"{name}, a game that the package {package} brings, cannot be played: {why}"


_FOLDER: list[Path] = []


def lay_beside(folder: Path | None) -> None:
    """From now on scenarios in the server's folder, ``GAME/scenarios/NAME.toml``, can be played like those shipped."""
    _FOLDER[:] = [folder] if folder else []


def scenarios_of(game: AnyGame) -> tuple[str, ...]:
    """The scenarios that a game has, those beside it among them, sound or not."""
    shelf = getattr(game, "shelf", None)
    return tuple(sorted({*game.editions(), *(shelf.scenarios() if shelf else ())}))


def games() -> tuple[str, ...]:
    """The names of the games that this program knows the rules of, its own first."""
    return *shipped(), *(name for name, found in brought().items() if not found.fault)


def unplayable() -> tuple[str, ...]:
    """What is wrong with games that packages bring, a line each, as far as can be told without importing any."""
    return tuple(str(Unplayable(one)) for one in brought().values() if one.fault)


def registry(name: str) -> AnyGame:
    """Find a game by name; Absent if there is none, Unplayable if one is brought and no good."""
    game = _found(name)
    if game.shelf is not None:
        game.shelf.lay_beside(_FOLDER[0] / name if _FOLDER else None)
    return game


def _found(name: str) -> AnyGame:
    if name in housed():
        return _shipped(name)
    if name not in brought():
        raise Absent(name)
    game, fault = _brought(name)
    if game is None:
        raise Unplayable(brought()[name]._replace(fault=fault))
    return game


@cache
def _shipped(name: str) -> AnyGame:
    """A game of the house; what was found is not looked for again."""
    game: AnyGame = importlib.import_module(f"pbem.games.{name}").GAME
    return game


@cache
def _brought(name: str) -> tuple[AnyGame | None, str]:
    """The game that a package brings, or None and what is wrong with it."""
    found = brought()[name]
    if found.fault:
        return None, found.fault
    module, _, member = found.value.partition(":")
    try:
        given: Any = importlib.import_module(module.strip())
        for part in filter(None, member.partition("[")[0].strip().split(".")):
            given = getattr(given, part)
    except Exception as broken:  # whatever a stranger's module does when it is read
        return None, f"{module} cannot be imported: {type(broken).__name__}: {broken}"
    if lacking := classes_of_1_0.missing(given):
        return None, f"it lacks {', '.join(lacking)}"
    game = classes_of_1_0.as_game(given)
    if game.name != name:
        return None, f"it calls itself {game.name!r}"
    if game.brought_by is not None:
        game.brought_by(found.package, found.version)
    return game, ""


def playable() -> Iterator[tuple[str, AnyGame]]:
    """Every game that can be played, by name; of each that cannot a line is said on standard error."""
    for line in unplayable():
        print(line, file=sys.stderr)
    for name in games():
        try:
            yield name, registry(name)
        except Unplayable as wrong:
            print(wrong, file=sys.stderr)


def find_game(name: str) -> AnyGame:
    """Find a game by name; Stop, with those there are or with what is wrong with it, if it cannot be played."""
    try:
        return registry(name)
    except Unplayable as wrong:
        raise Stop(str(wrong)) from None
    except Absent:
        raise Stop(f"no game is called {name!r}; there are: {', '.join(games())}") from None


def shipped_scenarios(game: str) -> tuple[str, ...]:
    """The ids of a game's scenarios, by the names of their files: for those who need no more of it."""
    folder = folder_of(game)
    return tuple(sorted(path.stem for path in (folder / "scenarios").glob("*.toml"))) if folder else ()


def game_of(scenario: str) -> str:
    """Return the game that has a scenario; Stop, with all there are, if none does or several do."""
    editions = {name: scenarios_of(game) for name, game in playable()}
    found = [name for name, known in editions.items() if scenario in known]
    if len(found) == 1:
        return found[0]
    if found:
        raise Stop(f"{scenario} is a scenario of {' and of '.join(found)}: say which with --game")
    listed = "; ".join(f"{name}: {', '.join(sorted(known))}" for name, known in editions.items())
    raise Stop(f"no game has a scenario {scenario!r}; there are: {listed}")


def game_with_chart(name: str) -> str:
    """Return the first game that has such a chart; Stop, with the charts of all, if none has."""
    known = dict(playable())
    found = next((game for game, rules in known.items() if rules.rulebook.chart(name) is not None), "")
    if not found:
        listed = "; ".join(f"{game}: {', '.join(rules.rulebook.charts())}" for game, rules in known.items())
        raise Stop(f"no game has a chart {name!r}; there are: {listed}")
    return found
