"""STATUS: how a tournament stands for one entrant, what is wanted of him, and where he writes for each of his games."""

from __future__ import annotations

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NOTHING, Form, Line
from pbem.letters.content import when
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import challenges, contenders, entry, prospects, record, round_states, sheets, standings, teams
from pbem.tournaments.arithmetic.rules.ends import most_rounds
from pbem.tournaments.challenges import ladder_told
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.tournaments.verdicts import next_step

# How it stands for a member of a team, for its captain, and for one who asks him, as STATUS tells it.
#
# Where everybody plays for himself there is nothing of it.


def belongs(work: Work, event: tables.Tournament, row: tables.Entrant) -> list[Msg]:
    """For whom one plays, and as what, or whom one asked and until when; nothing of one who has left."""
    team = contenders.team_of(work, row)
    if team is None:
        return []
    name, captain = record.shown_team(team), contenders.captain_of(work, team)
    if row.state == teams.ASKS:
        asked = msg(
            "You asked to play for {team}; its captain has not let you in yet. If he has not when the list of "
            "the next round shuts, you do not play.",
            team=name,
        )
        return [asked, *([msg("Its captain is {who}.", who=record.shown_name(captain))] if captain is not None else [])]
    if row.state == "left" and teams.asked_in_vain(row):
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
    return teams.asking(work, event, team, row.zone)


def line_up(work: Work, event: tables.Tournament, row: tables.Entrant) -> list[Json]:
    """Who sits at the boards of one's team in the round whose list is not shut."""
    team, number = contenders.team_of(work, row), entry.next_round(work, event)
    if team is None or row.state != "in" or event.state not in ("open", "playing", "held"):
        return []
    if number > most_rounds(record.rules_of(event)):
        return []
    title = msg("The line-up for round {number}, as it stands now", number=number)
    return [teams.line_up_block(work, event, team, number, title)]


_MINE = {
    "in": msg("You play."),
    "withdrawn": msg("You have left it: RETURN brings you back, while the rules let somebody in."),
    "left": msg("You are out of it: RETURN brings you back, while the rules let somebody in."),
    "expelled": msg("You were expelled from it."),
}
_STATES = {
    "held": msg("The tournament is held: nothing is drawn until it goes on."),
    "over": msg("The tournament is over."),
    "cancelled": msg("The tournament is cancelled."),
}


def status(answer: EntrantAnswer, command: Line) -> None:
    """How it stands, what is wanted and by when, what comes next, and one's games."""
    event, row = answer.event, answer.row
    told = [msg("{title} ({event}); you are e{number}.", title=event.title, event=event.id, number=row.number)]
    rounds = queries.tournaments.rounds(answer.session, event.id)
    if event.state in _STATES:
        told.append(_STATES[event.state])
    if event.state not in round_states.ENDED:
        told += [*_mine(answer), *_wanted(answer)]
    if rounds and event.state == "playing":
        told.append(record.round_told(rounds[-1], row.zone))
    if event.state == "open":
        told += prospects.before_it_begins(answer, event, row)
    here = challenges.here_of(answer, event)
    ladder = [] if isinstance(here, Msg) else [(0, line) for line in ladder_told(here, row)]
    told += [*_rank(answer, bool(ladder)), *_disputes(answer)]
    games = [line for one in rounds for line in _games(answer, one, row)]
    if ladder and not isinstance(here, Msg) and rounds[-1].state != "planned":
        ladder.append((0, challenges.moment(here.at, row.zone)))
    told_in = ((msg("Your games"), games), (msg("The ladder"), ladder))
    blocks = [content.sentences(title, lines, whole=True) for title, lines in told_in if lines]
    blocks += line_up(answer, event, row)
    answer.say("status", *told, blocks=blocks)


def _mine(answer: EntrantAnswer) -> list[Msg]:
    """Whether one plays, waits or is out, and from when to when."""
    event, row = answer.event, answer.row
    if row.state == "offered":
        return [_offered(answer)]
    if row.state == "waiting":
        return prospects.in_line(answer, event, row)
    told = belongs(answer, event, row) or [_MINE[row.state]]
    if row.offered_until is not None:
        told.append(_offered(answer))
    rounds = queries.tournaments.rounds(answer.session, event.id)
    current = rounds[-1].number if rounds else 0
    resting = sorted(one for one in record.numbers_in(row.resting) if one >= current)
    if row.state == "in" and rounds and row.since > current:
        told.append(msg("You play from round {number} on.", number=row.since))
    if resting:
        told.append(msg("You rest {rounds}.", rounds=tuple(f"R{one}" for one in resting)))
    if row.out_after is not None and row.state == "in":
        told.append(msg("You leave after round {number}.", number=row.out_after))
    return told


def _offered(answer: EntrantAnswer) -> Msg:
    """What is offered to one who waits, and until when."""
    row = answer.row
    until = when(row.offered_until or answer.now, row.zone)
    if row.offered_for is None:
        return msg(
            "A place is offered to you until {when}: ACCEPT takes it, DECLINE or silence leaves it to the next.",
            when=until,
        )
    other = queries.tournaments.entrant(answer.session, answer.event.id, row.offered_for)
    who = record.shown_name(other) if other is not None else f"e{row.offered_for}"
    return msg(
        "The seat of {who} is offered to you until {when}: ACCEPT takes it, DECLINE or silence leaves it to the next.",
        who=who,
        when=until,
    )


def _wanted(answer: EntrantAnswer) -> list[Msg]:
    """What one is asked for: a word at a table, a vote as a juror."""
    event, row = answer.event, answer.row
    told = wanted(answer, event, row)
    for silence in queries.tournaments.silences(answer.session, event.id, "asked", "director", "open", "offered"):
        board = answer.session.get_one(tables.Board, silence.board_id)
        if silence.entrant == row.number and not silence.gave_up:
            told.append(msg("Are you there? HERE keeps your seat at {game}.", game=board.game_id or "-"))
    for dispute in queries.tournaments.disputes(answer.session, event.id, "jury"):
        for vote in queries.tournaments.votes(answer.session, dispute.id):
            if (vote.entrant, vote.word, vote.appeal) == (row.number, "", dispute.appealed):
                until = when(vote.until, row.zone)
                told.append(
                    msg(
                        "Your vote about D{number} is wanted by {when}: VOTE D{number} UPHOLD, DENY or DRAW, "
                        "BECAUSE and why.",
                        number=dispute.number,
                        when=until,
                    )
                )
    return told


def _disputes(answer: EntrantAnswer) -> list[Msg]:
    """What is disputed at one's own tables, and its next step."""
    event, row = answer.event, answer.row
    told = []
    for dispute in queries.tournaments.open_disputes(answer.session, event.id):
        board = answer.session.get_one(tables.Board, dispute.board_id)
        if row.number in (board.first, board.second):
            told.append(next_step(answer, event, dispute, row.zone))
    return told


def _rank(answer: EntrantAnswer, on_ladder: bool) -> list[Msg]:
    """Where one stands, once a round is over; on a ladder that is told with it, and here the points alone."""
    rounds = queries.tournaments.rounds(answer.session, answer.event.id)
    if not any(one.state == "closed" and one.stage == answer.event.stage for one in rounds):
        return []
    table = standings.standing(answer, answer.event)
    paired = contenders.mine(answer, answer.row)
    mine = next((one for one in table.rows if one.number == paired), None)
    if mine is None:
        return []
    points = sheets.points_told(mine.tally.halves, answer.row.language)
    if on_ladder:
        return [msg("You have {points}.", points=points)]
    if paired != answer.row.number:
        return [
            msg(
                "Your team stands in place {rank} of {count}, with {points}.",
                rank=mine.rank,
                count=len(table.rows),
                points=points,
            )
        ]
    return [
        msg(
            "You stand in place {rank} of {count}, with {points}.", rank=mine.rank, count=len(table.rows), points=points
        )
    ]


def _games(answer: EntrantAnswer, round_: tables.Round, row: tables.Entrant) -> list[tuple[int, Msg]]:
    """The games of an entrant in a round that are played, with the addresses of his seats."""
    found = []
    for board in queries.tournaments.boards(answer.session, round_.id):
        if row.number not in (board.first, board.second) or board.state not in _PLAYED or not board.game_id:
            continue
        for seat in queries.games.seats(answer.session, board.game_id):
            if seat.person_id == row.person_id:
                address = answer.server.seat_address(seat)
                found.append((0, msg("{game}, {seat}: {address}", game=board.game_id, seat=seat.name, address=address)))
    return found


_PLAYED = ("due", "playing", "disputed")

COMMANDS = (
    EntrantCommand(
        Form("status", ("STATUS", "ESTADO"), NOTHING, "STATUS", "ESTADO"),
        status,
        help=(msg("STATUS: how it stands, what is wanted of you, and where you write for each of your games."),),
    ),
)
