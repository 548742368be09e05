"""Clocks that a director stops, holidays, and outages: what has a deadline is put off, and nobody is charged."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import select

from pbem.runtime.transaction import UserError
from pbem.store import tables
from pbem.tournaments import clocks
from pbem.tournaments.running import advance_tournaments
from tests.harness.tournament import CUP, with_values
from tests.tournaments.test_director import offered, says
from tests.tournaments.test_event_rulings import rule

HOLIDAYS = '[[holidays]]\nfirst = "2030-02-08"\nlast = "2030-02-12"\n'


def deadlines(hall):
    """The deadline of each open phase, by game."""
    with hall.opened.session() as session:
        rows = session.exec(select(tables.Phase).where(tables.Phase.state == "open"))
        return {row.game_id: row.deadline for row in rows}


def missed(hall):
    with hall.opened.session() as session:
        return sum(session.exec(select(tables.Seat.strikes)).all())


def spent(hall):
    with hall.opened.session() as session:
        return max(session.exec(select(tables.Seat.spent)).all())


def test_no_deadline_runs_during_a_pause_and_nobody_is_charged(hall):
    people = hall.fill(4)
    hall.until("playing", 1)
    before, end = deadlines(hall), hall.rounds()[0].ends
    answer = rule(hall, "PAUSE UNTIL 2030-02-20 BECAUSE the server moves")
    assert "No deadline of cup60 runs until Thursday 21 February 2030, 00:00" in answer
    after = deadlines(hall)
    pause = datetime(2030, 2, 20, 23, tzinfo=UTC) - hall.clock.at
    for game, deadline in after.items():
        assert before[game] + pause <= deadline < before[game] + pause + timedelta(days=1)
    assert hall.rounds()[0].ends == end + pause
    assert "The deadline of turn 1 is now" in hall.told(people[0])
    hall.until_moment(min(after.values()) - timedelta(hours=2))
    assert missed(hall) == 0
    hall.until_moment(max(after.values()))
    assert missed(hall) > 0
    assert spent(hall) < timedelta(days=5).total_seconds()


def test_clocks_run_again_before_their_time(hall):
    hall.fill(4)
    hall.until("playing", 1)
    before, end = deadlines(hall), hall.rounds()[0].ends
    rule(hall, "PAUSAR TODAS HASTA 2030-03-20 PORQUE se muda el servidor")
    hall.forward(days=2)
    answer = rule(hall, "RESUME BECAUSE it has moved")
    assert "The deadlines of cup60 run again." in answer
    assert "Round 1 ends at" in answer
    assert hall.rounds()[0].ends == end + timedelta(days=2)
    for game, deadline in deadlines(hall).items():
        assert before[game] + timedelta(days=2) <= deadline < before[game] + timedelta(days=3)
    with pytest.raises(UserError, match="there is nothing to resume"):
        rule(hall, "RESUME BECAUSE once more")


def test_one_table_stands_still_and_the_others_go_on(hall):
    hall.fill(4)
    hall.until("playing", 1)
    before, end = deadlines(hall), hall.rounds()[0].ends
    still, other = (board.game_id for board in hall.boards(1))
    rule(hall, f"PAUSE {still} UNTIL 2030-02-20 20:00 BECAUSE somebody is in hospital")
    after = deadlines(hall)
    assert after[other] == before[other]
    assert after[still] > datetime(2030, 2, 20, 19, tzinfo=UTC)
    assert hall.rounds()[0].ends > end
    assert "No deadline of " + still in says(hall, "STATUS")
    rule(hall, f"RESUME {still} BECAUSE he is well again")
    assert deadlines(hall)[still] <= before[still] + timedelta(days=1)


def test_the_clocks_of_a_round_are_stopped(hall):
    hall.fill(4)
    hall.until("shut", 1)
    with pytest.raises(UserError, match="Round 1 is not played now"):
        rule(hall, "PAUSE R1 UNTIL 2030-02-20 BECAUSE a fair")
    hall.until("playing", 1)
    before = deadlines(hall)
    rule(hall, "PAUSE R1 UNTIL 2030-02-20 BECAUSE a fair")
    assert all(deadline > before[game] for game, deadline in deadlines(hall).items())
    with pytest.raises(UserError, match="No deadline runs until Thursday 21 February 2030"):
        rule(hall, "PAUSE R1 UNTIL 2030-02-19 BECAUSE a fair")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("PAUSE BECAUSE x", "It is written as PAUSE R3 UNTIL 2031-01-06 BECAUSE ..."),
        ("PAUSE UNTIL 2030-01-06 BECAUSE x", "is past"),
        ("PAUSE UNTIL 3030-01-06 BECAUSE x", "A pause is of"),
        ("PAUSE UNTIL 2030-02-30 BECAUSE x", "Name one day, as UNTIL 2031-01-06"),
        ("PAUSE cup60-r1-77 UNTIL 2030-02-20 BECAUSE x", "is no table of cup60"),
    ],
)
def test_a_pause_that_cannot_be_is_refused(hall, line, why):
    hall.fill(4)
    hall.until("playing", 1)
    with pytest.raises(UserError, match=why):
        rule(hall, line)


def test_a_silent_player_is_asked_no_shorter_for_a_pause(hall):
    """Somebody asked for a word before the pause has as many hours after it."""
    hall.fill(4)
    hall.until("playing", 1)
    hall.until_moment(max(deadlines(hall).values()))

    def questions():
        with hall.opened.session() as session:
            return {row.id: row.until for row in session.exec(select(tables.Silence))}

    asked = questions()
    assert asked
    rule(hall, "PAUSE ALL UNTIL 2030-02-28 BECAUSE the director is ill")
    pause = datetime(2030, 2, 28, 23, tzinfo=UTC) - hall.clock.at
    assert questions() == {number: until + pause for number, until in asked.items()}
    hall.until_moment(datetime(2030, 2, 27, tzinfo=UTC))
    assert {board.state for board in hall.boards(1)} == {"playing"}


def test_holidays_of_the_rules_stop_all_clocks_by_themselves(halls):
    hall = halls(CUP + HOLIDAYS)
    people = hall.fill(4)
    first, end = datetime(2030, 2, 7, 23, tzinfo=UTC), datetime(2030, 2, 12, 23, tzinfo=UTC)
    hall.until("playing", 1)
    assert hall.rounds()[0].ends - hall.rounds()[0].starts == timedelta(days=35)
    assert not any(first <= deadline < end for deadline in deadlines(hall).values())
    hall.until_moment(end - timedelta(hours=2))
    before = missed(hall)
    assert not any(first <= deadline < end for deadline in deadlines(hall).values())
    hall.until_moment(end + timedelta(days=2))
    assert missed(hall) > before
    assert len(people) == 4


def test_holidays_are_told_when_a_tournament_is_founded_and_to_who_asks(halls):
    hall = halls(CUP + HOLIDAYS)
    line = "Holidays from 8 February 2030 to 12 February 2030: no deadline runs, and a round is as much longer."
    assert line in hall.told("rosa@players.example")
    hall.write("p1@players.example", "RULES cup60")
    hall.enter("p1@players.example")
    assert hall.entrant("p1@players.example") is not None


def test_an_outage_moves_rounds_questions_and_disputes_and_nothing_is_decided_in_it(hall):
    hall.fill(4)
    hall.until("playing", 1)
    end = hall.rounds()[0].ends
    hall.clock.set(end - timedelta(hours=3))
    with hall.server.session() as session:
        session.merge(tables.Poll(account="box", folder="INBOX", begun=hall.clock.at))
    since = hall.clock.at
    hall.clock.set(end + timedelta(hours=1))
    assert advance_tournaments(hall.server) == 0, "letters that wait may have been in time"
    clocks.handle_gap(hall.server, since, hall.clock.at)
    assert hall.rounds()[0].ends == end + timedelta(hours=4)
    clocks.handle_gap(hall.server, since, hall.clock.at)
    assert hall.rounds()[0].ends == end + timedelta(hours=4), "a second call changes nothing"


def test_a_pause_is_previewed_and_numbered_like_any_ruling(hall):
    hall.fill(4)
    hall.until("playing", 1)
    before = deadlines(hall)
    line = "PAUSE UNTIL 2030-02-20 BECAUSE the server moves"
    asked = says(hall, line)
    assert "No deadline of cup60 runs until" in asked
    assert deadlines(hall) == before
    assert "Done." in says(hall, *offered(asked, line))
    assert deadlines(hall) != before
    assert len(hall.leaves("verdict")) == 1


def test_rules_with_a_stage_of_fixed_rounds_keep_their_days(halls):
    hall = halls(with_values(CUP, days="0"))
    hall.fill(4)
    hall.until("playing", 1)
    end = hall.rounds()[0].ends
    rule(hall, "PAUSE UNTIL 2030-02-20 BECAUSE a fair")
    pause = datetime(2030, 2, 20, 23, tzinfo=UTC) - hall.clock.at
    assert end + pause + timedelta(days=1) <= hall.rounds()[0].ends < end + pause + timedelta(days=2)


def test_a_pause_that_is_taken_back_ends_no_other(hall):
    hall.fill(4)
    hall.until("playing", 1)
    game = hall.boards(1)[0].game_id
    before = deadlines(hall)
    rule(hall, "PAUSE R1 UNTIL 2030-02-20 BECAUSE a fair")
    first = deadlines(hall)
    rule(hall, "PAUSE UNTIL 2030-02-25 BECAUSE a second fair")
    second = deadlines(hall)
    assert "cup60-r1" in game
    answer = rule(hall, "UNDO 1 BECAUSE the fair is off")
    assert "No deadline of round 1 runs until Tuesday 26 February 2030" in answer
    assert "another pause stands" in answer
    assert deadlines(hall) == second
    rule(hall, "UNDO 2 BECAUSE that too")
    assert max(deadlines(hall).values()) < min(first.values())
    assert all(before[name] <= moment for name, moment in deadlines(hall).items())


def test_the_newer_pause_taken_back_leaves_the_older_one(hall):
    hall.fill(4)
    hall.until("playing", 1)
    rule(hall, "PAUSE UNTIL 2030-02-20 BECAUSE a fair")
    first = deadlines(hall)
    rule(hall, "PAUSE R1 UNTIL 2030-02-25 BECAUSE a second fair")
    assert min(deadlines(hall).values()) > max(first.values())
    assert "runs until Thursday 21 February 2030" in rule(hall, "UNDO 2 BECAUSE it is off")
    assert deadlines(hall) == first
    rule(hall, "RESUME BECAUSE all are there")
    assert max(deadlines(hall).values()) < min(first.values())
