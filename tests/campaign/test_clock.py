"""Deadlines on the wall, stored in UTC."""

import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbem.mail import CODE_PATTERN
from pbem.runtime.clock import Pace, next_deadline
from pbem.runtime.tokens import confirmation_code, form_mark, is_same_secret, seat_token
from tests.house.sources import PBEM

MADRID = "Europe/Madrid"
DAILY = range(7)


def utc(*parts: int) -> datetime:
    year, month, day, hour = parts
    return datetime(year, month, day, hour, tzinfo=UTC)


@pytest.mark.parametrize(
    ("after", "zone", "weekdays", "hour", "deadline"),
    [
        (utc(2026, 5, 4, 12), "UTC", DAILY, 20, utc(2026, 5, 4, 20)),
        (utc(2026, 5, 4, 20), "UTC", DAILY, 20, utc(2026, 5, 5, 20)),
        (utc(2026, 5, 4, 12), MADRID, DAILY, 20, utc(2026, 5, 4, 18)),
        (utc(2026, 5, 4, 12), "UTC", [6], 20, utc(2026, 5, 10, 20)),
        (utc(2026, 5, 4, 23), "Pacific/Auckland", [1], 9, utc(2026, 5, 11, 21)),
        # The clocks go forward at 02:00 on 29 March: there is no 02:30, and an hour is named all the same.
        (utc(2026, 3, 28, 12), MADRID, DAILY, 2, utc(2026, 3, 29, 1)),
        (utc(2026, 3, 28, 12), MADRID, DAILY, 20, utc(2026, 3, 28, 19)),
        (utc(2026, 3, 28, 20), MADRID, DAILY, 20, utc(2026, 3, 29, 18)),
        # They go back at 03:00 on 25 October: 02:00 comes twice, the deadline once.
        (utc(2026, 10, 24, 12), MADRID, DAILY, 2, utc(2026, 10, 25, 0)),
        (utc(2026, 10, 25, 0), MADRID, DAILY, 2, utc(2026, 10, 26, 1)),
    ],
)
def test_next_deadline(after, zone, weekdays, hour, deadline):
    assert next_deadline(after, zone, weekdays, hour) == deadline


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2030, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.sampled_from([MADRID, "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]),
    st.sets(st.integers(0, 6), min_size=1),
    st.integers(0, 23),
)
def test_a_deadline_lies_ahead_on_a_wanted_day_and_comes_once(after, zone, weekdays, hour):
    deadline = next_deadline(after, zone, weekdays, hour)
    assert after < deadline < after + timedelta(days=8)
    local = deadline.astimezone(ZoneInfo(zone))
    assert local.weekday() in weekdays
    assert local.hour in (hour, (hour + 1) % 24)
    assert next_deadline(deadline, zone, weekdays, hour).astimezone(ZoneInfo(zone)).date() > local.date()


def test_minutes_past_the_hour():
    pace = Pace(zone=MADRID, hour=2, grace_hours=0).past(37)
    assert pace.deadline(utc(2026, 5, 4, 12)) == utc(2026, 5, 5, 0) + timedelta(minutes=37)
    # The clocks go forward at 02:00: it falls an hour later on the wall.
    assert pace.deadline(utc(2026, 3, 28, 12)) == utc(2026, 3, 29, 1) + timedelta(minutes=37)
    assert pace.deadline(utc(2026, 10, 24, 12)) == utc(2026, 10, 25, 0) + timedelta(minutes=37)
    assert Pace(hour=20).deadline(utc(2026, 5, 4, 12), 0) == utc(2026, 5, 4, 20)
    for wrong in (-1, 60):
        with pytest.raises(ValueError, match="0 to 59"):
            pace.past(wrong)


def test_a_phase_lasts_at_least_its_grace():
    assert Pace(hour=20, grace_hours=24).deadline(utc(2026, 5, 4, 19)) == utc(2026, 5, 5, 20)
    assert Pace(hour=20, grace_hours=0).deadline(utc(2026, 5, 4, 19)) == utc(2026, 5, 4, 20)


@pytest.mark.parametrize(
    "wrong",
    [
        {"zone": "Moon/Sea"},
        {"zone": "../etc"},
        {"weekdays": []},
        {"weekdays": [7]},
        {"hour": 24},
        {"grace_hours": -1},
        {"undo_minutes": -1},
    ],
)
def test_no_such_pace(wrong):
    with pytest.raises(ValueError, match=r"zone|weekdays|hour|negative"):
        Pace(**wrong)


def test_tokens():
    key = b"k" * 32
    first = seat_token(key, "g1", "north", 1)
    assert len(first) == 16
    assert set(first) <= set("abcdefghijklmnopqrstuvwxyz234567")
    others = {seat_token(key, "g1", "north", 2), seat_token(key, "g1", "south", 1), seat_token(key, "g2", "north", 1)}
    assert len(others | {first, seat_token(b"K" * 32, "g1", "north", 1)}) == 5
    assert first == seat_token(key, "g1", "north", 1)
    assert len(form_mark(key, "g1", "T1.north~1", "north")) == 4
    assert is_same_secret(first, str(first))
    assert not is_same_secret(first, first[:-1])


def test_the_form_of_a_code_is_that_of_codes_and_is_written_once():
    """The player of the demonstration has it too, for it imports nothing of ours."""
    assert re.fullmatch(CODE_PATTERN, confirmation_code(b"k" * 32, 1, "RESIGN"))
    files = [path for path in PBEM.rglob("*.py") if CODE_PATTERN in path.read_text("utf-8")]
    assert {path.relative_to(PBEM).as_posix() for path in files} == {"mail/__init__.py", "cli/demo/player.py"}
