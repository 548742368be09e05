"""Pass appeals against events to the moderator (APPEAL), with precedents.

An appeal is about a numbered event of a report, or about nothing in particular. It goes to the game's
moderator, with the event as its player saw it, or to the operator if there is none. Nothing is changed until
a RULING does it.
"""

from __future__ import annotations

import re

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg, plain_english
from pbem.letters import content, moderators, outbox
from pbem.letters.commands import ANY_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.mail.address import strike_tokens
from pbem.play import history
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.commands.questions import forecast
from pbem.runtime.transaction import UserError
from pbem.store import hot_statements, queries, tables

MOST_OPEN_APPEALS = 5
"""Open appeals of a seat: a moderator answers each by hand."""

_PRECEDENTS = 10
"""Precedents from games by the same rules, the latest ones: a moderator reads them before he rules."""

# The number of an event has up to three digits, as in WHY.
_WHAT = re.compile(r"(?P<number>\d{1,3})?\s*(?P<text>.*)")


def pass_appeal_on(answer: SeatAnswer, command: CommandLine) -> None:
    """Store an appeal and pass it to the moderator or operator."""
    session, game = answer.session, answer.game
    session.flush()
    number = 1 + queries.rulings.last_appeal(session, game.id)
    # A choice: a moderator reads each appeal, and a thousand characters are half a page.
    text = strike_tokens(command.said)[:1000]
    phase = str(outbox.phase_of(answer.phase)) if answer.phase else ""
    hot_statements.insert_numbered(
        session,
        tables.Appeal,
        game_id=game.id,
        number=number,
        seat_id=answer.seat.id,
        at=answer.now,
        phase=phase,
        text=text,
        answer=None,
    )
    answer.say("answer", msg("Your appeal {number} is passed on to the moderator.", number=f"A{number}"))
    summary = msg("{seat} of {game} appeals ({number}).", seat=answer.seat.name, game=game.id, number=f"A{number}")
    precedents = queries.rulings.precedents(session, game.system, _PRECEDENTS)
    precedent_lines = [f"A{row.number}: {row.text} -> {row.answer}" for row in precedents]
    line, cause = f"RULING A{number}", f"appeal {game.id} {number}"
    blocks = [content.titled_block(msg("The appeal"), [f"| {text}"]), *_event_block(answer, command)]
    blocks += (
        [content.titled_block(msg("What was ruled before by the same rules"), precedent_lines)]
        if precedent_lines
        else []
    )
    blocks.append(content.titled_block(msg("How the line begins that answers it"), [line]))
    if moderators.notify(
        answer, game, moderators.ModeratorNotice((summary,), kind="appeal", cause=cause, blocks=blocks)
    ):
        return
    instruction = plain_english(msg("To answer: RULING {number} and the answer.", number=f"A{number}"))
    lines = [f"| {text}", *(["", *precedent_lines] if precedent_lines else []), "", instruction]
    outbox.write_to_operator(
        answer, outbox.OperatorNotice(summary, "\n".join(lines), cause=cause, game=game.id, title=msg("an appeal"))
    )


def _event_block(answer: SeatAnswer, command: CommandLine) -> list[Json]:
    """Return the appealed event of the last report.

    Empty if the moderator plays himself.
    """
    match, resolved = (
        _WHAT.fullmatch(command.said.lstrip("# ")),
        queries.phases.resolved_phases(answer.session, answer.game.id),
    )
    moderator = moderators.moderator_of(answer.session, answer.game)
    if moderator is None or moderators.seats_of(answer.session, answer.game.id, moderator.email):
        return []
    if match is None or not match["number"] or not resolved:
        return []
    number, phase = int(match["number"]), resolved[-1]
    entries, _ = history.report_entries(answer, answer.game, phase, answer.seat.name)
    if not 1 <= number <= len(entries):
        return []
    title = msg("#{number} of turn {turn}, {phase}", number=number, turn=phase.turn, phase=phase.name)
    return [content.sentence_block(title, forecast.entries_to_lines(entries[number - 1 : number], first=number))]


def check_appeal(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an empty appeal, a game not begun, or too many open appeals."""
    reason: Msg | None = None
    match = _WHAT.fullmatch(command.said.lstrip("# "))
    if answer.here is None:
        reason = msg("The game has not begun; there is nothing to appeal against.")
    elif match is None or len(match["text"]) < 3:
        reason = msg("An appeal says what is wrong: APPEAL #12 the unit was demoralised already.")
    elif _count_open(answer) >= MOST_OPEN_APPEALS:
        reason = msg("{count} appeals of yours wait for a ruling already.", count=MOST_OPEN_APPEALS)
    return None if reason is None else command.wrong(reason)


def appeal_answer_sentences(session: Session, game: tables.Game, number: int) -> tuple[Msg, ...]:
    """Return the announcement of an answered appeal; raise UserError if none is open."""
    row = _open_appeal(session, game, number)
    seat = session.get_one(tables.Seat, row.seat_id)
    return (msg("That answers appeal {number} of {seat}: {text}", number=f"A{number}", seat=seat.name, text=row.text),)


def store_appeal_answer(session: Session, game: tables.Game, number: int, text: str) -> None:
    """Store the ruling on an appeal; raise UserError if none of that number is open."""
    row = _open_appeal(session, game, number)
    row.answer = text
    session.add(row)


def _open_appeal(session: Session, game: tables.Game, number: int) -> tables.Appeal:
    open_rows = queries.rulings.open_appeals(session, game.id)
    for row in open_rows:
        if row.number == number:
            return row
    names = tuple(f"A{row.number}" for row in open_rows)
    raise UserError(msg("No appeal A{number} waits; there are: {names}.", number=number, names=names or ("-",)))


def _count_open(answer: SeatAnswer) -> int:
    return sum(row.seat_id == answer.seat.id for row in queries.rulings.open_appeals(answer.session, answer.game.id))


COMMANDS = (
    LetterCommand(
        CommandForm(
            "appeal", ("APPEAL", "RECURSO"), ANY_ARGUMENT, "APPEAL #12 words", "RECURSO #12 palabras", prose=True
        ),
        pass_appeal_on,
        check=check_appeal,
        often=RateLimit(phase=MOST_OPEN_APPEALS),
    ),
)
