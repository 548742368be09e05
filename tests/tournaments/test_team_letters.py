"""What captains, members and those who ask them are told, so that they can decide by it."""

from tests.tournaments.hall import with_values
from tests.tournaments.squads import TEAMS, form, member


def asked(hall, line, who="late@players.example"):
    """What somebody who is in no team is answered at once."""
    hall.sent()
    hall.write(who, line)
    return hall.told(who)


def test_a_name_that_is_nearly_one_founds_no_team_unawares(halls):
    hall = halls(TEAMS)
    form(hall, "Tercios", "Bears")
    told = asked(hall, 'JOIN cup60 TEAM "Los Tercios"')
    assert "No team is called Los Tercios yet" in told
    assert "There is Tercios (e2) already: if you mean that one, do not send the line below, but" in told
    assert 'JOIN cup60 TEAM "Tercios"' in told
    assert "already" not in asked(hall, "JOIN cup60 TEAM Moles")


def test_a_team_too_many_is_refused_before_its_founder_sends_a_code(halls):
    hall = halls(with_values(TEAMS, places="2", rounds="1"))
    form(hall, Lions=3, Bears=2)
    told = asked(hall, "JOIN cup60 TEAM Foxes")
    assert "cup60 takes no more teams." in told
    assert "Teams with room: Bears (" in told
    assert "Lions" not in told
    assert "CODE" not in told
    assert "Teams with room: Bears (" in asked(hall, "JOIN cup60 TEAM Lions")
    last = hall.enter("b3@players.example", "TEAM Bears")
    hall.say(member("Bears", 1), f"ADMIT {last.number}")
    assert "No other team has room." in asked(hall, "JOIN cup60 TEAM Lions")
