"""Stages in a row, every format, mirrored sides: who goes on, with what, on which side."""

import pytest

from tests.tournaments.hall import CUP, with_values

TWO = CUP.replace("[unfinished]", '[[stage]]\nformat = "knockout"\ntake = 4\nsides = "mirror"\n[unfinished]')


def rounds_played(hall, most=12):
    """Play rounds until the tournament is over; return how many boards each had."""
    found: list[int] = []
    for number in range(1, most + 1):
        for _ in range(400):
            if hall.event.state != "playing" and hall.event.state != "open":
                return found
            if any(one.number == number and one.state == "playing" for one in hall.rounds()):
                break
            hall.forward(hours=12)
        found.append(len([board for board in hall.boards(number) if board.second]))
        hall.play(number)
        hall.run()
    return found


def test_the_best_four_of_a_swiss_play_a_knockout_on_both_sides(halls):
    hall = halls(with_values(TWO, rounds="1"))
    people = hall.fill(6, rounds=1)
    hall.until("playing", 2)
    stages = [one.stage for one in hall.rounds()]
    assert stages == [1, 2]
    boards = hall.boards(2)
    assert [(board.board, board.leg) for board in boards] == [(1, "a"), (1, "b"), (2, "a"), (2, "b")]
    assert (boards[0].first, boards[0].second) == (boards[1].second, boards[1].first)
    assert boards[0].game_id == "cup60-r2-01a"
    for board in boards:
        side = "spain" if board.leg == "b" else "morocco"
        hall.end(board.game_id, f"concede {side}")
    hall.run()
    hall.until("playing", 3)
    assert len({number for board in hall.boards(3) for number in (board.first, board.second)}) == 2
    for board in hall.boards(3):
        hall.end(board.game_id, f"concede {'spain' if board.leg == 'b' else 'morocco'}")
    hall.run()
    hall.forward(days=3)
    assert hall.event.state == "over"
    assert "Book:" in hall.told(people[0])
    assert {leaf.kind for leaf in hall.leaves()} == {"found", "enter", "shut", "lot", "pair", "score", "standing"}


@pytest.mark.parametrize(
    ("stage", "boards"),
    [
        ('format = "robin"', [2, 2, 2]),
        ('format = "robin"\ndouble = true', [2] * 6),
        ('format = "knockout"', [2, 1]),
        ('format = "ladder"\nrounds = 2', [2, 2]),
        ('format = "league"\ndivisions = 2', [2]),
    ],
)
def test_every_format_is_played_to_its_end(halls, stage, boards):
    hall = halls(CUP.replace('format = "swiss"\nrounds = 3', stage))
    hall.fill(4)
    assert rounds_played(hall) == boards
    assert hall.event.state == "over"


@pytest.mark.parametrize("stage", ["swiss", "robin", "knockout", "double", "ladder", "league"])
def test_how_all_stand_is_told_while_a_round_is_played(halls, stage):
    rounds = "\nrounds = 2" if stage in ("swiss", "ladder") else ""
    hall = halls(CUP.replace('format = "swiss"\nrounds = 3', f'format = "{stage}"{rounds}'))
    people = hall.fill(4)
    hall.until("playing", 1)
    told = hall.say(people[0], "STANDINGS\nCROSSTABLE\nWHY RANK")
    assert "Standings of cup60:" in told
    assert "Crosstable of cup60:" in told
    assert "Why this rank:" in told


def test_double_elimination_ends_with_one_who_lost_less_than_twice(halls):
    hall = halls(CUP.replace('format = "swiss"\nrounds = 3', 'format = "double"'))
    hall.fill(4)
    played = rounds_played(hall)
    assert hall.event.state == "over"
    assert sum(played) in (6, 7)
