"""Core, the games and the audit's verifier run on bare Python, with no clock, no chance and no network.

import-linter holds the layers (pyproject.toml); this reads the source itself, so that it also sees a library that
nobody thought of listing.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PBEM = ROOT / "pbem"

CLOCK_CALLS = {"now", "today", "utcnow"}
IMPURE = {
    "clock": {"time", "sched"},
    "chance": {"random", "secrets", "uuid"},
    "machine": {"os", "subprocess", "multiprocessing", "platform", "tempfile", "signal", "getpass"},
    "network": {"socket", "socketserver", "ssl", "select", "selectors", "asyncio", "http", "urllib", "smtplib"}
    | {"imaplib", "poplib", "ftplib", "xmlrpc"},
}
IMPURE_MODULES = {module: why for why, modules in IMPURE.items() for module in modules}


class Import(NamedTuple):
    line: int
    module: str  # "pbem.core.dice", always absolute
    names: tuple[str, ...]  # what a `from` takes out of it


def module_name(path: Path) -> str:
    """pbem/core/dice.py -> pbem.core.dice; pbem/core/__init__.py -> pbem.core"""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(source: str, module: str, is_package: bool) -> tuple[Import, ...]:
    """Every import anywhere in the source, relative ones made absolute."""
    return tuple(_imports(source, module, is_package))


def _imports(source: str, module: str, is_package: bool) -> Iterator[Import]:
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(node.lineno, alias.name, ())
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            target = ".".join([*base, *([node.module] if node.module else [])])
            yield Import(node.lineno, target, tuple(alias.name for alias in node.names))


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def foreign(found: Import, allowed: tuple[str, ...]) -> bool:
    """Is it neither of the standard library nor of the allowed packages of ours?"""
    if found.module.split(".")[0] in sys.stdlib_module_names or any(within(found.module, p) for p in allowed):
        return False
    # `from pbem import core` takes a package by its name from one above.
    return not (found.names and all(any(within(f"{found.module}.{n}", p) for p in allowed) for n in found.names))


def impure(source: str, module: str, is_package: bool) -> list[str]:
    """The sources of clock, chance and network that a file reaches for."""
    found = [
        f"line {line}: {IMPURE_MODULES[top]} ({name})"
        for line, name, _ in imports(source, module, is_package)
        if (top := name.split(".")[0]) in IMPURE_MODULES
    ]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_CALLS:
            found.append(f"line {node.lineno}: clock (.{node.func.attr}())")
    return found


def own_packages(path: Path) -> tuple[str, ...]:
    """What of ours a file of core, kit or games may import: what lies below, and the game that it belongs to."""
    parts = path.relative_to(PBEM).parts
    if parts[0] == "games":
        return ("pbem.core", "pbem.kit", f"pbem.games.{parts[1]}" if len(parts) > 2 else "pbem.games")
    return ("pbem.core", "pbem.kit") if parts[0] == "kit" else ("pbem.core",)


def file_of(module: str) -> Path | None:
    path = ROOT.joinpath(*module.split("."))
    return next((p for p in (path.with_suffix(".py"), path / "__init__.py") if p.is_file()), None)


def verifier_files() -> list[Path]:
    """The verifier: read by players, and of nothing but itself."""
    return sorted((PBEM / "verifier").glob("*.py"))


PURE = sorted(p for part in ("core", "kit", "games") for p in (PBEM / part).rglob("*.py"))


def label(path: Path) -> str:
    return path.relative_to(PBEM).as_posix()


def foreign_imports(path: Path, allowed: tuple[str, ...]) -> list[str]:
    found = imports(path.read_text("utf-8"), module_name(path), path.name == "__init__.py")
    return [f"line {i.line}: {i.module} {' '.join(i.names)}" for i in found if foreign(i, allowed)]


@pytest.mark.parametrize("path", PURE, ids=label)
def test_core_kit_and_games_import_the_standard_library_only(path):
    assert foreign_imports(path, own_packages(path)) == []


@pytest.mark.parametrize("path", PURE, ids=label)
def test_core_kit_and_games_have_no_clock_no_chance_no_network(path):
    found = impure(path.read_text("utf-8"), module_name(path), path.name == "__init__.py")
    assert [one for one in found if not (TRIED in path.parents and TRIES.search(one))] == []


TRIED = PBEM / "kit" / "testing"
TRIES = re.compile(r"\((random|os|subprocess)\)$")
"""What games are tried with draws lots and asks other processes; nothing that plays a game imports it."""


@pytest.mark.parametrize("path", verifier_files(), ids=label)
def test_the_verifier_needs_nothing_but_python(path):
    assert foreign_imports(path, ("pbem.verifier",)) == []


LAYERS = ("core", "kit", "tournament", "mail", "audit", "campaign", "store", "reports", "cli")
WORDS = {"drill", "training"}
"""Scenarios whose names are words of everyday."""


def game_names() -> list[str]:
    """The names of games and of their scenarios and maps, as their folders and files have them."""
    folders = [path.parent for path in (PBEM / "games").glob("*/scenarios")]
    files = [path for folder in folders for part in ("scenarios", "maps") for path in (folder / part).iterdir()]
    return sorted({folder.name for folder in folders} | ({path.name.split(".")[0] for path in files} - WORDS))


def naming(paths: Iterable[Path], names: Iterable[str]) -> list[str]:
    """The lines that name one of these, with their files."""
    wanted = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b", re.IGNORECASE)
    lines = (
        (path, number, line) for path in paths for number, line in enumerate(path.read_text("utf-8").split("\n"), 1)
    )
    return [f"{path.name}:{number}: {line.strip()}" for path, number, line in lines if wanted.search(line)]


@pytest.mark.parametrize("layer", LAYERS)
def test_no_line_of_the_house_names_a_game(layer):
    """A game is a folder: the house finds it by name. So does the demo its plans, which are a game's own."""
    plans = PBEM / "cli" / "demo" / "games"
    sources = [path for path in (PBEM / layer).rglob("*.py") if plans not in path.parents]
    assert naming(sources, game_names()) == []


def test_no_template_and_no_setting_names_a_game():
    files = [path for part in ("templates", "config") for path in (ROOT / part).rglob("*") if path.is_file()]
    assert len(files) > 5
    assert naming(files, game_names()) == []


def test_this_test_sees_names(tmp_path):
    (tmp_path / "a.py").write_text("# as in Peninsular\nx = 1\n")
    assert naming([tmp_path / "a.py"], game_names()) == ["a.py:1: # as in Peninsular"]
    assert {"africa1860", "peninsular", "castillejos"} <= set(game_names())


@pytest.mark.parametrize(
    ("source", "allowed"),
    [
        ("import json", True),
        ("import collections.abc", True),
        ("from pbem.core import dice", True),
        ("from pbem import core", True),
        ("from ..core.dice import Dice", False),  # of pbem.games.core, which is not there
        ("from ...core.dice import Dice", True),
        ("from .state import State", True),
        ("from . import state", True),
        ("def late():\n    import sqlmodel", False),
        ("import nacl.signing", False),
        ("from pbem.games.other import state", False),
        ("from pbem import games", False),
        ("from pbem.core_extra import x", False),
        ("from pbem.mail import text", False),
    ],
)
def test_this_test_tells_imports_apart(source, allowed):
    (found,) = imports(source, "pbem.games.mine.fire", is_package=False)
    assert foreign(found, ("pbem.core", "pbem.games.mine")) is not allowed


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import random", "chance"),
        ("from os import path", "machine"),
        ("import urllib.request", "network"),
        ("def f():\n    from time import sleep", "clock"),
        ("import datetime\nx = datetime.datetime.now(datetime.UTC)", "clock"),
        ("from datetime import date\nx = date.today()", "clock"),
    ],
)
def test_this_test_sees_clock_chance_and_network(source, why):
    (found,) = impure(source, "pbem.core.x", is_package=False)
    assert why in found


def test_this_test_lets_charts_be_read():
    source = "from importlib.resources import files\nfrom pathlib import Path\nfrom datetime import datetime\n"
    assert impure(source, "pbem.core.x", is_package=False) == []
