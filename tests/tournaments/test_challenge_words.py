"""E3.5 What letters about challenges say: reasons that are the reader's own, ways out that are open to him."""

import pytest

from tests.tournaments import test_challenges
from tests.tournaments.test_challenges import LADDER, mail

hall = test_challenges.hall


def unwrap(letter_text):
    return " ".join(letter_text.split())


def test_two_places_are_several(hall):
    assert "by 2 places at most" in unwrap(hall.say(mail(5), "CHALLENGE 2"))


def test_who_asks_another_meanwhile_is_told_what_he_can_do_first(hall):
    hall.say(mail(5), "CHALLENGE 3")
    answer_text = unwrap(hall.say(mail(5), "CHALLENGE 4"))
    assert "WITHDRAW CHALLENGE takes that back. After that you may challenge: Np4 (e4)." in answer_text
    assert "For round 2 you may challenge" not in answer_text


def test_who_meets_somebody_is_told_so_as_himself_and_what_undoes_it(hall):
    hall.say(mail(5), "CHALLENGE 3")
    hall.say(mail(3), "ACCEPT")
    answer_text = unwrap(hall.say(mail(5), "CHALLENGE 4"))
    assert (
        "You meet Np3 (e3) in round 2 by a challenge that was accepted: it binds both, unless one rests" in answer_text
    )
    assert "nobody whom you may challenge" not in answer_text
    answer_text = unwrap(hall.say(mail(6), "CHALLENGE 5"))
    assert "Np5 (e5) meets Np3 (e3) in round 2 by a challenge that was accepted." in answer_text


def test_why_what_was_accepted_does_not_hold_is_said_at_once(hall):
    hall.say(mail(5), "CHALLENGE 3")
    hall.say(mail(3), "ACCEPT")
    hall.say(mail(5), "REST R2")
    answer_text = unwrap(hall.say(mail(3), "STATUS"))
    assert "accepted, but by now it does not hold. Np5 (e5) is not in round 2." in answer_text
    answer_text = unwrap(hall.say(mail(5), "STATUS"))
    assert "You are not in round 2: RETURN R2 puts you back." in answer_text


def test_two_who_are_away_are_several(hall):
    hall.say(mail(5), "CHALLENGE 3")
    hall.say(mail(3), "ACCEPT")
    hall.say(mail(5), "REST R2")
    hall.say(mail(3), "REST R2")
    assert "Np5 (e5), Np3 (e3) are not in round 2." in unwrap(hall.say(mail(5), "STATUS"))


def test_who_asks_himself_and_is_asked_knows_what_accepting_takes_back(hall):
    hall.say(mail(4), "CHALLENGE 3")
    hall.sent()
    hall.say(mail(5), "CHALLENGE 4")
    takes = "To accept a challenge takes back your own, and declines all others."
    assert takes in unwrap(hall.told(mail(4)))
    assert takes in unwrap(hall.say(mail(4), "STATUS"))
    assert takes not in unwrap(hall.say(mail(3), "STATUS"))


@pytest.mark.parametrize(
    ("state", "why"),
    [
        ("waiting", "You are on the waiting list of cup60: who plays may do that."),
        ("withdrawn", "You do not play in cup60 now: RETURN brings you back, while the rules let you in."),
    ],
)
def test_who_does_not_play_is_told_why_and_how_he_would(hall, halls, state, why):
    if state == "withdrawn":
        hall.confirm(mail(6), "WITHDRAW")
        who = mail(6)
    else:
        hall = halls(LADDER.replace("places = 16", "places = 2"))
        for number in (1, 2, 3):
            hall.enter(mail(number))
        who = mail(3)
    for line in ("CHALLENGE 1", "REST R3"):
        assert why in unwrap(hall.say(who, line))
