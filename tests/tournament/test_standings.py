"""E7 Tables, the reasons in them, and crosstables."""

import pytest

from pbem.tournaments.arithmetic.standings import CRITERIA, RankingInput, crosstable, explain_rank, rank_entrants
from tests.tournament.build import entrants, results
from tests.tournament.lots import lots

# Rounds of six: e1 and e2 end level, and e2 beat e1.
PLAYED = results(
    [
        "1 1-4 1-0 +3",
        "1 2-5 0-1 -1",
        "1 3-6 = +0",
        "2 2-1 1-0 +2",
        "2 3-5 1-0 +4",
        "2 6-4 0-1 -2",
        "3 1-3 1-0 +1",
        "3 2-6 1-0 +5",
        "3 5-4 = +0",
    ]
)


def ranks(order):
    return [row.number for row in rank_entrants(RankingInput(entrants(6), PLAYED, order), lots()).rows]


def test_the_order_of_criteria_decides():
    assert ranks(["points", "direct", "lot"])[:2] == [2, 1]
    assert ranks(["points", "buchholz", "direct"])[:2] == [1, 2]


def test_those_whom_nothing_parts_share_a_rank():
    rows = rank_entrants(RankingInput(entrants(6), PLAYED, ["points"]), lots()).rows
    assert [(row.rank, row.number) for row in rows][:2] == [(1, 1), (1, 2)]
    assert rows[2].rank == 3


def test_a_rank_is_explained_by_what_parts_neighbours():
    table = rank_entrants(RankingInput(entrants(6), PLAYED, ["points", "buchholz", "direct"]), lots())
    why = explain_rank(table, 1)
    assert (why.rank, why.halves, why.behind) == (1, 4, None)
    assert why.ahead is not None
    assert (why.ahead.other, why.ahead.rule, why.ahead.criterion) == (2, "E7.2", "buchholz")
    assert why.ahead.parts == ((4, 3), (2, 4), (3, 3))
    assert (why.ahead.mine, why.ahead.his, why.ahead.level) == (10, 8, ("points",))
    assert [(meeting.opponent, meeting.halves) for meeting in why.meetings] == [(4, 2), (2, 0), (3, 2)]
    last = explain_rank(table, table.rows[-1].number)
    assert last.ahead is None
    assert last.behind is not None
    with pytest.raises(KeyError):
        explain_rank(table, 9)


def test_the_crosstable_has_a_line_each_and_a_cell_a_round():
    table = rank_entrants(RankingInput(entrants(6), PLAYED, ["points", "buchholz", "direct"]), lots())
    first, *others = crosstable(table)
    assert (first.line, first.number, first.halves, len(others)) == (1, 1, 4, 5)
    assert [cell and (cell.opponent, cell.line, cell.halves, cell.sides) for cell in first.cells] == [
        (4, 5, 2, (0,)),
        (2, 2, 0, (1,)),
        (3, 4, 2, (0,)),
    ]


@pytest.mark.parametrize("name", CRITERIA)
def test_every_criterion_gives_a_whole_number_or_says_nothing(name):
    table = rank_entrants(RankingInput(entrants(6), PLAYED, [name]), lots())
    values = [row.values[name] for row in table.rows if name in row.values]
    silent = ("direct", "luck", "reached", "third", "survived", "place", "division")
    assert (values == []) if name in silent else (len(values) == 6 and values == sorted(values, reverse=True))
