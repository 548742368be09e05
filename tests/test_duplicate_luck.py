"""The bench of duplicate dice: what its figure is, and that its tables differ in what they should differ in."""

import pytest

from benchmarks.one_luck import Board, correlation, margin


@pytest.mark.parametrize(
    ("pairs", "share"),
    [
        ([(1, 1), (5, 5), (9, 9)], 1.0),
        ([(1, 9), (9, 1), (1, 9), (9, 1)], -1.0),
        ([(0, 2), (4, 6), (8, 10), (12, 14)], 0.95),
    ],
)
def test_the_share_is_what_tables_of_a_board_have_in_common(pairs, share):
    assert correlation(pairs).share == pytest.approx(share, abs=0.03)


def test_two_boards_are_too_few():
    with pytest.raises(ValueError, match="three boards"):
        correlation([(1, 1), (2, 2)])


def test_a_table_is_played_alike_again_and_tables_and_boards_differ():
    board = Board("africa1860", "castillejos", 3, 10)
    first = margin(board, 1, own=False)
    assert margin(board, 1, own=False) == first
    others = {
        margin(board._replace(number=number), table, own)
        for number in (3, 4)
        for table in (1, 2)
        for own in (True, False)
    }
    assert len(others) > 3
