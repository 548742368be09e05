"""How it stands for a member of a team, for its captain, and for one who asks him, as STATUS tells it.

Where everybody plays for himself there is nothing of it.
"""

from __future__ import annotations

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, record, team_entry, team_sheets
from pbem.tournaments.arithmetic.rules.ends import most_rounds


def belongs(work: Work, event: tables.Tournament, row: tables.Entrant) -> list[Msg]:
    """For whom one plays, and as what, or whom one asked and until when; nothing of one who has left."""
    team = contenders.team_of(work, row)
    if team is None:
        return []
    name, captain = record.shown_team(team), contenders.captain_of(work, team)
    if row.state == team_entry.ASKS:
        asked = msg(
            "You asked to play for {team}; its captain has not let you in yet. If he has not when the list of "
            "the next round shuts, you do not play.",
            team=name,
        )
        return [asked, *([msg("Its captain is {who}.", who=record.shown_name(captain))] if captain is not None else [])]
    if row.state == "left" and team_entry.asked_in_vain(row):
        return [
            msg("The captain of {team} did not let you in before the list shut: you do not play.", team=name),
            msg("RETURN asks him again, if the rules still let you in."),
        ]
    if row.state != "in" or captain is None:
        return []
    mine = msg("You play for {team}, and are its captain.", team=name)
    his = msg("You play for {team}; its captain is {who}.", team=name, who=record.shown_name(captain))
    return [mine if captain.number == row.number else his, *_in_reserve(work, event, team, row)]


def _in_reserve(work: Work, event: tables.Tournament, team: tables.Team, row: tables.Entrant) -> list[Msg]:
    """Whether one has no board in the round that is played."""
    rounds = [one for one in queries.tournaments.rounds(work.session, event.id) if one.state in ("drawn", "playing")]
    if not rounds or row.since > rounds[-1].number:
        return []
    boards = queries.tournaments.boards(work.session, rounds[-1].id)
    if any({row.number, team.number} & {board.first, board.second} for board in boards):
        return []
    return [msg("You are not lined up for {team} in this round.", team=record.shown_team(team))]


def wanted(work: Work, event: tables.Tournament, row: tables.Entrant) -> list[Msg]:
    """What a captain is asked for: to let somebody in."""
    team = contenders.team_of(work, row)
    if team is None or row.state != "in" or team.captain != row.number:
        return []
    return team_entry.asking(work, event, team, row.zone)


def line_up(work: Work, event: tables.Tournament, row: tables.Entrant) -> list[Json]:
    """Who sits at the boards of one's team in the round whose list is not shut."""
    team, number = contenders.team_of(work, row), entry.next_round(work, event)
    if team is None or row.state != "in" or event.state not in ("open", "playing", "held"):
        return []
    if number > most_rounds(record.rules_of(event)):
        return []
    title = msg("The line-up for round {number}, as it stands now", number=number)
    return [team_sheets.line_up_block(work, event, team, number, title)]
