"""What a seat may want of the clock: WAIT, NOWAIT and GO, EXTEND, VACATION.

All of it is announced or shown to everybody, for a deadline is everybody's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NOTHING, Form, Line
from pbem.letters.content import Mistake, date_in_words, when
from pbem.play import deadlines
from pbem.play.commands import command_records
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.positions import last_moment
from pbem.runtime.terms import Terms
from pbem.store import hot_statements, queries, tables

EXTENSION = re.compile(r"(?P<count>\d{1,3}) ?(?P<unit>h|hours?|horas?|d|days?|dias?)?")
"""What follows EXTEND: hours, or days."""

_DAYS = re.compile(r"(?:\d|day|dia).*")


def wait(answer: SeatAnswer, command: Line) -> None:
    """The phase is to wait for its deadline although all orders are in."""
    _wish(answer, "wait")
    answer.say(
        "settings",
        msg("This phase does not close before its deadline, also when all orders are in. NOWAIT takes that back."),
    )


def no_wait(answer: SeatAnswer, command: Line) -> None:
    """The phase need not wait for this seat any more."""
    _wish(answer, "")
    answer.say("settings", msg("I do not wait for you any more once all orders are in."))


def go(answer: SeatAnswer, command: Line) -> None:
    """The phase is to close as soon as all orders are in, without the time for second thoughts."""
    answer.going = True
    queued = answer.queued
    if queued is not None and queued.waits and not answer.has_block:
        hot_statements.change(answer.session, queued, waits=False)
        answer.opening.append(
            msg("The orders that I hold are yours for this turn (revision {revision}).", revision=queued.revision)
        )
    _wish(answer, "go")
    answer.say(
        "settings",
        msg("You need no more time to change your orders: if all agree, the orders are carried out at once."),
    )


def _wish(answer: SeatAnswer, word: str) -> None:
    here, phase = answer.here, answer.phase
    if here is None or phase is None:
        return
    answer.wish(word)
    if answer.game.state == "running":
        deadlines.await_close(answer, here, phase, answer.heard)


def phase_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """There must be an open phase that still takes letters."""
    if answer.here is None or answer.phase is None:
        return command.wrong(msg("No phase is open; there is nothing to wait for."))
    if answer.inbox.internaldate > last_moment(answer.game, answer.phase):
        by = answer.when(answer.phase.deadline)
        return command.wrong(msg("Your letter came after the deadline, {when}.", when=by))
    if deadlines.is_due(answer, answer.phase, answer.inbox.internaldate):
        return command.wrong(msg("All orders were in, and the time to change them is over: the phase closes now."))
    return None


def extend(answer: SeatAnswer, command: Line) -> None:
    """Put the deadline off, within what the terms give a seat, and tell everybody; not if the phase closes before."""
    here, phase = answer.here, answer.phase
    hours = _hours(command)
    if here is None or phase is None:
        return
    closing = queries.schedule.closing(answer.session, answer.game.id)
    if not here.by_letter and not answer.missing and closing is not None and closing < phase.deadline:
        answer.say(
            "settings",
            msg(
                "The deadline stays as it is, and none of your hours is spent: all orders are in, and the phase "
                "closes before it ({when}).",
                when=answer.when(closing),
            ),
        )
        return
    to = phase.deadline + timedelta(hours=hours)
    deadlines.put_off(answer, here, phase, deadlines.Delay(to, cause="extend", seat=answer.seat))
    left = extension_left(answer)
    answer.say(
        "settings",
        msg(
            "The deadline is put off by {span}, to {when}; everybody is told. You have {left} left.",
            span=content.hours(hours),
            when=answer.when(to),
            left=content.hours(left),
        ),
    )

    def told(zone: str) -> Sequence[Msg]:
        return (
            msg("{seat} has put the deadline off by {span}.", seat=answer.seat.name, span=content.hours(hours)),
            msg("Turn {turn}: it is now {when}.", turn=phase.turn, when=when(to, zone)),
        )

    answer.announce(told, f"extend {phase.id} {answer.inbox.id}")


def extend_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Not one's phase, or more than is left."""
    if wrong := phase_wrong(answer, command):
        return wrong
    if not answer.active:
        return command.wrong(msg("The deadline is not yours: the open phase does not ask you for orders."))
    terms = Terms.read(answer.game.terms)
    if deadlines.is_used_up(terms, answer.seat):
        return command.wrong(msg("Your clock has run out: you can put no more deadlines off."))
    hours, left = _hours(command), extension_left(answer)
    if not 1 <= hours <= left:
        why = msg(
            "You can put deadlines off by {left} more in this game ({all} in all); a deadline by 1 at least.",
            left=content.hours(left),
            all=terms.extend_hours,
        )
        return command.wrong(why, *([f"{command.phrase} {left}h"] if left else []))
    return None


def extension_left(answer: SeatAnswer) -> int:
    """How many hours the seat may still put deadlines off."""
    answer.session.flush()
    used = queries.schedule.seconds_put_off(answer.session, answer.seat, "extend")
    return Terms.read(answer.game.terms).extend_hours - used // 3600


def _hours(command: Line) -> int:
    found = EXTENSION.fullmatch(command.rest)
    if found is None:
        raise ValueError(f"not what follows EXTEND: {command.rest!r}")
    return extension(found)


def vacation(answer: SeatAnswer, command: Line) -> None:
    """Announce an absence: deadlines that fall on it wait, the present one too."""
    span = deadlines.days_away(command.rest)
    if span is None:
        raise ValueError(f"not what follows VACATION: {command.rest!r}")
    first, last = (day.isoformat() for day in span)
    answer.session.add(tables.Absence(seat_id=answer.seat.id or 0, first=first, last=last))
    answer.session.flush()
    terms = Terms.read(answer.game.terms)
    left = deadlines.days_left(answer.session, terms, answer.seat)
    days = {"first": date_in_words(span[0]), "last": date_in_words(span[1]), "left": content.days(left)}
    said = msg(
        "You are away from {first} to {last}: no deadline of yours falls on these days. Everybody is told. "
        "You have {left} left.",
        **days,
    )
    if terms.stand_in:
        said = msg(
            "You are away from {first} to {last}. In phases that begin later the bot {bot} writes for you if none "
            "of your orders are in by a deadline on these days. Everybody is told. You have {left} left.",
            bot=terms.stand_in,
            **days,
        )
    answer.say("settings", said)
    here, phase = answer.here, answer.phase
    moved = None
    if terms.stand_in and phase is not None and answer.active and _away(answer, phase):
        answer.opening.append(
            msg(
                "The present phase began before: no bot writes in it, and it closes {when}.",
                when=answer.when(phase.deadline),
            )
        )
    elif here is not None and phase is not None and answer.active and _away(answer, phase) and not _is_over(answer):
        moved = deadlines.setting(answer.at(phase.deadline - timedelta(seconds=1)), here)
        deadlines.put_off(answer, here, phase, deadlines.Delay(moved, cause="vacation", seat=answer.seat))
        answer.opening.append(msg("The deadline of this turn is now {when}.", when=answer.when(moved)))

    def told(zone: str) -> Sequence[Msg]:
        away = msg(
            "{seat} is away from {first} to {last}.",
            seat=answer.seat.name,
            first=date_in_words(span[0]),
            last=date_in_words(span[1]),
        )
        if terms.stand_in:
            return away, msg("The bot {bot} writes where no orders of that seat are in.", bot=terms.stand_in)
        return (away, msg("The deadline of this turn is now {when}.", when=when(moved, zone))) if moved else (away,)

    answer.announce(told, f"vacation {answer.inbox.id} {command.line}")


def vacation_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """Days that no calendar has, that are past, or more of them than are left."""
    span, found = deadlines.days_away(command.rest), deadlines.read_days_away(command.rest)
    today = answer.now.date()
    if len(found) > 1:
        ways = tuple(
            msg("{first} to {last}", first=date_in_words(one), last=date_in_words(other)) for one, other in found
        )
        why = msg(
            "These days can be read in two ways: {one}, or {other}. Write the year first.", one=ways[0], other=ways[1]
        )
        return command.wrong(why, *(f"{command.phrase} {a} TO {b}" for a, b in found))
    if span is None:
        return command.wrong(
            msg("These are not two days in their order, such as {example}.", example=command_example(command))
        )
    if span[1] < today:
        return command.wrong(msg("These days are past."))
    left = deadlines.days_left(answer.session, Terms.read(answer.game.terms), answer.seat)
    if deadlines.days_of(*span) > left:
        why = msg(
            "That would be {wanted}; you have {left} left in this game.",
            wanted=content.days(deadlines.days_of(*span)),
            left=content.days(left),
        )
        return command.wrong(why)
    first, last = (day.isoformat() for day in span)
    if any(row.first <= last and first <= row.last for row in queries.persons.absences(answer.session, answer.seat)):
        return command.wrong(msg("You have announced some of these days already."))
    return None


def command_example(command: Line) -> str:
    """How such a command reads, in the language that was written."""
    return f"{command.phrase} 2031-08-01 {chosen(command.language, 'TO', 'A')} 2031-08-14"


def _is_over(answer: SeatAnswer) -> bool:
    """Whether the letter came when the open phase could only be closed any more."""
    phase, came = answer.phase, answer.inbox.internaldate
    return phase is not None and (came > last_moment(answer.game, phase) or deadlines.is_due(answer, phase, came))


def _away(answer: SeatAnswer, phase: tables.Phase) -> bool:
    return deadlines.back_at(answer.session, answer.seat, phase.deadline) > phase.deadline


def extension(said: re.Match[str]) -> int:
    """The hours by which a deadline is put off."""
    return int(said["count"]) * (24 if (said["unit"] or "h").startswith("d") else 1)


# HERE: a word from a seat that was asked whether anybody is there.


def here(answer: SeatAnswer, command: Line) -> None:
    """Say that the seat is kept; that it wrote at all has kept it already."""
    answer.say("settings", msg("You are there, and the seat is yours: nobody else may take it over for now."))


COMMANDS = (
    Command(Form("wait", ("WAIT", "ESPERAR"), NOTHING, "WAIT", "ESPERAR"), wait, check=phase_wrong),
    Command(
        Form("no-wait", ("NOWAIT", "NO WAIT", "NOESPERAR", "NO ESPERAR"), NOTHING, "NOWAIT", "NOESPERAR"),
        no_wait,
        check=phase_wrong,
    ),
    Command(Form("go", ("GO", "YA"), NOTHING, "GO", "YA"), go, check=phase_wrong),
    Command(
        Form("extend", ("EXTEND", "PRORROGA", "PRORROGAR"), EXTENSION, "EXTEND 48h", "PRORROGA 48h"),
        extend,
        check=extend_wrong,
        often=Often(phase=3, seat=30),
        fits=lambda answer: Terms.read(answer.game.terms).extend_hours > 0,
        after_orders=True,
    ),
    Command(
        Form("vacation", ("VACATION", "VACACIONES"), _DAYS, "VACATION day TO day", "VACACIONES dia A dia"),
        vacation,
        check=vacation_wrong,
        often=Often(letter=3, seat=12),
        fits=lambda answer: Terms.read(answer.game.terms).vacation_days > 0,
    ),
    Command(
        Form("here", ("HERE", "PRESENTE"), re.compile(""), "HERE", "PRESENTE"),
        here,
        often=Often(letter=1),
        fits=lambda answer: (
            command_records.has_opponent(answer) and "standby" in command_records.terms_of(answer).ladder
        ),
    ),
)
