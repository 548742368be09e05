"""What answers to an entrant's letter are called, and that what they say is so."""

import pytest

from tests.harness.teams import TEAMS
from tests.harness.tournament import CUP
from tests.tournaments import test_challenges
from tests.tournaments.test_challenges import LADDER, mail

hall = test_challenges.hall


def subject_of(letter_text):
    return letter_text.splitlines()[0]


@pytest.mark.parametrize(
    ("line", "about"),
    [
        ("CHALLENGE 4", "carried out"),
        ("REST R2", "carried out"),
        ("HERE", "carried out"),
        ("STATUS", "how the tournament stands"),
        ("STANDINGS", "what you asked for"),
        ("CHALLENGE 9", "letter NOT carried out"),
    ],
)
def test_an_answer_is_called_by_what_it_is(hall, line, about):
    assert subject_of(hall.say(mail(5), line)) == f"[[cup60] {about}]"


def test_here_of_one_who_is_out_keeps_no_seat_and_says_how_he_comes_back(hall):
    hall.confirm(mail(6), "WITHDRAW")
    answer = hall.say(mail(6), "HERE")
    assert "your seats are kept" not in answer
    assert "You do not play in cup60 now: RETURN brings you back, while the rules let you in." in answer


def test_who_plays_and_rests_nothing_has_nothing_to_return_to(hall):
    assert "You play in cup60 already, and rest no round to come." in hall.say(mail(5), "RETURN")
    hall.say(mail(5), "REST R2")
    assert "You play again from round 2 on." in hall.say(mail(5), "RETURN")
    hall.confirm(mail(5), "WITHDRAW AFTER R2")
    assert "You play again from round 2 on." in hall.say(mail(5), "RETURN")


def test_help_tells_of_what_there_is_in_this_tournament_alone(halls):
    words = ("CHALLENGE 4", "WITHDRAW CHALLENGE", "BID 3 FOR", "LINEUP 7", "ADMIT 7", "TEAMS")
    subjects = {}
    for kind, rules in (
        ("swiss", CUP),
        ("ladder", LADDER),
        ("bid", CUP.replace("rounds = 3", 'rounds = 3\nsides = "bid"')),
        ("teams", TEAMS),
    ):
        hall = halls(rules)
        hall.enter(mail(1), 'TEAM "Lions"' if kind == "teams" else "")
        answer = hall.say(mail(1), "HELP")
        assert "STANDINGS" in answer
        subjects[kind] = [word for word in words if word in answer]
    assert subjects == {"swiss": [], "ladder": list(words[:2]), "bid": [words[2]], "teams": list(words[3:])}
