# Small because it reads games as no other list of a tournament does.
"""Report the time that entrants took at their tables, for the director."""

from __future__ import annotations

from typing import Annotated, NamedTuple

from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import queries
from pbem.tournaments import founding, record


class TimeLine(NamedTuple):
    """An entrant's tables, hours used, hours allowed, and deadlines missed.

    If an entrant takes over a seat, all of the seat's times count for that entrant. `in_a_row` are the deadlines
    missed in a row now, at the table with the most.
    """

    entrant: Annotated[str, "ENTRANT"]
    name: Annotated[str, "NAME"]
    tables: Annotated[int, "TABLES"]
    hours: Annotated[int, "HOURS"]
    allowed: Annotated[int, "OF"]
    missed: Annotated[int, "MISSED"]
    in_a_row: Annotated[int, "IN A ROW"]


def list_times(tx: Transaction, name: str) -> tuple[TimeLine, ...]:
    """Return the times of all with a seat, most hours first.

    Raise UserError if there is no such tournament.
    """
    event = record.tournament_by_name(tx.session, name)
    setup = founding.table_game(tx, event)
    rows = {row.number: row for row in queries.tournaments.entrants(tx.session, event.id)}
    lines: dict[int, TimeLine] = {}
    for round_ in queries.tournaments.rounds(tx.session, event.id):
        for board in queries.tournaments.boards(tx.session, round_.id):
            game = queries.games.game(tx.session, board.game_id) if board.game_id else None
            if game is None:
                continue
            allowed = Terms.read(game.terms).clock_hours
            seats = {seat.name: seat for seat in queries.games.seats(tx.session, game.id)}
            for side, number in enumerate((board.first, board.second)):
                seat, row = seats[setup.seat_of(side)], rows[number]
                line = lines.get(number, TimeLine(f"e{number}", row.name, 0, 0, 0, 0, 0))
                lines[number] = line._replace(
                    tables=line.tables + 1,
                    # Seconds until all are added up.
                    hours=line.hours + seat.spent,
                    allowed=line.allowed + allowed,
                    missed=line.missed + seat.strikes,
                    in_a_row=max(line.in_a_row, seat.missed if game.state == "running" else 0),
                )
    finished = (line._replace(hours=line.hours // 3600) for line in lines.values())
    # By number among equals, so that e10 comes after e9.
    return tuple(sorted(finished, key=lambda line: (-line.hours, -line.missed, int(line.entrant[1:]))))
