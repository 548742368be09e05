"""Export a tournament's results and standings: TRF16, CSV, and rows for JSON.

TRF16 is FIDE's text format for reports of tournaments (C.04, "Agreed general data-exchange format"). Its
columns are fixed: an entrant's line ends with ten columns for each round.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple
from zoneinfo import ZoneInfo

from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import cards, contenders, record, standings, teams
from pbem.tournaments.arithmetic.entrants import BYE, PENDING, UNPLAYED


class ResultLine(NamedTuple):
    """The result of a table, or of a round without an opponent (`second` is empty)."""

    round: int
    board: str
    table: str
    first: str
    second: str
    first_points: str
    second_points: str
    margin: int
    how: str


class _Entry(NamedTuple):
    """An entrant's cell of a round in TRF16: opponent, colour, result, half points."""

    opponent: int
    colour: str
    result: str
    halves: int = 0


_NO_GAME = {2: "F", 1: "H", 0: "Z"}
"""The signs of rounds without a game, by half points; a bye of the pairing is ``U``."""
_PLAYED = {2: "1", 1: "=", 0: "0"}
_NOT_CAME = {2: "+", 1: "=", 0: "-"}


def list_results(tx: Transaction, name: str) -> tuple[ResultLine, ...]:
    """Return all results by rounds and boards.

    Raise UserError if there is no such tournament.
    """
    event = record.tournament_by_name(tx.session, name)
    return tuple(
        ResultLine(
            round_.number,
            f"{board.board}{board.leg}",
            board.game_id or "",
            f"e{board.first}",
            f"e{board.second}" if board.second else "",
            cards.points_text(board.first_halves) if board.how != PENDING else "",
            cards.points_text(board.second_halves) if board.second and board.how != PENDING else "",
            board.margin,
            board.how,
        )
        for round_, board in _boards(tx, event)
    )


def results_as_csv(tx: Transaction, name: str) -> str:
    """Return all results as CSV (RFC 4180), with a line of headings."""
    return _csv(ResultLine._fields, list_results(tx, name))


def standings_as_csv(tx: Transaction, name: str) -> str:
    """Return the standings of the present stage as CSV, a column for each tie-break."""
    ranks = cards.list_ranks(tx, name)
    criteria = tuple(dict.fromkeys(key for line in ranks for key in line.ties))
    rows = [
        (line.rank, line.entrant, line.name, line.points, *(line.ties.get(key, "") for key in criteria))
        for line in ranks
    ]
    return _csv(("rank", "entrant", "name", "points", *criteria), rows)


def _csv(headings: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(headings)
    writer.writerows(rows)
    return text.getvalue()


def tournament_as_trf(tx: Transaction, name: str) -> str:
    """Return a tournament as TRF16; raise UserError if there is none of that name.

    Rounds are counted through all stages; the two tables of a mirrored board are two rounds. The first side is
    white.
    """
    event = record.tournament_by_name(tx.session, name)
    boards = list(_boards(tx, event))
    rounds = {round_.number: round_ for round_, _ in boards}
    columns = sorted({(round_.number, board.leg) for round_, board in boards})
    played = {number for _, board in boards for number in (board.first, board.second) if number}
    rows = [row for row in queries.tournaments.entrants(tx.session, event.id) if row.number in played]
    start_ranks = {row.number: rank for rank, row in enumerate(rows, start=1)}
    cells = {(number, column): entry for number, column, entry in _cells(boards, start_ranks)}
    ranks = {number: rank for rank, number in enumerate(_final_order(tx, event, played), start=1)}
    late = record.rules_of(event).entry.late_points
    lines = [*_head_lines(tx, event, len(rows)), _dates_line(event, rounds, columns)]
    for row in rows:
        missed = _Entry(0, "-", _NO_GAME[late], late) if row.start else _Entry(0, "-", "Z")
        not_paired = _Entry(0, "-", "Z")
        entries = [
            cells.get((row.number, column), missed if column[0] < row.since else not_paired) for column in columns
        ]
        points = cards.points_text(sum(entry.halves for entry in entries))
        points = points if "." in points else f"{points}.0"
        shown = row.name or f"e{row.number}"
        # The widths are those of TRF16: 33 for a name, below 32 for that of a team.
        line = f"001 {start_ranks[row.number]:4}      {shown[:33]:33} {row.strength:4}"
        line += f"{'':28}{points:>4} {ranks[row.number]:4}"
        lines.append(line + "".join(f"  {entry.opponent:04} {entry.colour} {entry.result}" for entry in entries))
    for team in contenders.teams_of(tx, event):
        members = "".join(f" {start_ranks[row.number]:4}" for row in rows if row.team_id == team.id)
        lines.append(f"013 {team.name[:32]:32}{members}")
    return "".join(f"{line.rstrip()}\r\n" for line in lines)


def _boards(tx: Transaction, event: tables.Tournament) -> Iterator[tuple[tables.Round, tables.Board]]:
    """Yield the boards of all rounds that were not drawn again."""
    for round_ in queries.tournaments.rounds(tx.session, event.id):
        for board in queries.tournaments.boards(tx.session, round_.id):
            yield round_, board


def _cells(
    boards: Sequence[tuple[tables.Round, tables.Board]], start_ranks: dict[int, int]
) -> Iterator[tuple[int, tuple[int, str], _Entry]]:
    """Yield entrants with the columns and cells of their boards."""
    for round_, board in boards:
        column = (round_.number, board.leg)
        if not board.second:
            sign = "U" if board.how == BYE else _NO_GAME[board.first_halves]
            yield board.first, column, _Entry(0, "-", sign, board.first_halves)
            continue
        signs = _NOT_CAME if board.how == "forfeit" else _PLAYED
        for number, other, colour, halves in (
            (board.first, board.second, "w", board.first_halves),
            (board.second, board.first, "b", board.second_halves),
        ):
            sign = " " if board.how == PENDING else "U" if board.how in UNPLAYED else signs[halves]
            yield number, column, _Entry(start_ranks[other], colour, sign, halves)


def _final_order(tx: Transaction, event: tables.Tournament, played: set[int]) -> list[int]:
    """Return all paired entrants from the top, by the last stage they were in.

    Members of teams are in order of points.
    """
    if record.boards_per_match(event):
        order = [row.number for row, _, _ in teams.member_scores(tx, event)]
    else:
        stages = range(event.stage, 0, -1)
        order = [row.number for stage in stages for row in standings.current_table(tx, event, stage).rows]
    ranked = dict.fromkeys(number for number in order if number in played)
    return [*ranked, *sorted(played - ranked.keys())]


def _head_lines(tx: Transaction, event: tables.Tournament, count: int) -> Iterator[str]:
    rules = record.rules_of(event)
    rounds = queries.tournaments.rounds(tx.session, event.id)
    yield f"012 {event.title}"
    if rounds and rounds[0].starts is not None:
        yield f"042 {_day(event, rounds[0].starts):%Y/%m/%d}"
    if rounds and rounds[-1].closed is not None:
        yield f"052 {_day(event, rounds[-1].closed):%Y/%m/%d}"
    yield f"062 {count}"
    if all_teams := contenders.teams_of(tx, event):
        yield f"082 {len(all_teams)}"
    yield f"092 {', '.join(stage.format for stage in rules.stage)}"
    yield f"122 {rules.table.bank_hours} h, {rules.table.step_hours} h a phase"


def _dates_line(event: tables.Tournament, rounds: dict[int, tables.Round], columns: Sequence[tuple[int, str]]) -> str:
    dates = (rounds[number].starts or rounds[number].opens for number, _ in columns)
    return f"{'132':91}" + "  ".join(f"{_day(event, moment):%y/%m/%d}" for moment in dates)


def _day(event: tables.Tournament, moment: datetime) -> datetime:
    return moment.astimezone(ZoneInfo(event.zone))
