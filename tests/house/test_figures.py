"""Figures are never "-0": floats are rounded for a reader by a few functions that see to it."""

import ast
import re

from tests.house.sources import ROOT, below

WRITERS = {
    "pbem/engine/data/messages.py": {".{places}f", ".0f"},
    # Of an absolute value.
    "pbem/tournaments/sheets.py": {".2f"},
}
"""Where a float may be rounded for a reader, with tests of their own: `percent`, `decimal`, points of tournaments."""
UNREAD = {
    # Coordinates of a picture.
    "pbem/engine/map/plane.py": {".1f"},
    # Made an int.
    "pbem/engine/classes_of_1_0.py": {".0f"},
    # Compared and not shown.
    "pbem/games/africa1860/advice.py": {".2f"},
    # Decimals as they are stored.
    "pbem/tournaments/ratings.py": {"f"},
    "pbem/tournaments/arithmetic/ratings.py": {"f"},
}
NEGATIVE_NOTHING = re.compile(r"(?<![\w.,:;)\]}\"'/-])-0(?:[.,]0+)?(?![\w/:-]|[.,]\d)")


def test_no_figure_for_a_reader_is_rounded_by_a_format_of_its_own():
    used: dict[str, set[str]] = {}
    for source in below("engine", "games", "play", "letters", "tournaments", "wars", "pages"):
        for node in source.nodes(ast.FormattedValue):
            spec = ast.unparse(node.format_spec)[2:-1] if node.format_spec else ""
            if spec.endswith(("f", "%")) and not re.search("%[A-Za-z]", spec):
                used.setdefault(source.name, set()).add(spec)
    assert used == WRITERS | UNREAD


def test_no_letter_report_or_guide_of_the_tree_shows_it():
    texts = [
        path
        for folder, pattern in (
            ("tests/letters/stories", "*.txt"),
            ("tests/sessions", "*.txt"),
            ("tests/games", "*/golden/**/*.txt"),
            ("pbem/games", "*/book/*"),
            ("docs", "*.md"),
        )
        for path in ROOT.glob(f"{folder}/{pattern}")
    ]
    assert len(texts) > 60
    shown = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in texts
        for line in path.read_text("utf-8").splitlines()
        if NEGATIVE_NOTHING.search(line)
    ]
    assert shown == []


def test_it_is_told_from_scores_dates_and_zones():
    assert all(map(NEGATIVE_NOTHING.search, ("not taken -0 %", "on average -0.0", "margin -0,00 points", "-0")))
    assert not any(map(NEGATIVE_NOTHING.search, ("1-0", "0/0 -2", "2026-05-04", "UTC-03:00", "-0.5", "g1-r1-02")))
