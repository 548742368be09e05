"""What letters say of silence: what follows and by when, to who is silent, who is offered the seat, the director."""

import pytest

from tests.harness.tournament import CUP, DIRECTOR, with_values
from tests.tournaments.test_absentees import WAITS, active, opponents_write, stay_there, write_orders


def begun(halls, rules=CUP, waits=True, **values):
    """Four who play round 1, one of them never heard of; perhaps one who waits."""
    hall = halls(with_values(rules, places="4", late_rounds="0", **values))
    people = hall.fill(4)
    if waits:
        hall.enter(WAITS)
    hall.until("playing", 1)
    opponents_write(hall, people)
    hall.sent()
    return hall, people, active(hall, people)[0]


def test_who_never_wrote_is_told_what_follows_and_that_he_wrote_nothing_yet(halls):
    hall, _, who = begun(halls)
    hall.forward(hours=60)
    mail_text = hall.told(who)
    assert "No orders of yours have come at cup60-r1-0" in mail_text
    assert "again" not in mail_text
    assert "If you do not answer, your seat is offered to the waiting list." in mail_text
    assert "If nobody takes it, the game counts nothing and your opponent has a bye." in mail_text
    assert "Then you are out of the tournament until you write RETURN." in mail_text


def test_who_wrote_before_is_told_how_often_he_missed(halls):
    hall, people, who = begun(halls)
    for person in people:
        write_orders(hall, person)
    hall.forward(days=5)
    mail_text = hall.told(who)
    assert "You have missed 2 phases in a row at cup60-r1-0" in mail_text
    assert "After 4 phases missed in a row the game is lost." in mail_text


def test_in_a_knockout_nobody_is_told_that_his_seat_is_offered(halls):
    hall, people, who = begun(halls, CUP.replace('"swiss"', '"knockout"'), rounds="0")
    hall.forward(hours=60)
    mail_text = hall.told(who)
    assert "offered" not in mail_text
    assert "Without a word the game counts nothing and your opponent has a bye." in mail_text
    asked = hall.say(people[0], "WITHDRAW")
    assert "You want to leave cup60 now: games of yours that are played are lost." in asked


def test_who_is_offered_a_seat_is_told_the_side_the_next_deadline_and_what_it_counts(halls):
    hall, _, _ = begun(halls)
    hall.forward(hours=97)
    mail_text = hall.told(WAITS)
    assert "You would play " in mail_text
    assert "orders are wanted next by " in mail_text
    assert "the round ends at " in mail_text
    assert "What the game counts is yours, and you play the rounds to come." in mail_text


@pytest.mark.full
def test_whose_seat_was_taken_is_told_that_somebody_plays_on(halls):
    hall, people, _ = begun(halls)
    hall.forward(hours=97)
    silent = people[hall.entrant(WAITS).offered_for - 1]
    hall.sent()
    hall.write(WAITS, "ACCEPT", hall.address(WAITS))
    hall.run()
    assert "Somebody else plays on at cup60-r1-0" in hall.told(silent)


@pytest.mark.full
def test_a_director_is_told_by_which_lines_he_may_decide(halls):
    hall, _, _ = begun(halls, CUP + '[left]\nask = "director"\nask_hours = 12\n')
    hall.until("playing", 1)
    hall.forward(hours=60 + 73 - 8)
    mail_text = hall.told(DIRECTOR)
    assert "is silent at cup60-r1-0" in mail_text
    assert "By itself at " in mail_text
    assert "his seat is offered to those who wait" in mail_text
    assert "SUBSTITUTE " in mail_text
    assert "FORFEIT " in mail_text


@pytest.mark.full
def test_whose_hours_leave_time_for_the_letter_of_the_day_gets_no_other(halls):
    hall, people, _ = begun(halls, CUP + '[left]\nask = "director"\nask_hours = 60\n')
    there = [who for who in people if who not in active(hall, people)]
    days = set()
    for _ in range(9 * 24):
        stay_there(hall, there, hours=1)
        for _row in hall.sent(DIRECTOR):
            assert hall.clock.at.date() not in days
            days.add(hall.clock.at.date())
    assert days


def test_the_first_letter_to_the_director_says_in_which_stages_no_seat_is_offered(halls):
    stages = '[[stage]]\nformat = "knockout"\ntake = 4\n[unfinished]'
    hall = halls(CUP.replace("[unfinished]", stages))
    assert "In stage 2 no seat is offered to those who wait: who leaves or falls silent loses his games." in hall.told(
        DIRECTOR
    )
    assert "no seat is offered" not in halls().told(DIRECTOR)
