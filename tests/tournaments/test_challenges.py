"""E3.5 E3.6 CHALLENGE and what follows, letter by letter: who is told what, what is refused and why, what lapses."""

import pytest

from pbem.pages.tournament import Links, tournament_page
from pbem.store import queries
from pbem.tournaments.cards import show_tournament
from pbem.tournaments.page import page_fingerprint, tournament_sheet
from tests.harness.tournament import CUP, PlayedTournament, with_values
from tests.tournaments.test_event_rulings import rule

LADDER = CUP.replace('format = "swiss"\nrounds = 3', 'format = "ladder"\nrounds = 3\nreach = 2')


@pytest.fixture
def hall(tmp_path):
    """Six on a ladder, who all play their first game: e1 stands at the top."""
    made = begun(tmp_path)
    yield made
    made.server.engine.dispose()


def begun(folder):
    made = PlayedTournament(folder, LADDER)
    for who in ("p1", "p2", "p3", "p4", "p5", "p6"):
        made.enter(f"{who}@players.example", f"NAME N{who}")
    made.until("playing", 1)
    made.sent()
    return made


def mail(number):
    return f"p{number}@players.example"


def rows(hall, number=2):
    """The challenges of a round: who challenges whom, and what came of it."""
    with hall.opened.session() as session:
        return {
            (challenge.challenger, challenge.challenged): challenge.state
            for challenge in queries.tournaments.challenges(session, hall.name, number)
        }


def met(hall, number):
    return {frozenset((board.first, board.second)) for board in hall.boards(number)}


def test_who_is_challenged_is_told_all_he_has_to_know_and_accepts(hall):
    answer = hall.say(mail(5), "CHALLENGE 3")
    assert "You challenge Np3 (e3) for round 2: from your place 5 of the ladder to place 3." in answer
    assert "If you win you go up to place 3" in answer
    assert "WITHDRAW CHALLENGE takes it back" in answer
    mail_text = hall.told(mail(3))
    assert "[[cup60] Np5 (e5) challenges you]" in mail_text
    assert "from place 5 of the ladder to your place 3." in mail_text
    assert "ACCEPT 5 takes it: you two meet in that round. DECLINE 5 leaves it" in mail_text
    assert "If Np5 (e5) wins, Np5 (e5) goes up to place 3, and you move down to place 4" in mail_text
    assert "The list of round 2 shuts 24 hours after round 1 is over, which ends at" in mail_text
    assert "Without an answer before the list shuts the challenge lapses" in mail_text
    assert "You have accepted: you meet Np5 (e5) in round 2" in hall.say(mail(3), "ACCEPT")
    assert "[[cup60] Np3 (e3) accepts your challenge]" in hall.told(mail(5))
    assert [(leaf.kind, leaf.game) for leaf in hall.leaves("challenge")] == [("challenge", "event/cup60")]
    hall.play(1, lost="spain")
    hall.until("shut", 2)
    assert "Np5 (e5) has challenged Np3 (e3), who has accepted." in hall.told(mail(1))
    hall.until("playing", 2)
    assert frozenset({3, 5}) in met(hall, 2)
    assert "e5 challenged e3, and the ladder allows it: " in hall.say(mail(3), "WHY PAIRING")


def test_a_challenge_by_the_spanish_words(hall):
    answer = hall.say(mail(6), "RETAR A e4")
    assert "You challenge Np4 (e4)" in answer
    assert "Np6 (e6) challenges you" in hall.told(mail(4))
    assert "You have declined: Np6 (e6) is told." in hall.say(mail(4), "RECHAZAR 6")
    mail_text = hall.told(mail(6))
    assert (
        "Np4 (e4) declines to be challenged for round 2. For round 2 you may challenge: Np5 (e5)."
        in mail_text.replace("\n", " ")
    )
    hall.say(mail(6), "retar 5")
    assert "Your challenge of Np5 (e5) is taken back." in hall.say(mail(6), "RETIRAR RETO")
    assert "Np6 (e6) takes the challenge back" in hall.told(mail(5))
    assert rows(hall) == {(6, 4): "declined", (6, 5): "withdrawn"}


def test_what_nobody_answers_lapses_and_both_are_told_so(hall):
    hall.say(mail(5), "CHALLENGE 3")
    hall.play(1)
    hall.until("planned", 2)
    # The last round is over: it is said until when, and again that an answer is awaited.
    mail_text = hall.told(mail(3))
    assert "Np5 (e5) challenges you for round 2: ACCEPT 5 or DECLINE 5." in mail_text
    assert "The list of round 2 shuts on " in mail_text
    hall.until("shut", 2)
    for number in (3, 5):
        assert "That Np5 (e5) challenged Np3 (e3) was not answered, and has lapsed." in hall.told(mail(number))
    assert "lapsed" not in hall.told(mail(1))
    assert rows(hall) == {(5, 3): "lapsed"}
    assert "The challenge of Np5 (e5) for round 2 has lapsed: the list is shut." in hall.say(mail(3), "ACCEPT 5")
    assert hall.leaves("challenge") == []


REFUSED = [
    ("CHALLENGE 5", "You are e5 yourself. For round 2 you may challenge: Np3 (e3), Np4 (e4)."),
    ("CHALLENGE 2", "stands at place 5 of the ladder, Np2 (e2) at place 2: a challenge goes up, by 2"),
    ("CHALLENGE 6", "stands at place 5 of the ladder, Np6 (e6) at place 6: a challenge goes up, by 2"),
    ("CHALLENGE 44", "There is no e44 in cup60. For round 2 you may challenge: Np3 (e3), Np4 (e4)."),
    ("RETAR 0", "RETAR is a command, but I do not understand what follows it"),
    ("CHALLENGE", "CHALLENGE 4"),
    ("ACCEPT", "Nobody challenges you in cup60 now."),
    ("DECLINE 3", "Nobody challenges you in cup60 now."),
    ("WITHDRAW CHALLENGE", "There is no challenge of yours for round 2."),
    ("CHALLENGE 3\nCHALLENGE 4", "You challenge Np3 (e3) for round 2 already: WITHDRAW CHALLENGE takes that back."),
]


@pytest.mark.parametrize(("text", "why"), REFUSED, ids=[text for text, _ in REFUSED])
def test_what_cannot_be_is_refused_with_its_reason_and_a_way_out(hall, text, why):
    assert why in hall.say(mail(5), text)
    assert all(state == "open" for state in rows(hall).values())


def test_one_who_left_who_rests_or_is_barred_is_not_challenged(hall):
    hall.confirm(mail(3), "WITHDRAW")
    assert "Np3 (e3) is not in round 2. For round 2 you may challenge: Np4 (e4)." in spoken(hall, 5, "CHALLENGE 3")
    hall.say(mail(4), "REST R2")
    assert "Np4 (e4) is not in round 2." in spoken(hall, 5, "CHALLENGE 4")
    answer_text = spoken(hall, 4, "RETAR 2")
    assert answer_text.count("You are not in round 2: RETURN R2 puts you back.") == 1
    assert "For round 2 there is nobody" not in answer_text
    rule(hall, "BAR 5 6 BECAUSE they are brothers")
    assert "Np6 (e6) and Np5 (e5) are not to be paired." in spoken(hall, 6, "CHALLENGE 5")
    assert "You do not play in cup60 now: RETURN brings you back" in hall.say(mail(3), "CHALLENGE 1")
    assert rows(hall) == {}


def spoken(hall, number, text):
    """The answer in one line, as the reader's eye has it."""
    return " ".join(hall.say(mail(number), text).split())


def test_nobody_is_in_two(hall):
    hall.say(mail(5), "CHALLENGE 3")
    hall.say(mail(4), "CHALLENGE 3")
    hall.say(mail(3), "CHALLENGE 1")
    hall.say(mail(6), "CHALLENGE 5")
    assert "Several challenge you: Np5 (e5), Np4 (e4). Write whom you mean, as in ACCEPT 5" in hall.say(
        mail(3), "ACCEPT"
    )
    assert "e6 does not challenge you for round 2; there is: Np5 (e5), Np4 (e4)." in hall.say(mail(3), "DECLINE 6")
    hall.sent()
    assert "Your own challenge of Np1 (e1) is taken back." in hall.say(mail(3), "ACCEPT 5")
    assert rows(hall) == {(5, 3): "accepted", (4, 3): "declined", (3, 1): "withdrawn", (6, 5): "declined"}
    nothing = "nothing comes of the challenge between you two"
    assert f"Np3 (e3) meets another in round 2: {nothing}." in hall.told(mail(1))
    assert "For round 2 you may challenge: Np2 (e2)." in hall.told(mail(4))
    assert f"Np5 (e5) meets another in round 2: {nothing}." in hall.told(mail(6))
    for number, text in ((4, "CHALLENGE 3"), (6, "CHALLENGE 5")):
        assert "by a challenge that was accepted." in hall.say(mail(number), text)
    assert "You meet Np5 (e5) in round 2" in hall.say(mail(3), "CHALLENGE 1")
    assert "binds both of you" in hall.say(mail(5), "WITHDRAW CHALLENGE")
    assert "You have accepted the challenge of Np5 (e5) for round 2." in hall.say(mail(3), "ACCEPT 5")


def test_the_same_is_not_asked_twice_for_one_round(hall):
    hall.say(mail(5), "CHALLENGE 3")
    hall.say(mail(5), "WITHDRAW CHALLENGE")
    assert "You challenged Np3 (e3) for round 2 before." in hall.say(mail(5), "CHALLENGE 3")
    assert "Np5 (e5) has taken back the challenge for round 2." in hall.say(mail(3), "ACCEPT")
    hall.say(mail(5), "CHALLENGE 4")
    hall.say(mail(4), "DECLINE")
    assert "You challenged Np4 (e4) for round 2 before. For round 2 there is nobody" in spoken(hall, 5, "CHALLENGE 4")


def test_lines_of_one_letter_are_done_in_their_order(hall):
    hall.say(mail(5), "CHALLENGE 3")
    answer = hall.say(mail(3), "DECLINE\nACCEPT 5")
    assert "You have declined" in answer
    assert "The challenge of Np5 (e5) for round 2 is declined." in answer
    assert "I did nothing with your letter" in hall.say(mail(4), "CHALLENGE 2\nWITHDRAW CHALLENGE")
    answer = hall.say(mail(4), "REST R2\nCHALLENGE 2")
    assert "You are not in round 2: RETURN R2 puts you back." in answer
    assert rows(hall) == {(5, 3): "declined"}
    hall.say(mail(6), "CHALLENGE 5")
    (line,) = [line for line in hall.say(mail(5), "WITHDRAW").splitlines() if line.strip().startswith("WITHDRAW CODE")]
    hall.say(mail(5), f"{line}\nACCEPT 6")
    assert hall.entrant(mail(5)).state == "withdrawn"
    assert rows(hall)[6, 5] == "open"
    assert hall.leaves("challenge") == []


def test_before_the_first_list_and_after_the_last_nobody_is_challenged(halls):
    hall = halls(with_values(LADDER, rounds="2"))
    hall.fill(4)
    assert "begins with the list of round 1" in hall.say(mail(3), "CHALLENGE 1")
    hall.until("shut", 1)
    assert "You challenge e1 for round 2" in hall.say(mail(3), "CHALLENGE 1")
    assert "The list of round 2 shuts 24 hours after round 1 is over." in hall.say(mail(3), "STATUS")
    hall.until("playing", 1)
    hall.play(1)
    hall.until("shut", 2)
    for text in ("CHALLENGE 1", "ACCEPT", "DECLINE 4", "WITHDRAW CHALLENGE"):
        assert "The list of the last round of the ladder is shut" in hall.say(mail(3), text)
    assert "The ladder" not in hall.say(mail(3), "STATUS")


def test_where_there_is_no_ladder_nobody_is_challenged(halls):
    hall = halls()
    hall.fill(4)
    hall.until("playing", 1)
    assert "Nobody can be challenged in cup60 now: that is for ladders." in hall.say(mail(3), "RETAR 1")
    assert "that is for ladders" in hall.say(mail(3), "WITHDRAW CHALLENGE")
    assert "Nothing is offered to you in cup60 now." in hall.say(mail(3), "ACCEPT 1")


def test_a_letter_from_elsewhere_is_answered_where_he_is_known(hall):
    hall.write("mallory@elsewhere.example", "CHALLENGE 3", hall.address(mail(5)))
    assert "This letter came from mallory@elsewhere.example" in hall.told(mail(5))
    assert hall.told("mallory@elsewhere.example") == ""
    hall.write("mallory@elsewhere.example", "ACCEPT", "pbem+cup60-e3-aaaaaaaaaaaaaaaa@games.example")
    assert rows(hall) == {(5, 3): "open"}


def test_who_rests_or_leaves_lets_the_other_know_at_once(hall):
    hall.say(mail(5), "CHALLENGE 3")
    hall.say(mail(3), "ACCEPT")
    hall.sent()
    answer_text = hall.say(mail(3), "REST R2")
    assert "Np5 (e5) is told that nothing comes of the challenge between you two" in answer_text
    answer_text = hall.told(mail(5))
    assert "[[cup60] Np3 (e3) is not in round 2]" in answer_text
    assert "For round 2 you may challenge: Np4 (e4)." in answer_text
    assert "accepted, but by now it does not hold." in hall.say(mail(5), "STATUS")
    hall.say(mail(6), "CHALLENGE 4")
    hall.say(mail(4), "REST R2")
    assert "You are not in round 2: RETURN R2 puts you back." in hall.say(mail(4), "ACCEPT 6")
    hall.say(mail(6), "WITHDRAW CHALLENGE")
    # He is free for another, and that is the one that holds even if the first comes back.
    hall.say(mail(6), "CHALLENGE 5")
    assert "You have accepted" in hall.say(mail(5), "ACCEPT 6")
    hall.say(mail(3), "RETURN R2")
    hall.play(1, lost="spain")
    hall.until("shut", 2)
    assert rows(hall) == {(5, 3): "accepted", (6, 5): "fallen", (6, 4): "withdrawn"}
    assert "That Np6 (e6) challenged Np5 (e5) does not hold." in hall.told(mail(6))


def test_an_accepted_challenge_falls_if_the_ladder_has_moved(hall):
    hall.say(mail(4), "CHALLENGE 3")
    hall.say(mail(3), "ACCEPT")
    hall.sent()
    # e4 beats e3 at once, and stands above him when the list shuts.
    board = next(board for board in hall.boards(1) if {board.first, board.second} == {3, 4})
    hall.end(board.game_id, f"concede {'spain' if board.first == 3 else 'morocco'}")
    hall.run()
    assert "accepted, but by now it does not hold." in hall.say(mail(4), "STATUS")
    hall.play(1)
    hall.until("shut", 2)
    mail_text = hall.told(mail(4)).replace("\n", " ")
    assert "That Np4 (e4) challenged Np3 (e3) does not hold. Np4 (e4) stands at place 3 of the ladder" in mail_text
    assert rows(hall) == {(4, 3): "fallen"}
    slate = next(round_.slate for round_ in hall.rounds() if round_.number == 2)
    assert "\nchallenge" not in slate


def test_a_round_drawn_again_has_its_challenges(hall):
    hall.say(mail(5), "CHALLENGE 3")
    hall.say(mail(3), "ACCEPT")
    hall.play(1, lost="spain")
    hall.until("playing", 2)
    rule(hall, "REDRAW R2 BECAUSE the mail was down")
    hall.until("playing", 2)
    assert [round_.attempt for round_ in hall.rounds() if round_.number == 2] == [2]
    assert frozenset({3, 5}) in met(hall, 2)


def test_half_the_way_and_the_director_sees_what_waits(halls):
    hall = halls(LADDER.replace("reach = 2", 'reach = 3\nchallenge = "half"'))
    hall.fill(4)
    hall.until("playing", 1)
    assert "If you win you go up to place 2" in hall.say(mail(4), "CHALLENGE 1")
    assert "e4 goes up to place 2, and you keep place 1" in hall.told(mail(1))
    hall.play(1, lost="spain")
    hall.until("planned", 2)
    hall.sent()
    hall.write("rosa@players.example", "STATUS", hall.opened.director_address(hall.event))
    assert "That e4 challenges e1 lapses unless it is answered." in hall.told("rosa@players.example")


def test_pages_show_what_was_accepted_and_the_operator_sees_all(hall):
    for number, text in ((5, "CHALLENGE 3"), (6, "CHALLENGE 4"), (3, "ACCEPT")):
        hall.say(mail(number), text)
    hall.play(1, lost="spain")
    hall.until("planned", 2)
    with hall.opened.reading() as work:
        card, before = show_tournament(work, "cup60"), page_fingerprint(work, "cup60")
        sheet = tournament_sheet(work, "cup60", "en")
    assert card.challenges == (("r2", "e5", "e3", "accepted"), ("r2", "e6", "e4", "open"))
    assert [dict(challenge.args)["who"] for challenge in sheet.rounds[0].lines] == ["e5"]
    assert "<li>" in tournament_page(sheet, lambda sentence: sentence.text, "en", Links())
    hall.say(mail(4), "ACCEPT")
    with hall.opened.reading() as work:
        assert page_fingerprint(work, "cup60") != before
