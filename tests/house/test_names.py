"""Check names of locals and functions, and the length of the first lines of docstrings.

Fields and methods of classes may have the names of such locals: many are names of columns, leaves and keys.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.house.sources import ROOT

CHECKED = ("benchmarks", "pbem")
"""The folders whose names of locals and functions, and first lines of docstrings, are checked."""

LOCALS_CHECKED = (*CHECKED, "tests")
"""The folders whose names of locals are checked."""

EMPTY_LOCALS = frozenset({"at", "found", "here", "one", "said", "told"})
"""Names of locals and arguments that do not say what they hold."""

IRREGULAR = """
begun bought bound broken brought built chosen done drawn driven fallen fed felt foreseen foretold forgotten fought
found given gone heard held hidden kept known laid led left lost made meant met paid ridden risen said seen sent
shown shrunk sold sought spent spoken stood struck sunk taken taught thought thrown told understood withdrawn won
worn written
"""
"""Participles that do not end in -ed and are nothing else; `read`, `set` and `split` are verbs too."""

NO_PARTICIPLES = "bed embed exceed feed need proceed red seed shed speed succeed"

PARTICIPLES_ALLOWED = {
    "completed": "a class method of editions that games of 1.0.0 call",
    "described": "a method of maps that games of 1.0.0 define",
    "seen": "a method of conditions that games of 1.0.0 define",
    "unasked": "a field of the protocol of decisions that games of 1.0.0 define",
}
"""Functions that keep their names, each with the reason."""


def is_participle(word: str) -> bool:
    return word in IRREGULAR.split() or (word.endswith("ed") and word not in NO_PARTICIPLES.split())


def participles(tree: ast.Module) -> Iterator[str]:
    """Find functions whose names consist of participles."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name not in PARTICIPLES_ALLOWED:
            words = re.findall(r"[a-z0-9]+", node.name.lower())
            if words and all(map(is_participle, words)):
                yield f"{node.lineno}: {node.name}"


def members_of(tree: ast.Module) -> set[ast.AST]:
    """Return the fields and methods of classes."""
    members = {statement for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for statement in node.body}
    assigned = {target for node in members if isinstance(node, ast.Assign) for target in node.targets}
    return members | assigned | {node.target for node in members if isinstance(node, ast.AnnAssign)}


def empty_locals(tree: ast.Module) -> Iterator[str]:
    """Find arguments, variables, captures and functions whose names do not say what they hold or do."""
    members = members_of(tree)
    for node in ast.walk(tree):
        if node in members:
            continue
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                pass
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.ExceptHandler(name=str(name)):
                pass
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                pass
            case _:
                continue
        if name in EMPTY_LOCALS:
            yield f"{node.lineno}: {name}"


def long_first_lines(tree: ast.Module) -> Iterator[str]:
    """Find docstrings whose first line has 80 characters or more."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first_line = (ast.get_docstring(node) or "").partition("\n")[0]
            if len(first_line) >= 80:
                yield f"{node.body[0].lineno}: a first line of {len(first_line)} characters (at most 79): {first_line}"


def checked_files(folders: tuple[str, ...] = CHECKED) -> list[Path]:
    """Return the files to check; migrations, fixtures, names of 1.0.0 and the peers of benchmarks stay as they are."""
    paths = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    return [
        path
        for path in paths
        if not {"migrations", "fixtures", ".peers"} & {*path.parts} and not path.stem.endswith("_of_1_0")
    ]


def report_files(files: list[Path], *checks: Callable[[ast.Module], Iterator[str]]) -> list[str]:
    """Return what checks report of files, with the place."""
    reported = []
    for path in files:
        tree = ast.parse(path.read_text("utf-8"))
        reported += [f"{path.relative_to(ROOT).as_posix()}:{line}" for check in checks for line in check(tree)]
    return reported


def test_names_and_first_lines_follow_the_rules():
    files = checked_files()
    assert len(files) > 500
    reported = report_files(files, participles, long_first_lines)
    assert not reported, "\n".join(reported)


def test_every_local_says_what_it_holds():
    files = checked_files(LOCALS_CHECKED)
    assert len(files) > 1000
    reported = report_files(files, empty_locals)
    assert not reported, "\n".join(reported)


def test_a_test_with_a_local_that_says_nothing_is_reported(tmp_path, monkeypatch):
    path = tmp_path / "tests" / "test_letters.py"
    path.parent.mkdir()
    path.write_text("def test_letters(house):\n    told = house.answer()\n", "utf-8")
    monkeypatch.setattr("tests.house.test_names.ROOT", tmp_path)
    assert report_files(checked_files(LOCALS_CHECKED), empty_locals) == ["tests/test_letters.py:2: told"]


def test_what_keeps_a_participle_for_its_name_is_there():
    text = "\n".join(path.read_text("utf-8") for path in checked_files())
    assert [name for name in PARTICIPLES_ALLOWED if f"def {name}(" not in text] == []


@pytest.mark.parametrize(
    "line",
    [
        "def report(told): pass",
        "total = sum(one for one in prices)",
        "best = max(moves, key=lambda at: at[1])",
        "with open(name) as found: pass",
        "try: pass\nexcept OSError as said: pass",
        "match order:\n case [here]: pass",
        "match order:\n case [*told]: pass",
        "def unfold():\n def found(): pass",
        "class Letter:\n def send(self, at): pass",
    ],
)
def test_a_local_that_says_nothing_is_reported(line):
    assert len(list(empty_locals(ast.parse(line)))) == 1


def test_a_field_may_have_the_name_of_a_column():
    assert list(empty_locals(ast.parse("class Row:\n at: int\n said = ''"))) == []


@pytest.mark.parametrize("name", ["moved", "_foreseen", "seen_deployed", "told"])
def test_a_bare_participle_is_reported(name):
    assert list(participles(ast.parse(f"def {name}(): pass"))) == [f"1: {name}"]


def test_a_docstring_begins_with_a_short_line():
    text = f'def send():\n    """Send {"a" * 70}{{}}.\n\n    {"More. " * 20}"""'
    assert list(long_first_lines(ast.parse(text.format("")))) == []
    assert len(list(long_first_lines(ast.parse(text.format(" letter"))))) == 1


@pytest.mark.parametrize("name", ["move", "feed_troops", "expected_score", "read", "is_moved"])
def test_a_verb_a_noun_or_a_question_is_a_name(name):
    assert list(participles(ast.parse(f"def {name}(): pass"))) == []
