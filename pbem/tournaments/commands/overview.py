"""Answer STATUS: state of the tournament, entrant's tasks, and his games."""

from __future__ import annotations

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import moment_in_words
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import (
    challenges,
    closing,
    contenders,
    entry,
    prospects,
    record,
    round_states,
    sheets,
    standings,
    teams,
)
from pbem.tournaments.arithmetic.rules.ends import most_rounds
from pbem.tournaments.challenges import ladder_lines
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.tournaments.disputes import parties_of
from pbem.tournaments.verdicts import next_step_of_dispute, vote_words

# STATUS for members of teams, captains and applicants.
#
# Empty in individual tournaments.


def membership_lines(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> list[Msg]:
    """Return the entrant's team and role, or the pending application to a team.

    Empty after leaving, and in individual tournaments.
    """
    team = contenders.team_of(tx, row)
    if team is None:
        return []
    name, captain = record.public_team_name(team), contenders.captain_of(tx, team)
    if row.state == teams.ASKS:
        application_line = msg(
            "You asked to play for {team}; its captain has not let you in yet. If he has not when the list of "
            "the next round shuts, you do not play.",
            team=name,
        )
        return [
            application_line,
            *([msg("Its captain is {who}.", who=record.public_entrant_name(captain))] if captain is not None else []),
        ]
    if row.state == "left" and teams.was_never_admitted(row):
        return [
            msg("The captain of {team} did not let you in before the list shut: you do not play.", team=name),
            msg("RETURN asks him again, if the rules still let you in."),
        ]
    if row.state != "in" or captain is None:
        return []
    captain_line = msg("You play for {team}, and are its captain.", team=name)
    member_line = msg("You play for {team}; its captain is {who}.", team=name, who=record.public_entrant_name(captain))
    return [captain_line if captain.number == row.number else member_line, *_reserve_lines(tx, event, team, row)]


def _reserve_lines(tx: Transaction, event: tables.Tournament, team: tables.Team, row: tables.Entrant) -> list[Msg]:
    """Return the notice that an entrant has no board in the present round."""
    rounds = [row for row in queries.tournaments.rounds(tx.session, event.id) if row.state in ("drawn", "playing")]
    if not rounds or row.since > rounds[-1].number:
        return []
    boards = queries.tournaments.boards(tx.session, rounds[-1].id)
    if any({row.number, team.number} & {board.first, board.second} for board in boards):
        return []
    return [msg("You are not lined up for {team} in this round.", team=record.public_team_name(team))]


def captain_tasks(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> list[Msg]:
    """Return a captain's open applications."""
    team = contenders.team_of(tx, row)
    if team is None or row.state != "in" or team.captain != row.number:
        return []
    return teams.application_lines(tx, event, team, row.zone)


def line_up_blocks(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> list[Json]:
    """Return the line-up of his team for the round whose list is open."""
    team, number = contenders.team_of(tx, row), entry.next_open_round(tx, event)
    if team is None or row.state != "in" or event.state not in ("open", "playing", "held"):
        return []
    if number > most_rounds(record.rules_of(event)):
        return []
    title = msg("The line-up for round {number}, as it stands now", number=number)
    return [teams.line_up_block(tx, event, team, number, title)]


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


def answer_status(answer: EntrantAnswer, command: CommandLine) -> None:
    """Answer with the state of the tournament, his tasks, next steps and games."""
    event, row = answer.event, answer.row
    sentences = [msg("{title} ({event}); you are e{number}.", title=event.title, event=event.id, number=row.number)]
    rounds = queries.tournaments.rounds(answer.session, event.id)
    if event.state in _STATES:
        sentences.append(_STATES[event.state])
    if event.state not in round_states.ENDED:
        sentences += [*_participation_lines(answer), *_task_lines(answer)]
    if rounds and event.state == "playing":
        sentences.append(record.round_text(rounds[-1], row.zone))
    if event.state == "open":
        sentences += prospects.open_entry_lines(answer, event, row)
    challenge_state = challenges.challenge_state(answer, event)
    ladder = [] if isinstance(challenge_state, Msg) else [(0, line) for line in ladder_lines(challenge_state, row)]
    sentences += [*_rank_lines(answer, bool(ladder)), *_dispute_lines(answer)]
    games = [line for round_row in rounds for line in _game_lines(answer, round_row, row)]
    if ladder and not isinstance(challenge_state, Msg) and rounds[-1].state != "planned":
        ladder.append((0, challenges.closing_text(challenge_state.at, row.zone)))
    titled_lines = ((msg("Your games"), games), (msg("The ladder"), ladder))
    blocks = [content.sentence_block(title, lines, whole=True) for title, lines in titled_lines if lines]
    blocks += line_up_blocks(answer, event, row)
    closed = [round_row for round_row in rounds if round_row.state == "closed" and round_row.stage == event.stage]
    blocks += closing.ties_blocks(answer, event, closed[-1], row.language) if closed else ()
    answer.say("status", *sentences, blocks=blocks)


def _participation_lines(answer: EntrantAnswer) -> list[Msg]:
    """Return whether he plays, waits or is out, and since when."""
    event, row = answer.event, answer.row
    if row.state == "offered":
        return [_offer_text(answer)]
    if row.state == "waiting":
        return prospects.waiting_list_lines(answer, event, row)
    lines = membership_lines(answer, event, row) or [_MINE[row.state]]
    if row.offered_until is not None:
        lines.append(_offer_text(answer))
    rounds = queries.tournaments.rounds(answer.session, event.id)
    current = rounds[-1].number if rounds else 0
    resting = sorted(number for number in record.numbers_from_column(row.resting) if number >= current)
    if row.state == "in" and rounds and row.since > current:
        lines.append(msg("You play from round {number} on.", number=row.since))
    if resting:
        lines.append(msg("You rest {rounds}.", rounds=tuple(f"R{number}" for number in resting)))
    if row.out_after is not None and row.state == "in":
        lines.append(msg("You leave after round {number}.", number=row.out_after))
    return lines


def _offer_text(answer: EntrantAnswer) -> Msg:
    """Return the offer of a place or seat, with its expiry."""
    row = answer.row
    deadline = moment_in_words(row.offered_until or answer.now, row.zone)
    if row.offered_for is None:
        return msg(
            "A place is offered to you until {when}: ACCEPT takes it, DECLINE or silence leaves it to the next.",
            when=deadline,
        )
    silent_player = queries.tournaments.entrant(answer.session, answer.event.id, row.offered_for)
    name = record.public_entrant_name(silent_player) if silent_player is not None else f"e{row.offered_for}"
    return msg(
        "The seat of {who} is offered to you until {when}: ACCEPT takes it, DECLINE or silence leaves it to the next.",
        who=name,
        when=deadline,
    )


def _task_lines(answer: EntrantAnswer) -> list[Msg]:
    """Return his open tasks: a sign of presence at a table, a vote as a juror."""
    event, row = answer.event, answer.row
    lines = captain_tasks(answer, event, row)
    for silence in queries.tournaments.silences(answer.session, event.id, "asked", "director", "open", "offered"):
        board = answer.session.get_one(tables.Board, silence.board_id)
        if silence.entrant == row.number and not silence.gave_up:
            lines.append(msg("Are you there? HERE keeps your seat at {game}.", game=board.game_id or "-"))
    for dispute in queries.tournaments.disputes(answer.session, event.id, "jury"):
        for vote in queries.tournaments.votes(answer.session, dispute.id):
            if (vote.entrant, vote.word, vote.appeal) == (row.number, "", dispute.appealed):
                deadline = moment_in_words(vote.until, row.zone)
                lines.append(
                    msg(
                        "Your vote about D{number} is wanted by {when}: VOTE D{number} with one of {words}, "
                        "BECAUSE and why.",
                        number=dispute.number,
                        words=vote_words(dispute),
                        when=deadline,
                    )
                )
    return lines


def _dispute_lines(answer: EntrantAnswer) -> list[Msg]:
    """Return disputes about his tables or rulings on him, and their next steps."""
    event, row = answer.event, answer.row
    return [
        next_step_of_dispute(answer, event, dispute, row.zone)
        for dispute in queries.tournaments.open_disputes(answer.session, event.id)
        if row.number in parties_of(answer, event, dispute)
    ]


def _rank_lines(answer: EntrantAnswer, on_ladder: bool) -> list[Msg]:
    """Return his rank and points, once a round is over.

    On a ladder only the points; `ladder_lines` have the place.
    """
    rounds = queries.tournaments.rounds(answer.session, answer.event.id)
    if not any(row.state == "closed" and row.stage == answer.event.stage for row in rounds):
        return []
    table = standings.current_table(answer, answer.event)
    paired = contenders.pairing_number(answer, answer.row)
    own_rank = next((rank_row for rank_row in table.rows if rank_row.number == paired), None)
    if own_rank is None:
        return []
    points = sheets.points_text(own_rank.tally.halves, answer.row.language)
    if on_ladder:
        return [msg("You have {points}.", points=points)]
    if paired != answer.row.number:
        return [
            msg(
                "Your team stands in place {rank} of {count}, with {points}.",
                rank=own_rank.rank,
                count=len(table.rows),
                points=points,
            )
        ]
    return [
        msg(
            "You stand in place {rank} of {count}, with {points}.",
            rank=own_rank.rank,
            count=len(table.rows),
            points=points,
        )
    ]


def _game_lines(answer: EntrantAnswer, round_: tables.Round, row: tables.Entrant) -> list[tuple[int, Msg]]:
    """Return his running games of a round, with the addresses of his seats."""
    lines = []
    for board in queries.tournaments.boards(answer.session, round_.id):
        if row.number not in (board.first, board.second) or board.state not in _PLAYED or not board.game_id:
            continue
        for seat in queries.games.seats(answer.session, board.game_id):
            if seat.person_id == row.person_id:
                address = answer.server.seat_address(seat)
                lines.append((0, msg("{game}, {seat}: {address}", game=board.game_id, seat=seat.name, address=address)))
    return lines


_PLAYED = ("due", "playing", "disputed")

COMMANDS = (
    EntrantCommand(
        CommandForm("status", ("STATUS", "ESTADO"), NO_ARGUMENT, "STATUS", "ESTADO"),
        answer_status,
        help=(msg("STATUS: how it stands, what is wanted of you, and where you write for each of your games."),),
    ),
)
