"""Read and parse every source file of the package once, for all tests in this folder."""

from __future__ import annotations

import ast
import gc
import subprocess
import tokenize
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from io import StringIO
from pathlib import Path
from typing import NamedTuple, TypeVar

ROOT = Path(__file__).resolve().parents[2]
PBEM = ROOT / "pbem"

Node = TypeVar("Node", bound=ast.AST)


class Import(NamedTuple):
    """One import statement, its module always absolute."""

    line: int
    module: str  # "pbem.engine.run.steps"
    names: tuple[str, ...]  # what a `from` takes out of it


class Source:
    """A Python file: its path from the top of the tree, its text, and its syntax tree, parsed on first use."""

    def __init__(self, name: str, text: str) -> None:
        self.name = name
        self.text = text

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @cached_property
    def _nodes(self) -> Mapping[type[ast.AST], list[ast.AST]]:
        nodes: dict[type[ast.AST], list[ast.AST]] = {}
        for node in ast.walk(self.tree):
            nodes.setdefault(type(node), []).append(node)
        return nodes

    def nodes(self, kind: type[Node]) -> list[Node]:
        """Return the nodes of one exact kind; the tree is walked once for all callers."""
        return self._nodes.get(kind, [])  # type: ignore[return-value]

    @property
    def functions(self) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
        return [*self.nodes(ast.FunctionDef), *self.nodes(ast.AsyncFunctionDef)]

    @property
    def is_package(self) -> bool:
        return self.name.rpartition("/")[2] == "__init__.py"

    @property
    def module(self) -> str:
        """Name the module: pbem/engine/luck.py is pbem.engine.luck, pbem/engine/__init__.py is pbem.engine."""
        return self.name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """List every import anywhere in the file, relative ones made absolute."""
        return tuple(self._read_imports())

    def _read_imports(self) -> Iterator[Import]:
        parts = self.module.split(".")
        package = parts if self.is_package else parts[:-1]
        for plain in self.nodes(ast.Import):
            yield from (Import(plain.lineno, alias.name, ()) for alias in plain.names)
        for node in self.nodes(ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            target = ".".join([*base, *([node.module] if node.module else [])])
            yield Import(node.lineno, target, tuple(alias.name for alias in node.names))

    @property
    def comments(self) -> list[str]:
        tokens = tokenize.generate_tokens(StringIO(self.text).readline)
        return [token.string for token in tokens if token.type == tokenize.COMMENT]

    @property
    def docstring(self) -> str:
        return ast.get_docstring(self.tree) or ""


@cache
def package() -> Mapping[str, Source]:
    """Parse all files of the package, by their paths from the top of the tree."""
    return parse(ROOT)


def parse(top: Path) -> Mapping[str, Source]:
    """Parse the files of the package below the top of some tree."""
    paths = sorted((top / "pbem").rglob("*.py"))
    sources = [Source(path.relative_to(top).as_posix(), path.read_text("utf-8")) for path in paths]
    # A million nodes that stay to the end: the collector must neither search them now nor later.
    gc.disable()
    try:
        for source in sources:
            assert source.nodes(ast.Module)
    finally:
        gc.freeze()
        gc.enable()
    return {source.name: source for source in sources}


RULES = ("engine",)
"""The packages that games are made of."""

SERVED = ("server", "tournaments", "wars", "play", "log", "letters", "runtime")
"""The packages of a running server, from the top down."""


def below(*folders: str, without: tuple[str, ...] = ()) -> list[Source]:
    """Return the files below some folders of the package, as `games/africa1860`; all files if none is named."""
    wanted = tuple(f"pbem/{folder}/" for folder in folders) or ("pbem/",)
    unwanted = tuple(f"pbem/{folder}/" for folder in without)
    return [source for name, source in package().items() if name.startswith(wanted) and not name.startswith(unwanted)]


def importers(sources: Mapping[str, Source]) -> dict[str, set[str]]:
    """Find which modules import each module, by name; `from package import module` imports the module."""
    importers_by_module: dict[str, set[str]] = {source.module: set() for source in sources.values()}
    for source in sources.values():
        for statement in source.imports:
            for name in statement.names or ("",):
                inner = f"{statement.module}.{name}"
                target = inner if inner in importers_by_module else statement.module
                if target in importers_by_module and target != source.module:
                    importers_by_module[target].add(source.module)
    return importers_by_module


@cache
def texts() -> Mapping[str, str]:
    """Read every text file that is or would be committed, by its path from the top of the tree."""
    git = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        names = subprocess.run(git, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):  # an unpacked sdist
        files = (p for part in ("pbem", "tests", "templates", "config") for p in (ROOT / part).rglob("*"))
        names = [p.relative_to(ROOT).as_posix() for p in files if "__pycache__" not in p.parts]
    contents = {}
    for name in names:
        path = ROOT / name
        if name and path.is_file():
            content = path.read_bytes()
            if b"\0" not in content:
                contents[name] = content.decode("utf-8")
    return contents
