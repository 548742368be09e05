"""What a seat may want of the clock: WAIT, NOWAIT and GO, EXTEND, VACATION.

All of it is announced or shown to everybody, for a deadline is everybody's.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from pbem.campaign.base import absences, letters
from pbem.campaign.base.command_lines import Command
from pbem.campaign.base.command_words import EXTENSION, hours
from pbem.campaign.base.letters import Mistake, when
from pbem.campaign.base.terms import Terms
from pbem.campaign.commands.answer import Desk
from pbem.campaign.turn import deadlines
from pbem.core.data.messages import Msg, msg
from pbem.store import queries, tables, writes

__all__ = [
    "extend",
    "extend_wrong",
    "extension_left",
    "go",
    "no_wait",
    "phase_wrong",
    "vacation",
    "vacation_wrong",
    "wait",
]


def wait(desk: Desk, command: Command) -> None:
    """The phase is to wait for its deadline although all orders are in."""
    _wish(desk, "wait")
    desk.say(
        "settings",
        msg("This phase does not close before its deadline, also when all orders are in. NOWAIT takes that back."),
    )


def no_wait(desk: Desk, command: Command) -> None:
    """The phase need not wait for this seat any more."""
    _wish(desk, "")
    desk.say("settings", msg("I do not wait for you any more once all orders are in."))


def go(desk: Desk, command: Command) -> None:
    """The phase is to close as soon as all orders are in, without the time for second thoughts."""
    desk.going = True
    held = desk.held
    if held is not None and held.waits and not desk.has_block:
        writes.change(desk.session, held, waits=False)
        desk.opening.append(msg("The orders that I hold are yours for this turn (revision {revision}).",
                                revision=held.revision))  # fmt: skip
    _wish(desk, "go")
    desk.say("settings", msg("You need no more time to change your orders: if all agree, the dice are rolled at once."))


def _wish(desk: Desk, word: str) -> None:
    here, phase = desk.here, desk.phase
    if here is None or phase is None:
        return
    desk.wish(word)
    if desk.game.state == "running":
        deadlines.await_close(desk, here, phase, desk.heard)


def phase_wrong(desk: Desk, command: Command) -> Mistake | None:
    """There must be an open phase that still takes letters."""
    if desk.here is None or desk.phase is None:
        return command.wrong(msg("No phase is open; there is nothing to wait for."))
    if desk.inbox.internaldate > deadlines.last_moment(desk.game, desk.phase):
        by = desk.when(desk.phase.deadline)
        return command.wrong(msg("Your letter came after the deadline, {when}.", when=by))
    return None


def extend(desk: Desk, command: Command) -> None:
    """Put the deadline off, within what the terms give a seat, and tell everybody."""
    here, phase = desk.here, desk.phase
    hours = _hours(command)
    if here is None or phase is None:
        return
    to = phase.deadline + timedelta(hours=hours)
    deadlines.put_off(desk, here, phase, to, cause="extend", seat=desk.seat)
    left = extension_left(desk)
    desk.say(
        "settings",
        msg(
            "The deadline is put off by {span}, to {when}; everybody is told. You have {left} left.",
            span=letters.hours(hours),
            when=desk.when(to),
            left=letters.hours(left),
        ),
    )

    def told(zone: str) -> Sequence[Msg]:
        return (
            msg("{seat} has put the deadline off by {span}.", seat=desk.seat.name, span=letters.hours(hours)),
            msg("Turn {turn}: it is now {when}.", turn=phase.turn, when=when(to, zone)),
        )

    desk.announce(told, f"extend {phase.id} {desk.inbox.id}")


def extend_wrong(desk: Desk, command: Command) -> Mistake | None:
    """Not one's phase, or more than is left."""
    if wrong := phase_wrong(desk, command):
        return wrong
    if not desk.active:
        return command.wrong(msg("The deadline is not yours: the open phase does not ask you for orders."))
    terms = Terms.read(desk.game.terms)
    if deadlines.used_up(terms, desk.seat):
        return command.wrong(msg("Your clock has run out: you can put no more deadlines off."))
    hours, left = _hours(command), extension_left(desk)
    if not 1 <= hours <= left:
        why = msg(
            "You can put deadlines off by {left} more in this game ({all} in all); a deadline by 1 at least.",
            left=letters.hours(left),
            all=terms.extend_hours,
        )
        return command.wrong(why, *([f"{command.phrase} {left}h"] if left else []))
    return None


def extension_left(desk: Desk) -> int:
    """How many hours the seat may still put deadlines off."""
    desk.session.flush()
    used = queries.dues.seconds_put_off(desk.session, desk.seat, "extend")
    return Terms.read(desk.game.terms).extend_hours - used // 3600


def _hours(command: Command) -> int:
    found = EXTENSION.fullmatch(command.rest)
    if found is None:
        raise ValueError(f"not what follows EXTEND: {command.rest!r}")
    return hours(found)


def vacation(desk: Desk, command: Command) -> None:
    """Announce an absence: deadlines that fall on it wait, the present one too."""
    span = absences.read(command.rest)
    if span is None:
        raise ValueError(f"not what follows VACATION: {command.rest!r}")
    first, last = (day.isoformat() for day in span)
    desk.session.add(tables.Absence(seat_id=desk.seat.id or 0, first=first, last=last))
    desk.session.flush()
    left = absences.days_left(desk.session, Terms.read(desk.game.terms), desk.seat)
    desk.say(
        "settings",
        msg(
            "You are away from {first} to {last}: no deadline of yours falls on these days. Everybody is told. "
            "You have {left} left.",
            first=first,
            last=last,
            left=letters.days(left),
        ),
    )
    here, phase = desk.here, desk.phase
    moved = None
    if here is not None and phase is not None and desk.active and _away(desk, phase):
        moved = deadlines.setting(desk.at(phase.deadline - timedelta(seconds=1)), here)
        deadlines.put_off(desk, here, phase, moved, cause="vacation", seat=desk.seat)
        desk.opening.append(msg("The deadline of this turn is now {when}.", when=desk.when(moved)))

    def told(zone: str) -> Sequence[Msg]:
        away = msg("{seat} is away from {first} to {last}.", seat=desk.seat.name, first=first, last=last)
        return (away, msg("The deadline of this turn is now {when}.", when=when(moved, zone))) if moved else (away,)

    desk.announce(told, f"vacation {desk.inbox.id} {command.line}")


def vacation_wrong(desk: Desk, command: Command) -> Mistake | None:
    """Days that no calendar has, that are past, or more of them than are left."""
    span = absences.read(command.rest)
    today = desk.now.date()
    if span is None:
        return command.wrong(
            msg("These are not two days in their order, such as {example}.", example=command_example(command))
        )
    if span[1] < today:
        return command.wrong(msg("These days are past."))
    left = absences.days_left(desk.session, Terms.read(desk.game.terms), desk.seat)
    if absences.days_of(*span) > left:
        why = msg(
            "That would be {wanted}; you have {left} left in this game.",
            wanted=letters.days(absences.days_of(*span)),
            left=letters.days(left),
        )
        return command.wrong(why)
    first, last = (day.isoformat() for day in span)
    if any(row.first <= last and first <= row.last for row in queries.people.absences(desk.session, desk.seat)):
        return command.wrong(msg("You have announced some of these days already."))
    return None


def command_example(command: Command) -> str:
    """How such a command reads, in the language that was written."""
    return f"{command.phrase} 2031-08-01 {'A' if command.spanish else 'TO'} 2031-08-14"


def _away(desk: Desk, phase: tables.Phase) -> bool:
    return absences.back(desk.session, desk.seat, phase.deadline) > phase.deadline
