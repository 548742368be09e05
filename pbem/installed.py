"""Games that installed packages bring: where each lies and who brings it, found without importing any.

A package brings a game by an entry point of the group ``pbem.games``, whose name is the game's::

    [project.entry-points."pbem.games"]
    beacon = "beacon_game:GAME"

The module's folder is the game's: charts, scenarios and ``locale`` lie there, as those of a shipped game in its own.
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
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_VALUE = re.compile(r"(?P<module>[\w.]+)\s*(:\s*[\w.]+\s*)?(\[.*\]\s*)?")
"""What an entry point says. Pythons differ in what they raise for one that says something else."""


class Brought(NamedTuple):
    """A game that a package brings: the entry point's words, the folder it lies in, and why it cannot be played.

    `fault` is empty as far as can be told without importing it.
    """

    name: str
    package: str
    value: str
    folder: Path | None
    version: str = ""
    fault: str = ""

    def files(self) -> Iterator[tuple[str, Path]]:
        """Yield the files of the package that its module is of, each by its path as it would be imported."""
        top = self.value.partition(".")[0].partition(":")[0].strip()
        spec = PathFinder.find_spec(top)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            root = Path(place)
            yield from (
                (f"{top}/{path.relative_to(root).as_posix()}", path) for path in root.rglob("*") if path.is_file()
            )
        if spec is not None and not spec.submodule_search_locations and spec.origin:
            yield Path(spec.origin).name, Path(spec.origin)


@cache
def shipped() -> tuple[str, ...]:
    """The games of the house that have scenarios, by the names of their folders."""
    return tuple(name for name in housed() if (_SHIPPED / name / "scenarios").is_dir())


@cache
def housed() -> tuple[str, ...]:
    """All games of the house, those among them that are never played by themselves: a camp stands between two."""
    return tuple(sorted(path.parent.name for path in _SHIPPED.glob("*/__init__.py")))


@cache
def brought() -> Mapping[str, Brought]:
    """The games that packages bring, by name. Nothing is imported; what was found is not looked for again."""
    return sorted_out(entry_points(group=GROUP), housed())


def sorted_out(points: Iterable[EntryPoint], taken: Sequence[str]) -> Mapping[str, Brought]:
    """Return what entry points bring, each name once; one that is taken, or claimed by two, cannot be played.

    Of two packages that bring the same name neither is believed: by which rules a game goes on must not hang on the
    order of a path. A game of the house stays what it is.
    """
    by_name: dict[str, list[Brought]] = {}
    for point in points:
        by_name.setdefault(point.name, []).append(_read(point))
    found = {}
    for name, claims in sorted(by_name.items()):
        packages = sorted({claim.package for claim in claims})
        first, fault = claims[0], claims[0].fault
        if name in taken:
            fault = f"pbem has a game {name} itself"
        elif len(claims) > 1:
            fault = f"the name is taken twice, by {' and by '.join(packages) if len(packages) > 1 else packages[0]}"
        found[name] = first._replace(package=" and ".join(packages), fault=fault)
    return found


def _read(point: EntryPoint) -> Brought:
    package = point.dist.name if point.dist is not None else point.value.partition(".")[0]
    read = Brought(point.name, package, point.value, None, point.dist.version if point.dist is not None else "0")
    if _NAME.fullmatch(point.name) is None:
        return read._replace(fault="a game's name is of a-z, 0-9 and _, and begins with a letter")
    if (told := _VALUE.fullmatch(point.value)) is None:
        return read._replace(fault=f"{point.value!r} is no entry point: it reads MODULE:GAME")
    folder = _folder(told["module"])
    return read._replace(folder=folder) if folder else read._replace(fault=f"there is no module {told['module']}")


def _folder(module: str) -> Path | None:
    """Return the folder that a module lies in, found as an import would find it; None if there is none."""
    path: Sequence[str] | None = None
    parts = module.split(".")
    for n in range(1, len(parts) + 1):
        spec = PathFinder.find_spec(".".join(parts[:n]), path)
        if spec is None:
            return None
        if n == len(parts):
            places = [*(spec.submodule_search_locations or ())]
            return Path(places[0]) if places else Path(spec.origin or "").parent
        path = spec.submodule_search_locations
        if path is None:
            return None
    return None


def folder_of(game: str) -> Path | None:
    """Return the folder of a game, shipped or brought; None for one that is not here, or cannot be played."""
    if game in housed():
        return _SHIPPED / game
    found = brought().get(game)
    return found.folder if found and not found.fault else None
