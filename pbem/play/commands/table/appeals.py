"""APPEAL: a player doubts a happening; the moderator rules on it, and what was ruled before is at hand.

An appeal is about a numbered happening of a report, or about nothing in particular. It goes to the moderator of the
game, with the happening as its player saw it, or to whoever runs the server where there is none. Nothing is changed
until a RULING does it.
"""

from __future__ import annotations

import re

from sqlmodel import Session

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg, plain
from pbem.letters import content, moderators, outbox
from pbem.letters.commands import ANYTHING, Form, Line
from pbem.letters.content import Mistake
from pbem.mail.address import strike
from pbem.play import history
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.commands.questions import forecast
from pbem.runtime.transaction import UserError
from pbem.store import hot_statements, queries, tables

MOST = 5
"""Appeals of a seat that may wait for a ruling at once."""

_PRECEDENTS = 10
"""Appeals of games by the same rules that are told to whoever rules on one, the last ones."""

_WHAT = re.compile(r"(?P<number>\d{1,3})?\s*(?P<text>.*)")


def appeal(answer: SeatAnswer, command: Line) -> None:
    """Note an appeal and pass it to whoever rules."""
    session, game = answer.session, answer.game
    session.flush()
    number = 1 + queries.rulings.last_appeal(session, game.id)
    text = strike(command.said)[:1000]
    phase = str(outbox.phase_of(answer.phase)) if answer.phase else ""
    hot_statements.add(
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
    what = msg("{seat} of {game} appeals ({number}).", seat=answer.seat.name, game=game.id, number=f"A{number}")
    ruled = queries.rulings.precedents(session, game.system, _PRECEDENTS)
    known = [f"A{row.number}: {row.text} -> {row.answer}" for row in ruled]
    line, cause = f"RULING A{number}", f"appeal {game.id} {number}"
    blocks = [content.block(msg("The appeal"), [f"| {text}"]), *_happening(answer, command)]
    blocks += [content.block(msg("What was ruled before by the same rules"), known)] if known else []
    blocks.append(content.block(msg("How the line begins that answers it"), [line]))
    if moderators.notify(answer, game, moderators.Memo((what,), kind="appeal", cause=cause, blocks=blocks)):
        return
    how = plain(msg("To answer: RULING {number} and the answer.", number=f"A{number}"))
    lines = [f"| {text}", *(["", *known] if known else []), "", how]
    outbox.to_operator(answer, outbox.Notice(what, "\n".join(lines), cause=cause, game=game.id, title=msg("an appeal")))


def _happening(answer: SeatAnswer, command: Line) -> list[Json]:
    """What the number of an appeal stands for in the last report; nothing for a moderator who plays himself."""
    found, done = _WHAT.fullmatch(command.said.lstrip("# ")), queries.phases.resolved(answer.session, answer.game.id)
    moderator = moderators.moderator_of(answer.session, answer.game)
    if moderator is None or moderators.seats_of(answer.session, answer.game.id, moderator.email):
        return []
    if found is None or not found["number"] or not done:
        return []
    number, phase = int(found["number"]), done[-1]
    entries, _ = history.entries(answer, answer.game, phase, answer.seat.name)
    if not 1 <= number <= len(entries):
        return []
    title = msg("#{number} of turn {turn}, {phase}", number=number, turn=phase.turn, phase=phase.name)
    return [content.sentences(title, forecast.as_lines(entries[number - 1 : number], first=number))]


def appeal_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Nothing said, a game not begun, or too many that wait."""
    why: Msg | None = None
    found = _WHAT.fullmatch(command.said.lstrip("# "))
    if answer.here is None:
        why = msg("The game has not begun; there is nothing to appeal against.")
    elif found is None or len(found["text"]) < 3:
        why = msg("An appeal says what is wrong: APPEAL #12 the unit was demoralised already.")
    elif _waiting(answer) >= MOST:
        why = msg("{count} appeals of yours wait for a ruling already.", count=MOST)
    return None if why is None else command.wrong(why)


def sentences(session: Session, game: tables.Game, number: int) -> tuple[Msg, ...]:
    """What everybody is told when an appeal is answered; Broken if no appeal of that number waits for an answer."""
    row = _waiting_one(session, game, number)
    seat = session.get_one(tables.Seat, row.seat_id)
    return (msg("That answers appeal {number} of {seat}: {text}", number=f"A{number}", seat=seat.name, text=row.text),)


def keep_answer(session: Session, game: tables.Game, number: int, text: str) -> None:
    """Keep what was ruled on an appeal; Broken if none of that number waits for it."""
    row = _waiting_one(session, game, number)
    row.answer = text
    session.add(row)


def _waiting_one(session: Session, game: tables.Game, number: int) -> tables.Appeal:
    waiting = queries.rulings.open_appeals(session, game.id)
    for row in waiting:
        if row.number == number:
            return row
    names = tuple(f"A{row.number}" for row in waiting)
    raise UserError(msg("No appeal A{number} waits; there are: {names}.", number=number, names=names or ("-",)))


def _waiting(answer: SeatAnswer) -> int:
    return sum(row.seat_id == answer.seat.id for row in queries.rulings.open_appeals(answer.session, answer.game.id))


COMMANDS = (
    Command(
        Form("appeal", ("APPEAL", "RECURSO"), ANYTHING, "APPEAL #12 words", "RECURSO #12 palabras", prose=True),
        appeal,
        check=appeal_wrong,
        often=Often(phase=MOST),
    ),
)
