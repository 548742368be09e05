"""Tournaments for those who are invited, or of a range of ratings."""

from dataclasses import replace

import pytest

from pbem.runtime.transaction import UserError
from tests.harness.tournament import CUP, DIRECTOR, with_values
from tests.tournaments.test_director import says
from tests.tournaments.test_event_rulings import rule

ANA = "ana@players.example"


def test_who_is_invited_enters_and_nobody_else(halls):
    hall = halls(with_values(CUP, late_rounds='2\nby = "invitation"'))
    hall.write(ANA, "JOIN cup60")
    assert "cup60 is for those whom its director invites." in hall.told(ANA)
    told = rule(hall, f"INVITE {ANA}, bea@players.example BECAUSE they are members")
    assert "Invited to cup60: 2." in told
    assert ANA not in told
    letter = hall.told(ANA)
    assert "The director of Castillejos Cup (cup60) invites you to play." in letter
    assert hall.opened.director_address(hall.event) not in letter
    assert hall.enter(ANA).state == "in"
    assert ANA not in hall.told(DIRECTOR)
    with pytest.raises(UserError, match="e1 plays in cup60"):
        rule(hall, f"INVITAR {ANA} PORQUE si")
    rule(hall, "APPOINT eva@players.example AS Eva BECAUSE x")
    with pytest.raises(UserError, match=r"eva@players[.]example directs cup60 already"):
        rule(hall, "INVITE eva@players.example BECAUSE x")
    with pytest.raises(UserError, match="EXPEL puts somebody out"):
        rule(hall, "UNDO 1 BECAUSE x")


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
    told = hall.told(ANA)
    assert why in told
    assert ("CODE" in told) is (not why)
