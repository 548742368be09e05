"""Control the clock: WAIT, NOWAIT and GO, EXTEND, VACATION.

Everything is announced or shown to everybody, because deadlines concern all.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake, date_in_words, moment_in_words
from pbem.play import deadlines
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.positions import last_moment
from pbem.runtime.terms import Terms
from pbem.store import hot_statements, queries, tables

EXTENSION = re.compile(r"(?P<count>\d{1,3}) ?(?P<unit>h|hours?|horas?|d|days?|dias?)?")
"""Argument of EXTEND: hours or days, of three digits at most: no seat has more hours."""

# What begins as a date does: `deadlines.DATES` reads it, and a wrong date is answered.
_DAYS = re.compile(r"(?:\d|day|dia).*")


def wait_for_deadline(answer: SeatAnswer, command: CommandLine) -> None:
    """Let the phase wait for its deadline although all orders are in."""
    _wish(answer, "wait")
    answer.say(
        "settings",
        msg("This phase does not close before its deadline, also when all orders are in. NOWAIT takes that back."),
    )


def cancel_wait(answer: SeatAnswer, command: CommandLine) -> None:
    """Let the phase wait for this seat no more."""
    _wish(answer, "")
    answer.say("settings", msg("I do not wait for you any more once all orders are in."))


def close_early(answer: SeatAnswer, command: CommandLine) -> None:
    """Let the phase close as soon as all orders are in, without the undo window."""
    answer.going = True
    queued = answer.queued_orders
    if queued is not None and queued.waits and not answer.has_block:
        hot_statements.update_row(answer.session, queued, waits=False)
        answer.opening.append(
            msg("The orders that I hold are yours for this turn (revision {revision}).", revision=queued.revision)
        )
    _wish(answer, "go")
    answer.say(
        "settings",
        msg("You need no more time. If everybody agrees, the orders are carried out at once."),
    )


def _wish(answer: SeatAnswer, word: str) -> None:
    position, phase = answer.here, answer.phase
    if position is None or phase is None:
        return
    answer.set_wish(word)
    if answer.game.state == "running":
        deadlines.plan_closing(answer, position, phase, answer.phase_status)


def check_phase(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse if there is no open phase that still takes letters."""
    if answer.here is None or answer.phase is None:
        return command.wrong(msg("No phase is open; there is nothing to wait for."))
    if answer.inbox.internaldate > last_moment(answer.game, answer.phase):
        limit = answer.when(answer.phase.deadline)
        return command.wrong(msg("Your letter came after the deadline, {when}.", when=limit))
    if deadlines.is_due(answer, answer.phase, answer.inbox.internaldate):
        return command.wrong(msg("All orders were in, and the time to change them is over: the phase closes now."))
    return None


def extend_deadline(answer: SeatAnswer, command: CommandLine) -> None:
    """Move the deadline within the seat's allowance, and notify everybody.

    Do nothing if the phase closes before.
    """
    position, phase = answer.here, answer.phase
    hours = _hours(command)
    if position is None or phase is None:
        return
    closing = queries.schedule.closing_time(answer.session, answer.game.id)
    if not position.by_letter and not answer.missing and closing is not None and closing < phase.deadline:
        answer.say(
            "settings",
            msg(
                "The deadline stays as it is, and none of your hours is spent: all orders are in, and the phase "
                "closes before it ({when}).",
                when=answer.when(closing),
            ),
        )
        return
    deadline = deadlines.postpone_deadline(answer.game, phase, hours)
    deadlines.move_deadline(answer, position, phase, deadlines.DeadlineMove(deadline, cause="extend", seat=answer.seat))
    hours_left = remaining_extension(answer)
    answer.say(
        "settings",
        msg(
            "The deadline is put off by {span}, to {when}; everybody is told. You have {left} left.",
            span=content.hours_in_words(hours),
            when=answer.when(deadline),
            left=content.hours_in_words(hours_left),
        ),
    )

    def write_notice(zone: str) -> Sequence[Msg]:
        return (
            msg(
                "{seat} has put the deadline off by {span}.", seat=answer.seat.name, span=content.hours_in_words(hours)
            ),
            msg("Turn {turn}: it is now {when}.", turn=phase.turn, when=moment_in_words(deadline, zone)),
        )

    answer.announce(write_notice, f"extend {phase.id} {answer.inbox.id}")


def check_extend(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse EXTEND in another seat's phase or above the seat's allowance."""
    if fault := check_phase(answer, command):
        return fault
    if not answer.active:
        return command.wrong(msg("The deadline is not yours: the open phase does not ask you for orders."))
    terms = Terms.read(answer.game.terms)
    if deadlines.is_clock_used_up(terms, answer.seat):
        return command.wrong(msg("Your clock has run out: you can put no more deadlines off."))
    hours, hours_left = _hours(command), remaining_extension(answer)
    if not 1 <= hours <= hours_left:
        reason = msg(
            "You can put deadlines off by {left} more in this game ({all} in all); a deadline by 1 at least.",
            left=content.hours_in_words(hours_left),
            all=terms.extend_hours,
        )
        return command.wrong(reason, *([f"{command.phrase} {hours_left}h"] if hours_left else []))
    return None


def remaining_extension(answer: SeatAnswer) -> int:
    """Return how many hours the seat may still move deadlines."""
    answer.session.flush()
    used = queries.schedule.total_delay(answer.session, answer.seat, "extend")
    return Terms.read(answer.game.terms).extend_hours - used // 3600


def _hours(command: CommandLine) -> int:
    match = EXTENSION.fullmatch(command.rest)
    if match is None:
        raise ValueError(f"not what follows EXTEND: {command.rest!r}")
    return extension_hours(match)


def announce_vacation(answer: SeatAnswer, command: CommandLine) -> None:
    """Announce an absence: deadlines in it wait, the present one too."""
    span = deadlines.unique_days_away(command.rest)
    if span is None:
        raise ValueError(f"not what follows VACATION: {command.rest!r}")
    first_day, last_day = (day.isoformat() for day in span)
    answer.session.add(tables.Absence(seat_id=answer.seat.id or 0, first=first_day, last=last_day))
    answer.session.flush()
    terms = Terms.read(answer.game.terms)
    days_left = deadlines.remaining_days_away(answer.session, terms, answer.seat)
    days = {"first": date_in_words(span[0]), "last": date_in_words(span[1]), "left": content.days_in_words(days_left)}
    notice = msg(
        "You are away from {first} to {last}: no deadline of yours falls on these days. Everybody is told. "
        "You have {left} left.",
        **days,
    )
    if terms.stand_in:
        notice = msg(
            "You are away from {first} to {last}. In phases that begin later the bot {bot} writes for you if none "
            "of your orders are in by a deadline on these days. Everybody is told. You have {left} left.",
            bot=terms.stand_in,
            **days,
        )
    answer.say("settings", notice)
    position, phase = answer.here, answer.phase
    moved = None
    if terms.stand_in and phase is not None and answer.active and _is_away(answer, phase):
        answer.opening.append(
            msg(
                "The present phase began before: no bot writes in it, and it closes {when}.",
                when=answer.when(phase.deadline),
            )
        )
    elif (
        position is not None
        and phase is not None
        and answer.active
        and _is_away(answer, phase)
        and not _is_over(answer)
    ):
        moved = deadlines.new_deadline(answer.at(phase.deadline - timedelta(seconds=1)), position)
        deadlines.move_deadline(
            answer, position, phase, deadlines.DeadlineMove(moved, cause="vacation", seat=answer.seat)
        )
        answer.opening.append(msg("The deadline of this turn is now {when}.", when=answer.when(moved)))

    def write_notice(zone: str) -> Sequence[Msg]:
        away = msg(
            "{seat} is away from {first} to {last}.",
            seat=answer.seat.name,
            first=date_in_words(span[0]),
            last=date_in_words(span[1]),
        )
        if terms.stand_in:
            return away, msg("The bot {bot} writes where no orders of that seat are in.", bot=terms.stand_in)
        return (
            (away, msg("The deadline of this turn is now {when}.", when=moment_in_words(moved, zone)))
            if moved
            else (away,)
        )

    answer.announce(write_notice, f"vacation {answer.inbox.id} {command.line}")


def check_vacation(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse invalid or past days, or more days than are left."""
    span, readings = deadlines.unique_days_away(command.rest), deadlines.read_days_away(command.rest)
    today = answer.now.date()
    if len(readings) > 1:
        reading_texts = tuple(
            msg("{first} to {last}", first=date_in_words(first_day), last=date_in_words(last_day))
            for first_day, last_day in readings
        )
        reason = msg(
            "These days can be read in two ways: {one}, or {other}. Write the year first.",
            one=reading_texts[0],
            other=reading_texts[1],
        )
        return command.wrong(
            reason, *(f"{command.phrase} {first_date} TO {last_date}" for first_date, last_date in readings)
        )
    if span is None:
        return command.wrong(
            msg("These are not two days in their order, such as {example}.", example=command_example(command))
        )
    if span[1] < today:
        return command.wrong(msg("These days are past."))
    days_left = deadlines.remaining_days_away(answer.session, Terms.read(answer.game.terms), answer.seat)
    if deadlines.count_days(*span) > days_left:
        reason = msg(
            "That would be {wanted}; you have {left} left in this game.",
            wanted=content.days_in_words(deadlines.count_days(*span)),
            left=content.days_in_words(days_left),
        )
        return command.wrong(reason)
    first, last = (day.isoformat() for day in span)
    if any(
        absence.first <= last and first <= absence.last
        for absence in queries.persons.absences(answer.session, answer.seat)
    ):
        return command.wrong(msg("You have announced some of these days already."))
    return None


def command_example(command: CommandLine) -> str:
    """Return an example of the command in the language it was written in."""
    return f"{command.phrase} 2031-08-01 {pick_phrase(command.language, 'TO', 'A')} 2031-08-14"


def _is_over(answer: SeatAnswer) -> bool:
    """Return whether the letter came too late: the phase could then only be closed."""
    phase, received = answer.phase, answer.inbox.internaldate
    return phase is not None and (
        received > last_moment(answer.game, phase) or deadlines.is_due(answer, phase, received)
    )


def _is_away(answer: SeatAnswer, phase: tables.Phase) -> bool:
    return deadlines.end_of_absence(answer.session, answer.seat, phase.deadline) > phase.deadline


def extension_hours(match: re.Match[str]) -> int:
    """Return the hours by which a deadline is moved."""
    return int(match["count"]) * (24 if (match["unit"] or "h").startswith("d") else 1)


# HERE: a word from a seat that was asked whether anybody is there.


def confirm_presence(answer: SeatAnswer, command: CommandLine) -> None:
    """Confirm that the seat is still played; any letter already counts as that."""
    answer.say("settings", msg("You are there, and the seat is yours: nobody else may take it over for now."))


COMMANDS = (
    LetterCommand(
        CommandForm("wait", ("WAIT", "ESPERAR"), NO_ARGUMENT, "WAIT", "ESPERAR"), wait_for_deadline, check=check_phase
    ),
    LetterCommand(
        CommandForm("no-wait", ("NOWAIT", "NO WAIT", "NOESPERAR", "NO ESPERAR"), NO_ARGUMENT, "NOWAIT", "NOESPERAR"),
        cancel_wait,
        check=check_phase,
    ),
    LetterCommand(CommandForm("go", ("GO", "YA"), NO_ARGUMENT, "GO", "YA"), close_early, check=check_phase),
    LetterCommand(
        CommandForm("extend", ("EXTEND", "PRORROGA", "PRORROGAR"), EXTENSION, "EXTEND 48h", "PRORROGA 48h"),
        extend_deadline,
        check=check_extend,
        often=RateLimit(phase=3, seat=30),
        fits=lambda answer: Terms.read(answer.game.terms).extend_hours > 0,
        after_orders=True,
    ),
    LetterCommand(
        CommandForm("vacation", ("VACATION", "VACACIONES"), _DAYS, "VACATION day TO day", "VACACIONES dia A dia"),
        announce_vacation,
        check=check_vacation,
        often=RateLimit(letter=3, seat=12),
        fits=lambda answer: Terms.read(answer.game.terms).vacation_days > 0,
    ),
    LetterCommand(
        CommandForm("here", ("HERE", "PRESENTE"), re.compile(""), "HERE", "PRESENTE"),
        confirm_presence,
        often=RateLimit(letter=1),
        fits=lambda answer: (
            command_records.has_opponent(answer) and "standby" in command_records.terms_of(answer).ladder
        ),
    ),
)
