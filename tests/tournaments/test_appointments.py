"""Several direct: co-directors, each with an address and a name, and a deputy after silence."""

import pytest

from pbem.log import log_check
from pbem.runtime.transaction import UserError
from pbem.store import tables
from pbem.store.queries.tournaments import appointments, docket
from tests.harness.tournament import CUP, DIRECTOR
from tests.tournaments.test_director import says
from tests.tournaments.test_event_rulings import rule

ANA = "ana@example.org"


def address_of(hall, number=0):
    """The present address of a co-director."""
    event = hall.event
    with hall.opened.session() as session:
        return hall.opened.director_address(event, appointments(session, hall.name)[number])


def lines(hall):
    with hall.opened.session() as session:
        return [(row.line, row.reason) for row in docket(session, hall.name)]


def code_in(letter_text):
    """The code that a letter offers."""
    return letter_text.partition("CODE ")[2].split()[0]


def test_a_co_director_rules_from_an_address_of_her_own_and_each_ruling_says_who(hall):
    people = hall.fill(4)
    answer = rule(hall, "APPOINT Ana@example.org AS Ana BECAUSE there is much to do")
    assert "Ana directs cup60 too." in answer
    everybody = hall.told(people[0])
    assert "APPOINT ... AS Ana" in everybody
    assert ANA not in everybody.lower()
    letter = hall.told(ANA)
    assert "You direct Castillejos Cup (cup60)." in letter
    assert address_of(hall) in letter
    assert address_of(hall) != hall.opened.director_address(hall.event)
    hall.sent()
    hall.write(ANA, "WARN 2 BECAUSE of rude letters", address_of(hall))
    asked = hall.told(ANA)
    assert "e2 is warned." in asked
    assert hall.told(DIRECTOR) == ""
    hall.sent()
    hall.write(ANA, f"CODE {code_in(asked)}", address_of(hall))
    assert "Done." in hall.told(ANA)
    assert "Reason: of rude letters (Ana)" in hall.told(people[1])
    rule(hall, "WARN 3 BECAUSE of more (Ana)")
    assert lines(hall)[1:] == [("WARN 2", "of rude letters (Ana)"), ("WARN 3", "of more (Ana) (director)")]
    assert "The warning of e2 does not count." in rule(hall, "UNDO 2 BECAUSE it was another")
    assert log_check.check(hall.server).wrong == ()


def test_desk_letters_go_to_all_who_direct(hall):
    hall.fill(4)
    rule(hall, f"NOMBRAR {ANA} COMO Ana PORQUE hay mucho que hacer")
    hall.sent()
    hall.until("playing", 1)
    hall.forward(days=8)
    for who in (DIRECTOR, ANA):
        assert "nothing to decide" in hall.told(who) or "decision" in hall.told(who)


def test_only_the_director_appoints_dismisses_and_hands_over(hall):
    hall.fill(4)
    rule(hall, f"APPOINT {ANA} AS Ana BECAUSE x")
    hall.sent()
    for line in (
        "APPOINT b@example.org AS Bea",
        "DEPUTY b@example.org AS Bea",
        "DISMISS Ana",
        "HANDOVER b@example.org",
    ):
        hall.write(ANA, f"{line} BECAUSE x", address_of(hall))
        assert "Only the director rules so, and no co-director." in hall.told(ANA)
        hall.sent()
    assert len(lines(hall)) == 1


def test_who_is_dismissed_rules_no_more_and_may_come_back_at_another_address(hall):
    hall.fill(4)
    rule(hall, f"APPOINT {ANA} AS Ana BECAUSE x")
    old = address_of(hall)
    hall.sent()
    hall.write(ANA, "WARN 2 BECAUSE x", old)
    code = code_in(hall.told(ANA))
    assert "Ana does not direct cup60 any more." in rule(hall, "DISMISS ana BECAUSE she is away")
    assert "You do not direct cup60 any more: somebody else does." in hall.told(ANA)
    hall.write(ANA, f"CODE {code}", old)
    assert len(lines(hall)) == 2
    with pytest.raises(UserError, match="Ana is no co-director or deputy; there are: -"):
        rule(hall, "DISMISS Ana BECAUSE x")
    rule(hall, f"APPOINT {ANA} AS Ana BECAUSE she is back")
    assert address_of(hall) != old
    with pytest.raises(UserError, match="DISMISS ends it"):
        rule(hall, "UNDO 3 BECAUSE x")
    hall.sent()
    hall.write(ANA, "ROTATE", address_of(hall))
    assert address_of(hall) in hall.told(ANA)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("APPOINT p2@players.example AS Eva", "e2 plays in cup60, and cannot direct it"),
        (f"APPOINT {DIRECTOR} AS Rosa", "directs cup60 already"),
        (f"APPOINT {ANA} AS Ana", "directs cup60 already"),
        ("APPOINT b@example.org AS ana", "Another is called ana"),
        ("APPOINT b@example.org AS Director", "Another is called Director"),
        ("APPOINT nobody AS Ana", "APPOINT"),
        ("APPOINT b@example.org AS <b>", "APPOINT"),
    ],
)
def test_who_cannot_be_appointed_is_told_with_the_reason(hall, line, why):
    hall.fill(4)
    rule(hall, f"APPOINT {ANA} AS Ana BECAUSE x")
    with pytest.raises(UserError, match=why):
        rule(hall, f"{line} BECAUSE x")


def test_who_directs_too_cannot_enter(hall):
    hall.fill(2)
    rule(hall, f"DEPUTY {ANA} AS Ana BECAUSE x")
    hall.sent()
    hall.write(ANA, "JOIN cup60")
    assert "Whoever directs cup60 cannot enter it." in hall.told(ANA)


def test_a_deputy_directs_too_once_the_director_is_silent(halls):
    hall = halls(CUP + "\n[office]\ndeputy_days = 3\n")
    hall.fill(8)
    answer = rule(hall, f"DEPUTY {ANA} AS Ana BECAUSE I travel")
    assert "Ana directs cup60 too once its director is silent for 3 days." in answer
    assert "once its director writes nothing for 3 days, you direct it too" in hall.told(ANA)
    with pytest.raises(UserError, match="Ana is deputy: DISMISS Ana comes before"):
        rule(hall, "SUPLENTE b@example.org COMO Bea PORQUE x")
    hall.forward(days=2)
    says(hall, "STATUS")
    hall.forward(days=2)
    assert not any("IN OFFICE" in line for line, _ in lines(hall))
    hall.sent()
    hall.forward(days=2)
    assert lines(hall)[-1] == ("DEPUTY Ana IN OFFICE", "the director wrote nothing for 3 days")
    answer = hall.told(DIRECTOR)
    assert "Ana directs cup60 too from now on" in answer
    assert "DISMISS Ana, with a reason, ends that." in answer
    assert address_of(hall) in hall.told(ANA)
    hall.sent()
    hall.write(ANA, "STATUS", address_of(hall))
    assert "Castillejos Cup (cup60): 8 play" in hall.told(ANA)
    rule(hall, "DISMISS Ana BECAUSE I am back")
    with hall.opened.session() as session:
        assert [row.role for row in appointments(session, hall.name)] == ["past"]


def test_a_new_director_is_not_silent_from_before(halls):
    hall = halls(CUP + "\n[office]\ndeputy_days = 3\n")
    hall.fill(4)
    rule(hall, f"DEPUTY {ANA} AS Ana BECAUSE I travel")
    hall.forward(days=2)
    rule(hall, "HANDOVER b@example.org BECAUSE I stay away")
    hall.forward(days=2)
    assert not any("IN OFFICE" in line for line, _ in lines(hall))
    rule(hall, f"HANDOVER {ANA} BECAUSE b stays away too")
    hall.forward(days=2)
    with hall.opened.session() as session:
        (row,) = appointments(session, hall.name)
        assert row.role == "past"
        assert isinstance(row, tables.Appointment)
    assert not any("IN OFFICE" in line for line, _ in lines(hall))
    assert hall.event.state == "playing"
