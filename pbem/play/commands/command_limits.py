"""How often a command may be used, as its record says: in a letter, a phase, a game, a day; and whom it reaches.

What stands in a letter once too often is told and not done, and so is what cannot be done any more once the lines
above it were carried out: each command is held against the game again where another of its kind came before it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.letters import codes
from pbem.letters.content import Mistake, shortened
from pbem.letters.unparsed_lines import Line
from pbem.mail.address import base_address
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.store import queries, writes

MOST_COSTLY = 3
"""Questions of a letter that run the rules: each of them takes as long as a hundred others."""
_DAY = timedelta(days=1)
_LINES = 10
"""How many of the surplus lines of one kind an answer names."""


def within(said: Sequence[Line], commands: dict[str, Command]) -> tuple[tuple[Line, ...], tuple[Msg, ...]]:
    """The commands of a letter that may be in it together, and what is told of those that stand there too often.

    Questions that run the rules are counted together, whatever they ask.
    """
    times: Counter[str] = Counter()
    kept: list[Line] = []
    left: dict[str, list[Line]] = {}
    for line in said:
        costly = commands[line.name].costly
        kind = _COSTLY if costly else line.name
        times[kind] += 1
        if times[kind] > (MOST_COSTLY if costly else most_in_a_letter(commands[line.name])):
            left.setdefault(kind, []).append(line)
        else:
            kept.append(line)
    told = [_ask_again(lines) if kind == _COSTLY else _too_often(commands[kind], lines) for kind, lines in left.items()]
    return tuple(kept), tuple(told)


_COSTLY = "costly"
"""Under what the questions that run the rules are counted; no command has that name."""


def _ask_again(lines: Sequence[Line]) -> Msg:
    """What is told of questions past the number that one letter answers of those that take long."""
    return msg(
        "ODDS, HINT, WHY, DICE and TEST: {count} in a letter, all told. Not answered here, by line: {lines}. "
        "Ask again.",
        count=MOST_COSTLY,
        lines=_numbers(lines),
    )


def _numbers(lines: Sequence[Line]) -> tuple[int | str, ...]:
    numbers = tuple(dict.fromkeys(line.line for line in lines))
    return numbers if len(numbers) <= _LINES else (*numbers[:_LINES], "...")


def most_in_a_letter(command: Command) -> int:
    """How often a command counts in one letter."""
    return command.often.letter


def _too_often(command: Command, lines: Sequence[Line]) -> Msg:
    shown = _numbers(lines)
    name = _name(lines[0], command)
    once = msg("{command} counts once in a letter; not carried out once more: {lines}.", command=name, lines=shown)
    often = msg(
        "{command} counts {count} times in a letter; not carried out any more: {lines}.",
        command=name,
        count=command.often.letter,
        lines=shown,
    )
    return by_number(command.often.letter, once, often)


def objection(answer: Answer, command: Command, line: Line) -> Mistake | None:
    """What is wrong with a command as the game stands, or because it was used so often."""
    wrong = command.check(answer, line) if command.check is not None else None
    if wrong is not None:
        return wrong
    why = _used_up(answer, command, line) or _written_enough(answer, command, line)
    return None if why is None else line.wrong(why)


def _used_up(answer: Answer, command: Command, line: Line) -> Msg | None:
    often = command.often
    if not (often.phase or often.seat or often.day):
        return None
    answer.session.flush()
    used = queries.inbox.uses(answer.session, answer.seat, line.name, answer.now - _DAY)
    phase = used.get(str(answer.current.id), 0) if answer.current is not None else 0
    name = _name(line, command)
    if often.phase and phase >= often.phase:
        return msg("{command} was used as often as it may be in one phase: {count}.", command=name, count=often.phase)
    if often.seat and used["seat"] >= often.seat:
        return msg("{command} was used as often as it may be in one game: {count}.", command=name, count=often.seat)
    if often.day and used["day"] >= often.day:
        return msg("{command} was used as often as it may be in one day: {count}.", command=name, count=often.day)
    return None


def _written_enough(answer: Answer, command: Command, line: Line) -> Msg | None:
    """Return why no further address that this player names is written to; None if one may be."""
    whom = _whom(command, line)
    if not whom:
        return None
    session, limits, now = answer.session, answer.server.limits, answer.now
    session.flush()
    open_ = queries.inbox.strangers_of(session, answer.seat.person_id, now - timedelta(days=codes.DAYS))
    if open_ >= limits.named_by_one:
        return msg(
            "I have written to {count} addresses for you within {days} days, and write to no more of them for now.",
            count=limits.named_by_one,
            days=codes.DAYS,
        )
    at_domain = queries.inbox.strangers_since(session, now - _DAY, whom.rpartition("@")[2])
    if at_domain >= limits.named_at_domain or queries.inbox.strangers_since(session, now - _DAY) >= limits.named:
        return msg("I have written to as many addresses that players named as I do in a day; try it tomorrow.")
    return None


def note(answer: Answer, command: Command, line: Line) -> None:
    """Count a command that was carried out, if it is counted."""
    whom, often = _whom(command, line), command.often
    if whom or often.phase or often.seat or often.day:
        writes.add(
            answer.session,
            "use",
            command=line.name,
            seat_id=answer.seat.id,
            person_id=answer.seat.person_id,
            phase_id=answer.current.id if answer.current is not None else None,
            about=base_address(whom) if whom else "",
            at=answer.now,
        )


def refused_after(line: Line, wrong: Mistake) -> Msg:
    """What is told of a command that could be when the letter came, and could not once those above it were done."""
    return shortened(
        msg(
            "Line {line}, {text}: not carried out. {why}",
            line=line.line,
            text=line.text.strip() or line.phrase,
            why=wrong.rejected.why,
        )
    )


def _whom(command: Command, line: Line) -> str:
    return command.names(line) if command.names is not None else ""


def _name(line: Line, command: Command) -> str:
    return line.phrase or command.form.example.split()[0]
