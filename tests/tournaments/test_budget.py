"""What a round that begins asks of the database: so many statements a table, however many tables there are."""

from pbem.campaign.contest import entry
from pbem.campaign.contest.record import tournament_named
from pbem.campaign.tournaments.running import step
from tests.harness.tournament import CUP, names, with_values
from tests.plans import listening

BEGUN = 36
"""Statements a table that begins: its first phase, the log, both reports."""


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
            step(hall.server, most=1)
    return len(asked)


def opened(hall, count):
    with hall.server.work() as work:
        for who in names(count):
            entry.enter(work, tournament_named(work.session, hall.name), entry.Wish(who))
    hall.until("drawn", 1)
    hall.clock.at = hall.rounds()[0].starts
    return statements(hall, "playing")


def test_a_round_costs_the_same_a_table_however_many_there_are(halls):
    few, many = (opened(halls(with_values(CUP, places="64")), count) for count in (8, 32))
    assert (many - few) / 12 <= BEGUN
