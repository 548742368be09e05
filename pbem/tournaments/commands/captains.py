"""Run ADMIT, LINEUP and TEAMS: a captain's decisions, and the list of teams."""

from __future__ import annotations

import re

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, leaves, post, prospects, record, teams
from pbem.tournaments.arithmetic.stages import line_up_faults
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand

# One entrant by its number; and a line-up of up to 64 entrants.
# As many as a team has boards and reserves at most, 32 of each.
_ONE = re.compile(r"e?(?P<number>\d{1,4})")
_LINE_UP = re.compile(r"e?\d{1,4}(?:(?: ?, ?| )e?\d{1,4}){0,63}")


def admit_to_team(answer: EntrantAnswer, command: CommandLine) -> None:
    """Admit an applicant to the captain's team."""
    row = _applicant(answer, command)
    if row is None:
        raise LookupError(f"nobody asks: {command.rest!r}")
    entry.admit_entrant(answer, answer.event, row, entry.next_open_round(answer, answer.event))
    post.mail_entrant(
        answer,
        answer.event,
        row,
        prospects.welcome_entrant(answer, answer.event, row),
        f"admitted {row.number} {answer.now.isoformat()}",
    )
    answer.wake()
    answer.say("settings", msg("{who} plays for your team.", who=record.public_entrant_name(row)))


def admit_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why nobody can be admitted: no captain, no applicant, or no room."""
    if (objection := _captain_objection(answer)) is not None:
        return objection
    row, team = _applicant(answer, command), contenders.team_of(answer, answer.row)
    if row is None or team is None:
        applicants = contenders.members(answer, team, teams.ASKS) if team is not None else []
        applicant_names = tuple(record.public_entrant_name(applicant) for applicant in applicants)
        number = command.rest.removeprefix("e")
        if not applicant_names:
            return msg("e{number} does not ask to play for your team, nor does anybody else.", number=number)
        return msg("e{number} does not ask to play for your team; these do: {who}.", number=number, who=applicant_names)
    if teams.free_team_places(answer, answer.event, team) < 1:
        return msg("{team} have as many members as they may have.", team=record.public_team_name(team))
    if not entry.may_begin(answer, answer.event):
        return msg("Nobody can enter {event} now.", event=answer.event.id)
    return None


def _applicant(answer: EntrantAnswer, command: CommandLine) -> tables.Entrant | None:
    """Return the applicant to the captain's team with the named number, or None."""
    match, team = _ONE.fullmatch(command.rest), contenders.team_of(answer, answer.row)
    if match is None or team is None:
        return None
    applicants = contenders.members(answer, team, teams.ASKS)
    return next((row for row in applicants if row.number == int(match["number"])), None)


def _captain_objection(answer: EntrantAnswer) -> Msg | None:
    """Return why only a captain may give this command, or None."""
    team = contenders.team_of(answer, answer.row)
    if not record.boards_per_match(answer.event):
        return msg("In {event} everybody plays for himself.", event=answer.event.id)
    if answer.event.state not in ("open", "playing", "held"):
        return msg("{event} is not played any more.", event=answer.event.id)
    captain = contenders.captain_of(answer, team) if team is not None else None
    if captain is None:
        return msg("You play for no team of {event} now.", event=answer.event.id)
    if captain.number != answer.row.number:
        return msg("That is for the captain to say: {who}.", who=record.public_entrant_name(captain))
    return None


def set_line_up(answer: EntrantAnswer, command: CommandLine) -> None:
    """Store the line-up of his team from the next round on."""
    team, event = contenders.team_of(answer, answer.row), answer.event
    if team is None:
        raise LookupError(f"no team: e{answer.row.number}")
    number, chosen = entry.next_open_round(answer, event), _numbers(command)
    stored = queries.tournaments.latest_line_up(answer.session, team.id, number)
    if stored is None or stored.number != number:
        stored = tables.Lineup(team_id=team.id or 0, number=number, boards="")
    stored.boards = " ".join(map(str, chosen))
    answer.session.add(stored)
    answer.session.flush()
    leaves.record_line_up(answer, event, stored, team.number)
    lineup = contenders.members_at_boards(answer, event, team, number)
    sentences = [
        msg("The line-up of {team} from round {number} on.", team=record.public_team_name(team), number=number)
    ]
    if len(lineup) > len(chosen):
        sentences.append(msg("What you left open is filled up in the order of entry [E3.11]."))
    sentences.append(msg("You can change it until {until}.", until=teams.closing_text(answer, event, answer.row.zone)))
    answer.say("settings", *sentences, blocks=(teams.line_up_block(answer, event, team, number, msg("The line-up")),))


def line_up_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """E3.8 Return the fault of a line-up.

    Only the captain may name members: each once, at most as many as there are boards, and none that rests or
    leaves.
    """
    if (objection := _captain_objection(answer)) is not None:
        return objection
    team, event = contenders.team_of(answer, answer.row), answer.event
    if team is None:
        return msg("You play for no team of {event} now.", event=event.id)
    rows, boards = contenders.members(answer, team), record.boards_per_match(event)
    faults = line_up_faults(_numbers(command), [row.number for row in rows], boards)
    member_names = tuple(record.public_entrant_name(row) for row in rows)
    if faults:
        fault, number = faults[0]
        if fault == "stranger":
            return msg(
                "e{number} does not play for {team}; these do: {who}.",
                number=number,
                team=record.public_team_name(team),
                who=member_names,
            )
        if fault == "twice":
            return msg("e{number} stands there twice; each sits at one board.", number=number)
        return msg(
            "A match has {boards} boards, and you name {count}: leave the last ones out.", boards=boards, count=number
        )
    number = entry.next_open_round(answer, event)
    resting = next(
        (row for row in rows if row.number in _numbers(command) and contenders.is_resting(row, number)), None
    )
    if resting is not None:
        return msg(
            "{who} rests round {number}: name somebody else.", who=record.public_entrant_name(resting), number=number
        )
    leaving = next(
        (row for row in rows if row.number in _numbers(command) and contenders.leaves_before_round(row, number)), None
    )
    if leaving is not None:
        return msg(
            "{who} leaves before round {number}: name somebody else.",
            who=record.public_entrant_name(leaving),
            number=number,
        )
    return None


def _numbers(command: CommandLine) -> list[int]:
    return [int(figures) for figures in re.findall(r"\d+", command.rest)]


def list_teams(answer: EntrantAnswer, command: CommandLine) -> None:
    """List the teams and members, and to a captain his applicants."""
    event, names = answer.event, record.names_by_number(answer.session, answer.event)
    lines: list[tuple[int, Msg]] = []
    for team in contenders.teams_of(answer, event):
        rows = contenders.members(answer, team)
        if not rows:
            continue
        lines.append(
            (
                0,
                msg(
                    "{team}: {who}; captain {captain}.",
                    team=names[team.number],
                    who=tuple(names[row.number] for row in rows),
                    captain=f"e{team.captain}",
                ),
            )
        )
        applicants = contenders.members(answer, team, teams.ASKS)
        if applicants and team.captain == answer.row.number:
            applicant_names = tuple(names[row.number] for row in applicants)
            lines.append((1, msg("Asking to play for it: {who}.", who=applicant_names)))
    answer.say("answer", blocks=(content.sentence_block(msg("Teams of {event}", event=event.id), lines, whole=True),))


def teams_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return the fault of TEAMS in an individual tournament."""
    if record.boards_per_match(answer.event):
        return None
    return msg("In {event} everybody plays for himself.", event=answer.event.id)


def _has_teams(answer: EntrantAnswer) -> bool:
    return bool(record.boards_per_match(answer.event))


COMMANDS = (
    EntrantCommand(
        CommandForm("teams", ("TEAMS", "EQUIPOS"), NO_ARGUMENT, "TEAMS", "EQUIPOS"),
        list_teams,
        teams_error,
        (
            msg(
                "TEAMS: who plays for which; for captains ADMIT 7, who asks is in, and LINEUP 7, 3, who sits at the "
                "boards."
            ),
        ),
        _has_teams,
    ),
    EntrantCommand(
        CommandForm("admit", ("ADMIT", "ADMITIR"), _ONE, "ADMIT 7", "ADMITIR 7"),
        admit_to_team,
        admit_error,
        where=_has_teams,
    ),
    EntrantCommand(
        CommandForm("line-up", ("LINEUP", "ALINEAR"), _LINE_UP, "LINEUP 7, 3, 12", "ALINEAR 7, 3, 12"),
        set_line_up,
        line_up_error,
        where=_has_teams,
    ),
)
