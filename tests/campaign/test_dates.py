"""Days as people write them: read where one reading is possible, asked about where two are."""

from datetime import date

import pytest

from pbem.engine.data.messages import plain_english
from pbem.letters import content
from pbem.play import deadlines

CHRISTMAS = date(2026, 12, 24)


@pytest.mark.parametrize(
    "written",
    [
        "2026-12-24",
        "24/12/2026",
        "24.12.2026",
        "12/24/2026",
        "24 december 2026",
        "24 dec 2026",
        "24 de diciembre de 2026",
        "24 diciembre 2026",
    ],
)
def test_a_day_is_read_however_it_is_written(written):
    assert deadlines.DATES.fullmatch(written)
    assert deadlines.unique_days_away(written) == (CHRISTMAS, CHRISTMAS)


@pytest.mark.parametrize("written", ["31/2/2026", "2026-13-01", "24 brumario 2026", "24/12"])
def test_a_day_that_no_calendar_has_is_not_read(written):
    assert deadlines.read_days_away(written) == ()


def test_days_and_months_that_nothing_tells_apart_are_read_in_both_ways():
    assert deadlines.unique_days_away("5/6/2026") is None
    assert deadlines.read_days_away("5/6/2026") == ((date(2026, 6, 5),) * 2, (date(2026, 5, 6),) * 2)
    assert deadlines.unique_days_away("6/6/2026") == (date(2026, 6, 6), date(2026, 6, 6))


def test_the_other_day_tells_which_is_meant():
    assert deadlines.unique_days_away("5/6/2026 to 24/6/2026") == (date(2026, 6, 5), date(2026, 6, 24))
    assert deadlines.unique_days_away("6/5/2026 al 6/24/2026") == (date(2026, 6, 5), date(2026, 6, 24))
    # Month first, it would end before it begins.
    assert deadlines.unique_days_away("1/6/2026 to 2/5/2026") == (date(2026, 1, 6), date(2026, 2, 5))


def test_a_day_is_said_in_words():
    assert plain_english(content.date_in_words(CHRISTMAS)) == "24 December 2026"
