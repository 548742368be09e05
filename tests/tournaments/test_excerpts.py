"""Lists of many lines: shown from the top and around their reader, so that a letter is as long whoever else plays."""

import json

import pytest

from pbem.engine.data.messages import Msg, plain_english
from pbem.store import queries
from pbem.tournaments import entry, record
from pbem.tournaments.record import tournament_by_name
from pbem.tournaments.sheets import MOST_LINES, excerpt_around_own_line
from tests.harness.tournament import CUP, names, with_values


def shown(count, mine):
    return [
        plain_english(line) if isinstance(line, Msg) else line
        for line in excerpt_around_own_line(list(range(count)), mine)
    ]


@pytest.mark.parametrize("mine", [None, 0, MOST_LINES - 1])
def test_what_is_not_long_is_shown_as_it_is(mine):
    assert shown(MOST_LINES, mine) == list(range(MOST_LINES))


@pytest.mark.parametrize(
    ("mine", "begins"),
    [
        (None, [*range(30), "970 lines left out"]),
        (20, [*range(30), "970 lines left out"]),
        (28, [*range(34), "966 lines left out"]),
        (500, [*range(30), "465 lines left out", *range(495, 506), "494 lines left out"]),
        (999, [*range(30), "964 lines left out", *range(994, 1000)]),
    ],
)
def test_of_a_long_list_the_top_and_the_lines_around_the_readers_are_shown(mine, begins):
    assert shown(1000, mine) == begins


@pytest.fixture(scope="module")
def many():
    return names(90)


def test_letters_of_a_large_tournament_show_each_his_own_line_and_not_all(halls, many):
    hall = halls(with_values(CUP, places="90", rounds="1"))
    with hall.server.work() as work:
        for who in many:
            entry.enter_person(work, tournament_by_name(work.session, hall.name), entry.EntryRequest(who))
    hall.until("shut", 1)
    rows = [row for row in hall.sent() if "the list of round" in row.model]
    assert len(rows) == 90
    for number, row in enumerate(rows, start=1):
        (block,) = json.loads(row.model)["blocks"]
        lines = [plain_english(Msg.from_json(line)) for _, line in block["lines"]]
        assert f"e{number}: 0 points" in lines
        assert len(lines) <= 43
        left = sum(int(line.split()[0]) for line in lines if line.endswith("lines left out"))
        assert left + sum(line.endswith("0 points") for line in lines) == 90


def test_who_is_not_in_a_long_list_is_named_to_all_the_same(halls, many):
    hall = halls(with_values(CUP, places="90", rounds="1"))
    with hall.server.work() as work:
        event = tournament_by_name(work.session, hall.name)
        for who in many:
            entry.enter_person(work, event, entry.EntryRequest(who))
        row = queries.tournaments.entrant(work.session, hall.name, 88)
        assert row is not None
        row.resting = record.numbers_to_column({1})
        work.session.add(row)
    hall.until("shut", 1)
    for who in (many[0], many[60], many[87]):
        assert "Not in it: e88." in hall.told(who)
