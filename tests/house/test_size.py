"""What a function asks for, and what a class is called: few values, each of a name of its own."""

import ast
import importlib
import sys
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
PBEM = ROOT / "pbem"

MOST = 5
"""Parameters that a function or a method has at most, `self` and `cls` not counted: a record carries the rest."""

APART = ("verifier", "store/migrations")
"""What players check the server with is read alone, and a migration stays as it was run."""


class Source(NamedTuple):
    """A file of ours and what is in it."""

    name: str
    tree: ast.Module


@cache
def everything() -> tuple[Source, ...]:
    """All files of the package."""
    paths = sorted(PBEM.rglob("*.py"))
    return tuple(Source(path.relative_to(PBEM).as_posix(), ast.parse(path.read_text("utf-8"))) for path in paths)


def sources(left: Iterable[str]) -> list[Source]:
    """The files of the package but those in the folders that are left out."""
    folders = tuple(f"{one}/" for one in left)
    return [one for one in everything() if not one.name.startswith(folders)]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many a function has, what is caught by stars counting one each."""
    args = function.args
    named = [one.arg for one in (*args.posonlyargs, *args.args)]
    stars = (args.vararg is not None) + (args.kwarg is not None)
    return len(named) - (named[:1] in (["self"], ["cls"])) + len(args.kwonlyargs) + stars


def declares(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it is what typer calls: its parameters are the words of a command."""
    return any(ast.unparse(each).startswith("app.command(") for each in function.decorator_list)


def greedy(found: Iterable[Source]) -> list[str]:
    """The functions that ask for too much."""
    return [
        f"{name}: {node.name} has {parameters(node)}"
        for name, tree in found
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and parameters(node) > MOST and not declares(node)
    ]


def layer(name: str) -> str:
    """Where a name must be one of a kind: a package, a game, or the plans of a game's demo."""
    parts = name.split("/")
    return "/".join(parts[: parts.index("games") + 2]) if "games" in parts else parts[0]


def twice(found: Iterable[Source]) -> list[str]:
    """The classes of a layer that are called as another of it."""
    first: dict[tuple[str, str], str] = {}
    classes = [(name, node.name) for name, tree in found for node in tree.body if isinstance(node, ast.ClassDef)]
    return [
        f"{word} in {before} and {name}"
        for name, word in classes
        if not word.startswith("_") and (before := first.setdefault((layer(name), word), name)) != name
    ]


def modules() -> Iterator[ModuleType]:
    """All modules of the package; what would run by being imported is left out."""
    for path in sorted(PBEM.rglob("*.py")):
        name = path.relative_to(PBEM).with_suffix("").as_posix()
        if not name.startswith(APART) and path.stem not in ("__main__", "__init__"):
            yield importlib.import_module(f"pbem.{name.replace('/', '.')}")


def bound(space: dict[str, Any], module: str) -> list[str]:
    """The attributes of classes that are partials: later Pythons hand the object itself to them first."""
    classes = [one for one in space.values() if isinstance(one, type) and one.__module__ == module]
    return [f"{one.__name__}.{name}" for one in classes for name, value in vars(one).items() if type(value) is partial]


def test_a_function_has_few_parameters():
    assert greedy(sources(APART)) == []


def test_no_two_classes_of_a_layer_have_one_name():
    assert twice(sources(APART)) == []


def test_no_class_holds_a_bare_partial():
    assert [found for module in modules() for found in bound(vars(module), module.__name__)] == []


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("def f(a, b, c, d, e)", 5),
        ("def f(a, /, b, *, c, d=1, e=2, f=3)", 6),
        ("def f(*a, **b)", 2),
        ("async def f(self, a, *, b)", 2),
        ("def f(cls, *, a)", 1),
        ("def f(a, self)", 2),
    ],
)
def test_parameters_are_counted(head, count):
    (node,) = ast.parse(f"{head}: ...").body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    assert parameters(node) == count


def test_a_planted_function_is_seen():
    tree = ast.parse("class A:\n    def f(self, a, b, c, d, e): ...\n    def g(self, a, b, c, *, d, e, f): ...\n")
    assert greedy([Source("core/planted.py", tree)]) == ["core/planted.py: g has 6"]


def test_a_planted_name_is_seen():
    tree = ast.parse("class Key: ...\nclass _Key: ...\n")
    found = [Source(name, tree) for name in ("audit/a.py", "audit/b.py", "games/x/a.py", "games/y/a.py")]
    assert twice(found) == ["Key in audit/a.py and audit/b.py"]


def test_a_planted_partial_is_seen():
    class Rules:
        write = partial(print)
        draft = staticmethod(partial(print))

    assert bound({"Rules": Rules, "sys": sys}, __name__) == ["Rules.write"]
