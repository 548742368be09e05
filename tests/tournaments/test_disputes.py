"""Disputes: the director first, then a jury by lot, an appeal once, and an end whoever stays silent."""

import re

import pytest

from pbem.store import queries, tables
from pbem.tournaments import rulings
from tests.harness.tournament import CUP, PlayedTournament, done_once, done_whole, names
from tests.tournaments.test_absentees import write_orders

PEOPLE = names(8)


JURY = CUP.replace('"points:4", "draw"', '"jury"')


def begun(folder, rules=JURY):
    made = PlayedTournament(folder, rules)
    for who in PEOPLE:
        made.enter(who)
    made.until("playing", 1)
    for who in PEOPLE:
        write_orders(made, who)
    made.sent()
    return made


@pytest.fixture
def hall(tmp_path):
    made = begun(tmp_path)
    yield made
    made.server.engine.dispose()


@pytest.fixture
def short(tmp_path):
    """A round that ends before anybody could lose by silence."""
    made = begun(tmp_path, JURY.replace("days = 30", "days = 2"))
    yield made
    made.server.engine.dispose()


def board(hall, number=1):
    return next(board for board in hall.boards(number) if board.game_id)


def address_of(hall, number):
    """Who an entrant is."""
    return next(who for who in PEOPLE if hall.number(who) == number)


def disputes(hall):
    with hall.opened.session() as session:
        return queries.tournaments.disputes(session, hall.name)


def jurors(hall):
    """The entrants who are asked for a vote now."""
    with hall.opened.session() as session:
        votes = queries.tournaments.votes(session, disputes(hall)[-1].id)
    return [vote.entrant for vote in votes if not vote.word]


@done_once
def raised(hall, by="second"):
    """The first game of the round is over, and its loser disputes it."""
    first = board(hall)
    hall.end(first.game_id, "concede morocco")
    hall.run()
    who = address_of(hall, getattr(first, by))
    hall.sent()
    return first, who, hall.say(who, f"DISPUTE {first.game_id} He agreed to a draw.")


@done_whole
def end_others(hall):
    """The other games of the round are over, so that nobody falls silent at them."""
    for board in hall.boards(1)[1:]:
        hall.end(board.game_id, "concede spain")
    hall.run()
    hall.sent()


@done_whole
def rule(hall, line):
    with hall.opened.work() as work:
        event = work.session.get_one(tables.Tournament, hall.name)
        rulings.make_ruling(work, event, rulings.read(line))
    hall.run()


@pytest.mark.full
def test_a_dispute_goes_to_the_director_and_then_to_a_jury_of_others_whose_votes_decide(hall):
    first, who, mail_text = raised(hall)
    assert "D1" in mail_text
    assert board(hall).state == "disputed"
    hall.forward(hours=71)
    assert jurors(hall) == []
    hall.forward(hours=2)
    asked = jurors(hall)
    assert len(asked) == 3
    assert not {first.first, first.second} & {*asked}
    for number in asked[:2]:
        letter = hall.told(address_of(hall, number))
        assert "He agreed to a draw." in letter
        assert "VOTE D1 UPHOLD BECAUSE ..." in letter
        assert re.search(rf"First side: .*e{first.first}\b.*; second side: .*e{first.second}\b.*disputes", letter)
        assert "vote" in hall.say(address_of(hall, number), "VOTE D1 UPHOLD BECAUSE both said so")
    hall.run()
    assert disputes(hall)[0].state == "ruled"
    assert f"is given to e{first.second}" in hall.told(who)
    hall.forward(hours=73)
    assert disputes(hall)[0].state == "final"
    now = board(hall)
    assert (now.first_halves, now.second_halves, now.how) == (0, 2, "adjudicated")
    assert len(hall.leaves("verdict")) == 1
    assert b"halves 0 2\nmargin" in hall.leaves("score")[-1].says


@pytest.mark.full
def test_who_stays_silent_is_replaced_and_where_nobody_votes_the_result_stands(hall):
    raised(hall)
    end_others(hall)
    hall.forward(hours=73)
    before = jurors(hall)
    hall.forward(hours=73)
    after = jurors(hall)
    assert after
    assert not {*before} & {*after}
    hall.forward(hours=24 * 8)
    assert disputes(hall)[0].state == "final"
    assert disputes(hall)[0].ruling == "DENY"
    assert (board(hall).first_halves, board(hall).second_halves) == (2, 0)


def test_what_the_director_rules_is_appealed_once_and_then_final(hall):
    first, who, _ = raised(hall)
    rule(hall, "RULING D1 DENY BECAUSE nobody agreed")
    assert "The result stands." in hall.told(who)
    other = next(person for person in PEOPLE if hall.number(person) not in (first.first, first.second))
    assert "You are not at the table of D1." in hall.say(other, "APPEAL D1")
    assert "final" in hall.say(who, "APPEAL D1")
    hall.run()
    for number in jurors(hall):
        hall.say(address_of(hall, number), "VOTE D1 DRAW BECAUSE it was one")
    hall.run()
    hall.run()
    assert disputes(hall)[0].state == "final"
    assert (board(hall).first_halves, board(hall).second_halves) == (1, 1)
    assert "D1 was appealed before, and what was decided then is final." in hall.say(who, "APPEAL D1")


@pytest.mark.full
def test_an_unfinished_game_is_given_by_its_jury(short):
    short.forward(hours=49)
    asked = jurors(short)
    assert len(asked) == 3
    last = disputes(short)[-1]
    for number in asked:
        who = address_of(short, number)
        letter = short.told(who)
        assert "UPHOLD gives it to the first side" in letter
        assert re.search(r"First side: .*e\d; second side: .*e\d", letter.replace(")", ""))
        short.say(who, f"VOTE D{last.number} UPHOLD BECAUSE it is ahead")
    short.forward(hours=1)
    now = disputes(short)[-1]
    assert (now.state, now.ruling) == ("final", "UPHOLD")
    with short.opened.session() as session:
        decided = session.get_one(tables.Board, now.board_id)
    assert (decided.first_halves, decided.second_halves, decided.how) == (2, 0, "adjudicated")


@pytest.mark.full
def test_a_round_in_which_nobody_votes_closes_all_the_same(short):
    short.until("closed", 1, hours=24 * 30)
    assert [(board.first_halves, board.second_halves) for board in short.boards(1)] == [(1, 1)] * 4


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("DISPUTE cup60-r9-01 words", "is no table of cup60"),
        ("DISPUTE {other} words", "You are not at"),
        ("VOTE D7 UPHOLD BECAUSE x", "There is no such dispute"),
        ("VOTE D1 UPHOLD BECAUSE x", "You are no juror of D1."),
        ("APPEAL D1", "D1 is not decided yet: the director has it until "),
        ("VOTE D1 UPHOLD", "Say why"),
        ("APPEAL D9", "There is no dispute D9"),
        ("DISPUTE {mine} again", "A dispute about"),
    ],
)
def test_what_cannot_be_is_told_with_its_reason(hall, line, why):
    first, who, _ = raised(hall)
    other = next(board for board in hall.boards(1) if board.game_id and board.id != first.id)
    answer = hall.say(who, line.format(other=other.game_id, mine=first.game_id))
    assert why in answer
    assert "I did nothing with your letter" in answer
    assert len(disputes(hall)) == 1


def test_votes_are_told_to_nobody(hall):
    _, who, _ = raised(hall)
    hall.forward(hours=73)
    for number in jurors(hall):
        hall.say(address_of(hall, number), "VOTE D1 UPHOLD BECAUSE secretword")
    hall.forward(hours=100)
    assert "secretword" not in hall.told("")
    assert not re.search(r"juror", hall.told(who))


def test_disputing_in_spanish(hall):
    first = board(hall)
    hall.end(first.game_id, "concede morocco")
    hall.run()
    who = address_of(hall, first.second)
    hall.say(who, f"DISPUTA {first.game_id} Acordamos tablas.")
    hall.forward(hours=73)
    for number in jurors(hall):
        hall.say(address_of(hall, number), "VOTAR D1 TABLAS PORQUE lo acordaron")
    hall.run()
    assert disputes(hall)[0].ruling == "DRAW"


@pytest.mark.full
@pytest.mark.parametrize("format_", ["knockout", "double", "ladder"])
def test_a_jury_and_the_table_are_there_while_a_round_is_played_whose_winners_go_on(tmp_path, format_):
    stage = f'format = "{format_}"' + ("\nrounds = 3" if format_ == "ladder" else "")
    hall = begun(tmp_path, JURY.replace('format = "swiss"\nrounds = 3', stage))
    who = address_of(hall, board(hall).first)
    assert "put to the director" in hall.say(who, f"DISPUTE {board(hall).game_id} He has seen my orders.")
    assert "Standings of cup60" in hall.say(who, "STANDINGS")
    hall.forward(days=4)
    assert hall.event.state == "playing"
    assert jurors(hall)
    hall.server.engine.dispose()


def other_side(hall, first, who):
    """Who sits opposite at a board."""
    return address_of(hall, first.first if hall.number(who) == first.second else first.second)


def test_who_is_disputed_with_is_told_what_was_written_and_what_comes_next(hall):
    first, who, mail_text = raised(hall)
    assert "D1 lies with the director; if he has not ruled by " in mail_text
    letter = hall.told(other_side(hall, first, who))
    assert "D1" in letter
    assert f"about {first.game_id}: He agreed to a draw." in letter
    assert "if he has not ruled by " in letter


def test_both_sides_are_told_who_decided_why_and_what_silence_does(hall):
    first, who, _ = raised(hall)
    rule(hall, "RULING D1 DENY BECAUSE nobody agreed")
    for side in (who, other_side(hall, first, who)):
        mail_text = hall.told(side)
        assert f"The director has decided dispute D1 about {first.game_id}." in mail_text
        assert "Reason: nobody agreed" in mail_text
        assert "Either side may write APPEAL D1 by " in mail_text
        assert "If neither does, it is final." in mail_text


def test_an_appeal_tells_both_sides_who_decides_by_when_and_what_silence_does(hall):
    first, who, _ = raised(hall)
    rule(hall, "RULING D1 DENY BECAUSE nobody agreed")
    other = other_side(hall, first, who)
    hall.sent()
    answer = hall.say(who, "APPEAL D1")
    assert (
        "3 jurors by lot, none of whom was asked before, have 72 hours each: most votes decide, and finally." in answer
    )
    assert "Who stays silent is replaced; where nobody is left to vote, what was decided stands." in answer
    assert "D1" in hall.told(other)
    hall.run()
    for number in jurors(hall):
        hall.say(address_of(hall, number), "VOTE D1 DRAW BECAUSE it was one")
    hall.run()
    answer = hall.told(other)
    assert "A jury has decided dispute D1" in answer
    assert "D1 is decided, and final." in answer


@pytest.mark.full
def test_where_nobody_votes_on_an_appeal_what_was_ruled_stands(hall):
    first, who, _ = raised(hall)
    rule(hall, "RULING D1 UPHOLD BECAUSE they agreed")
    hall.say(other_side(hall, first, who), "APPEAL D1")
    hall.forward(hours=24 * 20)
    assert (disputes(hall)[0].state, disputes(hall)[0].ruling) == ("final", "UPHOLD")


def test_a_juror_is_told_how_many_decide_and_when_his_vote_is_not_wanted_any_more(hall):
    raised(hall)
    hall.forward(hours=73)
    asked = [address_of(hall, number) for number in jurors(hall)]
    assert "Jurors: 3, each for himself; most votes decide." in hall.told(asked[2])
    for who in asked[:2]:
        assert "Your vote is taken: DENY" in hall.say(who, "VOTE D1 DENY BECAUSE it is plain")
    assert "You have voted about D1 already." in hall.say(asked[0], "VOTE D1 DRAW BECAUSE or not")
    hall.run()
    assert "D1 is decided: your vote is not wanted any more." in hall.told(asked[2])
    assert "D1 is decided: your vote is not wanted any more." in hall.say(asked[2], "VOTE D1 DENY BECAUSE late")


def test_a_juror_who_was_too_slow_is_told_when_his_time_was_up(hall):
    raised(hall)
    end_others(hall)
    hall.forward(hours=73)
    slow = address_of(hall, jurors(hall)[0])
    hall.forward(hours=73)
    assert "Your time to vote about D1 was up at " in hall.say(slow, "VOTE D1 DENY BECAUSE late")


@pytest.mark.full
def test_a_spanish_juror_reads_the_word_that_he_wrote(tmp_path):
    made = PlayedTournament(tmp_path, JURY)
    for who in PEOPLE:
        made.enter(who, spanish=True)
    made.until("playing", 1)
    _, _, mail_text = raised(made)
    assert "D1 lies with the director" in mail_text
    made.forward(hours=73)
    juror = address_of(made, jurors(made)[0])
    assert "Say why: VOTAR D1 DESESTIMAR BECAUSE ..." in made.say(juror, "VOTAR D1 DESESTIMAR")
    assert "Your vote is taken: DESESTIMAR" in made.say(juror, "VOTAR D1 DESESTIMAR PORQUE es claro")
    made.server.engine.dispose()


def test_what_is_over_does_not_go_on_meanwhile_and_whose_tables_are_whose_is_said(hall):
    first, who, mail_text = raised(hall)
    assert "The game is over; what came of it stands meanwhile, and your opponent is told." in mail_text
    other = next(board.game_id for board in hall.boards(1) if board.game_id not in (None, first.game_id))
    mail_text = hall.say(who, f"DISPUTE {other} It is not fair.")
    assert f"You are not at {other}: only those who sit there dispute it, " in mail_text
    assert f"Yours are {first.game_id}." in mail_text


@pytest.mark.full
def test_prizes_wait_for_a_dispute_of_a_round_that_was_closed_before(tmp_path):
    hall = begun(tmp_path, JURY.replace("rounds = 3", "rounds = 2"))
    hall.play(1)
    first = board(hall)
    loser = address_of(hall, first.second)
    hall.say(loser, f"DISPUTE {first.game_id} He agreed to a draw.")
    hall.until("playing", 2)
    hall.sent()
    hall.play(2)
    assert hall.rounds()[1].state == "closed"
    assert hall.event.state == "playing"
    assert "What follows waits for disputes to be decided: D1." in hall.told(loser)
    assert jurors(hall)
    for number in jurors(hall)[:2]:
        hall.say(address_of(hall, number), "VOTE D1 UPHOLD BECAUSE both said so")
    hall.sent()
    hall.forward(hours=74)
    assert disputes(hall)[0].state == "final"
    now = board(hall)
    assert (now.first_halves, now.second_halves, now.how) == (0, 2, "adjudicated")
    assert hall.event.state == "over"
    mail_text = hall.told(loser)
    assert mail_text.index("a result of round 1 has changed") < mail_text.index("the tournament is over")
