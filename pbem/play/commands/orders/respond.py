"""RESPOND 1A 2D: answers to what a seat is asked while a phase waits; the first word may be left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import msg
from pbem.engine.orders.block import DONE
from pbem.engine.orders.lex import fold
from pbem.letters import content
from pbem.letters.commands import ANYTHING, NOTHING, Form, Line
from pbem.letters.content import Mistake
from pbem.play import deadlines, log_entries, pauses
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.pauses import Put
from pbem.play.positions import last_moment
from pbem.store import queries, tables

_ANSWER = re.compile(r"(?P<number>\d{1,3})\s*[:)=.-]?\s*(?P<letter>[a-z])(?![a-z])[,.]?\s*")

_LEAD = re.compile(r"(?:(?:my |mi )?(?:answers?|respuestas?)|respond|responder) ?: ?")

_ANSWERS = re.compile(rf"(?:{_LEAD.pattern})?(?:\d{{1,3}} ?[:)=-]? ?[a-z](?:[ ,]+|$))+")
"""A line that is an answer though it does not begin with RESPOND: 1A 2D, or Answer: 1A."""


class _Said(NamedTuple):
    """One answer of a line: the question's number, the letter, and both as written."""

    number: int
    letter: str
    word: str


def respond_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """What is wrong with the answers, if anybody is asked: a question or a letter that was not offered."""
    told = _read(command)
    if told is None:
        why = msg("Answers read like 1A 2D: the number of each question, and the letter of what you choose.")
        return command.wrong(why, word=command.said)
    segment = _segment(answer)
    asked = pauses.put_to(answer.session, segment, answer.seat) if segment is not None else []
    if segment is None or not asked:
        return None if _late(answer) else command.wrong(msg("You are not asked anything now."), word=told[0].word)
    if segment.deadline is not None and answer.inbox.internaldate > segment.deadline:
        return None
    return _not_offered(command, told, asked)


def respond(answer: SeatAnswer, command: Line) -> None:
    """Keep the answers and show all questions with what is answered now."""
    segment, told = _segment(answer), _read(command)
    asked = pauses.put_to(answer.session, segment, answer.seat) if segment is not None else []
    if segment is None or not asked or told is None or answer.inbox.internaldate > (segment.deadline or answer.now):
        _say_late(answer)
        return
    by_number = {put.row.number: put for put in asked}
    revision = 1 + max(put.row.revision for put in asked)
    for said in told:
        put = by_number[said.number]
        put.row.answer = dumps(list(put.options[put.letters.index(said.letter)][0]))
        put.row.revision = revision
        answer.session.add(put.row)
    answer.session.flush()
    if answer.closed is not None:
        log_entries.note_answer(answer, segment, answer.closed, answer.seat)
    left = tuple(put.row.number for put in asked if put.row.answer is None)
    deadline = answer.when(segment.deadline or answer.now)
    answer.say("answered", msg("Your answers are in."))
    if answer.game.state == "held":
        answer.opening.append(msg("The game is held; the moderator has been told and you will hear when it goes on."))
    else:
        pauses.await_answers(answer, answer.game, segment)
    if left:
        answer.opening.append(
            msg("Not answered yet: {numbers}. From {when} on silence holds for them.", numbers=left, when=deadline)
        )
    elif answer.game.undo_minutes:
        answer.opening.append(
            msg(
                "All of them are answered. For {span} you may change that.",
                span=content.minutes(answer.game.undo_minutes),
            )
        )
    echo(answer, segment)


def echo(answer: SeatAnswer, segment: tables.Segment) -> None:
    """The questions to the seat, each with its answer."""
    answer.blocks += [
        pauses.question_block(put, answers=True) for put in pauses.put_to(answer.session, segment, answer.seat)
    ]


def _read(command: Line) -> list[_Said] | None:
    """The answers of a line; None if it is anything else."""
    text = fold(command.said)
    lead = _LEAD.match(text)
    at = lead.end() if lead else 0
    found: list[_Said] = []
    while at < len(text):
        one = _ANSWER.match(text, at)
        if one is None:
            return None
        written = command.said[one.start() : one.end()].rstrip(" ,.") if len(command.said) == len(text) else ""
        found.append(_Said(int(one["number"]), one["letter"].upper(), written or one[0].strip()))
        at = one.end()
    return found or None


def _segment(answer: SeatAnswer) -> tables.Segment | None:
    """The pause that the game is in."""
    return queries.phases.asking(answer.session, answer.closed) if answer.closed is not None else None


def _not_offered(command: Line, told: Sequence[_Said], asked: Sequence[Put]) -> Mistake | None:
    by_number = {put.row.number: put for put in asked}
    chosen: dict[int, str] = {}
    for said in told:
        put = by_number.get(said.number)
        if put is None:
            numbers = tuple(by_number)
            why = msg("There is no question {number} now; there are: {numbers}.", number=said.number, numbers=numbers)
            return command.wrong(why, word=said.word)
        if said.letter not in put.letters:
            why = msg(
                "Question {number} offers {letters}, not {letter}.",
                number=said.number,
                letters=tuple(put.letters),
                letter=said.letter,
            )
            return command.wrong(why, word=said.word)
        if chosen.setdefault(said.number, said.letter) != said.letter:
            return command.wrong(msg("Question {number} is answered twice.", number=said.number), word=said.word)
    return None


def _late(answer: SeatAnswer) -> bool:
    """Whether the seat was asked in the last phase that waited, or in the one that does."""
    return queries.phases.last_asked(answer.session, answer.seat) is not None


def _say_late(answer: SeatAnswer) -> None:
    segment = queries.phases.last_asked(answer.session, answer.seat)
    if segment is None or segment.deadline is None:
        raise LookupError(f"{answer.seat.name} of {answer.game.id} was never asked")
    answer.say(
        "closed",
        msg("Your answer came too late: the questions to you are closed, and what was open was left to silence."),
        msg("They were to be answered by {when}.", when=answer.when(segment.deadline)),
    )


# DONE: no more letters of orders in a phase in which each is carried out at once.


def done(answer: SeatAnswer, command: Line) -> None:
    """The seat gives no more orders in this phase."""
    phase, here = answer.phase, answer.here
    if phase is None or here is None:
        return
    answer.wish("done")
    if answer.game.state == "running":
        deadlines.await_close(answer, here, phase, answer.heard)
    answer.say("settings", msg("You give no more orders in this phase; it ends when all who move in it have said so."))


def done_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Only the seats of an open phase that is resolved letter by letter can be done with it."""
    if answer.here is not None and answer.phase is not None and answer.here.by_letter:
        if answer.active and answer.inbox.internaldate <= last_moment(answer.game, answer.phase):
            return None
        why = msg("It is not your phase, or its deadline is past.")
    else:
        why = msg("Nothing waits for DONE: here all orders of a phase are carried out together.")
    return command.wrong(why)


COMMANDS = (
    Command(
        Form("respond", ("RESPOND", "RESPONDER"), ANYTHING, "RESPOND 1A 2D", "RESPONDER 1A 2D", bare=_ANSWERS),
        respond,
        check=respond_wrong,
        help=(msg("RESPOND 1A 2D: answers to what you are asked while a phase waits; HELP ASK tells of it."),),
        often=Often(letter=40),
    ),
    Command(
        Form("done", DONE, NOTHING, "DONE", "LISTO"),
        done,
        check=done_wrong,
        help=(msg("DONE: no more letters of orders in this phase, where each is carried out at once."),),
        fits=lambda answer: answer.here is not None and answer.here.by_letter,
    ),
)
