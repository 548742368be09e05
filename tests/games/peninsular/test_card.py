"""The charts against the card: every cell is read by one die and column, and says what a second transcription says.

That transcription is `cases/card.toml`, written from the card and not from the charts.
"""

import re
import tomllib
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from pbem.games.peninsular.edition import GAME_FILES

CARD = tomllib.loads((Path(__file__).parent / "cases" / "card.toml").read_text("utf-8"))
CHARTS = {chart.rule: chart for chart in GAME_FILES.charts({}).values()}
LOOKUP = re.compile(r"(\S+) (?:die|row) (.+?) column (\S+) = (\S+)")
DICE = {"T2": "ABCDEF", "T4": "654321", "T5": [str(n) for n in range(1, 13)], "T6": [], "T9": "ABCDEF"}
"""Charts that are read with a die, and their columns; those of T6 are odds."""
THROWN = range(-20, 30)
"""More than any die with its modifiers comes to."""


def transcribed() -> dict[tuple[str, str, str], str]:
    """Chart, row or die, column: what stands there."""
    matches = [LOOKUP.fullmatch(phrase) for phrase in CARD["lookup"]]
    assert all(matches)
    cells = {(m[1], m[2], m[3]): m[4] for m in matches if m}
    assert len(cells) == len(CARD["lookup"])
    return cells


def reads(head: str, value: int) -> bool:
    """Whether a head as printed stands for a number."""
    if head.startswith("<="):
        return value <= int(head[2:])
    return value >= int(head[:-1]) if head.endswith("+") else value == int(head)


ODDS = ["1:4", "1:3", "1:2", "1:1", "3:2", "2:1", "3:1", "4:1", "5:1", "6:1-10:1", ">10:1"]
ENDS = [Fraction(*map(int, re.findall(r"\d+", odds)[:2])) for odds in ODDS]


def holds(head: str, ratio: Fraction) -> bool:
    """Whether odds as printed stand for a ratio: from there up to the next column of the card."""
    position = ODDS.index(head)
    if head == ">10:1":
        return ratio > ENDS[position]
    return ENDS[position] <= ratio and (ratio <= 10 if head == "6:1-10:1" else ratio < ENDS[position + 1])


def test_every_cell_of_every_chart_is_as_the_card_has_it():
    drawn = {}
    for rule, chart in CHARTS.items():
        for (row, column), code in chart.cells.items():
            plain = row.removeprefix("<=").removesuffix("+") if rule in DICE or rule == "T10.1" else row
            drawn[rule, plain, column] = code
    assert drawn == transcribed()


def test_all_ten_tables_are_there():
    assert {rule.split(".")[0] for rule in CHARTS} == {f"T{n}" for n in range(1, 11)}
    sizes = Counter(rule for rule, _, _ in transcribed())
    assert sizes == {"T1": 115, "T2": 54, "T3": 77, "T4": 48, "T5": 96, "T6": 88, "T7": 28, "T8": 35, "T9": 54} | {
        "T10": 3,
        "T10.1": 8,
    }


@pytest.mark.parametrize("rule", DICE)
def test_each_die_is_read_in_one_row_and_each_row_by_some_die(rule):
    chart = CHARTS[rule]
    wanted = transcribed()
    columns = DICE[rule] or chart.columns
    met = set()
    for die in THROWN:
        rows = [row for row in chart.rows if reads(row, die)]
        assert len(rows) == 1, f"{rule} die {die}: {rows}"
        for column in columns:
            printed = rows[0].removeprefix("<=").removesuffix("+")
            assert chart.cell(die, column) == wanted[rule, printed, column], f"{rule} die {die} column {column}"
            met.add((rows[0], column))
    assert met == set(chart.cells)


def test_all_odds_are_read_in_one_column_and_below_a_quarter_in_none():
    chart = CHARTS["T6"]
    met = set()
    for attack in range(1, 121):
        for defence in range(1, 49):
            # Halves and thirds are what the letters leave of whole points.
            for part in (1, Fraction(1, 2), Fraction(2, 3)):
                ours = attack * part
                columns = [column for column in chart.columns if holds(column, Fraction(ours) / defence)]
                if 4 * ours < defence:
                    assert columns == []
                    with pytest.raises(KeyError):
                        chart.odds(ours, defence)
                else:
                    assert columns == [chart.odds(ours, defence)], f"{ours}:{defence}"
                    met.update(columns)
    assert met == set(chart.columns)


def test_fire_points_are_columns_and_words_are_rows():
    assert [CHARTS["T5"].column(n) for n in range(1, 13)] == list(CHARTS["T5"].columns)
    for rule in ("T1", "T3", "T7", "T8", "T10"):
        chart = CHARTS[rule]
        assert [(chart.row(row), chart.column(column)) for row, column in chart.cells] == list(chart.cells)
    hexes = [CHARTS["T10.1"].row(n) for n in range(1, 20)]
    assert hexes == ["1", "2", "3", *["4+"] * 16]
