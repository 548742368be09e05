"""Check that names of packages, modules and public classes use no retired word.

docs/glossary.md has the words to use. The lists below name what is left: a line goes when its name is gone, and no line
comes.
"""

import ast
import re
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2] / "pbem"

RETIRED_WORDS = """
aids beside bookbinder breakers broken campaign claim contender contest counted dictation draughtsman foretold found
heard hearsay heirs held here hired itself judge keeping known labour lives logbook meeting mending often openings
passing postman pump purse recent said sees shelf silence slate stakes stories stranger strangers studio
succession tell telling told understood visitor visitors weighed weighing work worth
"""
"""Words that no public name has: what each was called instead is in the glossary or an ordinary word."""

RETIRED_NAMES = frozenset({"Board", "Course", "Field", "Standing", "base", "chain", "courses", "epochs", "people"})
"""Names that mean something else than the word's ordinary sense; other names may contain the word.

`Stop` is not among them: orders have the keyword STOP IF.
"""

EXCEPTIONS = """
Board campaign chain LastKnownPositions Silence
"""
"""Names that still have a retired word. Delete what is renamed."""


@cache
def public_names() -> set[str]:
    """Return the names of packages and modules, and of public classes at the top of a module."""
    names = set[str]()
    for path in PACKAGE.rglob("*.py"):
        if "migrations" in path.parts or path.stem.endswith("_of_1_0"):
            continue
        names.add(path.parent.name if path.stem == "__init__" else path.stem)
        nodes = ast.parse(path.read_text("utf-8")).body
        names |= {node.name for node in nodes if isinstance(node, ast.ClassDef) and not node.name.startswith("_")}
    return names


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+", name)}


def retired_names() -> set[str]:
    return {name for name in public_names() if name in RETIRED_NAMES or words_of(name) & {*RETIRED_WORDS.split()}}


def test_no_new_name_has_a_retired_word():
    assert retired_names() - {*EXCEPTIONS.split()} == set()


def test_the_list_of_exceptions_only_shrinks():
    assert {*EXCEPTIONS.split()} - retired_names() == set(), "renamed: delete these from EXCEPTIONS"
