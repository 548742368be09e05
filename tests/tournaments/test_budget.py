"""What the steps of a tournament ask of the database: nothing twice, and so many statements a table that begins."""

import re
from collections import Counter
from contextlib import suppress
from typing import Any

from pbem.store import queries, tables
from pbem.tournaments import closing, entry
from pbem.tournaments.record import tournament_by_name
from pbem.tournaments.running import advance_tournaments
from tests.harness.tournament import CUP, names, with_values
from tests.plans import listening

BEGUN = 36
"""Statements a table that begins: its first phase, the log, both reports."""
_ALL_ROWS = re.compile(r"SELECT .*\nFROM (entrant|round|dispute) \nWHERE \1\.tournament_id = ", re.DOTALL)
_WRITTEN = re.compile(r"(?:INSERT INTO|UPDATE|DELETE FROM) (entrant|round|dispute)\b")


def statements(hall, until):
    """How many statements the steps took until a round has come to a state."""
    asked = []

    def note(connection, cursor, statement, *rest):
        asked.append(statement)

    with listening(hall.server.engine, before_cursor_execute=note):
        for _ in range(100):
            if hall.rounds()[0].state == until:
                break
            hall.clock.at = max(min(hall.moments()), hall.clock.at)
            advance_tournaments(hall.server, limit=1)
    return len(asked)


def opened(hall, count):
    with hall.server.work() as work:
        for who in names(count):
            entry.enter_person(work, tournament_by_name(work.session, hall.name), entry.EntryRequest(who))
    hall.until("drawn", 1)
    hall.clock.at = hall.rounds()[0].starts
    return statements(hall, "playing")


def test_a_round_costs_the_same_a_table_however_many_there_are(halls):
    few, many = (opened(halls(with_values(CUP, places="64")), count) for count in (8, 32))
    assert (many - few) / 12 <= BEGUN


def test_a_step_asks_for_entrants_rounds_and_disputes_once_until_it_writes_one(hall):
    hall.fill(4)
    known: set[Any] = set()
    asked: Counter[str] = Counter()
    again: list[str] = []

    def note(connection, cursor, statement, values, *rest):
        if match := _ALL_ROWS.match(statement):
            asked[match[1]] += 1
            again.extend([statement] if (match[1], statement, values) in known else ())
            known.add((match[1], statement, values))
        elif match := _WRITTEN.match(statement):
            known.difference_update([name for name in known if name[0] == match[1]])

    def reach(point):
        asked["steps"] += point == "stepped"

    with listening(hall.server.engine, before_cursor_execute=note, begin=lambda connection: known.clear()):
        while hall.event.state != "over":
            hall.clock.at = max(min(hall.moments()), hall.clock.at)
            advance_tournaments(hall.server, reach)
            for board in hall.boards():
                if board.state == "playing" and hall.rounds()[-1].state == "playing":
                    hall.end(board.game_id, "concede spain")
    assert again == []
    assert all(asked[table] <= 2 * asked["steps"] for table in ("entrant", "round", "dispute"))


def test_rows_written_in_a_transaction_are_found_by_the_next_question_in_it(hall):
    hall.fill(2)
    asked = queries.tournaments
    with hall.server.work() as work:
        assert [row.number for row in asked.entrants(work.session, hall.name)] == [1, 2]
        who = tables.Person(name="")
        work.session.add(who)
        work.session.flush()
        more = tables.Entrant(tournament_id=hall.name, number=3, person_id=who.id or 0, entered=work.now)
        work.session.add(more)
        assert [row.number for row in asked.entrants(work.session, hall.name)] == [1, 2, 3]
        work.session.delete(more)
        assert [row.number for row in asked.entrants(work.session, hall.name)] == [1, 2]
        closing.plan_round(work, tournament_by_name(work.session, hall.name), (1, 1), work.now)
        (round_,) = asked.rounds(work.session, hall.name)
        with suppress(ZeroDivisionError), work.session.begin_nested():
            round_.state = "void"
            assert not asked.rounds(work.session, hall.name)
            raise ZeroDivisionError
        assert [row.number for row in asked.rounds(work.session, hall.name)] == [1]
