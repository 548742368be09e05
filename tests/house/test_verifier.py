"""The file that players get to check the server with: of its own making, readable, and bare Python."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PATH = ROOT / "pbem" / "verifier" / "verify.py"
SAME = 5
"""So many lines in a row are no accident."""


def runs(text: str) -> set[tuple[str, ...]]:
    """All runs of SAME lines, without indentation and empty lines."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return {tuple(lines[at : at + SAME]) for at in range(len(lines) - SAME + 1)}


def test_it_shares_no_five_lines_with_the_program():
    own = runs(PATH.read_text("utf-8"))
    for path in sorted((ROOT / "pbem").rglob("*.py")):
        if path != PATH:
            assert not own & runs(path.read_text("utf-8")), path


def test_a_shared_run_would_be_seen():
    text = PATH.read_text("utf-8")
    assert runs(text) & runs("x = 1\n" + "\n".join(text.splitlines()[100:110]))


def test_it_imports_the_standard_library_only():
    tree = ast.parse(PATH.read_text("utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names)
    assert not {name.split(".")[0] for name in names} & {"socket", "urllib", "http", "subprocess", "os", "importlib"}


def test_a_function_fits_on_a_screen():
    tree = ast.parse(PATH.read_text("utf-8"))
    long = {
        node.name: node.end_lineno - node.lineno + 1
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.end_lineno and node.end_lineno - node.lineno >= 60
    }
    assert long == {}


@pytest.mark.parametrize("word", ["eval", "exec", "compile", "__import__", "open"])
def test_it_runs_nothing_that_it_reads(word):
    tree = ast.parse(PATH.read_text("utf-8"))
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    assert word not in called
