"""E3.5 E3.6 What letters of a ladder say that others do not: that it is one, how all stand, who meets whom."""

from tests.harness.tournament import CUP
from tests.tournaments import test_challenges
from tests.tournaments.test_challenge_words import unwrap
from tests.tournaments.test_challenges import LADDER, mail

hall = test_challenges.hall


def test_who_enters_knows_that_it_is_a_ladder_and_what_he_may_do_there(halls):
    ladder, cup = halls(LADDER), halls(CUP)
    for made in (ladder, cup):
        made.enter(mail(1))
    how = "It is a ladder: from the list of round 1 on you may ask somebody at most 2 places above you"
    assert how in unwrap(ladder.say(mail(1), "STATUS"))
    assert "ladder" not in unwrap(cup.say(mail(1), "STATUS"))


def test_the_list_of_a_round_says_whom_one_may_challenge_for_the_next_and_how(halls):
    made = halls(LADDER)
    for number in (1, 2, 3, 4):
        made.enter(mail(number), f"NAME N{number}")
    made.until("shut", 1)
    letter = unwrap(made.told(mail(4)))
    assert "You stand at place 4 of 4. For round 2 you may challenge: N2 (e2), N3 (e3)." in letter
    assert "CHALLENGE with a number of these asks to meet in that round." in letter
    assert "CHALLENGE with a number" not in made.told(mail(1))


def test_all_stand_in_the_order_of_the_ladder_and_nothing_else_has_a_column(hall):
    answer = hall.say(mail(5), "STANDINGS")
    assert "In the order of the ladder [E3.6]. Columns: = points." in answer
    assert "Buchholz" not in answer


def test_status_says_once_where_one_stands_and_when_the_list_shuts(hall):
    hall.play(1)
    hall.until("planned", 2)
    answer = unwrap(hall.say(mail(5), "STATUS"))
    assert "You have 0 points." in answer
    assert "You stand at place 6 of 6." in answer
    assert "You stand in place" not in answer
    assert answer.count("The list of round 2 shuts on") == 1


def test_why_one_meets_who_is_not_next_to_him(hall):
    hall.play(1)
    hall.until("playing", 2)
    why = "On the ladder the nearest meet, past those whom a challenge takes or whom one met last round: "
    assert why in unwrap(hall.say(mail(5), "WHY PAIRING"))


def test_where_there_is_no_code_of_conduct_none_is_asked_for(halls):
    made = halls(LADDER)
    with made.server.work() as work:
        event = work.session.merge(made.event)
        event.conduct = ""
        work.session.add(event)
    made.write(mail(1), "JOIN cup60")
    letter = made.told(mail(1))
    assert "It has no code of conduct." in letter
    assert "ACCEPT" not in letter
    assert "The code of conduct" not in letter
    assert made.enter(mail(1)) is not None
