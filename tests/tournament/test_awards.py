"""E7.12 Points that rulings give or take, as their lines say."""

from pbem.tournaments.arithmetic.awards import awards_by_entrant


def test_awards_add_up_and_those_taken_back_do_not_count():
    ruled = [
        (1, "AWARD 7 0.5"),
        (2, "AWARD E7 1"),
        (3, "AWARD 2 -1,5"),
        (4, "AWARD 2 +3"),
        (5, "UNDO 4"),
        (6, "EXTEND R2 48H"),
    ]
    assert awards_by_entrant(ruled) == {7: 3, 2: -3}


def test_other_lines_give_nothing():
    assert (
        awards_by_entrant([(1, "AWARD 7 0.7"), (2, "ANNOUNCE AWARD 7 1"), (3, "D1 UPHOLD"), (4, "AWARD 7 100")]) == {}
    )
