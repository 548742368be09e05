"""The command line in rooms: who knows a command's words knows its file, and a room is seen at a glance."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from pbem.cli.main import app

CLI = Path(__file__).resolve().parents[2] / "pbem" / "cli"
PLANS = CLI / "demo" / "games"
"""Each plan of a demo is a script that runs alone, and calls what it has as the other does."""
ROOMS = sorted(path.parent for path in CLI.glob("*/__init__.py"))
SOURCES = sorted(path for path in CLI.rglob("*.py") if PLANS not in path.parents)
MODULES = 25
PARAMETERS = 5


def commands(group: Any, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command below a group, by its words."""
    for name, found in group.commands.items():
        if hasattr(found, "commands"):
            yield from commands(found, *words, name)
        else:
            yield (*words, name), found


COMMANDS = dict(commands(typer.main.get_command(app)))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """Those that a caller gives."""
    given = function.args
    names = [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
    return [name for name in names if name not in ("self", "cls")]


def declares(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Is it what typer calls, whose parameters are a command's options?"""
    return any(ast.unparse(each).startswith("app.command(") for each in function.decorator_list)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_command_is_in_the_file_of_its_name(words):
    module = COMMANDS[words].callback.__module__
    *room, file = module.removeprefix("pbem.cli.").split(".")
    assert file == words[-1].replace("-", "_")
    assert len(room) == 1
    if len(words) > 1:
        assert room == [words[0]]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(CLI).as_posix())
def test_only_what_typer_calls_has_more_than_five_parameters(path):
    many = {each.name for each in functions(path) if len(parameters(each)) > PARAMETERS and not declares(each)}
    assert many == set()


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(CLI).as_posix())
def test_a_file_has_one_command_at_most(path):
    assert len([each.name for each in functions(path) if declares(each)]) <= 1


def test_no_class_name_stands_twice():
    trees = (ast.parse(path.read_text("utf-8")) for path in SOURCES)
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, count in names.items() if count > 1] == []


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_a_room_is_small_and_says_what_lives_in_it(room):
    assert len(list(room.glob("*.py"))) <= MODULES
    text = (room / "__init__.py").read_text("utf-8")
    assert text.count("\n") <= 10
    (said,) = ast.parse(text).body
    assert isinstance(said, ast.Expr)
    assert "import" in text.lower()


def test_the_rooms_are_all_seen():
    assert len(ROOMS) > 8
    assert len(COMMANDS) > 25
