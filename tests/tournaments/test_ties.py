"""E3.16 E3.17 Drawn ties are played again, and ties of several games: played by the server from JOIN to prize."""

import json
import re

import pytest

from pbem.letters.text import TextLetters
from pbem.log import log_check
from pbem.tournaments import draw
from pbem.tournaments.arithmetic.pairing.draw import draw as draw_round
from pbem.tournaments.arithmetic.pairing.drawn import Pair
from tests.harness.tournament import CUP, DIRECTOR, names
from tests.tournaments.test_director import says
from tests.tournaments.test_event_letters import render, verdict
from tests.tournaments.test_event_rulings import rule
from tests.tournaments.test_silent_pairs import let_come, sit

SWISS = 'format = "swiss"\nrounds = 3'
REPLAYED = CUP.replace(SWISS, 'format = "knockout"\nreplays = 1')
BEST = CUP.replace(SWISS, 'format = "knockout"\nbest = 3\nreplays = 1\nthird = true').replace(
    '1 = "Book"', '1 = "Book"\n3 = "Sash"'
)
STAGES = CUP.replace(SWISS, 'format = "knockout"\nreplays = 1\n[[stage]]\nformat = "knockout"\ntake = 2')


def test_a_ranking_without_points_is_refused_where_a_stage_is_ranked_by_them(halls):
    order = '[ties]\norder = ["buchholz", "wins"]\n'
    assert halls(REPLAYED + order).event.state == "open"
    with pytest.raises(ValueError, match=r"this is the whole ranking, and points is not in it") as refused:
        halls(CUP + order)
    assert 'order = ["points","buchholz","wins"]' in str(refused.value)


def read_by(hall, who):
    """What somebody reads in all his letters, in his language."""
    letters = TextLetters("-----")
    return " ".join(" ".join(letters.letter(json.loads(row.model), row.language).split()) for row in hall.sent(who))


def play(hall, number, *drawn, lost=()):
    """A round is played: the boards of `drawn` pairs are drawn, those of `lost` numbers lost by them.

    Else the lower number wins.
    """
    hall.until("playing", number)
    render(hall)
    for board in [board for board in hall.boards(number) if board.second]:
        pair = {board.first, board.second}
        loser = next((player for player in pair if player in lost), max(pair))
        how = f"concede {'spain' if loser == board.first else 'morocco'}"
        hall.end(board.game_id, "draw" if pair in [{*couple} for couple in drawn] else how)
    hall.until("closed", number)
    render(hall)


def couples(hall, number):
    """Who plays in a round, the first side first; a bye alone."""
    return sorted((board.first, board.second) for board in hall.boards(number))


def pairs(hall, number):
    return sorted(tuple(sorted(couple)) for couple in couples(hall, number))


def proven(hall, who):
    render(hall)
    result, came = verdict(hall, who)
    assert {line.check: line.why for line in result.lines if line.status == "FALSE"} == {}
    assert [finding.why for finding in came if finding.truth is not True] == []
    assert log_check.check(hall.server).wrong == ()


def test_ties_of_three_games_from_join_to_prize_in_both_languages(halls):
    hall = halls(BEST)
    mail_text = " ".join(hall.told(DIRECTOR).split())
    assert "Stage 1: a tie has 3 games at most, a round each, with sides exchanged [E3.17]." in mail_text
    assert "Stage 1: a drawn tie is played again, with sides exchanged, at most 1 time [E3.16]." in mail_text
    assert "the player with the greater margin in all its games goes on" in mail_text
    assert "of a drawn game" not in mail_text
    people = names(4)
    for who in people:
        hall.enter(who, spanish=who == people[3])
        render(hall)
    hall.sent()
    play(hall, 1, (2, 3))
    semi_finals = couples(hall, 1)
    assert pairs(hall, 1) == [(1, 4), (2, 3)]
    mail_text = read_by(hall, people[0])
    assert re.search(r"Ties .*next game", mail_text), mail_text
    assert "próxima partida:" in read_by(hall, people[3])
    play(hall, 2, (2, 3))
    assert couples(hall, 2) == sorted((second, first) for first, second in semi_finals)
    mail_text = " ".join(read_by(hall, who) for who in people[:3])
    assert "Game 2 of their tie, of 3 at most; points so far:" in mail_text
    assert "Sides: those of their last game, exchanged. [E3.17]" in mail_text
    assert "over, won by" in mail_text
    spanish = read_by(hall, people[3])
    assert "Partida 2 de su eliminatoria, de 3 como mucho; puntos hasta ahora:" in spanish
    assert "terminada, gana" in spanish
    play(hall, 3, (2, 3))
    assert pairs(hall, 3) == [(2, 3)]
    assert "you have won your tie, and wait for the others." in read_by(hall, people[0])
    assert "ha quedado fuera del cuadro eliminatorio" in read_by(hall, people[3])
    play(hall, 4, lost=(2,))
    assert couples(hall, 4) == [tuple(reversed(couples(hall, 3)[0]))]
    assert "Their tie is drawn: replay 1 of 1 at most; points so far:" in read_by(hall, people[1])
    play(hall, 5)
    assert pairs(hall, 5) == [(1, 3), (2, 4)]
    play(hall, 6)
    assert "over, won by" in hall.say(people[0], "STATUS") or hall.event.state == "over"
    hall.forward(days=3)
    assert hall.event.state == "over"
    assert max(row.number for row in hall.rounds()) == 6
    mail_text = hall.told(DIRECTOR)
    assert re.search(r"Book: .*\be1\b", mail_text)
    assert re.search(r"Sash: .*\be2\b", mail_text)
    proven(hall, people[1])


def test_a_drawn_game_is_played_again_and_then_the_margin_decides(halls):
    hall = halls(REPLAYED)
    people = hall.fill(3)
    play(hall, 1, (2, 3))
    assert pairs(hall, 1) == [(0, 1), (2, 3)]
    play(hall, 2, (2, 3))
    (first,) = [couple for couple in couples(hall, 1) if 0 not in couple]
    assert couples(hall, 2) == [(first[1], first[0])]
    play(hall, 3)
    assert pairs(hall, 3) == [(1, 2)]
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[0])


def test_who_leaves_a_tie_leaves_it_to_the_other(halls):
    hall = halls(BEST)
    people = hall.fill(4)
    play(hall, 1)
    hall.confirm(people[0], "WITHDRAW")
    play(hall, 2)
    assert pairs(hall, 2) == [(0, 4), (2, 3)]
    play(hall, 3)
    assert pairs(hall, 3) == [(0, 3), (2, 4)]
    assert "The opponent that e1 was to have is away. [E3.3]" in read_by(hall, people[3])
    proven(hall, people[3])


def test_two_who_are_both_silent_in_a_later_game_are_both_out(halls):
    hall = halls(BEST)
    people = hall.fill(4)
    play(hall, 1)
    hall.until("playing", 2)
    render(hall)
    quiet, legs = sit(hall, 2)
    let_come(hall, people, 2, legs)
    hall.until("closed", 2)
    assert [(board.how, board.first_halves, board.second_halves) for board in sit(hall, 2)[0]] == [("forfeit", 0, 0)]
    assert {hall.entrant(people[number - 1]).state for number in (quiet[0].first, quiet[0].second)} == {"left"}
    assert "; over, neither goes on" in read_by(hall, people[legs[0].first - 1])
    hall.forward(days=40)
    proven(hall, people[legs[0].first - 1])


def test_a_result_corrected_in_time_lets_a_tie_be_played_again(halls):
    hall = halls(REPLAYED)
    people = hall.fill(2)
    hall.until("playing", 1)
    render(hall)
    (board,) = hall.boards(1)
    play(hall, 1, (1, 2))
    rule(hall, f"CORRECT {board.game_id} spain BECAUSE he won")
    rule(hall, "UNDO 1 BECAUSE he did not")
    play(hall, 2)
    assert couples(hall, 2) == [(board.second, board.first)]
    proven(hall, people[0])


def test_a_correction_opens_the_last_tie_of_a_stage_that_was_over(halls):
    hall = halls(STAGES)
    people = hall.fill(2)
    play(hall, 1)
    hall.run()
    (board,) = hall.boards(1)
    assert hall.event.stage == 2
    hall.sent()
    rule(hall, f"CORRECT {board.game_id} draw BECAUSE both say so")
    hall.run()
    assert hall.event.stage == 1
    assert "Stage 1 goes on: a tie in it is open again." in hall.told(people[0])
    play(hall, 2)
    assert couples(hall, 2) == [(board.second, board.first)]
    play(hall, 3)
    assert [(row.stage, row.within) for row in hall.rounds()] == [(1, 1), (1, 2), (2, 1)]
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[0])


def test_a_game_that_a_correction_made_needless_ends_with_its_round(halls):
    hall = halls(REPLAYED)
    people = hall.fill(4)
    play(hall, 1, (1, 4))
    hall.until("playing", 2)
    (board,) = [board for board in hall.boards(1) if {board.first, board.second} == {1, 4}]
    rule(hall, f"CORRECT {board.game_id} {'morocco' if board.first == 1 else 'spain'} BECAUSE both say so")
    play(hall, 2)
    play(hall, 3)
    assert pairs(hall, 3) == [(2, 4)]
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[0])


def test_a_level_that_was_drawn_stands_when_a_correction_opens_a_tie_before_it(halls):
    hall = halls(REPLAYED)
    people = hall.fill(8)
    play(hall, 1)
    hall.until("playing", 2)
    (board,) = [board for board in hall.boards(1) if {board.first, board.second} == {1, 8}]
    rule(hall, f"CORRECT {board.game_id} draw BECAUSE both say so")
    play(hall, 2)
    play(hall, 3)
    assert pairs(hall, 3) == [(1, 2)]
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[0])


@pytest.mark.parametrize("days", [0, 4], ids=["at once", "after days"])
def test_a_drawn_game_of_a_tie_that_is_opened_again_decides_it_by_its_new_end(halls, days):
    hall = halls(REPLAYED)
    people = hall.fill(4)
    play(hall, 1, (2, 3))
    (board,) = [board for board in hall.boards(1) if {board.first, board.second} == {2, 3}]
    answer = rule(hall, f"REOPEN {board.game_id} T1.spain BECAUSE no draw was agreed")
    assert "is played again, attempt 2" in answer
    assert "Round 2 is not drawn yet: it is paired by the new end if the game is over by then, else by what" in answer
    render(hall)
    hall.forward(days=days)
    hall.end(board.game_id, f"concede {'spain' if board.first == 3 else 'morocco'}")
    hall.forward(hours=3)
    render(hall)
    play(hall, 2)
    if days:
        # The replay was drawn before the game had its new end, and stands.
        assert pairs(hall, 2) == [(2, 3)]
        play(hall, 3)
    assert pairs(hall, 3 if days else 2) == [(1, 2)]
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[0])


SINGLE = CUP.replace(SWISS, 'format = "knockout"')


def test_who_corrects_a_knockout_after_the_next_draw_is_told_what_it_does(halls):
    hall = halls(SINGLE)
    people = hall.fill(8)
    play(hall, 1)
    hall.until("playing", 2)
    (board,) = [board for board in hall.boards(1) if {board.first, board.second} == {1, 8}]
    side = "morocco" if board.first == 1 else "spain"
    asked = " ".join(says(hall, f"CORRECT {board.game_id} {side} BECAUSE both say so").split())
    assert "By the new result e8 goes on, and not e1, who was drawn in round 2. Unless that round is drawn" in asked
    assert "stands, unless REDRAW R2 draws it again." in asked
    rule(hall, f"CORRECT {board.game_id} {side} BECAUSE both say so")
    rule(hall, "REDRAW R2 BECAUSE a result of round 1 was wrong")
    play(hall, 2)
    assert (4, 8) in pairs(hall, 2)
    play(hall, 3)
    assert pairs(hall, 3) == [(2, 4)]
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[1])


def test_a_correction_in_time_is_told_without_that(halls):
    hall = halls(SINGLE)
    hall.fill(8)
    play(hall, 1)
    (board,) = [board for board in hall.boards(1) if {board.first, board.second} == {1, 8}]
    side = "morocco" if board.first == 1 else "spain"
    assert "goes on, and not" not in rule(hall, f"CORRECT {board.game_id} {side} BECAUSE both say so")


def test_a_round_is_drawn_again_with_the_same_games(halls):
    hall = halls(REPLAYED)
    people = hall.fill(2)
    play(hall, 1, (1, 2))
    hall.until("playing", 2)
    render(hall)
    before = couples(hall, 2)
    rule(hall, "REDRAW R2 BECAUSE a wrong battle")
    hall.until("playing", 2)
    assert couples(hall, 2)[-1:] == before
    play(hall, 2)
    hall.forward(days=3)
    assert hall.event.state == "over"
    proven(hall, people[0])


@pytest.mark.parametrize(
    ("sides", "best"),
    [("mirror", 3), ("bid", 1), ("duplicate", 3), ("lot", 1)],
)
@pytest.mark.full
def test_ties_on_all_kinds_of_sides(halls, sides, best):
    rules = CUP.replace(SWISS, f'format = "knockout"\nreplays = 2\nbest = {best}\nsides = "{sides}"')
    hall = halls(rules)
    people = hall.fill(4)
    number = 0
    while hall.event.state != "over":
        number += 1
        assert number < 12
        play(hall, number, *([(2, 3), (1, 4)] if number == 1 else []))
        hall.forward(days=1)
    assert "Book: e1" in " ".join(hall.told(DIRECTOR).split())
    proven(hall, people[0])


def bent_at(monkeypatch, number, *boards):
    """The server draws other boards in a round."""

    def crooked(round_input, lots):
        drawn = draw_round(round_input, lots)
        if round_input.round != number:
            return drawn
        return drawn._replace(over=False, pairs=tuple(Pair(place, *board) for place, board in enumerate(boards, 1)))

    monkeypatch.setattr(draw, "draw_round", crooked)


@pytest.mark.parametrize(
    ("boards", "why"),
    [
        ("same", "do not exchange the sides of their last game"),
        ([(1, 2)], "others meet: e1-e4, e2-e3"),
        ([(4, 1), (2, 0)], "others meet: e1-e4, e2-e3"),
    ],
    ids=["sides", "too early", "a replay skipped"],
)
def test_a_server_that_bends_a_tie_is_found_out(halls, monkeypatch, boards, why):
    hall = halls(REPLAYED)
    people = hall.fill(4)
    play(hall, 1, (1, 4), (2, 3))
    boards = couples(hall, 1) if boards == "same" else boards
    with monkeypatch.context() as patch:
        bent_at(patch, 2, *boards)
        hall.until("playing", 2)
    render(hall)
    result, came = verdict(hall, people[0])
    assert [line.check for line in result.lines if line.status == "FALSE"] == ["draws"]
    assert any(why in reason for line in result.lines for reason in line.why)
    assert any(finding.truth is False and "paired otherwise" in finding.why for finding in came)
