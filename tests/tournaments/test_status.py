"""STATUS and the first letters: what an entrant is told of his place, what is wanted of him, and what comes next."""

from tests.harness.tournament import CUP, with_values

LATE = "late@players.example"


def small(halls, **more):
    return halls(with_values(CUP, places="2", waiting="3", rounds="1", **more))


def test_before_the_list_shuts_an_entrant_is_told_when_it_does_and_what_follows(hall):
    (who,) = hall.fill(1)
    answer = hall.say(who, "STATUS")
    assert "1 of 16 places are taken." in answer
    assert "The list of entrants shuts on Friday 1 February 2030, 23:00 UTC, by itself." in answer
    assert "Then all are mailed the list of round 1, which is drawn 24 hours later." in answer
    assert "Rounds: 3 at most; each is over after 30 days at the latest." in answer


def test_the_first_letter_says_the_same(hall):
    hall.write(LATE, "JOIN cup60")
    line = next(line for line in hall.told(LATE).splitlines() if "CODE" in line and line.startswith("JOIN"))
    hall.write(LATE, line)
    mail_text = hall.told(LATE)
    assert "You are in Castillejos Cup (cup60), as e1." in mail_text
    assert "shuts on Friday 1 February 2030" in mail_text


def test_a_list_that_its_director_shuts_is_told_so(halls):
    hall = halls(CUP.replace('closes = "2030-02-01"\n', ""))
    (who,) = hall.fill(1)
    assert "The list of entrants shuts when its director says so." in hall.say(who, "STATUS")


def test_who_waits_is_told_his_place_what_is_offered_and_until_when(halls):
    hall = small(halls)
    people = hall.fill(4)
    answer = hall.say(people[3], "STATUS")
    assert "You are on the waiting list, in place 2 of 2." in answer
    assert "offered to the first of you, until the list of round 2 shuts: ACCEPT within 48 hours takes it" in answer
    assert "The seat of who leaves or falls silent at a table is offered likewise" in answer


def test_who_passed_on_a_place_is_told_that_none_is_offered_again(halls):
    hall = small(halls)
    people = hall.fill(4)
    hall.confirm(people[0], "WITHDRAW")
    hall.run()
    answer = hall.say(people[2], "STATUS")
    assert "A place is offered to you until Wednesday 30 January 2030" in answer
    hall.say(people[2], "DECLINE")
    hall.run()
    assert "and passed on: none is offered again." in hall.say(people[2], "STATUS")
    assert "A place is offered to you" in hall.say(people[3], "STATUS")


def test_in_a_knockout_who_waits_is_told_that_nothing_gets_free_once_it_has_begun(halls):
    hall = halls(with_values(CUP, places="4", waiting="3", rounds="0").replace('"swiss"', '"knockout"'))
    people = hall.fill(5)
    assert "until the list of round 1 shuts" in hall.say(people[4], "STATUS")
    hall.until("playing", 1)
    assert "No place and no seat gets free any more: who leaves loses his games." in hall.say(people[4], "STATUS")


def test_rests_and_a_leave_to_come_are_in_it(hall):
    people = hall.fill(4)
    hall.say(people[0], "REST R2")
    hall.confirm(people[0], "WITHDRAW AFTER R2")
    answer = hall.say(people[0], "STATUS")
    assert "You rest R2." in answer
    assert "You leave after round 2." in answer


def test_who_comes_back_later_is_told_from_which_round_on_he_plays(hall):
    people = hall.fill(4, rounds=1)
    hall.confirm(people[0], "WITHDRAW")
    assert "You have left it: RETURN brings you back" in hall.say(people[0], "STATUS")
    hall.say(people[0], "RETURN R3")
    assert "You play from round 3 on." in hall.say(people[0], "STATUS")


def test_place_and_points_are_in_it_once_a_round_is_over(hall):
    people = hall.fill(4, rounds=1)
    answers = [hall.say(who, "STATUS") for who in people]
    assert sum("You stand in place" in answer and "of 4, with 1 point." in answer for answer in answers) == 2


def test_who_is_asked_for_a_word_reads_it_there_too(hall):
    people = hall.fill(2)
    hall.until("playing", 1)
    hall.forward(days=2)
    game, _ = hall.seat(people[0], 1)
    assert f"Are you there? HERE keeps your seat at {game}." in hall.say(people[0], "STATUS")


def test_a_tournament_that_is_over_says_so(hall):
    people = hall.fill(2)
    hall.confirm(people[0], "WITHDRAW")
    hall.forward(days=40)
    assert "The tournament is cancelled." in hall.say(people[1], "STATUS")
