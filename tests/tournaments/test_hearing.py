"""Both sides of a dispute are heard, outcomes are graded, and reasons are for all or for some alone."""

from typing import NamedTuple

import pytest
from sqlmodel import select

from pbem.log import log_check
from pbem.runtime.transaction import UserError
from pbem.store import tables
from tests.harness.tournament import PlayedTournament
from tests.tournaments.test_director import offered, says
from tests.tournaments.test_event_rulings import rule


class Disputed(NamedTuple):
    """A cup of eight in whose first round e1 disputes: who is accused, and their game."""

    hall: PlayedTournament
    people: list[str]
    accused: str
    game: str


@pytest.fixture
def disputed(hall):
    people = hall.fill(8)
    hall.until("playing", 1)
    board = next(board for board in hall.boards(1) if 1 in (board.first, board.second))
    other = board.second if board.first == 1 else board.first
    hall.say(people[0], f"DISPUTE {board.game_id} He wrote to me outside.")
    return Disputed(hall, people, people[other - 1], board.game_id)


def judged(hall):
    with hall.opened.session() as session:
        (row,) = session.exec(select(tables.Dispute))
        return row.state, row.ruling, row.answer


def test_the_other_side_answers_and_director_and_jurors_read_both(disputed):
    hall = disputed.hall
    letter = hall.told(disputed.accused)
    assert "ANSWER D1 and your words puts your side before the director and the jurors." in letter
    answer = hall.say(disputed.accused, "ANSWER D1 Only to say that I was ill.")
    assert "Your answer to D1 is put beside what was disputed." in answer
    assert "answers to D1: Only to say that I was ill." in hall.told(disputed.people[0])
    assert "Answer: Only to say that I was ill." in says(hall, "STATUS")
    assert "You have answered D1 already." in hall.say(disputed.accused, "CONTESTAR D1 Otra cosa")
    hall.forward(days=4)
    asked = [letter for letter in map(hall.told, disputed.people) if "By lot you are a juror of D1" in letter]
    assert len(asked) == 3
    for letter in asked:
        assert "What was written: He wrote to me outside." in letter
        assert "What the other side answers: Only to say that I was ill." in letter
    assert log_check.check(hall.server).wrong == ()


def test_who_is_not_accused_does_not_answer(disputed):
    hall = disputed.hall
    assert "D1 is not about you: only the other side answers it." in hall.say(disputed.people[0], "ANSWER D1 It is so")
    third = next(who for who in disputed.people if who not in (disputed.people[0], disputed.accused))
    assert "D1 is not about you: only the other side answers it." in hall.say(third, "ANSWER D1 I saw it")
    assert "There is no such dispute in cup60." in hall.say(disputed.accused, "ANSWER D7 No")
    rule(hall, "RULING D1 DENY BECAUSE it is not shown")
    assert "D1 is decided; APPEAL D1 puts it before other jurors in time." in hall.say(disputed.accused, "ANSWER D1 No")


def test_a_side_is_warned_and_the_result_stands(disputed):
    hall = disputed.hall
    number = hall.number(disputed.accused)
    answer = rule(hall, "FALLO D1 ADVERTIR PORQUE fue solo una vez")
    assert f"e{number} is warned. The result stands." in answer
    assert judged(hall)[:2] == ("ruled", "WARN")
    hall.forward(days=4)
    assert judged(hall)[0] == "final"
    assert next(board.state for board in hall.boards(1) if board.game_id == disputed.game) == "playing"


def test_a_clock_is_charged_with_hours(disputed):
    hall = disputed.hall
    rule(hall, "RULING D1 HOURS 30 BECAUSE he kept her waiting")

    _, address = hall.seat(disputed.accused, 1)

    def spent():
        with hall.opened.session() as session:
            rows = session.exec(select(tables.Seat).where(tables.Seat.game_id == disputed.game))
            return next(row.spent for row in rows if hall.opened.seat_address(row) == address)

    before = 0
    while judged(hall)[0] != "final":
        before = spent()
        hall.forward(hours=1)
    assert 30 * 3600 <= spent() - before < 60 * 3600


def test_a_game_is_lost_by_forfeit(disputed):
    hall = disputed.hall
    rule(hall, "RULING D1 FORFEIT BECAUSE he read her orders")
    hall.forward(days=4)
    board = next(board for board in hall.boards(1) if board.game_id == disputed.game)
    assert board.how == "forfeit"
    assert (board.first_halves, board.second_halves) == ((2, 0) if board.first == 1 else (0, 2))


def test_words_of_outcomes_are_read_in_both_languages(disputed):
    hall = disputed.hall
    assert "The game is given to e1." in says(hall, "RULING D1 GAME BECAUSE it is shown")
    assert "The result stands." in says(hall, "FALLO D1 NADA PORQUE no consta")
    hall.end(disputed.game, "draw")
    with pytest.raises(UserError, match="hours of a clock count no more"):
        rule(hall, "RULING D1 HOURS 5 BECAUSE x")


def test_a_juror_may_warn_and_not_where_nobody_disputes(disputed):
    hall = disputed.hall
    hall.forward(days=4)
    jurors = [who for who in disputed.people if "VOTE D1 WARN BECAUSE" in hall.told(who)]
    for who in jurors[:2]:
        assert "Your vote is taken: WARN." in hall.say(who, "VOTE D1 WARN BECAUSE it was once")
    hall.run()
    assert judged(hall)[:2] == ("ruled", "WARN")


def test_part_of_a_reason_is_for_those_alone_whom_it_concerns(disputed):
    hall = disputed.hall
    third = next(who for who in disputed.people if who not in (disputed.people[0], disputed.accused))
    line = "RULING D1 WARN BECAUSE of a letter PRIVATELY see mine of 3 May to you both"
    asked = says(hall, line)
    assert "alone: see mine of 3 May to you both" in asked
    hall.sent()
    assert "Done." in says(hall, *offered(asked, line))
    for who, is_told in ((disputed.people[0], True), (disputed.accused, True), (third, False)):
        mail_text = hall.told(who)
        assert "Reason: of a letter" in mail_text
        assert ("see mine of 3 May" in mail_text) is is_told
        assert mail_text.count("Reason: of a letter") == 1
    assert "PRIVATELY see mine of 3 May" in says(hall, "DOCKET")
    with pytest.raises(UserError, match="is about nobody alone"):
        rule(hall, "HOLD BECAUSE x PRIVATELY y")
    with pytest.raises(UserError, match="Give all a reason too"):
        rule(hall, "WARN 2 BECAUSE PRIVATELY y")


def test_a_dispute_that_is_decided_says_what_undoes_it(disputed):
    rule(disputed.hall, "RULING D1 DENY BECAUSE it is not shown")
    with pytest.raises(UserError, match=r"D1 is decided: UNDO takes your ruling back until it is final[.]"):
        rule(disputed.hall, "RULING D1 DRAW BECAUSE x")


def test_the_director_does_not_decide_an_appeal(disputed):
    hall = disputed.hall
    rule(hall, "RULING D1 DENY BECAUSE it is not shown")
    hall.say(disputed.people[0], "APPEAL D1")
    hall.run()
    for line in ("RULING D1 UPHOLD BECAUSE x", "UNDO 1 BECAUSE x"):
        with pytest.raises(UserError, match="D1 lies with a jury, on appeal"):
            rule(hall, line)


def test_who_is_out_is_told_what_is_ruled_about_him_or_his_game(hall):
    people = hall.fill(4)
    hall.until("playing", 1)
    game = next(board.game_id for board in hall.boards(1) if 2 in (board.first, board.second))
    hall.end(game, "spain")
    rule(hall, "EXPEL 2 BECAUSE rude letters")
    hall.sent()
    rule(hall, "EXTEND R1 5h BECAUSE of all")
    rule(hall, f"CORRECT {game} morocco BECAUSE both say so")
    rule(hall, "WARN 2 BECAUSE more letters PRIVATELY stop it")
    mail_text = hall.told(people[1])
    assert "EXTEND" not in mail_text
    assert f"CORRECT {game} morocco" in mail_text
    assert "e2 is warned." in mail_text
    assert "Only those whom this ruling names are told: stop it" in mail_text
