"""ADMIT, LINEUP, TEAMS: what a captain says of his team, and who plays for which."""

from __future__ import annotations

import re

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NOTHING, Form, Line
from pbem.store import queries, tables
from pbem.tournaments import contenders, entry, leaves, post, prospects, record, teams
from pbem.tournaments.arithmetic.stages import line_up_faults
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand

_ONE = re.compile(r"e?(?P<number>\d{1,4})")
_LINE_UP = re.compile(r"e?\d{1,4}(?:(?: ?, ?| )e?\d{1,4}){0,63}")


def admit(answer: EntrantAnswer, command: Line) -> None:
    """Let in who asks to play for the captain's team."""
    row = _asking(answer, command)
    if row is None:
        raise LookupError(f"nobody asks: {command.rest!r}")
    entry.admit(answer, answer.event, row, entry.next_round(answer, answer.event))
    post.to_entrant(answer, answer.event, row, prospects.welcome(answer, answer.event, row), f"admitted {row.number}")
    answer.wake()
    answer.say("settings", msg("{who} plays for your team.", who=record.shown_name(row)))


def admit_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """A captain's word, about one who asks him, while there is room."""
    if (refused := _no_captain(answer)) is not None:
        return refused
    row, team = _asking(answer, command), contenders.team_of(answer, answer.row)
    if row is None or team is None:
        asking = contenders.members(answer, team, teams.ASKS) if team is not None else []
        told = tuple(record.shown_name(one) for one in asking)
        who = command.rest.removeprefix("e")
        if not told:
            return msg("e{number} does not ask to play for your team, nor does anybody else.", number=who)
        return msg("e{number} does not ask to play for your team; these do: {who}.", number=who, who=told)
    if teams.free_places(answer, answer.event, team) < 1:
        return msg("{team} have as many members as they may have.", team=record.shown_team(team))
    if not entry.may_begin(answer, answer.event):
        return msg("Nobody can enter {event} now.", event=answer.event.id)
    return None


def _asking(answer: EntrantAnswer, command: Line) -> tables.Entrant | None:
    """Who asks to play for the captain's team, by the number that he names."""
    found, team = _ONE.fullmatch(command.rest), contenders.team_of(answer, answer.row)
    if found is None or team is None:
        return None
    asking = contenders.members(answer, team, teams.ASKS)
    return next((row for row in asking if row.number == int(found["number"])), None)


def _no_captain(answer: EntrantAnswer) -> Msg | None:
    """Why this is not his to say."""
    team = contenders.team_of(answer, answer.row)
    if not record.boards_a_match(answer.event):
        return msg("In {event} everybody plays for himself.", event=answer.event.id)
    if answer.event.state not in ("open", "playing", "held"):
        return msg("{event} is not played any more.", event=answer.event.id)
    captain = contenders.captain_of(answer, team) if team is not None else None
    if captain is None:
        return msg("You play for no team of {event} now.", event=answer.event.id)
    if captain.number != answer.row.number:
        return msg("That is for the captain to say: {who}.", who=record.shown_name(captain))
    return None


def line_up(answer: EntrantAnswer, command: Line) -> None:
    """Keep who is to sit at the boards from the next round on."""
    team, event = contenders.team_of(answer, answer.row), answer.event
    if team is None:
        raise LookupError(f"no team: e{answer.row.number}")
    number, named = entry.next_round(answer, event), _named(command)
    kept = queries.tournaments.line_up(answer.session, team.id, number)
    if kept is None or kept.number != number:
        kept = tables.Lineup(team_id=team.id or 0, number=number, boards="")
    kept.boards = " ".join(map(str, named))
    answer.session.add(kept)
    answer.session.flush()
    leaves.note_line_up(answer, event, kept, team.number)
    sits = contenders.line_up(answer, event, team, number)
    told = [msg("The line-up of {team} from round {number} on.", team=record.shown_team(team), number=number)]
    if len(sits) > len(named):
        told.append(msg("What you left open is filled up in the order of entry [E3.11]."))
    told.append(msg("You can change it until {until}.", until=teams.until(answer, event, answer.row.zone)))
    answer.say("settings", *told, blocks=(teams.line_up_block(answer, event, team, number, msg("The line-up")),))


def line_up_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """E3.8 A captain's word; members, each once, no more than boards, none of whom rests."""
    if (refused := _no_captain(answer)) is not None:
        return refused
    team, event = contenders.team_of(answer, answer.row), answer.event
    if team is None:
        return msg("You play for no team of {event} now.", event=event.id)
    rows, boards = contenders.members(answer, team), record.boards_a_match(event)
    faults = line_up_faults(_named(command), [row.number for row in rows], boards)
    mine = tuple(record.shown_name(row) for row in rows)
    if faults:
        what, number = faults[0]
        if what == "stranger":
            return msg(
                "e{number} does not play for {team}; these do: {who}.",
                number=number,
                team=record.shown_team(team),
                who=mine,
            )
        if what == "twice":
            return msg("e{number} stands there twice; each sits at one board.", number=number)
        return msg(
            "A match has {boards} boards, and you name {count}: leave the last ones out.", boards=boards, count=number
        )
    number = entry.next_round(answer, event)
    resting = next((row for row in rows if row.number in _named(command) and contenders.rests(row, number)), None)
    if resting is not None:
        return msg("{who} rests round {number}: name somebody else.", who=record.shown_name(resting), number=number)
    gone = next((row for row in rows if row.number in _named(command) and contenders.leaves_before(row, number)), None)
    if gone is not None:
        return msg(
            "{who} leaves before round {number}: name somebody else.", who=record.shown_name(gone), number=number
        )
    return None


def _named(command: Line) -> list[int]:
    return [int(one) for one in re.findall(r"\d+", command.rest)]


def list_teams(answer: EntrantAnswer, command: Line) -> None:
    """Which teams there are, who plays for them, and who asks to play for the captain's own."""
    event, names = answer.event, record.names_of(answer.session, answer.event)
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
        asking = contenders.members(answer, team, teams.ASKS)
        if asking and team.captain == answer.row.number:
            told = tuple(names[row.number] for row in asking)
            lines.append((1, msg("Asking to play for it: {who}.", who=told)))
    answer.say("answer", blocks=(content.sentences(msg("Teams of {event}", event=event.id), lines, whole=True),))


def teams_wrong(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Only where teams play."""
    if record.boards_a_match(answer.event):
        return None
    return msg("In {event} everybody plays for himself.", event=answer.event.id)


def _of_teams(answer: EntrantAnswer) -> bool:
    return bool(record.boards_a_match(answer.event))


COMMANDS = (
    EntrantCommand(
        Form("teams", ("TEAMS", "EQUIPOS"), NOTHING, "TEAMS", "EQUIPOS"),
        list_teams,
        teams_wrong,
        (
            msg(
                "TEAMS: who plays for which; for captains ADMIT 7, who asks is in, and LINEUP 7, 3, who sits at the "
                "boards."
            ),
        ),
        _of_teams,
    ),
    EntrantCommand(
        Form("admit", ("ADMIT", "ADMITIR"), _ONE, "ADMIT 7", "ADMITIR 7"), admit, admit_wrong, where=_of_teams
    ),
    EntrantCommand(
        Form("line-up", ("LINEUP", "ALINEAR"), _LINE_UP, "LINEUP 7, 3, 12", "ALINEAR 7, 3, 12"),
        line_up,
        line_up_wrong,
        where=_of_teams,
    ),
)
