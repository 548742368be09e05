"""A director seeds entrants by hand, before the first list."""

import pytest

from pbem.runtime.transaction import UserError
from pbem.verifier.verification import status_by_check
from tests.harness.tournament import CUP, with_values
from tests.tournaments.test_director import offered, says
from tests.tournaments.test_event_letters import render, verdict
from tests.tournaments.test_event_rulings import rule


def strengths(hall, people):
    return [hall.entrant(who).strength for who in people]


def test_seeds_are_given_by_letter_listed_and_taken_back(hall):
    people = hall.fill(4)
    line = "SEED 3 1850, e1 1700 BECAUSE of the list of the club"
    asked = says(hall, line)
    assert "Strengths for seeds and pairings: e3 1850, e1 1700." in asked
    assert strengths(hall, people) == [1500] * 4
    assert "Done." in says(hall, *offered(asked, line))
    assert strengths(hall, people) == [1700, 1500, 1850, 1500]
    rule(hall, "SEMBRAR 2 1600 PORQUE jugaba en otro club")
    rule(hall, "SEED 2 1650 BECAUSE it was more")
    with pytest.raises(UserError, match="A later SEED names one of them: UNDO that before"):
        rule(hall, "UNDO 2 BECAUSE x")
    rule(hall, "UNDO 3 BECAUSE it was not")
    assert strengths(hall, people) == [1700, 1600, 1850, 1500]
    hall.until("shut", 1)
    assert [words.split()[1] for words in hall.rounds()[0].slate.splitlines() if words.startswith("entrant ")] == [
        "e3",
        "e1",
        "e2",
        "e4",
    ]
    with pytest.raises(UserError, match="The list of round 1 is shut: seeds stay as they are"):
        rule(hall, "SEED 2 1900 BECAUSE x")
    with pytest.raises(UserError, match="The list of round 1 is shut"):
        rule(hall, "UNDO 1 BECAUSE x")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("SEED 9 1800", "There is no entrant e9"),
        ("SEED 1 1800, e1 1700", "e1 is named twice"),
        ("SEED 1 18000", "SEED"),
        ("SEED 1 -5", "SEED"),
        ("SEED 1", "SEED"),
    ],
)
def test_what_seeds_nobody_is_told_with_the_reason(hall, line, why):
    hall.fill(2)
    with pytest.raises(UserError, match=why):
        rule(hall, f"{line} BECAUSE x")


def test_where_seeds_are_by_lot_strengths_stay(halls):
    hall = halls(with_values(CUP, rounds="2", late_rounds='2\nseeds = "lot"'))
    hall.fill(2)
    with pytest.raises(UserError, match=r'The rules seed by entry[.]seeds = "lot"'):
        rule(hall, "SEED 1 1800 BECAUSE x")


@pytest.mark.full
def test_a_cup_of_seeds_and_bars_taken_back_verifies(hall):
    people = hall.fill(6)
    rule(hall, "SEED 3 1850, 1 1700 BECAUSE of a list")
    rule(hall, "SEED 4 1900 BECAUSE of a list")
    rule(hall, "BAR e1 e2 BECAUSE they are brothers")
    rule(hall, "UNDO 2 BECAUSE of another e4")
    rule(hall, "BAR 3 5 BECAUSE they are brothers")
    rule(hall, "UNDO 5 BECAUSE they are not")
    for number in (1, 2):
        hall.until("playing", number)
        render(hall)
        hall.play(number)
        render(hall)
    hall.run()
    render(hall)
    checked, redrawn = verdict(hall, people[0])
    assert "FALSE" not in status_by_check(checked).values()
    assert all(finding.truth is not False for finding in redrawn)
