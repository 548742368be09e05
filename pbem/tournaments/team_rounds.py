"""E3.8 A round of teams: captains asked for line-ups before its list shuts, members told what they have when drawn.

Who sits at a board is told by the letter of his table (`rounds`); here are all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.content import when
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, post, record, sheets, team_entry, team_sheets
from pbem.tournaments import tables as standings
from pbem.tournaments.arithmetic.entrants import BYE
from pbem.tournaments.arithmetic.stages import match_and_board


def asks_at(event: tables.Tournament, round_: tables.Round) -> datetime | None:
    """When captains are asked for the line-ups of a round that is planned; None if they were, or there are no teams."""
    if round_.asked or round_.state != "planned" or not record.boards_a_match(event):
        return None
    return round_.opens - timedelta(hours=record.rules_of(event).teams.lineup_hours)


def ask_for_lineups(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    """Ask the captains whom they line up, by when, and say who sits there else; whether it was time to."""
    at = asks_at(event, round_)
    if at is None or at > work.now:
        return False
    round_.asked = True
    work.session.add(round_)
    work.session.flush()
    for team in contenders.teams_of(work, event):
        captain = contenders.captain_of(work, team)
        if captain is None or team.state != "in":
            continue
        sits = contenders.line_up(work, event, team, round_.number)
        told = (
            msg(
                "Whom do you line up for {team} in round {number}? LINEUP {line} says it, the first board first, until "
                "{when}.",
                team=record.shown_team(team),
                number=round_.number,
                line=", ".join(map(str, sits)) or "7, 3",
                when=when(round_.opens, captain.zone),
            ),
            msg("If nothing comes, these sit there."),
            *team_entry.asking(work, event, team, captain.zone),
        )
        block = team_sheets.line_up_block(work, event, team, round_.number, msg("By itself"))
        said = post.Told(msg("your line-up for round {number}", number=round_.number), told, (block,), wanted=2)
        post.to_entrant(work, event, captain, said, f"{round_.name} {round_.attempt} line-up")
    return True


def match_told(event: tables.Tournament, round_: tables.Round, board: tables.Board, names: sheets.Names) -> list[Msg]:
    """What stands first in the letter of a table: which teams meet, and which board it is."""
    match, number = match_and_board(board.board, record.boards_a_match(event))
    pair = standings.pair_of(round_, match)
    if pair is None:
        return []
    return [
        msg(
            "{first} meet {second}; you have board {number}.",
            first=names[pair.first],
            second=names[pair.second],
            number=number,
        )
    ]


class MatchSeen(NamedTuple):
    """A round of teams as letters show its matches: its boards, and what everybody is called."""

    event: tables.Tournament
    round: tables.Round
    boards: Sequence[tables.Board]
    names: sheets.Names

    def blocks(self, board: tables.Board, language: str) -> list[Json]:
        """The boards of the match that a board is of, and why the two teams meet."""
        count, names = record.boards_a_match(self.event), self.names
        match, _ = match_and_board(board.board, count)
        lines = []
        for one in self.boards:
            its, number = match_and_board(one.board, count)
            if its == match:
                other = names[one.second] if one.second else msg("nobody")
                told = msg("{number}. {first} - {second}", number=number, first=names[one.first], second=other)
                lines.append((0, told))
        sits = content.sentences(msg("The boards of the match"), lines)
        return [sits, why_match(self.round, match, names, language)]


def why_match(round_: tables.Round, match: int, names: sheets.Names, language: str) -> Json:
    """Why the two of a pair as it was drawn meet, as a block of a letter."""
    pair = standings.pair_of(round_, match)
    lines = sheets.why_pairing(pair, names, language) if pair is not None else []
    return content.sentences(msg("Why this pairing"), [(0, line) for line in lines], whole=True)


def tell_members(work: Work, event: tables.Tournament, round_: tables.Round) -> None:
    """Write to those who have no table: their team meets nobody, nobody sits opposite, or they are in reserve."""
    boards = queries.tournaments.boards(work.session, round_.id)
    seen = MatchSeen(event, round_, boards, record.names_of(work.session, event))
    alone = {board.first: board for board in boards if not board.second}
    sitting = {number for board in boards if board.second for number in (board.first, board.second)}
    for team in contenders.teams_of(work, event):
        for row in contenders.members(work, team):
            if row.number in sitting or row.since > round_.number:
                continue
            if team.number in alone:
                said = _team_passes(seen, alone[team.number], row)
            elif row.number in alone:
                said = _nobody_opposite(seen, alone[row.number], row)
            else:
                said = _in_reserve(round_, team, row)
            post.to_entrant(work, event, row, said, f"{round_.name} {round_.attempt} pairing")


def _team_passes(seen: MatchSeen, board: tables.Board, row: tables.Entrant) -> post.Told:
    about = msg("Round {number}: your team rests", number=seen.round.number)
    if board.how != BYE:
        return post.Told(about, (msg("Your team rests this round."),))
    match, _ = match_and_board(board.board, record.boards_a_match(seen.event))
    told = msg("Nobody is left for your team in this round: it counts as won.")
    return post.Told(about, (told,), (why_match(seen.round, match, seen.names, row.language),))


def _nobody_opposite(seen: MatchSeen, board: tables.Board, row: tables.Entrant) -> post.Told:
    about = msg("Round {number}: nobody sits opposite", number=seen.round.number)
    told = (
        *match_told(seen.event, seen.round, board, seen.names),
        msg("Nobody sits opposite: your board counts as won [E3.12]."),
    )
    return post.Told(about, told, seen.blocks(board, row.language))


def _in_reserve(round_: tables.Round, team: tables.Team, row: tables.Entrant) -> post.Told:
    if contenders.rests(row, round_.number):
        rests = msg("You rest round {number}: your team plays without you.", number=round_.number)
        return post.Told(msg("Round {number}: you rest", number=round_.number), (rests,))
    told = [
        msg("You are not lined up for {team} in this round.", team=record.shown_team(team)),
        msg("If one of your team falls silent, his seat is offered to you."),
    ]
    return post.Told(msg("Round {number}: you are in reserve", number=round_.number), told)
