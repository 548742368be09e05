"""A stranger's game as an installer leaves it: a package in a folder of its own, and a dist-info with its entry point.

It is the beacon of docs/template under another name.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import beacon_game as beacon

import pbem.installed
from pbem.cli import rulebooks
from pbem.letters import catalogue

TEMPLATE = Path(beacon.__file__).parents[1]
"""The repository that docs hand to authors of games."""


def install(site: Path, name: str = "lantern", module: str = "", package: str = "") -> Path:
    """Put a package with a game of that name into a folder like site-packages; its own folder is returned."""
    module, package = module or f"{name}_game", package or f"pbem-{name}"
    folder = site / module
    shutil.copytree(TEMPLATE / "beacon_game", folder, ignore=shutil.ignore_patterns("__pycache__"))
    for file in folder.glob("*.py"):
        text = file.read_text("utf-8").replace("beacon_game", module)
        file.write_text(text.replace('"beacon"', f'"{name}"').replace("The beacon", f"The {name}"), "utf-8")
    announce(site, package, f"{name} = {module}:GAME")
    return folder


def announce(site: Path, package: str, *lines: str) -> None:
    """Write what an installer writes of a package that brings games."""
    info = site / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("\n".join(["[pbem.games]", *lines, ""]))


def change(folder: Path, was: str, now: str) -> None:
    """Change a stranger's rules."""
    path = folder / "game.py"
    text = path.read_text("utf-8")
    assert text.count(was) == 1, was
    path.write_text(text.replace(was, now), "utf-8")


def forget() -> None:
    """As a program begun anew: nothing is known of games that packages bring."""
    for function in (pbem.installed.packaged_games, rulebooks._import_brought, catalogue.load_catalogue):
        function.cache_clear()


@contextmanager
def on_path(site: Path) -> Iterator[Path]:
    """A folder on the path of this program, as one of installed packages; nothing of it is left behind."""
    before = set(sys.modules)
    sys.path.insert(0, str(site))
    forget()
    try:
        yield site
    finally:
        sys.path.remove(str(site))
        for name in set(sys.modules) - before:
            if str(site) in str(getattr(sys.modules[name], "__file__", "") or ""):
                del sys.modules[name]
        forget()
