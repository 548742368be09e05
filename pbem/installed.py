"""Find games of installed packages and their folders, without importing any.

A package brings a game by an entry point of the group ``pbem.games``, whose name is the game's::

    [project.entry-points."pbem.games"]
    beacon = "beacon_game:GAME"

The module's folder is the game's: charts, scenarios and ``locale`` are there, as in a shipped game's folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.machinery import PathFinder
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import NamedTuple

GROUP = "pbem.games"
_SHIPPED = Path(__file__).resolve().parent / "games"
# The name of a game's package: a Python identifier in lower case.
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_VALUE = re.compile(r"(?P<module>[\w.]+)\s*(:\s*[\w.]+\s*)?(\[.*\]\s*)?")
"""The form of an entry point's value. For other values versions of Python raise different errors."""


class PackagedGame(NamedTuple):
    """A game of an installed package: its entry point, folder and fault.

    `fault` is empty if no fault can be seen without importing the game.
    """

    name: str
    package: str
    value: str
    folder: Path | None
    version: str = ""
    fault: str = ""

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield the files of its module's top package, each with its import path."""
        top = self.value.partition(".")[0].partition(":")[0].strip()
        spec = PathFinder.find_spec(top)
        for location in (spec.submodule_search_locations or ()) if spec else ():
            root = Path(location)
            yield from (
                (f"{top}/{path.relative_to(root).as_posix()}", path) for path in root.rglob("*") if path.is_file()
            )
        if spec is not None and not spec.submodule_search_locations and spec.origin:
            yield Path(spec.origin).name, Path(spec.origin)


@cache
def playable_games() -> tuple[str, ...]:
    """Return the folder names of the shipped games that have scenarios."""
    return tuple(name for name in shipped_games() if (_SHIPPED / name / "scenarios").is_dir())


@cache
def shipped_games() -> tuple[str, ...]:
    """Return all shipped games.

    Games that are played only as a part of others, such as the camp, are among them.
    """
    return tuple(sorted(path.parent.name for path in _SHIPPED.glob("*/__init__.py")))


@cache
def packaged_games() -> Mapping[str, PackagedGame]:
    """Return the games of installed packages, by name.

    Nothing is imported; the result is cached.
    """
    return resolve_names(entry_points(group=GROUP), shipped_games())


def resolve_names(points: Iterable[EntryPoint], taken: Sequence[str]) -> Mapping[str, PackagedGame]:
    """Return the games of entry points, each name once.

    If two packages have the same name for a game, neither is used: the rules of a game must not depend on the order
    of the import path. A shipped game keeps its name.
    """
    by_name: dict[str, list[PackagedGame]] = {}
    for point in points:
        by_name.setdefault(point.name, []).append(_read_entry_point(point))
    games = {}
    for name, claims in sorted(by_name.items()):
        packages = sorted({claim.package for claim in claims})
        first, fault = claims[0], claims[0].fault
        if name in taken:
            fault = f"pbem has a game {name} itself"
        elif len(claims) > 1:
            fault = f"the name is taken twice, by {' and by '.join(packages) if len(packages) > 1 else packages[0]}"
        games[name] = first._replace(package=" and ".join(packages), fault=fault)
    return games


def _read_entry_point(point: EntryPoint) -> PackagedGame:
    package = point.dist.name if point.dist is not None else point.value.partition(".")[0]
    game = PackagedGame(point.name, package, point.value, None, point.dist.version if point.dist is not None else "0")
    if _NAME.fullmatch(point.name) is None:
        return game._replace(fault="a game's name is of a-z, 0-9 and _, and begins with a letter")
    if (match := _VALUE.fullmatch(point.value)) is None:
        return game._replace(fault=f"{point.value!r} is no entry point: it reads MODULE:GAME")
    folder = _folder(match["module"])
    return game._replace(folder=folder) if folder else game._replace(fault=f"there is no module {match['module']}")


def _folder(module: str) -> Path | None:
    """Return the folder of a module, found as an import would; None without one."""
    path: Sequence[str] | None = None
    parts = module.split(".")
    for n in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:n]), path)
        if spec is None:
            return None
        if n == len(parts):
            locations = [*(spec.submodule_search_locations or ())]
            return Path(locations[0]) if locations else Path(spec.origin or "").parent
        path = spec.submodule_search_locations
        if path is None:
            return None
    return None


def folder_of(game: str) -> Path | None:
    """Return the folder of a playable game, shipped or of a package, else None."""
    if game in shipped_games():
        return _SHIPPED / game
    packaged = packaged_games().get(game)
    return packaged.folder if packaged and not packaged.fault else None
