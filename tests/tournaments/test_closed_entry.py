"""Tournaments for those who are invited, or of a range of ratings."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pbem.runtime.transaction import UserError
from pbem.store import queries
from pbem.tournaments import entry
from pbem.tournaments.record import tournament_by_name
from tests.harness.tournament import CUP, DIRECTOR, names, with_values
from tests.tournaments.test_between_stages import wrongs
from tests.tournaments.test_director import says
from tests.tournaments.test_event_letters import play_on
from tests.tournaments.test_event_rulings import rule

ANA = "ana@players.example"


def test_who_is_invited_enters_and_nobody_else(halls):
    hall = halls(with_values(CUP, late_rounds='2\nby = "invitation"'))
    hall.write(ANA, "JOIN cup60")
    assert "cup60 is for those whom its director invites: ask him to INVITE the address" in " ".join(
        hall.told(ANA).split()
    )
    answer = rule(hall, f"INVITE {ANA}, bea@players.example BECAUSE they are members")
    assert "Invited to cup60: 2." in answer
    assert ANA not in answer
    letter = hall.told(ANA)
    assert "The director of Castillejos Cup (cup60) invites you to play." in letter
    assert "What is played: drill." in letter
    assert "The list of entrants shuts: Saturday 2 February 2030, 00:00" in letter
    assert hall.opened.director_address(hall.event) not in letter
    assert f"Invited, and not entered: {ANA}, bea@players.example." in says(hall, "STATUS")
    assert hall.enter(ANA).state == "in"
    assert "Invited, and not entered: bea@players.example." in says(hall, "STATUS")
    assert ANA not in hall.told(DIRECTOR)
    docket = " ".join(says(hall, "DOCKET").split())
    assert f"{ANA}: entered, as e1." in docket
    assert "bea@players.example: invited at Monday 28 January 2030" in docket
    assert "bea@players.example: entered" not in docket
    with pytest.raises(UserError, match="e1 plays in cup60"):
        rule(hall, f"INVITAR {ANA} PORQUE si")
    rule(hall, "APPOINT eva@players.example AS Eva BECAUSE x")
    with pytest.raises(UserError, match=r"eva@players[.]example directs cup60 already"):
        rule(hall, "INVITE eva@players.example BECAUSE x")
    with pytest.raises(UserError, match="EXPEL puts somebody out"):
        rule(hall, "UNDO 1 BECAUSE x")
    with pytest.raises(UserError, match=r"dan@players[.][.]example is no address that mail can be sent to[.]"):
        rule(hall, "INVITE dan@players..example BECAUSE x")
    assert "Invited to cup60: 2." in rule(hall, "INVITE dan@players.example; fay@players.example BECAUSE x")


def test_who_is_invited_again_or_beyond_the_most_of_a_day_is_refused_with_the_way_out(halls):
    hall = halls(with_values(CUP, late_rounds='2\nby = "invitation"'))
    limits = hall.server.settings.limits._replace(invited=3)
    hall.server = replace(hall.server, settings=replace(hall.server.settings, limits=limits))
    rule(hall, f"INVITE {ANA} BECAUSE x")
    with pytest.raises(UserError, match=r"ana@players[.]example is invited already: once more from "):
        rule(hall, f"INVITE bea@players.example, {ANA} BECAUSE x")
    asked = says(hall, "INVITE b@x.example, c@x.example BECAUSE x", "INVITE d@x.example BECAUSE x")
    assert "At most 3 are invited in a day; 0 more may be now. Leave some for tomorrow." in asked
    assert "To make it so" not in asked
    hall.forward(days=1)
    assert "Invited to cup60: 3." in rule(hall, f"INVITE {ANA} b@x.example c@x.example BECAUSE x")


APPROVAL = with_values(CUP, late_rounds='2\nby = "approval"')


def test_who_asks_to_play_waits_for_the_director_who_admits_or_rejects_him(halls):
    hall = halls(APPROVAL)
    asked = [hall.enter(who, spanish=who == "p3@players.example") for who in names(3)]
    assert [row.state for row in asked] == ["waiting"] * 3
    letter = hall.told(names(1)[0])
    assert "The director of cup60 is asked." in letter
    assert "You ask to play in Castillejos Cup (cup60), as e1." in letter
    assert "You ask to play in Castillejos Cup (cup60), as e3." in hall.told("p3@players.example")
    hall.forward(days=1)
    desk = " ".join(hall.told(DIRECTOR).split())
    assert "Who does so asks to play: ADMIT lets him in, REJECT does not." in desk
    assert "3 decisions" in desk
    assert "ADMIT lets in those who write JOIN cup60." in says(hall, f"INVITE {ANA} BECAUSE a friend")
    assert "e2 asks to play: ADMIT 2 lets him in, REJECT 2 does not." in desk
    assert "REJECT 2" in says(hall, "REJECT 2 BECAUSE a stranger")
    rule(hall, "ADMIT 1 BECAUSE a member")
    rule(hall, "DENEGAR 3 PORQUE no es socio")
    assert [hall.entrant(who).state for who in names(3)] == ["in", "waiting", "expelled"]
    assert "You are in Castillejos Cup (cup60), as e1." in hall.told(names(1)[0])
    assert "The director of cup60 does not let you in." in hall.told("p3@players.example")
    assert "The director of cup60 does not let you in." in hall.say("p3@players.example", "VOLVER")
    rule(hall, "UNDO 2 BECAUSE he is")
    assert hall.entrant("p3@players.example").state == "waiting"
    hall.confirm("p2@players.example", "WITHDRAW")
    assert "The director is asked again." in hall.say("p2@players.example", "RETURN")
    assert hall.entrant("p2@players.example").state == "waiting"
    with pytest.raises(UserError, match="EXPEL 1 puts out who plays"):
        rule(hall, "REJECT 1 BECAUSE x")


def test_who_asks_when_the_daily_letter_is_too_late_is_told_of_at_once(halls):
    hall = halls(APPROVAL)
    hall.enter("bea@players.example")
    hall.until_moment(datetime(2030, 2, 1, 10, tzinfo=UTC))
    assert "e1 asks to play: ADMIT 1" in " ".join(hall.told(DIRECTOR).split())
    hall.enter(ANA)
    assert "e2 asks to play: ADMIT 2" in " ".join(hall.told(DIRECTOR).split())


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (with_values(APPROVAL, waiting="0"), "who asks to enter waits for the director"),
        (with_values(APPROVAL, waiting="0") + "[teams]\nboards = 2\n", "captains let players into their teams"),
    ],
)
def test_rules_that_do_not_go_with_approval_are_refused(halls, rules, why):
    with pytest.raises(ValueError, match=why):
        halls(rules)


def admit_four(hall, past):
    """Four ask to play; the director admits all but the last, who may get `past` him. A round is played."""
    people = names(4)
    for who in people:
        hall.enter(who)
    for number in range(1, 5 - past):
        rule(hall, f"ADMIT {number} BECAUSE a member")
    if past:
        with hall.server.work() as work:
            event = tournament_by_name(work.session, hall.name)
            row = queries.tournaments.entrant(work.session, hall.name, 4)
            assert row is not None
            entry.admit_entrant(work, event, row, entry.next_open_round(work, event))
    play_on(hall, 1)


@pytest.mark.parametrize(("past", "wrong"), [(0, []), (1, [True])], ids=["", "past him"])
def test_whoever_verifies_asks_for_the_ruling_by_which_somebody_entered(halls, past, wrong):
    hall = halls(APPROVAL)
    admit_four(hall, past)
    assert ["e4 entered, and no verdict says so before" in line for line in wrongs(hall, names(1)[0])] == wrong


def test_where_all_may_enter_nobody_is_invited(hall):
    with pytest.raises(UserError, match="JOIN cup60 is open to all"):
        rule(hall, f"INVITE {ANA} BECAUSE x")


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        ("least = 1600", "cup60 asks for a rating of 1600 or more; yours is 1500."),
        ("most = 1400", "cup60 asks for a rating of 1400 or less; yours is 1500."),
        ("least = 1500\nmost = 1500", ""),
    ],
)
def test_who_has_another_rating_does_not_enter(halls, keys, why):
    hall = halls(with_values(CUP, late_rounds=f"2\n{keys}"))
    hall.write(ANA, "JOIN cup60")
    letter = hall.told(ANA)
    assert why in letter
    assert ("CODE" in letter) is (not why)
