"""Charts: what the card shows is what is read, and a card with a fault is refused with file and line."""

from fractions import Fraction

import pytest

from pbem.engine.data.sources import SourceError
from pbem.engine.map.charts import AppliedModifier, EditionModifiers, Modifier, Modifiers, mark_cells, read_chart

# A fire table, cut to its first, second, ninth and last columns of fire points.
FIRE = """\
T5  Fire                                   (from the play aid; [Q] = restored from a damaged scan)
    row: D6 + modifiers     column: fire points

  die | 7   8    9             10
  ----+----------------------------
  <=1 | SE  SE   SE            SE
   2  | SE  SE   SE            P
   3  | P   P    P             M
   4  | M   M    R             R
   5  | R   1    1             1
   6  | 1   1M   1R            1R
   7  | 1R  2P   2P            2M
   8+ | 2M  2R   3P [Q: or 3]  3P

  SE  no effect
  P   halted
  M   the target tests
  R   the target retreats
  1   1 PF lost
  1M  1 PF lost, the target tests
  1R  1 PF lost, the target retreats
  2P  2 PF lost, halted
  2M  2 PF lost, the target tests [Q]
  2R  2 PF lost, the target retreats
  3P  3 PF lost, halted

  T5.1  +2  target in square
  T5.2  -2  target skirmishing
  T5.3   0  cavalry, each fatigue level [Q: firer's or target's]
"""

SHOCK = """\
T6  Shock                                  (odds rounded down in the defender's favour)
    row: D6 + modifiers     column: attackers' PF : defenders' PF

  die \\ odds | 1:4  1:3  1:2  1:1  3:2  2:1  3:1  4:1  5:1      6:1-10:1  >10:1
  -----------+-------------------------------------------------------------------
    1-       | AB   AB   AR2  AR2  AR2  AR1  AR1  SE   BM       DR2       DB2
    2        | AB   AR2  AR2  AR1  AR1  AR1  SE   BM   DR1      DR2       DB3
    3        | AR2  AR2  AR1  AR1  AR1  SE   BM   DR1  DR2      DB2       DB3
    4        | AR2  AR1  AR1  SE   BM   BM   DR1  DR1  DR2 [Q]  DB2       DB3
    5+       | AR1  AR1  SE   BM   DR1  DR1  DR1  DR2  DR2      DB2       DB3

  AB   attackers' leading unit loses 1 PF
  AR1  attackers retreat 1 and test
  AR2  attackers retreat 2 and test
  SE   no effect
  BM   both leading units lose 1 PF
  DR1  defenders retreat 1 and test
  DR2  defenders retreat 2 and test
  DB2  the defence's leading unit loses 2 PF
  DB3  the defence's leading unit loses 3 PF
"""

CONTROL = """\
T9  Cavalry control

  die | A   B   C   D   E   F
  ----+----------------------
  <=0 | NC  NC  NC  NC  NC  NC
   1  | C   NC  NC  NC  NC  NC
   2  | C   C   NC  NC  NC  NC
   3  | C   C   C   NC  NC  NC
   4  | C   C   C   C   NC  NC
   5  | C   C   C   C   C   NC
   6+ | C   C   C   C   C   C

  C   controlled
  NC  not controlled

  T9.1  +1  morale factor of a commander in the hex [Q: 0 counts as +1]
"""

DIVISION = """\
T4  Division morale

  die | 4   3   2 [Q]  1
  ----+-----------------
  <=0 | H   H   H      H
   1+ | SE  SE  H      H

  H   flight
  SE  none
"""

SMALL = """\
X1  Small

  die | 0     1+
  ----+---------
   1  | none  M
   2  | M     M

  none  no effect
  M     morale check

  X1.1  -1  target in a town
  X1.2   0  target unseen
"""


def refused(text):
    with pytest.raises(SourceError) as error:
        read_chart(text, "x.txt")
    return str(error.value)


# What is read


def test_head_grid_legend_and_modifiers():
    chart = read_chart(SMALL, "x.txt")
    assert (chart.rule, chart.name, chart.file, chart.text) == ("X1", "Small", "x.txt", SMALL)
    assert (chart.rows, chart.columns) == (("1", "2"), ("0", "1+"))
    assert chart.cells == {("1", "0"): "none", ("1", "1+"): "M", ("2", "0"): "M", ("2", "1+"): "M"}
    assert chart.legend == {"none": "no effect", "M": "morale check"}
    assert chart.modifiers == (
        Modifier("X1.1", -1, "target in a town", 11),
        Modifier("X1.2", 0, "target unseen", 12),
    )
    assert chart.modifier("X1.2").words == "target unseen"
    with pytest.raises(KeyError, match=r"X1\.9"):
        chart.modifier("X1.9")


def test_a_card_of_modifiers_alone():
    chart = read_chart("C8.1  Shock modifiers   (added to D6)\n\n  C8.1.10  +1  defending woods\n", "shock.txt")
    assert (chart.rows, chart.columns, chart.cells, chart.legend) == ((), (), {}, {})
    assert chart.modifiers == (Modifier("C8.1.10", 1, "defending woods", 3),)


def test_line_ends_of_other_machines():
    assert read_chart(SMALL.replace("\n", "\r\n"), "x.txt").cells == read_chart(SMALL, "x.txt").cells


# Finding a cell


@pytest.mark.parametrize(
    ("die", "points", "code"),
    [
        (-3, 7, "SE"),
        (1, 10, "SE"),
        (2, 10, "P"),
        (6, 8, "1M"),
        (7, 9, "2P"),
        (8, 9, "3P"),
        (8, 10, "3P"),
        (15, 7, "2M"),
    ],
)
def test_fire(die, points, code):
    assert read_chart(FIRE, "fire.txt").cell(die, points) == code
    assert read_chart(FIRE, "fire.txt").cell(die, str(points)) == code


def test_open_ends():
    chart = read_chart(FIRE, "fire.txt")
    assert [chart.row(die) for die in (-9, 0, 1, 2, 7, 8, 99)] == ["<=1", "<=1", "<=1", "2", "7", "8+", "8+"]
    assert read_chart(SHOCK, "shock.txt").row(-2) == "1-"


@pytest.mark.parametrize("points", [6, 11, 0, "11", "none"])
def test_past_the_last_column_there_is_no_cell(points):
    with pytest.raises(KeyError):
        read_chart(FIRE, "fire.txt").column(points)


def test_a_span_of_numbers():
    text = "X1  Small\n\n  die | a\n  ----+--\n  1-2 | M\n  3   | M\n  4-9 | N\n\n  M  one\n  N  two\n"
    chart = read_chart(text, "x.txt")
    assert [chart.cell(die, "a") for die in range(1, 10)] == ["M"] * 3 + ["N"] * 6
    with pytest.raises(KeyError):
        chart.cell(10, "a")


def test_numbers_may_fall():
    chart = read_chart(DIVISION, "division.txt")
    assert chart.columns == ("4", "3", "2", "1")
    assert (chart.cell(1, 3), chart.cell(5, 2), chart.cell(-1, 4)) == ("SE", "H", "H")


def test_columns_of_words():
    chart = read_chart(CONTROL, "control.txt")
    assert "".join("C" if chart.cell(die, grade) == "C" else "-" for grade in "ABCDEF" for die in range(7)) == (
        "-CCCCCC--CCCCC---CCCC----CCC-----CC------C"
    )


# Odds


@pytest.mark.parametrize(
    ("attack", "defence", "column"),
    [
        (1, 4, "1:4"),
        (2, 7, "1:4"),
        (1, 3, "1:3"),
        (4, 9, "1:3"),
        (1, 2, "1:2"),
        (9, 10, "1:2"),
        (7, 7, "1:1"),
        (10, 7, "1:1"),
        (3, 2, "3:2"),
        (19, 10, "3:2"),
        (2, 1, "2:1"),
        (11, 2, "5:1"),
        (6, 1, "6:1-10:1"),
        (100, 10, "6:1-10:1"),
        (101, 10, ">10:1"),
        (Fraction(15, 2), 5, "3:2"),
        (Fraction(22, 3), 5, "1:1"),
        (Fraction(8, 3), Fraction(4, 3), "2:1"),
    ],
)
def test_odds_are_rounded_down_for_the_defender(attack, defence, column):
    assert read_chart(SHOCK, "shock.txt").odds(attack, defence) == column


def test_below_the_first_column_there_are_no_odds():
    with pytest.raises(KeyError, match="1:5"):
        read_chart(SHOCK, "shock.txt").odds(1, 5)
    with pytest.raises(KeyError):
        read_chart(FIRE, "fire.txt").odds(1, 1)


def test_a_cell_by_its_odds():
    chart = read_chart(SHOCK, "shock.txt")
    assert chart.cell(4, chart.odds(3, 2)) == chart.cell(4, "3:2") == "BM"
    assert chart.cell(7, chart.odds(50, 1)) == "DB3"


# Marks of doubt


def test_doubts_stay_in_the_text_and_out_of_the_cells():
    chart = read_chart(FIRE, "fire.txt")
    assert "3P [Q: or 3]" in chart.text
    assert chart.cells["8+", "9"] == "3P"
    assert "[Q" not in "".join([*chart.rows, *chart.columns, *chart.cells.values(), *chart.legend])
    assert read_chart(DIVISION, "division.txt").columns[2] == "2"
    assert read_chart(SHOCK, "shock.txt").cells["4", "5:1"] == "DR2"


def test_a_doubt_about_words_is_told_with_them():
    assert read_chart(FIRE, "fire.txt").legend["2M"] == "2 PF lost, the target tests [Q]"
    assert read_chart(CONTROL, "control.txt").modifier("T9.1").words.endswith("[Q: 0 counts as +1]")


# What is refused, and where


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("X1  Small", "Small", "x.txt:1: the first line reads RULE, two blanks, the name of the chart"),
        ("X1  Small", "X1 Small", "x.txt:1: the first line reads RULE, two blanks, the name of the chart"),
        ("X1  Small", "", "x.txt:1: the first line reads RULE, two blanks, the name of the chart"),
        ("  ----+---------\n", "", "x.txt:4: under the heads of the columns stands a line of dashes"),
        ("  ----+---------", "  die + 2", "x.txt:4: under the heads of the columns stands a line of dashes"),
        ("| 0     1+", "| 0     0", "x.txt:3: a column stands twice"),
        ("   2  |", "   1  |", "x.txt:6: row 1 stands twice"),
        ("   2  | M     M", "   2  | M", "x.txt:6: row 2 has 1 cells, there are 2 columns"),
        ("   2  | M     M", "   2  | M  M  M", "x.txt:6: row 2 has 3 cells, there are 2 columns"),
        ("   2  | M     M", "   2  |", "x.txt:6: row 2 has 0 cells, there are 2 columns"),
        ("   1  | none  M\n   2  | M     M\n", "", "x.txt:5: the grid has no rows"),
        ("   2  |", "   3  |", "x.txt:6: between 1 and 3 there is a gap, or they overlap"),
        ("| 0     1+", "| 0     2+", "x.txt:3: between 0 and 2+ there is a gap, or they overlap"),
        ("| 0     1+", "| 0+    1", "x.txt:3: between 0+ and 1 there is a gap, or they overlap"),
        ("   1  |", "  <=2 |", "x.txt:6: between <=2 and 2 there is a gap, or they overlap"),
        ("   2  |", "  <=2 |", "x.txt:6: between 1 and <=2 there is a gap, or they overlap"),
        ("   2  |", " 2, 3+|", "x.txt:6: 1 and 2, 3+ are not of one kind"),
        ("| 0     1+", "| 0     many", "x.txt:3: 0 and many are not of one kind"),
        ("| 0     1+", "| 1:2   many", "x.txt:3: 1:2 and many are not of one kind"),
        ("| 0     1+", "| 2:1   3:2", "x.txt:3: the odds do not rise from 2:1 to 3:2"),
        ("| 0     1+", "| 1:2   2:4", "x.txt:3: the odds do not rise from 1:2 to 2:4"),
        ("| 0     1+", "| >2:1  2:1", "x.txt:3: the odds do not rise from >2:1 to 2:1"),
        ("  none  no effect\n", "", "x.txt:5: code none has no line of legend"),
        ("   2  | M     M", "   2  | M     N", "x.txt:6: code N has no line of legend"),
        ("| none  M\n", "| M     M\n", "x.txt:8: legend none is used by no cell"),
        ("  M     morale", "  none  morale", "x.txt:9: legend none stands twice"),
        ("  X1.2   0", "  X1.1   0", "x.txt:12: modifier X1.1 stands twice"),
        ("  X1.2   0  t", "  X1.2  one  t", "x.txt:12: neither a modifier"),
        ("  X1.2   0  t", "  X1.2  1  t", "x.txt:12: neither a modifier"),
        ("  X1.2   0  target unseen", "  X1.2   0", "x.txt:12: neither a modifier"),
        ("  X1.2   0", "X1.2   0", "x.txt:12: neither a modifier"),
        ("  M     morale check", "  M", "x.txt:9: neither a modifier"),
        ("  M     morale check", "  M morale check", "x.txt:9: neither a modifier"),
    ],
)
def test_refusals(old, new, why):
    assert SMALL.count(old) == 1
    assert refused(SMALL.replace(old, new)).startswith(why)


def test_an_empty_file_is_refused():
    assert refused("") == "x.txt:1: the first line reads RULE, two blanks, the name of the chart"


def test_a_grid_that_ends_with_its_heads_is_refused():
    assert refused("X1  Small\n  die | 1  2") == "x.txt:3: under the heads of the columns stands a line of dashes"


def test_a_number_of_its_own_needs_no_neighbour():
    chart = read_chart("X1  Small\n\n  die | 3\n  ----+--\n  5+  | M\n\n  M  one\n", "x.txt")
    assert chart.cell(9, 3) == "M"


# Modifiers and their predicates


def test_modifiers_that_hold_in_the_order_of_the_card_zeroes_kept():
    bound = Modifiers(read_chart(SMALL, "x.txt"), {"X1.2": lambda n: n > 1, "X1.1": lambda n: n > 0})
    assert bound.of(0) == ()
    assert bound.of(1) == (AppliedModifier("X1.1", -1, "target in a town"),)
    assert bound.of(2) == (AppliedModifier("X1.1", -1, "target in a town"), AppliedModifier("X1.2", 0, "target unseen"))


def test_a_modifier_without_a_predicate_is_refused():
    with pytest.raises(SourceError, match=r"x\.txt:12: modifier X1\.2 is unknown to the rules"):
        Modifiers(read_chart(SMALL, "x.txt"), {"X1.1": bool})


def test_a_predicate_without_a_modifier_is_refused():
    with pytest.raises(SourceError, match=r"x\.txt: modifier X1\.3 of the rules is missing") as error:
        Modifiers(read_chart(SMALL, "x.txt"), {"X1.1": bool, "X1.2": bool, "X1.3": bool})
    assert (error.value.file, error.value.line) == ("x.txt", 0)


def test_the_cells_that_were_read_are_marked_in_the_text():
    text = (
        "C6  Fire\n\n  heads  |  0     1     2 [Q]\n  -------+------------------\n"
        "  effect |  none  M [Q] 1\n\n  none  no effect\n  M     morale\n  1     a step\n\n"
        "  C6.1  -1  in a town\n  C6.2  +1  on heights\n"
    )
    chart = read_chart(text, "fire.txt")
    lines = mark_cells(chart, [("effect", "0"), ("effect", "2")], ["C6.2"]).split("\n")
    assert lines[4] == "  effect | [none] M [Q] [1]"
    assert lines[10:12] == ["  C6.1  -1  in a town", "  C6.2 [+1] on heights"]
    assert mark_cells(chart, [("effect", "1")]).split("\n")[4] == "  effect |  none [M] [Q] 1"
    assert mark_cells(chart, []) == text
    assert mark_cells(chart, [], {"C6.2": -1}).split("\n")[11] == "  C6.2 [-1] on heights"
    assert mark_cells(chart, [], {"C6.2": 0}).split("\n")[11] == "  C6.2 [+1] on heights"


def test_what_a_chart_does_not_have_is_not_marked():
    chart = read_chart(FIRE, "fire.txt")
    with pytest.raises(KeyError):
        mark_cells(chart, [("effect", "9")])
    with pytest.raises(KeyError):
        mark_cells(chart, [], ["C6.9"])


class Laid:
    """An edition: the small chart with one number changed."""

    def __init__(self, first):
        self.asked = 0
        self.text = SMALL.replace("-1", first)

    def chart(self, name):
        self.asked += 1
        return read_chart(self.text, f"{name}.txt")


def test_modifiers_are_bound_once_for_each_edition():
    bound = EditionModifiers("x", {"X1.2": lambda n: n > 1, "X1.1": lambda n: n > 0})
    low, other = Laid("-1"), Laid("+7")
    values = [[item.value for item in bound(edition).of(2)] for edition in (low, other, low)]
    assert values == [[-1, 0], [7, 0], [-1, 0]]
    assert (low.asked, other.asked) == (1, 1)
