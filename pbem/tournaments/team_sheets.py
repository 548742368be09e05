"""E3.8 Matches of teams as letters show them: their boards below each, line-ups, and what each member has made.

Where everybody plays for himself a board is a line, and there is nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, excerpts, record, sheets
from pbem.tournaments import tables as standings
from pbem.tournaments.arithmetic.entrants import PENDING
from pbem.tournaments.arithmetic.stages import match_and_board

Lines = list[tuple[int, Msg]]
Match = tuple[int, int]
"""The numbers of two teams, who has the first side at odd boards first."""


def matches(
    work: Work, event: tables.Tournament, round_: tables.Round
) -> list[tuple[Match | None, Sequence[tables.Board]]]:
    """The boards of a round by their matches; with None those of nobody's, as all are where nobody is of a team."""
    boards, count = queries.tournaments.boards(work.session, round_.id), record.boards_a_match(event)
    if not count:
        return [(None, boards)]
    found: list[tuple[Match | None, Sequence[tables.Board]]] = []
    teams = {team.number for team in contenders.teams_of(work, event)}
    for match, some in groupby(boards, key=lambda board: match_and_board(board.board, count)[0]):
        rows = list(some)
        pair = standings.pair_of(round_, match) if rows[0].first not in teams else None
        found.append(((pair.first, pair.second) if pair is not None else None, rows))
    return found


def board_lines(
    work: Work, event: tables.Tournament, round_: tables.Round, line: Callable[[tables.Board], Msg], language: str
) -> Lines:
    """The boards of a round, each put into words by `line`; those of a match stand below it."""
    names, found, count = record.names_of(work.session, event), Lines(), record.boards_a_match(event)
    teams = contenders.team_numbers(work, event)
    for match, rows in matches(work, event, round_):
        if match is None:
            found += [(0, line(board)) for board in rows]
            continue
        mine, his = (sheets.points(halves, language) for halves in team_points(teams, match, rows))
        found.append(
            (
                0,
                msg(
                    "{first} - {second}, at the boards {mine} - {his}",
                    first=names[match[0]],
                    second=names[match[1]],
                    mine=mine,
                    his=his,
                ),
            )
        )
        found += [
            (1, msg("{number}. {line}", number=match_and_board(board.board, count)[1], line=line(board)))
            for board in rows
        ]
    return found


def places(work: Work, event: tables.Tournament, round_: tables.Round) -> dict[int, int]:
    """In which of `board_lines`, from 0, everybody's board stands."""
    found, at = dict[int, int](), 0
    for match, rows in matches(work, event, round_):
        at += match is not None
        for board in rows:
            found |= dict.fromkeys((board.first, board.second), at)
            at += 1
    return found


def team_points(teams: Mapping[int, int], match: Match, rows: Sequence[tables.Board]) -> tuple[int, int]:
    """How many halves each of two teams has at the boards of their match; `teams` are those of all members."""
    both = dict.fromkeys(match, 0)
    for board in rows:
        for number, halves in ((board.first, board.first_halves), (board.second, board.second_halves)):
            if teams.get(number) in both:
                both[teams[number]] += halves
    return both[match[0]], both[match[1]]


def made_by_members(work: Work, event: tables.Tournament, stage: int = 0) -> list[tuple[tables.Entrant, int, int]]:
    """Each who had a board of a stage decided, with his halves and how many those were; who has most first."""
    results = record.board_results(work.session, event, stage or event.stage or 1)
    halves, games = dict[int, int](), dict[int, int]()
    for one in results:
        if one.how == PENDING:
            continue
        for number, value in zip((one.first, one.second), one.halves, strict=True):
            halves[number] = halves.get(number, 0) + value
            games[number] = games.get(number, 0) + 1
    rows = [row for row in queries.tournaments.entrants(work.session, event.id) if row.number in games]
    found = [(row, halves[row.number], games[row.number]) for row in rows if row.team_id is not None]
    return sorted(found, key=lambda one: (-one[1], one[2], one[0].number))


def members_block(work: Work, event: tables.Tournament, language: str, stage: int = 0) -> list[Json]:
    """What each member has made at the boards; nothing where everybody plays for himself."""
    if not record.boards_a_match(event):
        return []
    names, teams = record.names_of(work.session, event), contenders.team_numbers(work, event)
    lines = [
        msg(
            "{who}, {team}: {points} of {count}",
            who=names[row.number],
            team=names[teams[row.number]],
            points=sheets.points(halves, language),
            count=count,
        )
        for row, halves, count in made_by_members(work, event, stage)
    ]
    return (
        [content.sentences(msg("Members, by points at the boards"), [(0, one) for one in excerpts.excerpt(lines)])]
        if lines
        else []
    )


def sits_at(names: sheets.Names, line_up: Sequence[int], boards: int) -> Lines:
    """E3.12 A line-up, a board a line, those that nobody is left for too; who has nobody at all is away."""
    if not line_up:
        return [(0, msg("Nobody: your team is away then."))]
    sits = [(0, msg("{number}. {who}", number=at, who=names[one])) for at, one in enumerate(line_up, start=1)]
    empty = range(len(line_up) + 1, boards + 1)
    return [*sits, *((0, msg("{number}. nobody: that board is lost [E3.12]", number=at)) for at in empty)]


def line_up_block(work: Work, event: tables.Tournament, team: tables.Team, number: int, title: Msg) -> Json:
    """Who sits at the boards of a team in a round, as it stands now, as a block of a letter."""
    sits = contenders.line_up(work, event, team, number)
    lines = sits_at(record.names_of(work.session, event), sits, record.boards_a_match(event))
    return content.sentences(title, lines, whole=True)
