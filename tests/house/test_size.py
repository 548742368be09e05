"""Check the rules of size, and that what breaks one is listed in exceptions.txt and nothing else is.

The list may only shrink: what breaks a rule and is not listed fails, and so does a line that is no longer needed.
"""

import ast
import importlib
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests.house.sources import Source, below, importers, package, texts

LINES = 600
"""Lines that a file of the package has at most."""

PARAMETERS = 7
"""Parameters that a function or a method has at most, `self` and `cls` not counted: a record carries the rest."""

SMALL = 60
"""Lines below which a module needs two importers, or a first line that says why it is one."""

REASON = "# Small because "
REASONS = 15
"""How a small module's first line begins that gives its reason, and how many may give one."""

LISTED = Path(__file__).with_name("exceptions.txt")

APART = ("verifier", "store/migrations")
"""What players check the server with is read alone, and a migration stays as it was run."""

OF_OTHERS = {f"pbem/verifier/page/{name}.js" for name in ("noble-ed25519", "noble-bls12-381")}
"""Libraries of others stay as they were published."""


def long_files(files: Mapping[str, str]) -> list[str]:
    """List the files of the package with too many lines."""
    # Catalogues are looked up by sentence and never read from end to end.
    return [
        name
        for name, text in files.items()
        if name.startswith("pbem/") and not name.endswith(".po") and name not in OF_OTHERS and text.count("\n") > LINES
    ]


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count a function's parameters, what is caught by stars counting one each."""
    args = function.args
    named = [argument.arg for argument in (*args.posonlyargs, *args.args)]
    stars = (args.vararg is not None) + (args.kwarg is not None)
    return len(named) - (named[:1] in (["self"], ["cls"])) + len(args.kwonlyargs) + stars


def declares(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether typer calls the function: its parameters are the words of a command."""
    return any(ast.unparse(each).startswith("app.command(") for each in function.decorator_list)


def greedy_functions(sources: Iterable[Source]) -> list[str]:
    """List the functions with too many parameters."""
    return [
        f"{source.name} {function.name}"
        for source in sources
        for function in source.functions
        if parameters(function) > PARAMETERS and not declares(function)
    ]


def scope(name: str) -> str:
    """Return where a class name must be unique: a package or a subpackage, a game, a plan of a game's demo."""
    parts = name.split("/")
    return "/".join(parts[: parts.index("games") + 2] if "games" in parts else parts[:-1])


def repeated_classes(sources: Iterable[Source]) -> list[str]:
    """List the public classes with the name of another class of their package."""
    first: dict[tuple[str, str], str] = {}
    classes = [
        (source.name, node.name) for source in sources for node in source.tree.body if isinstance(node, ast.ClassDef)
    ]
    return [
        f"{name} {word}"
        for name, word in classes
        if not word.startswith("_") and first.setdefault((scope(name), word), name) != name
    ]


def small_modules(sources: Mapping[str, Source]) -> list[str]:
    """List the modules that are small, have fewer than two importers and give no reason."""
    importers_found = importers(sources)
    return [
        source.name
        for source in sources.values()
        if source.text.count("\n") < SMALL
        and len(importers_found[source.module]) < 2
        and not source.text.startswith(REASON)
        and source.name.rpartition("/")[2] not in ("__init__.py", "__main__.py")
        and not source.name.startswith("pbem/store/migrations/")
    ]


def breaches() -> list[str]:
    """List what breaks a rule of size: the rule and the place."""
    read = below(without=APART)
    return sorted(
        [f"lines: {place}" for place in long_files(texts())]
        + [f"parameters: {place}" for place in set(greedy_functions(read))]
        + [f"class name: {place}" for place in repeated_classes(read)]
        + [f"small module: {place}" for place in small_modules(package())]
    )


def listed() -> list[str]:
    return [line for line in LISTED.read_text("utf-8").splitlines() if line and not line.startswith("#")]


def compared(breaches_now: list[str], known: list[str]) -> list[str]:
    """Tell how what breaks a rule differs from the list."""
    new = [f"breaks a rule of size (CONTRIBUTING.md): {breach}" for breach in breaches_now if breach not in known]
    return new + [f"no longer breaks it, remove the line: {breach}" for breach in known if breach not in breaches_now]


def test_what_breaks_a_rule_of_size_is_listed_and_nothing_else_is():
    assert compared(breaches(), listed()) == []


def test_the_list_is_sorted_and_names_nothing_twice():
    assert listed() == sorted(set(listed()))


def test_few_modules_give_a_reason_to_be_small():
    assert len([source.name for source in below() if source.text.startswith(REASON)]) <= REASONS


def exported(sources: Iterable[Source]) -> list[str]:
    """List the files that set `__all__` and are no package that re-exports one of the names."""
    out = []
    for source in sources:
        for node in source.nodes(ast.Assign):
            if any(isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets):
                named = {node.value for node in ast.walk(node) if isinstance(node, ast.Constant)}
                taken = {alias.asname or alias.name for each in source.nodes(ast.ImportFrom) for alias in each.names}
                if not (source.is_package and named & taken):
                    out.append(source.name)
    return out


def test_only_a_package_that_re_exports_lists_its_names():
    holding = re.compile(r"^__all__\b", re.MULTILINE)
    others = [Source(name, text) for name, text in texts().items() if name.endswith(".py") and holding.search(text)]
    assert exported(others) == []


UNFORMATTED = re.compile(r"#\s*(fmt|yapf)\s*:")


def unformatted(files: Mapping[str, str]) -> list[str]:
    """List the Python files with a comment that keeps the formatter away."""
    suspect = [Source(name, text) for name, text in files.items() if name.endswith(".py") and UNFORMATTED.search(text)]
    return [source.name for source in suspect if any(map(UNFORMATTED.search, source.comments))]


def test_no_comment_keeps_the_formatter_away():
    assert unformatted(texts()) == []


def modules() -> Iterator[ModuleType]:
    """Import all modules of the package but what runs by being imported."""
    for source in below(without=APART):
        if not source.name.endswith(("/__main__.py", "/__init__.py")):
            yield importlib.import_module(source.module)


def bound(space: dict[str, Any], module: str) -> list[str]:
    """List attributes of classes that are partials: later Pythons hand the object itself to them first."""
    classes = [member for member in space.values() if isinstance(member, type) and member.__module__ == module]
    return [
        f"{class_.__name__}.{name}"
        for class_ in classes
        for name, value in vars(class_).items()
        if type(value) is partial
    ]


def test_no_class_holds_a_bare_partial():
    assert [fault for module in modules() for fault in bound(vars(module), module.__name__)] == []


# What is planted is seen


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
    text = "class A:\n    def f(self, a, b, c, d, e, f, g): ...\n    def g(self, a, b, c, *, d, e, f, g, h): ...\n"
    assert greedy_functions([Source("pbem/engine/planted.py", text)]) == ["pbem/engine/planted.py g"]


def test_a_planted_name_is_seen():
    names = ("audit/a.py", "audit/b.py", "core/a.py", "games/x/a.py", "games/y/a.py")
    sources_read = [Source(f"pbem/{name}", "class Key: ...\nclass _Key: ...\n") for name in names]
    assert repeated_classes(sources_read) == ["pbem/audit/b.py Key"]


def test_a_planted_long_file_is_seen():
    long = "\n" * (LINES + 1)
    assert long_files({"pbem/a.js": long, "pbem/a.po": long, "tests/a.py": long, "pbem/b.py": "\n" * LINES}) == [
        "pbem/a.js"
    ]


def test_a_planted_small_module_is_seen():
    texts_by_name = {
        "pbem/__init__.py": "",
        "pbem/once.py": "x = 1\n",
        "pbem/twice.py": "x = 1\n",
        "pbem/never.py": REASON + "it is planted.\n",
        "pbem/long.py": "from pbem import once, twice\n" + "\n" * SMALL,
        "pbem/other.py": "import pbem.twice\n" + "\n" * SMALL,
    }
    assert small_modules({name: Source(name, text) for name, text in texts_by_name.items()}) == ["pbem/once.py"]


def test_a_planted_list_of_names_is_seen():
    package_text = 'from pbem.engine import dice\n__all__ = ["dice"]\n'
    sources = [Source(name, package_text) for name in ("pbem/engine/__init__.py", "pbem/engine/a.py")]
    assert exported([*sources, Source("pbem/engine/__init__.py", '__all__ = ["own"]\nown = 1\n')]) == [
        "pbem/engine/a.py",
        "pbem/engine/__init__.py",
    ]


def test_a_planted_comment_for_the_formatter_is_seen():
    assert unformatted({"a.py": "x = 1  # fmt: skip\n", "b.py": "x = '# fmt: off'\n"}) == ["a.py"]


def test_the_list_and_what_is_found_are_compared_both_ways():
    assert [line.split(": ")[1] for line in compared(["a", "b"], ["b", "c"])] == ["a", "c"]


def test_a_planted_partial_is_seen():
    class Rules:
        write = partial(print)
        draft = staticmethod(partial(print))

    assert bound({"Rules": Rules, "sys": sys}, __name__) == ["Rules.write"]
