"""Check what the table of figures counts, and that docs/architecture.md shows its rows."""

import re

import pytest

from tests.house import structure
from tests.house.sources import ROOT, Source

TEXT = '''"""A module.

With a blank line in it.
"""

from typing import Any

__all__ = ["a"]


def _once(x: Any) -> int:
    """Say something."""
    import json  # fmt: skip

    return 1


def _twice() -> int:
    # A comment.
    return _once(1) + len("# fmt: skip")


LADDERS = (_twice(), _twice())
'''


@pytest.fixture
def sources():
    texts = {"pbem/a.py": TEXT, "pbem/b.py": "from pbem import a\nfrom pbem.a import LADDERS\nx: Any = 1\n"}
    return {name: Source(name, text) for name, text in texts.items()}


def test_every_line_counts_once(sources):
    kinds = structure.kinds_of_lines(sources)
    assert kinds == structure.Lines(code=7, docstrings=5, imports=4, listed=1, blank=9)
    assert sum(kinds) == sum(source.text.count("\n") for source in sources.values())


def test_what_the_source_shows_is_counted(sources):
    assert structure.private_functions(sources) == (1, 2)
    assert structure.modules_with_one_importer(sources) == 1
    assert [structure.files_with_word(sources, word) for word in ("ladder", "team")] == [2, 0]
    assert structure.late_imports(sources) == 1
    assert structure.formatter_comments(sources) == 1
    assert structure.lines_with_any(sources) == 3


def test_the_document_shows_the_rows_of_the_table():
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    shown = text.partition("\n| figure | 1.0.0 | today |\n|---|---|---|\n")[2].partition("\n\n")[0]
    assert [re.split(r" \| ", row)[0].removeprefix("| ") for row in shown.splitlines()] == [*structure.ROWS]
    assert "`make structure`" in text


@pytest.mark.full
def test_the_rows_that_run_the_program_have_figures():
    files, functions = structure.crossed_by_a_letter()
    assert 50 < files < functions
    ours, every = structure.imported_by_a_command()
    assert 50 < ours < every
