"""Entrants dispute rulings of the director before a jury, and claim games before him."""

import pytest

from pbem.log import log_check
from pbem.runtime.transaction import UserError
from pbem.store import tables
from pbem.store.queries.tournaments import docket, votes
from tests.harness.tournament import DIRECTOR
from tests.tournaments.test_corrections import halves
from tests.tournaments.test_disputes import disputes
from tests.tournaments.test_event_rulings import rule


@pytest.fixture
def people(hall):
    """A cup of eight in its first round."""
    made = hall.fill(8)
    hall.until("playing", 1)
    return made


def vote(hall, people, word, count=2):
    hall.forward(hours=1)
    with hall.opened.session() as session:
        last = disputes(hall)[-1]
        asked = [row.entrant for row in votes(session, last.id) if (row.word, row.appeal) == ("", last.appealed)]
    name = f"D{disputes(hall)[-1].number}"
    letters = [hall.told(who) for who in people if hall.number(who) in asked]
    for number in asked[:count]:
        who = next(person for person in people if hall.number(person) == number)
        assert "Your vote is taken" in hall.say(who, f"VOTE {name} {word} BECAUSE it is so")
    hall.forward(hours=1)
    return asked, letters


def lines(hall):
    with hall.opened.session() as session:
        return [(row.line, row.reason) for row in docket(session, hall.name)]


def test_a_jury_takes_a_ruling_back(hall, people):
    rule(hall, "EXPEL 3 BECAUSE rude letters")
    hall.sent()
    answer = hall.say(people[2], "DISPUTE RULING 1 I wrote <b>none</b> of them.")
    assert "Dispute D1 about ruling 1 is put to a jury by lot." in answer
    assert "The ruling stands meanwhile." in answer
    letter = hall.told(DIRECTOR)
    assert "disputes, as D1, about ruling 1: I wrote <b>none</b> of them." in letter
    assert "UNDO 1 takes the ruling back, and settles it." in letter
    with pytest.raises(UserError, match="D1 is about your ruling 1: a jury decides it, or UNDO 1 settles it"):
        rule(hall, "RULING D1 DENY BECAUSE I was right")
    asked, letter = vote(hall, people, "UPHOLD")
    assert 3 not in asked
    assert len(asked) == 3
    for text in letter:
        assert "What the director ruled: EXPEL 3 BECAUSE rude letters" in text
        assert "What was written: I wrote <b>none</b> of them." in text
        assert "VOTE D1 DENY BECAUSE" in text
        assert "VOTE D1 WARN" not in text
    assert "Ruling 1 is taken back." in hall.told(people[2])
    assert hall.entrant(people[2]).state == "expelled"
    hall.forward(days=4)
    assert disputes(hall)[0].state == "final"
    assert lines(hall)[-2:] == [("D1 UPHOLD", "a jury of 2 voted"), ("UNDO 1", "a jury upheld D1")]
    assert hall.entrant(people[2]).state == "in"
    assert "You are not expelled any more: you play again from round 2 on." in hall.told(people[2])
    assert "e3 plays again from round 2 on." in hall.told(people[0])
    assert log_check.check(hall.server).wrong == ()
    with pytest.raises(UserError, match="Ruling 1 is taken back already"):
        rule(hall, "UNDO 1 BECAUSE me too")


def test_a_ruling_that_a_jury_lets_stand_is_appealed_once(hall, people):
    rule(hall, "BAR 3 5 BECAUSE they are brothers")
    assert "DISPUTE RULING 7 words: a ruling of the director about you" in hall.say(people[0], "HELP")
    hall.say(people[2], "DISPUTA DECISIÓN 1 No somos hermanos.")
    assert "ANSWER D1 and your words" in hall.told(people[4])
    assert "is put beside what was disputed" in hall.say(people[4], "ANSWER D1 We are not indeed.")
    first, _ = vote(hall, people, "DENY")
    assert "D1 is about a ruling that does not name you." in hall.say(people[0], "APPEAL D1")
    assert "D1 is put to a jury of others." in hall.say(people[4], "APPEAL D1")
    second, letters = vote(hall, people, "UPHOLD")
    assert not set(first) & set(second)
    assert not {3, 5} & set(second)
    assert all("What the other side answers: We are not indeed." in text for text in letters)
    hall.forward(hours=1)
    assert lines(hall)[-1] == ("UNDO 1", "a jury upheld D1")
    assert {row.barred for row in map(hall.entrant, people)} == {""}
    assert "D1 was appealed before" in hall.say(people[2], "APPEAL D1")


def test_the_director_settles_a_dispute_by_taking_his_ruling_back(hall, people):
    rule(hall, "AWARD 3 -1 BECAUSE he was late")
    hall.say(people[2], "DISPUTE RULING 1 I was not.")
    asked, _ = vote(hall, people, "DENY", count=0)
    rule(hall, "UNDO 1 BECAUSE he was not")
    hall.forward(hours=1)
    assert (disputes(hall)[0].state, disputes(hall)[0].ruling) == ("final", "UPHOLD")
    juror = next(person for person in people if hall.number(person) == asked[0])
    assert "D1 is decided: your vote is not wanted any more." in hall.told(juror)
    assert lines(hall)[-1][0] == "UNDO 1"
    assert "D1 is decided: your vote is not wanted any more." in hall.say(juror, "VOTE D1 UPHOLD BECAUSE x")


def test_a_ruling_about_a_game_is_judged_like_a_game(hall, people):
    board = hall.boards(1)[0]
    first, second = (people[number - 1] for number in (board.first, board.second))
    rule(hall, f"ADJUDICATE {board.game_id} spain BECAUSE she is far ahead")
    assert "is put to a jury by lot" in hall.say(second, "DISPUTE RULING 1 She was not.")
    assert "ANSWER D1" in hall.told(first)
    with pytest.raises(UserError, match="is disputed: RULING decides the dispute"):
        rule(hall, f"CORRECT {board.game_id} morocco BECAUSE x")
    vote(hall, people, "DRAW")
    hall.forward(days=4)
    assert halves(hall, board.game_id) == ("adjudicated", 1, 1)


def test_who_loses_by_a_ruling_disputes_it_after_a_dispute_of_the_game_too(hall, people):
    board = hall.boards(1)[0]
    first = people[board.first - 1]
    hall.say(first, f"DISPUTE {board.game_id} He wrote to me.")
    rule(hall, "RULING D1 DENY BECAUSE it is not shown")
    assert "APPEAL D1 is how a decided dispute is disputed." in hall.say(first, "DISPUTE RULING 1 It is shown.")
    hall.forward(days=4)
    rule(hall, f"FORFEIT {board.first} R1 BECAUSE she wrote to him")
    answer = hall.say(first, f"DISPUTE RULING {len(lines(hall))} I did not.")
    assert f"Dispute D2 about {board.game_id} is put to a jury by lot." in answer
    vote(hall, people, "UPHOLD")
    hall.forward(days=4)
    assert halves(hall, board.game_id)[1:] == (2, 0)


@pytest.mark.parametrize(
    ("line", "words", "why"),
    [
        ("EXPEL 3", "DISPUTE RULING 7 x", "There is no ruling 7; the last is 1."),
        ("EXPEL 4", "DISPUTE RULING 1 x", "Ruling 1 is about neither you nor a game of yours."),
        ("EXTEND R1 24h", "DISPUTE RULING 1 x", "Ruling 1 is about neither you nor a game of yours."),
        ("HANDOVER ana@example.org", "DISPUTE RULING 1 x", "Ruling 1 is about neither you nor a game of yours."),
        ("WARN 3", "DISPUTE RULING 1", "DISPUTE"),
        ("WARN 3", "DISPUTE RULING x y", "ruling is no table of cup60."),
    ],
)
def test_what_cannot_be_disputed_is_told_with_its_reason(hall, people, line, words, why):
    rule(hall, f"{line} BECAUSE x")
    assert why in hall.say(people[2], words)
    assert disputes(hall) == []


def test_a_ruling_is_disputed_once_and_in_time(hall, people):
    rule(hall, "WARN 3 BECAUSE x")
    rule(hall, "WARN 3 BECAUSE y")
    rule(hall, "UNDO 2 BECAUSE z")
    assert "D1 about ruling 1" in hall.say(people[2], "DISPUTE RULING 1 x")
    assert "Ruling 1 was disputed before, as D1." in hall.say(people[2], "DISPUTE RULING 1 x")
    assert "Ruling 2 is taken back already." in hall.say(people[2], "DISPUTE RULING 2 x")
    rule(hall, "WARN 4 BECAUSE x")
    hall.forward(days=4)
    assert "Ruling 4 stands: it could be disputed until" in hall.say(people[3], "DISPUTE RULING 4 x")


def test_what_is_upheld_too_late_is_told(hall, people, monkeypatch):
    rule(hall, "AWARD 3 -1 BECAUSE he was late")
    hall.say(people[2], "DISPUTE RULING 1 I was not.")
    vote(hall, people, "UPHOLD")
    with hall.opened.session() as session:
        row = docket(session, hall.name)[0]
        row.before = "9"
        session.add(row)
        session.commit()
    hall.forward(days=4)
    mail_text = hall.told(people[2])
    assert "Ruling 1 cannot be taken back any more: The stage of that award is over" in mail_text
    assert lines(hall)[-1][0] == "D1 UPHOLD"
    assert disputes(hall)[0].state == "final"


def test_a_claim_is_answered_and_granted(hall, people):
    board = hall.boards(1)[0]
    first, second = (people[number - 1] for number in (board.first, board.second))
    hall.sent()
    answer = hall.say(first, f"CLAIM {board.game_id} WIN He has no units left.")
    assert f"Dispute D1 about {board.game_id} is put to the director." in answer
    mail_text = hall.told(second)
    assert f"claims, as D1, to have won {board.game_id}: He has no units left." in mail_text
    assert "is put beside" in hall.say(second, "ANSWER D1 I have two.")
    assert f"D1 about {board.game_id} is open" in hall.say(second, f"RECLAMAR {board.game_id} TABLAS Nadie gana.")
    assert f"D1 about {board.game_id} is open" in hall.say(second, f"DISPUTE {board.game_id} He lies.")
    with pytest.raises(UserError, match="D1 is decided by one of these: UPHOLD, DENY, DRAW"):
        rule(hall, "RULING D1 WARN BECAUSE x")
    rule(hall, "RULING D1 UPHOLD BECAUSE it is shown")
    hall.forward(days=4)
    assert halves(hall, board.game_id) == ("adjudicated", 2, 0)
    assert f"{board.game_id} is over: DISPUTE" in hall.say(second, f"CLAIM {board.game_id} WIN now I have won")


def test_a_claimed_draw_is_denied_once_and_granted_to_the_other(hall, people):
    board = hall.boards(1)[0]
    first, second = (people[number - 1] for number in (board.first, board.second))
    hall.say(first, f"CLAIM {board.game_id} DRAW Nothing moves.")
    assert "The claim is denied." in rule(hall, "RULING D1 DENY BECAUSE it does")
    hall.forward(days=4)
    with hall.opened.session() as session:
        assert session.get_one(tables.Game, board.game_id).state == "running"
    assert "once is allowed" in hall.say(first, f"CLAIM {board.game_id} DRAW Nothing moves still.")
    hall.say(second, f"CLAIM {board.game_id} DRAW Indeed.")
    assert "The game is drawn." in rule(hall, "RULING D2 UPHOLD BECAUSE both say so")
    hall.forward(days=4)
    assert halves(hall, board.game_id) == ("adjudicated", 1, 1)
    third = next(person for person in people if person not in (first, second))
    assert "You are not at" in hall.say(third, f"CLAIM {board.game_id} WIN I saw it")
