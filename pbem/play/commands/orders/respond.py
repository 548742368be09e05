"""Answer questions of a waiting phase (RESPOND 1A 2D, or 1A 2D alone)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import dumps
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.block import DONE
from pbem.engine.orders.lex import fold
from pbem.letters import content
from pbem.letters.commands import ANY_ARGUMENT, NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.play import deadlines, log_entries, pauses
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.pauses import StoredQuestion
from pbem.play.positions import last_moment
from pbem.store import queries, tables

# An answer to a numbered question by its letter; and the words that players write before it.
# A choice: three digits are more than any phase asks.
_ANSWER = re.compile(r"(?P<number>\d{1,3})\s*[:)=.-]?\s*(?P<letter>[a-z])(?![a-z])[,.]?\s*")

_LEAD = re.compile(r"(?:(?:my |mi )?(?:answers?|respuestas?)|respond|responder) ?: ?")

_ANSWERS = re.compile(rf"(?:{_LEAD.pattern})?(?:\d{{1,3}} ?[:)=-]? ?[a-z](?:[ ,]+|$))+")
"""A line that is an answer although it does not begin with RESPOND: 1A 2D, or Answer: 1A."""


class _GivenAnswer(NamedTuple):
    """One answer of a line: the question's number and the letter, also as written."""

    number: int
    letter: str
    word: str


def check_respond(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse answers to a question, or with a letter, that was not offered."""
    answers = _parse_answers(command)
    if answers is None:
        reason = msg("Answers read like 1A 2D: the number of each question, and the letter of what you choose.")
        return command.wrong(reason, word=command.said)
    segment = _segment(answer)
    questions = pauses.questions_of_pause(answer.session, segment, answer.seat) if segment is not None else []
    if segment is None or not questions:
        return None if _is_late(answer) else command.wrong(msg("You are not asked anything now."), word=answers[0].word)
    if segment.deadline is not None and answer.inbox.internaldate > segment.deadline:
        return None
    return _check_offered(command, answers, questions)


def store_answers(answer: SeatAnswer, command: CommandLine) -> None:
    """Store the answers, and show all questions with the present answers."""
    segment, answers = _segment(answer), _parse_answers(command)
    questions = pauses.questions_of_pause(answer.session, segment, answer.seat) if segment is not None else []
    if (
        segment is None
        or not questions
        or answers is None
        or answer.inbox.internaldate > (segment.deadline or answer.now)
    ):
        _report_late(answer)
        return
    by_number = {question.row.number: question for question in questions}
    revision = 1 + max(question.row.revision for question in questions)
    for given in answers:
        asked_question = by_number[given.number]
        asked_question.row.answer = dumps(
            list(asked_question.options[asked_question.option_signs.index(given.letter)][0])
        )
        asked_question.row.revision = revision
        answer.session.add(asked_question.row)
    answer.session.flush()
    if answer.closed is not None:
        log_entries.record_answer(answer, segment, answer.closed, answer.seat)
    unanswered = tuple(question.row.number for question in questions if question.row.answer is None)
    deadline = answer.when(segment.deadline or answer.now)
    answer.say("answered", msg("Your answers are in."))
    if answer.game.state == "held":
        answer.opening.append(msg("The game is held; the moderator has been told and you will hear when it goes on."))
    else:
        pauses.await_answers(answer, answer.game, segment)
    if unanswered:
        answer.opening.append(
            msg(
                "Not answered yet: {numbers}. If no answer comes by {when}, the marked one applies.",
                numbers=unanswered,
                when=deadline,
            )
        )
    elif answer.game.undo_minutes:
        answer.opening.append(
            msg(
                "All of them are answered. For {span} you may change that.",
                span=content.minutes_in_words(answer.game.undo_minutes),
            )
        )
    echo_answers(answer, segment)


def remind_of_question(answer: SeatAnswer) -> bool:
    """Show open questions if a letter has no content; return False if there are none."""
    segment = _segment(answer)
    questions = pauses.questions_of_pause(answer.session, segment, answer.seat) if segment is not None else []
    if segment is None or not any(put.row.answer is None for put in questions):
        return False
    answer.say(
        "help",
        msg("I found no orders or commands in your letter. Nothing has changed."),
        pauses.how_to_answer(questions),
    )
    answer.news = content.NEWS_OF_KIND["question"]
    echo_answers(answer, segment)
    return True


def echo_answers(answer: SeatAnswer, segment: tables.Segment) -> None:
    """Show the questions to the seat, each with its answer."""
    answer.blocks += [
        pauses.question_block(question, answers=True)
        for question in pauses.questions_of_pause(answer.session, segment, answer.seat)
    ]


def _parse_answers(command: CommandLine) -> list[_GivenAnswer] | None:
    """Return the answers of a line; None if it is anything else."""
    text = fold(command.said)
    lead = _LEAD.match(text)
    offset = lead.end() if lead else 0
    answers: list[_GivenAnswer] = []
    while offset < len(text):
        match = _ANSWER.match(text, offset)
        if match is None:
            return None
        word = command.said[match.start() : match.end()].rstrip(" ,.") if len(command.said) == len(text) else ""
        answers.append(_GivenAnswer(int(match["number"]), match["letter"].upper(), word or match[0].strip()))
        offset = match.end()
    return answers or None


def _segment(answer: SeatAnswer) -> tables.Segment | None:
    """Return the segment (the part of the phase) at which the game is paused."""
    return queries.phases.open_pause(answer.session, answer.closed) if answer.closed is not None else None


def _check_offered(
    command: CommandLine, answers: Sequence[_GivenAnswer], questions: Sequence[StoredQuestion]
) -> Mistake | None:
    """Return the mistake of the first wrong answer, with the reasons of all."""
    by_number = {question.row.number: question for question in questions}
    letters_by_number: dict[int, str] = {}
    wrong: list[tuple[str, Msg]] = []
    for given in answers:
        question = by_number.get(given.number)
        if question is None:
            numbers = tuple(by_number)
            reason = msg(
                "There is no question {number} now; there are: {numbers}.", number=given.number, numbers=numbers
            )
            wrong.append((given.word, reason))
        elif given.letter not in question.option_signs:
            reason = msg(
                "Question {number} offers {letters}, not {letter}.",
                number=given.number,
                letters=tuple(question.option_signs),
                letter=given.letter,
            )
            wrong.append((given.word, reason))
        elif letters_by_number.setdefault(given.number, given.letter) != given.letter:
            wrong.append((given.word, msg("Question {number} is answered twice.", number=given.number)))
    wrong = wrong or list(_clashing(answers, questions))
    if not wrong:
        return None
    (word, reason), *others = wrong
    for _, other in others:
        reason = msg("{a} {b}", a=reason, b=other)
    return command.wrong(reason, word=word)


def _clashing(answers: Sequence[_GivenAnswer], questions: Sequence[StoredQuestion]) -> Iterator[tuple[str, Msg]]:
    """Yield the answers that do not go with the first one, with the reasons.

    An answer of an earlier letter counts where this one gives none.
    """
    words = {given.number: given.word for given in answers}
    values = {given.number: given.letter for given in answers}
    letters = {put.row.number: values.get(put.row.number) or put.chosen_sign for put in questions}
    first, *others = questions
    for put in others:
        number, own, given = put.row.number, letters[put.row.number], letters[first.row.number]
        if not own or not given:
            continue
        chosen = first.options[first.option_signs.index(given)][0]
        shut = {value for with_first, value in put.clashes if with_first == chosen}
        if put.options[put.option_signs.index(own)][0] not in shut:
            continue
        left = tuple(
            f"{number}{letter}"
            for letter, (value, _) in zip(put.option_signs, put.options, strict=True)
            if value not in shut
        )
        yield (
            words.get(number) or words.get(first.row.number, ""),
            msg(
                "{answer} does not go with {other}: then the answers are {answers}.",
                answer=f"{number}{own}",
                other=f"{first.row.number}{given}",
                answers=left,
            ),
        )


def _is_late(answer: SeatAnswer) -> bool:
    """Return whether the seat was asked in the present or last waiting phase."""
    return queries.phases.last_pause(answer.session, answer.seat) is not None


def _report_late(answer: SeatAnswer) -> None:
    segment = queries.phases.last_pause(answer.session, answer.seat)
    if segment is None or segment.deadline is None:
        raise LookupError(f"{answer.seat.name} of {answer.game.id} was never asked")
    answer.say(
        "closed",
        msg("Your answer came too late. The questions are closed, and open ones count as not answered."),
        msg("They were to be answered by {when}.", when=answer.when(segment.deadline)),
    )


# DONE: no more letters of orders in a phase in which each is carried out at once.


def answer_done(answer: SeatAnswer, command: CommandLine) -> None:
    """Store that the seat gives no more orders in this phase."""
    phase, position = answer.phase, answer.here
    if phase is None or position is None:
        return
    answer.set_wish("done")
    if answer.game.state == "running":
        deadlines.plan_closing(answer, position, phase, answer.phase_status)
    answer.say("settings", msg("You give no more orders in this phase; it ends when all who move in it have said so."))


def check_done(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse DONE outside of a seat's open phase that is resolved letter by letter."""
    if answer.here is not None and answer.phase is not None and answer.here.by_letter:
        if answer.active and answer.inbox.internaldate <= last_moment(answer.game, answer.phase):
            return None
        reason = msg("It is not your phase, or its deadline is past.")
    else:
        reason = msg("Nothing waits for DONE: here all orders of a phase are carried out together.")
    return command.wrong(reason)


COMMANDS = (
    LetterCommand(
        CommandForm(
            "respond", ("RESPOND", "RESPONDER"), ANY_ARGUMENT, "RESPOND 1A 2D", "RESPONDER 1A 2D", bare=_ANSWERS
        ),
        store_answers,
        check=check_respond,
        help=(msg("RESPOND 1A 2D: answers to what you are asked while a phase waits; HELP ASK tells of it."),),
        often=RateLimit(letter=40),
    ),
    LetterCommand(
        CommandForm("done", DONE, NO_ARGUMENT, "DONE", "LISTO"),
        answer_done,
        check=check_done,
        help=(msg("DONE: no more letters of orders in this phase, where each is carried out at once."),),
        fits=lambda answer: answer.here is not None and answer.here.by_letter,
    ),
)
