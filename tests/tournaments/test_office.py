"""A director speaks to all, warns, and hands over."""

import pytest

from pbem.engine.data.messages import plain
from pbem.letters.catalogue import load
from pbem.runtime.transaction import UserError
from pbem.tournaments import rulings
from tests.harness.tournament import DIRECTOR
from tests.tournaments.test_director import says
from tests.tournaments.test_event_rulings import rule


def test_an_announcement_reaches_all_in_their_language(hall):
    people = hall.fill(3)
    line = "ANNOUNCE The server moves on Monday. ES: El servidor se muda el lunes."
    told = rulings.read(line).told()
    assert plain(told) == "ANNOUNCE The server moves on Monday."
    assert load("es").say(told) == "ANUNCIAR El servidor se muda el lunes."
    rule(hall, line)
    letter = hall.told(people[0])
    assert "ANNOUNCE The server moves on Monday." in letter
    assert "Reason" not in letter
    rule(hall, "ANUNCIAR Gracias a todos")
    assert "Gracias a todos" in hall.told(people[0])


def test_a_warning_is_told_stands_in_the_docket_and_is_taken_back(hall):
    people = hall.fill(4)
    told = rule(hall, "WARN 2 BECAUSE of rude letters")
    assert "e2 is warned." in told
    assert "WARN 2" in hall.told(people[1])
    assert "1. WARN 2 BECAUSE of rude letters" in says(hall, "DOCKET")
    assert "The warning of e2 does not count." in rule(hall, "UNDO 1 BECAUSE it was another")


def test_somebody_else_directs(hall):
    people = hall.fill(4)
    old = hall.opened.director_address(hall.event)
    hall.sent()
    rule(hall, "HANDOVER Ana@Example.org BECAUSE I am away till May")
    assert "You do not direct cup60 any more: somebody else does." in hall.told(DIRECTOR)
    told = hall.told("ana@example.org")
    assert "You direct Castillejos Cup (cup60)." in told
    new = hall.opened.director_address(hall.event)
    assert new != old
    assert new in told
    everybody = hall.told(people[0])
    assert "HANDOVER ..." in everybody
    assert "ana@example.org" not in everybody.lower()
    hall.write("ana@example.org", "STATUS", new)
    assert "Castillejos Cup (cup60): 4 play" in hall.told("ana@example.org")
    with pytest.raises(UserError, match="HANDOVER gives it to somebody else"):
        rule(hall, "UNDO 1 BECAUSE I am back")
    with pytest.raises(UserError, match="directs cup60 already"):
        rule(hall, "HANDOVER ana@example.org BECAUSE x")
