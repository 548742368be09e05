"""A director corrects himself: results, games that go on, the closing of the list, and what he has ruled."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from pbem.log import log_check
from pbem.runtime.transaction import UserError
from pbem.store import tables
from tests.harness.tournament import CUP, names, with_values
from tests.tournaments.test_director import offered, says
from tests.tournaments.test_event_rulings import rule


def halves(hall, game):
    board = next(board for board in hall.boards() if board.game_id == game)
    return board.how, board.first_halves, board.second_halves


def standing(hall):
    return hall.leaves("standing")


def test_a_result_of_a_closed_round_is_corrected_and_what_follows_is_named_before(hall):
    people = hall.fill(4, rounds=1)
    hall.until("playing", 2)
    game = hall.boards(1)[0].game_id
    assert halves(hall, game) == ("played", 2, 0)
    line = f"CORRECT {game} morocco BECAUSE the letter was misread"
    asked = says(hall, line)
    assert f"{game} counts 0:1 now, and not 1:0." in asked
    assert re.search(r"e3: rank [12] with 1 point, before [34] with 0 points[.]", asked)
    assert "Round 2 was paired by the old result, and stands, unless REDRAW R2 draws it again." in asked
    assert halves(hall, game) == ("played", 2, 0)
    assert len(standing(hall)) == 1
    assert "Done." in says(hall, *offered(asked, line))
    hall.forward(hours=3)
    assert halves(hall, game) == ("adjudicated", 0, 2)
    mail_text = hall.told(people[0])
    assert "Ruling 1 of the director: CORRECT" in mail_text
    assert "A result of round 1 is corrected." in mail_text
    assert len(standing(hall)) == 2
    assert hall.boards(1)[0].state == "scored"
    assert log_check.check(hall.server).wrong == ()


def test_a_correction_is_taken_back(hall):
    hall.fill(4, rounds=1)
    game = hall.boards(1)[0].game_id
    rule(hall, f"CORREGIR {game} tablas PORQUE ambos lo dicen")
    assert halves(hall, game) == ("adjudicated", 1, 1)
    rule(hall, f"CORRECT {game} morocco BECAUSE it was not so")
    answer = rule(hall, "UNDO 2 BECAUSE it was so")
    assert "Ruling 2 is taken back: CORRECT" in answer
    assert halves(hall, game) == ("adjudicated", 1, 1)
    rule(hall, "DESHACER 1 PORQUE nadie lo dice")
    assert halves(hall, game) == ("played", 2, 0)
    with pytest.raises(UserError, match="Ruling 1 is taken back already"):
        rule(hall, "UNDO 1 BECAUSE once more")


def test_what_is_not_decided_or_counts_so_already_is_not_corrected(hall):
    hall.fill(4)
    hall.until("playing", 1)
    game = hall.boards(1)[0].game_id
    with pytest.raises(UserError, match=f"ADJUDICATE {game} spain ends it"):
        rule(hall, f"CORRECT {game} spain BECAUSE he is ahead")
    hall.play(1)
    with pytest.raises(UserError, match="counts so already"):
        rule(hall, f"CORRECT {game} spain BECAUSE he won")
    with pytest.raises(UserError, match="A game is given to one of"):
        rule(hall, f"CORRECT {game} france BECAUSE she won")


def test_a_game_of_a_closed_round_is_played_on_and_scored_anew(hall):
    people = hall.fill(4)
    hall.until("playing", 1)
    game = hall.boards(1)[0].game_id
    hall.forward(days=4)
    hall.play(1)
    hall.until("closed", 1)
    assert halves(hall, game)[1:] == (2, 0)
    answer = rule(hall, f"REOPEN {game} T1.morocco BECAUSE the concession was a joke")
    assert f"What {game} counted counts no more; its new end does." in answer
    assert "is played again, attempt 2" in answer
    with hall.opened.session() as session:
        assert session.get_one(tables.Game, game).state == "running"
    assert hall.boards(1)[0].state == "playing"
    hall.end(game, "concede spain")
    hall.forward(hours=3)
    assert halves(hall, game)[1:] == (0, 2)
    assert "A game of round 1 was opened again and is over now." in hall.told(people[1])
    assert log_check.check(hall.server).wrong == ()


def test_the_list_of_entrants_closes_later(hall):
    hall.fill(4)
    before = hall.event.wake
    answer = rule(hall, "ENTRIES UNTIL 2030-02-10 BECAUSE two more want to come")
    assert "The list of entrants shuts on Monday 11 February 2030, 00:00" in answer
    hall.until_moment(datetime(2030, 2, 9, tzinfo=UTC))
    assert hall.event.state == "open"
    rule(hall, "INSCRIPCION HASTA 2030-02-12 20:00 PORQUE faltan dos")
    rule(hall, "UNDO 2 BECAUSE they came")
    hall.until("shut", 1)
    assert hall.clock.at < datetime(2030, 2, 12, tzinfo=UTC)
    assert before is not None
    with pytest.raises(UserError, match="this can be ruled only while it is open for entrants"):
        rule(hall, "ENTRIES UNTIL 2030-03-10 BECAUSE x")


def test_an_extension_an_expulsion_a_pause_and_a_hold_are_taken_back(hall):
    people = hall.fill(4)
    rule(hall, "BAR 1 2 BECAUSE they are brothers")
    hall.until("playing", 1)
    end = hall.rounds()[0].ends
    rule(hall, "EXTEND R1 2 days BECAUSE a storm")
    rule(hall, "EXPEL 1 BECAUSE he cheated")
    rule(hall, "PAUSE UNTIL 2030-02-20 BECAUSE a fair")
    rule(hall, "HOLD BECAUSE x")
    rule(hall, "UNDO 5 BECAUSE x")
    assert hall.event.state == "playing"
    rule(hall, "UNDO 4 BECAUSE no fair")
    rule(hall, "UNDO 3 BECAUSE he did not")
    rule(hall, "UNDO 2 BECAUSE no storm")
    rule(hall, "UNDO 1 BECAUSE they are not")
    assert abs(hall.rounds()[0].ends - end) < timedelta(minutes=1)
    assert hall.entrant(people[0]).state == "in"
    assert {row.barred for row in map(hall.entrant, people)} == {""}


@pytest.mark.parametrize("first", [1, 2])
def test_two_are_paired_again_once_no_ruling_bars_them(hall, first):
    hall.fill(4)
    rule(hall, "BAR 1 2 BECAUSE they are brothers")
    rule(hall, "BAR e2 1 BECAUSE they share a computer")
    assert "stay barred: another ruling says so too." in rule(hall, f"UNDO {first} BECAUSE they are not")
    assert [row.barred for row in map(hall.entrant, names(2))] == ["2", "1"]
    assert "may be paired again." in rule(hall, f"UNDO {3 - first} BECAUSE they do not")
    assert [row.barred for row in map(hall.entrant, names(2))] == ["", ""]


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (("CORRECT {game} draw", "CORRECT {game} morocco"), "UNDO 2 before"),
        (("EXPEL 1", "ADMIT 1", "EXPEL e1"), "UNDO 3 before"),
        (("HOLD", "RESUME", "HOLD"), "UNDO 3 before"),
    ],
)
def test_a_ruling_is_not_taken_back_below_a_later_one_about_the_same(hall, lines, why):
    hall.fill(4, rounds=1)
    game = hall.boards(1)[0].game_id
    for line in lines:
        rule(hall, f"{line.format(game=game)} BECAUSE x")
    with pytest.raises(UserError, match=f"came after ruling 1 and stands: {why}"):
        rule(hall, "UNDO 1 BECAUSE y")
    assert "is taken back" in rule(hall, f"UNDO {len(lines)} BECAUSE y")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("SHUT", "SHUT cannot be taken back. ADMIT lets in who comes later."),
        ("FORFEIT 1 R1", "CORRECT gives it another result, REOPEN has it played on."),
        ("REDRAW R1", "REDRAW draws the round once more."),
    ],
)
def test_where_nothing_can_be_taken_back_another_way_is_named(hall, line, why):
    hall.fill(4)
    if line != "SHUT":
        hall.until("playing", 1)
    rule(hall, f"{line} BECAUSE x")
    with pytest.raises(UserError, match=why):
        rule(hall, "UNDO 1 BECAUSE y")
    with pytest.raises(UserError, match="There is no ruling 7; the last is 1"):
        rule(hall, "UNDO 7 BECAUSE y")


def test_each_line_of_a_letter_is_previewed_after_those_before_it(halls):
    hall = halls(with_values(CUP, places="4"))
    hall.fill(4)
    hall.until("playing", 1)
    end = hall.rounds()[0].ends
    lines = ("EXTEND R1 24h BECAUSE a storm", "EXTEND R1 24h BECAUSE another", "UNDO 1 BECAUSE it was none")
    asked = says(hall, *lines)
    assert "Ruling 1 is taken back: EXTEND R1 24H" in asked
    assert hall.rounds()[0].ends == end
    assert hall.leaves("verdict") == []
    assert "Done." in says(hall, *offered(asked, *lines))
    assert hall.rounds()[0].ends == end + timedelta(hours=24)
    assert len(hall.leaves("verdict")) == 3
    twice = says(hall, "EXPEL 1 BECAUSE rude", "EXPEL e1 BECAUSE once more")
    assert "e1 is expelled already." in twice
    assert "To make it so" not in twice
