"""Teach a game by short guided turns (LESSON).

A letter shows a lesson; the answer is checked and its errors explained. Nothing is stored, and no game is
opened or read: each answer names its lesson, and its dice are always the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg, plain_english
from pbem.engine.data.report import DRAWING_DEPTH
from pbem.engine.lessons import AnswerVerdict, Lesson, lessons_of
from pbem.engine.orders import block as bounds
from pbem.engine.orders import speech
from pbem.engine.orders.block import END, ORDERS
from pbem.engine.orders.lex import fold
from pbem.engine.run.labels import in_words
from pbem.letters import content
from pbem.letters.codes import Asker, CommandReply
from pbem.letters.commands import CommandForm, CommandLine, EnclosedForm
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit, creates_games
from pbem.play.commands.orders.order_block import OUT_OF_TURN
from pbem.play.commands.questions.forecast import entries_to_lines
from pbem.runtime.transaction import Transaction

_SOLUTION = ("SOLUTION", "SOLUCION")
_WHICH = re.compile(r"(?:(?P<game>[a-z][a-z0-9-]*) ?)??(?P<number>\d{1,2})?(?P<model> (?:solution|solucion))?")
"""What follows LESSON: a game, the number of a lesson, and a word that asks for its solution."""
_REFUSED = 5
"""Refused lines that are explained in an answer: a beginner mends these first, and the rest are often the same
mistake."""


_LONG = 12
"""Lines of a result; of longer ones only the outcomes stand above the next lesson, so that it begins on the first
screen."""


class _Reader(NamedTuple):
    """The asker: language, game played, whether he may begin one, letters a day.

    The number of letters is 0 if not limited.
    """

    language: str
    may_play: bool
    game: str = ""
    letters: int = 0


def show_lesson_to_anonymous(tx: Transaction, asker: Asker, command: CommandLine) -> CommandReply:
    """Teach somebody without a seat."""
    return _teach(tx, _Reader(asker.language, creates_games(tx), letters=tx.server.settings.limits.requests), command)


def show_lesson(answer: SeatAnswer, command: CommandLine) -> None:
    """Teach the player of a seat, by default the seat's own game."""
    reply = _teach(answer, _Reader(answer.seat.language, creates_games(answer), answer.game.system), command)
    answer.say(reply.kind, *reply.sentences, blocks=reply.blocks)


def has_lessons(tx: Transaction) -> bool:
    """Return whether any game here has lessons."""
    return any(True for _ in _lessons(tx, tx.game.system if isinstance(tx, SeatAnswer) else ""))


def _lessons(tx: Transaction, own: str) -> Iterator[tuple[str, tuple[Lesson, ...]]]:
    """Yield games with lessons: the reader's own game, then those PLAY can start."""
    for name in dict.fromkeys([*([own] if own else []), *tx.server.settings.play.games]):
        if lessons := lessons_of(tx.server.plugins.games(name)):
            yield name, lessons


def _teach(tx: Transaction, reader: _Reader, command: CommandLine) -> CommandReply:
    every = dict(_lessons(tx, reader.game))
    words = _WHICH.fullmatch(fold(command.rest).strip())
    wanted = (words["game"] or "") if words is not None else ""
    named = (some for name, some in every.items() if name.startswith(wanted) or wanted in some[0].game.editions())
    lessons = next(named, None)
    if words is None or lessons is None or (words["number"] is None and not words["model"]):
        unknown = msg("There are no lessons of {game} here.", game=wanted)
        return CommandReply("answer", (unknown if lessons is None else _CONTENTS,), (*_contents(every, reader),))
    number = int(words["number"] or 0)
    if not 1 <= number <= len(lessons):
        none = msg("There is no lesson {number}; there are {count}.", number=number, count=len(lessons))
        return CommandReply("answer", (none,), (*_contents(every, reader),))
    lesson = lessons[number - 1]
    if command.last:
        return _answer(lesson, lessons, reader, command.said)
    if words["model"]:
        return CommandReply("answer", (_title(lesson, lessons, reader),), (_solution(lesson, reader),))
    return CommandReply("answer", (_title(lesson, lessons, reader), *_terms(reader)), (*_blocks(lesson, reader),))


_CONTENTS = msg("Each lesson is one short turn, and begins no game. Send one of these lines.")


def _contents(every: dict[str, tuple[Lesson, ...]], reader: _Reader) -> Iterator[Json]:
    """Yield the list of lessons of each game, each with the line that asks for it."""
    for lessons in every.values():
        lines = [
            (0, msg("{line}: {title}", line=_line(lesson, reader), title=_title_of(lesson, reader)))
            for lesson in lessons
        ]
        block = content.sentence_block(msg("Lessons of {game}", game=lessons[0].game.title), lines)
        yield content.with_buttons(block, [(msg("Begin"), _line(lessons[0], reader))])


def _line(lesson: Lesson, reader: _Reader, *words: str) -> str:
    """Return the line that asks for a lesson, or begins an answer to it."""
    return " ".join([pick_phrase(reader.language, "LESSON", "LECCION"), lesson.game.name, str(lesson.number), *words])


def _title_of(lesson: Lesson, reader: _Reader) -> str:
    return str(lesson.words(reader.language)["title"])


def _title(lesson: Lesson, lessons: Sequence[Lesson], reader: _Reader) -> Msg:
    return msg(
        "Lesson {number} of {count}, {game}: {title}.",
        number=lesson.number,
        count=len(lessons),
        game=lesson.game.title,
        title=_title_of(lesson, reader),
    )


def _terms(reader: _Reader) -> tuple[Msg, ...]:
    """Return the terms of lessons: no result, and the limit of letters.

    The limit is how many letters of the reader are answered.
    """
    if not reader.letters:
        return (_HARMLESS,)
    return _HARMLESS, msg("Without a seat in a game I answer {count} of your letters a day.", count=reader.letters)


_HARMLESS = msg("No game is begun by a lesson, and none of yours is touched.")


def _blocks(lesson: Lesson, reader: _Reader) -> Iterator[Json]:
    """Yield the blocks of a lesson.

    They are the situation with its map, what happened, the task and the form.
    """
    words, view = lesson.words(reader.language), lesson.position()
    lines = [(0, msg("{text}", text=text)) for text in words["text"]]
    drawn = lesson.game.telling.text_map(view, lesson.seat) if lesson.table.get("map_shown", True) else ()
    map_lines = [line for line in drawn if line[0] != DRAWING_DEPTH or plain_english(line[1]).strip()]
    yield content.sentence_block(msg("The situation"), lines)
    if map_lines:
        yield content.sentence_block(msg("The map now"), map_lines)
    if lesson.asks_why:
        yield content.sentence_block(msg("What happened"), entries_to_lines(lesson.happenings(), details=False))
    yield content.sentence_block(msg("Your task"), [(0, msg("{text}", text=words["task"]))])
    yield _form(lesson, reader)


def _form(lesson: Lesson, reader: _Reader) -> Json:
    """Return the lines to edit and send back."""
    title = msg("Your answer: copy these lines into a letter, edit them and send it")
    return _sendable(lesson, reader, "form", title, content.EDIT_ORDERS)


def _solution(lesson: Lesson, reader: _Reader) -> Json:
    return _sendable(lesson, reader, "model", msg("One right answer"), content.SEND_ORDERS)


def _sendable(lesson: Lesson, reader: _Reader, key: str, title: Msg, button: Msg) -> Json:
    """Return the lesson's lines under a key as an answer to send.

    The answer has the button that opens it as a letter.
    """
    head, end = (pick_phrase(reader.language, *pair) for pair in (ORDERS, END))
    lines = [_line(lesson, reader, head), *lesson.lines(key, reader.language), end]
    return content.with_letter_button(content.titled_block(title, lines), lines, button)


def _answer(lesson: Lesson, lessons: Sequence[Lesson], reader: _Reader, text: str) -> CommandReply:
    """Judge an answer, and say what comes next."""
    # Players used to blocks write their head here as well.
    orders = ["" if bounds.header(bounds.bare(line)) else line for line in text.split("\n")]
    judged = lesson.check_answer("\n".join(orders) + "\n")
    words = lesson.words(reader.language)
    if judged.is_right:
        blocks = [*_result_blocks(lesson, judged, reader), *_next(lessons, lesson, reader)]
        return CommandReply("answer", (msg("Right. {text}", text=words["well"]),), tuple(blocks))
    again = (_form(lesson, reader), _way_out(lesson, reader))
    if judged.rejected or judged.is_out_of_turn:
        opening = msg("Not yet: I cannot carry this out. In a game such a letter does nothing, and you send it again.")
        refused = content.sentence_block(
            msg("What is wrong"), _explain_refusals(lesson, reader, text, judged), whole=True
        )
        return CommandReply("answer", (opening,), (refused, *again))
    missing = [(0, msg("{text}", text=words["missing"][place])) for place in judged.missing]
    opening = msg("Not yet: your answer can be carried out, but it does not do what the task asks.")
    if judged.is_empty:
        opening = msg("Not yet: no line orders anything. Delete the # before the lines that you want.")
    elif lesson.asks_why:
        opening = msg("Not yet: look at the report again.")
    block = content.sentence_block(msg("What is missing"), missing[:1], whole=True)
    return CommandReply("answer", (opening,), (block, *_result_blocks(lesson, judged, reader), *again))


def _explain_refusals(lesson: Lesson, reader: _Reader, text: str, judged: AnswerVerdict) -> Iterator[tuple[int, Msg]]:
    """Yield each refused line with its explanation.

    An explanation says why the line is refused, the rule in short, and what may be meant.
    """
    if judged.is_out_of_turn:
        yield 0, OUT_OF_TURN
    for bad in judged.rejected[:_REFUSED]:
        line = content.refused_line(bad, text)
        yield 0, msg("{line}", line=content.cut_mistake(bad, line).text) if line else msg("In all")
        yield 1, content.shorten_gaps(content.reason_with_rule(bad))
        if bad.suggestions:
            speak = lesson.game.telling.spoken
            # Three at most, as `content.cut_mistake` leaves to other answers.
            offered = speech.echo_lines(
                [suggestion[: content.LONGEST_SHOWN] for suggestion in bad.suggestions[:3]], speak, reader.language
            )
            yield 1, msg("Perhaps you mean: {words}", words=tuple(offered))
        for rule in lesson.game.rulebook.rule(bad.rule, reader.language)[:1] if bad.rule else ():
            yield 1, msg("The rule: {rule}", rule=rule)


def _result_blocks(lesson: Lesson, judged: AnswerVerdict, reader: _Reader) -> Iterator[Json]:
    """Yield what happened in a lesson, or explain the event that was named."""
    if not lesson.asks_why:
        if judged.entries:
            lines = entries_to_lines(judged.entries)
            is_long = judged.is_right and len(lines) > _LONG
            yield content.sentence_block(msg("What happened"), entries_to_lines(judged.entries, details=not is_long))
        return
    if judged.because is None or judged.outcome is None:
        return
    yield content.sentence_block(
        msg("WHY {number}", number=judged.number), entries_to_lines([judged.because.entry], first=judged.number)
    )
    rules = [line for rule in judged.because.rules for line in lesson.game.rulebook.rule(rule, reader.language)[:1]]
    if rules:
        lines = [(0, msg("{text}", text=rule)) for rule in rules]
        yield content.sentence_block(msg("Its rules; RULES and a number tells one in full"), lines)
    rolls = {roll.label: roll for roll in judged.outcome.rolls}
    if thrown := [rolls[label] for label in judged.because.labels if label in rolls]:
        sentences = [
            msg(
                "{roll}: {n}d{sides} = {values}",
                roll=in_words(roll.label),
                n=roll.n,
                sides=roll.sides,
                values=" ".join(map(str, roll.values)),
            )
            for roll in thrown
        ]
        yield content.sentence_block(msg("Its dice"), [(0, sentence) for sentence in sentences])


def _next(lessons: Sequence[Lesson], lesson: Lesson, reader: _Reader) -> Iterator[Json]:
    """Yield the lesson that follows, or what to do after the last."""
    if lesson.number < len(lessons):
        following = lessons[lesson.number]
        yield content.sentence_block(_title(following, lessons, reader), ())
        yield from _blocks(following, reader)
        return
    last = msg("That was the last lesson. HELP lists all commands.")
    if reader.may_play:
        scenario = lesson.game.easiest or min(lesson.game.editions())
        line = pick_phrase(reader.language, f"PLAY {scenario}", f"JUGAR {scenario}")
        last = msg("That was the last lesson. {line} begins a game against a bot; HELP lists all commands.", line=line)
    yield content.sentence_block(msg("What comes next"), [(0, last)])


def _way_out(lesson: Lesson, reader: _Reader) -> Json:
    line = _line(lesson, reader, pick_phrase(reader.language, *_SOLUTION))
    block = content.sentence_block(msg("If you do not find it"), [(0, msg("{line} shows a right answer.", line=line))])
    return content.with_buttons(block, [(msg("Show a right answer"), line)])


COMMANDS = (
    LetterCommand(
        CommandForm(
            "lesson",
            ("LESSON", "LECCION"),
            _WHICH,
            "LESSON 1",
            "LECCION 1",
            enclosed=EnclosedForm(
                bounds.LESSON_HEAD,
                bounds.LESSON_END,
                msg("END is missing, on a line of its own below your answer to the lesson."),
            ),
        ),
        show_lesson,
        visit=show_lesson_to_anonymous,
        help=(msg("LESSON: five short lessons of each game, without a game. HELP LESSON tells more."),),
        often=RateLimit(day=40),
        served=has_lessons,
    ),
)
