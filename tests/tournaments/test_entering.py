"""Who may enter, who waits, and what of a letter that asks for it is refused."""

import pytest

from tests.harness.tournament import CUP, DIRECTOR, names, with_values

ANA = "ana@players.example"


def line_of(letter_text):
    return next(line.strip() for line in letter_text.splitlines() if line.strip().startswith(("JOIN", "UNIRSE")))


def asked(hall, who, text="JOIN cup60"):
    hall.write(who, text)
    return hall.told(who)


def test_spanish_words_are_read_and_answered_in_spanish(hall):
    answer = asked(hall, ANA, "UNIRSE A cup60 NOMBRE Ana ZONA Europe/Madrid RITMO 24h MESAS 2 IDIOMA es,en")
    assert line_of(answer).startswith(
        "UNIRSE A cup60 NOMBRE Ana ZONA Europe/Madrid RITMO 24h MESAS 2 IDIOMA es,en CODIGO"
    )
    hall.write(ANA, line_of(answer))
    row = hall.entrant(ANA)
    assert (row.name, row.zone, row.pace, row.tables, row.languages) == ("Ana", "Europe/Madrid", 24, 2, "es,en")


@pytest.mark.parametrize(
    ("line", "language"), [("JOIN cup60 LANG es,en", "es"), ("UNIRSE A cup60 IDIOMA en", "en"), ("JOIN cup60", "en")]
)
def test_join_is_answered_and_confirmed_in_the_language_that_is_asked_for(hall, line, language):
    answer = asked(hall, ANA, line)
    assert f"kind: confirm ({language})" in answer
    hall.write(ANA, line_of(answer))
    answer = hall.told(ANA)
    assert f"kind: joined ({language})" in answer
    assert f"kind: invitation ({language})" in answer


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda line: line.replace("ACCEPT ", "ACCEPT 0"), "The code of conduct that you accept is not the one"),
        (lambda line: line.partition(" ACCEPT")[0], "The code of conduct that you accept is not the one"),
        (
            lambda line: line.replace("CODE ", "CODE aaaaaaaa ").partition(" ACCEPT")[0].rsplit(" ", 1)[0],
            "This code is not good",
        ),
    ],
)
def test_a_code_or_a_digest_that_is_not_right_lets_nobody_in(hall, change, why):
    line = line_of(asked(hall, ANA))
    hall.write(ANA, change(line))
    assert why in hall.told(ANA)
    assert hall.entrant(ANA) is None


def test_a_code_of_conduct_that_was_changed_meanwhile_is_asked_about_again(hall):
    line = line_of(asked(hall, ANA))
    with hall.server.work() as work:
        event = hall.event
        event.conduct = "Be very kind.\n"
        work.session.merge(event)
    hall.write(ANA, line)
    mail_text = hall.told(ANA)
    assert "Be very kind." in mail_text
    assert hall.entrant(ANA) is None
    hall.write(ANA, line_of(mail_text))
    assert hall.entrant(ANA) is not None


def test_a_code_used_twice_enters_once(hall):
    line = line_of(asked(hall, ANA))
    hall.write(ANA, line)
    hall.told(ANA)
    hall.write(ANA, line)
    assert "You are in cup60 already, as e1." in hall.told(ANA)
    assert [leaf.kind for leaf in hall.leaves("enter")] == ["enter"]


def test_a_second_address_of_one_person_does_not_enter_again(hall):
    hall.enter(ANA)
    assert "You are in cup60 already" in asked(hall, "ana+second@players.example")


def test_the_director_does_not_play(hall):
    assert "Whoever directs cup60 cannot enter it." in asked(hall, DIRECTOR)


def test_a_zone_that_there_is_not_is_refused(hall):
    assert "There is no time zone europe/nowhere" in asked(hall, ANA, "JOIN cup60 ZONE Europe/Nowhere")


def test_who_comes_when_places_are_full_waits_and_then_nobody_is_let_in(halls):
    hall = halls(with_values(CUP, places="2", waiting="1", rounds="1"))
    people = names(4)
    assert [hall.enter(who).state for who in people[:3]] == ["in", "in", "waiting"]
    assert hall.enter(people[3]) is None
    hall.write(people[3], line_of(asked(hall, people[3])))
    assert "cup60 is full, and so is its waiting list." in hall.told(people[3])


def test_who_left_the_waiting_list_comes_back_to_it_and_jumps_nobody(halls):
    hall = halls(with_values(CUP, places="2", waiting="3", rounds="1"))
    people = hall.fill(4)
    hall.confirm(people[3], "WITHDRAW")
    assert hall.entrant(people[3]).state == "withdrawn"
    assert "You are on the waiting list of cup60." in hall.say(people[3], "RETURN")
    assert [hall.entrant(who).state for who in people] == ["in", "in", "waiting", "waiting"]
    hall.confirm(people[3], "WITHDRAW")
    hall.confirm(people[0], "WITHDRAW")
    # The place that got free is offered to the one who waited; nobody comes in before him.
    assert "You are on the waiting list of cup60." in hall.say(people[3], "RETURN")
    hall.run()
    assert [hall.entrant(who).state for who in people[2:]] == ["offered", "waiting"]


def test_a_place_that_gets_free_is_offered_and_passes_on_by_itself(halls):
    hall = halls(with_values(CUP, places="2", waiting="3", rounds="1"))
    people = hall.fill(4)
    hall.confirm(people[0], "WITHDRAW")
    hall.run()
    assert hall.entrant(people[2]).state == "offered"
    assert "A place in Castillejos Cup is free for you." in hall.told(people[2])
    hall.forward(hours=49)
    assert [hall.entrant(who).state for who in people[2:]] == ["waiting", "offered"]
    assert "You are in Castillejos Cup" in hall.say(people[3], "ACCEPT")
    assert hall.entrant(people[3]).state == "in"


def test_an_offer_that_is_declined_goes_to_the_next(halls):
    hall = halls(with_values(CUP, places="2", waiting="3", rounds="1"))
    people = hall.fill(4)
    hall.confirm(people[0], "WITHDRAW")
    hall.run()
    hall.say(people[2], "RECHAZAR")
    hall.run()
    assert [hall.entrant(who).state for who in people[2:]] == ["waiting", "offered"]
    assert "Nothing is offered to you" in hall.say(people[2], "ACCEPT")


def test_whoever_enters_late_has_half_a_point_for_each_round_missed(hall):
    hall.fill(4, rounds=1)
    late = "late@players.example"
    row = hall.enter(late)
    assert (row.state, row.since, row.start) == ("in", 2, 1)
    hall.until("playing", 2)
    assert any(row.number in (board.first, board.second) for board in hall.boards(2))


def test_nobody_enters_after_the_last_round_that_takes_one_but_he_may_wait(hall):
    hall.fill(4, rounds=2)
    assert hall.enter("late@players.example").state == "waiting"


def test_fewer_than_two_make_no_tournament(hall):
    hall.fill(1)
    hall.forward(days=30)
    assert hall.event.state == "cancelled"
    assert "Fewer than two entered cup60" in hall.told("p1@players.example")


def test_two_entrants_meet_and_meet_again_where_nothing_else_is_possible(halls):
    hall = halls(with_values(CUP, places="2", rounds="1"))
    hall.fill(2, rounds=1)
    assert hall.event.state == "over"


def test_the_list_tells_of_tournaments(hall):
    hall.fill(2)
    assert "cup60: Castillejos Cup. Open: 2 of 16 places are taken; JOIN cup60." in asked(hall, ANA, "LIST")


def test_a_forged_address_of_an_entrant_speaks_for_nobody(hall):
    people = hall.fill(2)
    forged = hall.address(people[0]).replace("-e1-", "-e2-")
    hall.write("eve@players.example", "WITHDRAW", forged)
    assert "is not that of a seat here" in hall.told("eve@players.example")
    assert hall.entrant(people[1]).state == "in"


@pytest.mark.parametrize(
    ("wishes", "why"),
    [
        ("NAME Ana García PACE 24h", "A name is one word of at most 20 letters or figures."),
        ("NAME O'Neill", "A name is one word"),
        ("NAME Ana PACE soon TABLES 2", "The pace is hours for an answer; write them as 24h."),
        ("PACE 2d", "The pace is hours"),
        ("PACE 0h", "The pace is hours"),
        ("TABLES 0", "write a number from 1 to 99"),
        ("TABLES many LANG es", "write a number from 1 to 99"),
        ("LANG english", "Languages are written in two letters each, parted by commas, as en,es."),
    ],
)
def test_a_wish_that_cannot_be_is_told_by_its_name(hall, wishes, why):
    answer = asked(hall, ANA, f"JOIN cup60 {wishes}")
    assert why in answer
    assert "CODE" not in answer


def test_a_wish_in_spanish_is_refused_alike_and_a_good_one_is_kept_as_it_was(hall):
    answer = asked(hall, ANA, "UNIRSE A cup60 NOMBRE Ana RITMO pronto")
    assert "answer (es)\nThe pace is hours" in answer
    answer = asked(hall, ANA, "JOIN cup60 PACE 12 h LANG es, en NAME Ana TABLES 10")
    assert line_of(answer).startswith("UNIRSE A cup60 NOMBRE Ana ZONA UTC RITMO 12h MESAS 10 IDIOMA es,en CODIGO")
