"""Core, the games and the audit's verifier run on bare Python, with no clock, no chance and no network.

import-linter holds the layers (pyproject.toml); this reads the source itself, so that it also sees a library that
nobody thought of listing.
"""

import ast
import re
import sys
from collections.abc import Iterable, Mapping

import pytest

from tests.house.sources import PBEM, ROOT, RULES, SERVED, Import, Source, below, package

CLOCK_CALLS = {"now", "today", "utcnow"}
IMPURE = {
    "clock": {"time", "sched"},
    "chance": {"random", "secrets", "uuid"},
    "machine": {"os", "subprocess", "multiprocessing", "platform", "tempfile", "signal", "getpass"},
    "network": {"socket", "socketserver", "ssl", "select", "selectors", "asyncio", "http", "urllib", "smtplib"}
    | {"imaplib", "poplib", "ftplib", "xmlrpc"},
}
IMPURE_MODULES = {module: why for why, modules in IMPURE.items() for module in modules}


def within(module: str, package: str) -> bool:
    return module == package or module.startswith(package + ".")


def foreign(imported: Import, allowed: tuple[str, ...]) -> bool:
    """Is it neither of the standard library nor of the allowed packages of ours?"""
    if imported.module.split(".")[0] in sys.stdlib_module_names or any(within(imported.module, p) for p in allowed):
        return False
    # `from pbem import core` takes a package by its name from one above.
    return not (
        imported.names and all(any(within(f"{imported.module}.{n}", p) for p in allowed) for n in imported.names)
    )


def impure(source: Source) -> list[str]:
    """The sources of clock, chance and network that a file reaches for."""
    faults = [
        f"line {line}: {IMPURE_MODULES[top]} ({name})"
        for line, name, _ in source.imports
        if (top := name.split(".")[0]) in IMPURE_MODULES
    ]
    for node in source.nodes(ast.Call):
        if isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_CALLS:
            faults.append(f"line {node.lineno}: clock (.{node.func.attr}())")
    return faults


def own_packages(source: Source) -> tuple[str, ...]:
    """What of ours a file of core, kit or games may import: what lies below, and the game that it belongs to."""
    parts = source.name.split("/")[1:]
    below_games = tuple(f"pbem.{rule}" for rule in RULES)
    return (
        (*below_games, f"pbem.games.{parts[1]}" if len(parts) > 2 else "pbem.games")
        if parts[0] == "games"
        else below_games
    )


PURE = (*RULES, "games")
TESTING = ("pbem/engine/testing/", "pbem/engine/testing/")
TRIES = re.compile(r"\((random|os|subprocess)\)$")
"""What games are tried with draws lots and asks other processes; nothing that plays a game imports it."""


def foreign_imports(source: Source, allowed: tuple[str, ...]) -> list[str]:
    return [
        f"{source.name}, line {i.line}: {i.module} {' '.join(i.names)}" for i in source.imports if foreign(i, allowed)
    ]


def test_the_engine_and_games_import_the_standard_library_only():
    assert [fault for source in below(*PURE) for fault in foreign_imports(source, own_packages(source))] == []


def test_the_engine_and_games_have_no_clock_no_chance_no_network():
    faults = [(source.name, fault) for source in below(*PURE) for fault in impure(source)]
    assert [fault for fault in faults if not (fault[0].startswith(TESTING) and TRIES.search(fault[1]))] == []


def test_the_verifier_needs_nothing_but_python():
    assert [fault for source in below("verifier") for fault in foreign_imports(source, ("pbem.verifier",))] == []


def test_there_is_something_to_read():
    assert all(len(below(folder)) > 20 for folder in ("games", "verifier"))
    assert len(below(*RULES)) > 40


LAYERS = (*RULES, *SERVED, "mail", "audit", "store", "cli")
WORDS = {"drill", "training"}
"""Scenarios whose names are words of everyday."""


def game_names() -> list[str]:
    """The names of games and of their scenarios and maps, as their folders and files have them."""
    folders = [path.parent for path in (PBEM / "games").glob("*/scenarios")]
    files = [path for folder in folders for part in ("scenarios", "maps") for path in (folder / part).iterdir()]
    return sorted({folder.name for folder in folders} | ({path.name.split(".")[0] for path in files} - WORDS))


def naming(files: Mapping[str, str], names: Iterable[str]) -> list[str]:
    """The lines that name one of these, with their files."""
    wanted = re.compile(rf"\b({'|'.join(map(re.escape, names))})\b", re.IGNORECASE)
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in files.items()
        if wanted.search(text)
        for number, line in enumerate(text.split("\n"), 1)
        if wanted.search(line)
    ]


def test_no_line_outside_of_the_games_names_a_game():
    """A game is a folder: it is found by its name. So does the demo its plans, which are a game's own."""
    sources = {source.name: source.text for source in below(*LAYERS)}
    assert len(sources) > 400
    assert naming(sources, game_names()) == []


def test_no_template_and_no_setting_names_a_game():
    files = [path for part in ("templates", "config") for path in (ROOT / part).rglob("*") if path.is_file()]
    assert len(files) > 5
    assert naming({path.name: path.read_text("utf-8") for path in files}, game_names()) == []


def test_this_test_sees_names():
    assert naming({"a.py": "# as in Peninsular\nx = 1\n"}, game_names()) == ["a.py:1: # as in Peninsular"]
    assert {"africa1860", "peninsular", "castillejos"} <= set(game_names())


@pytest.mark.parametrize(
    ("source", "allowed"),
    [
        ("import json", True),
        ("import collections.abc", True),
        ("from pbem.engine import dice", True),
        ("from pbem import engine", True),
        ("from ..engine.dice import Dice", False),  # of pbem.games.engine, which is not there
        ("from ...engine.dice import Dice", True),
        ("from .state import State", True),
        ("from . import state", True),
        ("def late():\n    import sqlmodel", False),
        ("import nacl.signing", False),
        ("from pbem.games.other import state", False),
        ("from pbem import games", False),
        ("from pbem.engine_extra import x", False),
        ("from pbem.mail import text", False),
    ],
)
def test_this_test_tells_imports_apart(source, allowed):
    (imported,) = Source("pbem/games/mine/fire.py", source).imports
    assert foreign(imported, ("pbem.engine", "pbem.games.mine")) is not allowed


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
    (fault,) = impure(Source("pbem/engine/x.py", source))
    assert why in fault


def test_this_test_lets_charts_be_read():
    source = "from importlib.resources import files\nfrom pathlib import Path\nfrom datetime import datetime\n"
    assert impure(Source("pbem/engine/x.py", source)) == []


def unexplained(source: Source) -> list[str]:
    """List the imports inside functions without a comment that says why: above them, or above their `try`."""
    lines = source.text.splitlines()
    names = []
    for function in source.functions:
        for block in (node for node in ast.walk(function) if isinstance(getattr(node, "body", None), list)):
            first = next(iter(block.body), None)  # type: ignore[attr-defined]
            own = [node for node in block.body if isinstance(node, ast.Import | ast.ImportFrom)]  # type: ignore[attr-defined]
            if own:
                begin = block if isinstance(block, ast.Try) and own[0] is first else own[0]
                if not lines[begin.lineno - 2].lstrip().startswith("# "):
                    names.append(f"{source.name}:{own[0].lineno}")
    return names


def test_what_is_imported_inside_a_function_says_why():
    assert [place for source in package().values() for place in unexplained(source)] == []


def test_a_late_import_without_a_reason_is_seen():
    plain = "def f():\n    x = 1\n    import json\n"
    tried = "def f():\n    # An extra.\n    try:\n        import json\n    except ImportError:\n        return\n"
    assert unexplained(Source("pbem/a.py", plain)) == ["pbem/a.py:3"]
    assert unexplained(Source("pbem/a.py", tried)) == []
    assert unexplained(Source("pbem/a.py", tried.replace("# An extra.", "pass"))) == ["pbem/a.py:4"]
