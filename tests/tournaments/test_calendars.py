"""A tournament's dates and a player's deadlines for calendar programs (RFC 5545)."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from pbem.letters.icalendar import Entry, write_calendar
from pbem.runtime.transaction import UserError
from pbem.tournaments.calendars import calendar_of
from tests.harness.tournament import CUP, names, with_values

AT = datetime(2030, 2, 1, 20, tzinfo=UTC)


def calendar(hall, number=0):
    with hall.opened.reading(hall.clock.at) as tx:
        return calendar_of(tx, hall.name, number)


def entries(text):
    """Titles with their moments."""
    unfolded = text.replace("\r\n ", "")
    moments = re.findall(r"^DTSTART:(\S+)\r$", unfolded, re.MULTILINE)
    return dict(zip(re.findall(r"^SUMMARY:(.*)\r$", unfolded, re.MULTILINE), moments, strict=True))


def test_lines_are_folded_at_75_octets_and_signs_escaped():
    text = write_calendar("cup60", [Entry("a", AT, "Ñandú, la ronda; y \\ más " * 5)], AT)
    lines = text.split("\r\n")
    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-2:] == ["END:VCALENDAR", ""]
    assert max(len(line.encode()) for line in lines) <= 75
    # In the title, and again in the alarm.
    assert text.replace("\r\n ", "").count("Ñandú\\, la ronda\\; y \\\\ más") == 10
    assert "DTSTART:20300201T200000Z" in lines


def test_the_dates_of_a_tournament_are_those_of_its_newest_round(hall):
    assert list(entries(calendar(hall))) == ["cup60: the list of entrants shuts"]
    for who in names(4):
        hall.enter(who)
    hall.until("drawn", 1)
    (round_,) = hall.rounds()
    assert entries(calendar(hall)) == {
        "cup60: the games of round 1 begin": f"{round_.starts:%Y%m%dT%H%M%SZ}",
        "cup60: round 1 ends at the latest": f"{round_.ends:%Y%m%dT%H%M%SZ}",
    }


def test_an_entrants_has_the_deadlines_of_his_orders_alone(hall):
    for who in names(4):
        hall.enter(who)
    hall.until("playing", 1)
    board = hall.boards(1)[0]
    title = f"{board.game_id}: orders are wanted"
    assert title in entries(calendar(hall, board.first))
    assert title not in entries(calendar(hall, board.second))
    hall.forward(days=40)
    assert "orders are wanted" not in calendar(hall, board.first)


def test_a_round_that_closes_early_has_no_end_to_come(halls):
    hall = halls(with_values(CUP, rounds="1"))
    hall.fill(4)
    hall.until("playing", 1)
    hall.play(1)
    hall.run()
    assert hall.event.state == "over"
    assert hall.rounds()[0].ends > hall.clock.at
    assert entries(calendar(hall)) == {}


def test_who_does_not_play_has_no_calendar(hall):
    with pytest.raises(UserError, match="no entrant e9"):
        calendar(hall, 9)


def test_an_entry_keeps_its_name_when_it_is_written_again(hall):
    for who in names(4):
        hall.enter(who)
    hall.until("drawn", 1)
    before = calendar(hall)
    hall.clock.at += timedelta(hours=1)
    assert re.findall("UID:.*", before) == re.findall("UID:.*", calendar(hall))
