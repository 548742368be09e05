"""Breakers: what keeps a server's own trouble from being counted as the players'.

    outage   no poll of the mailbox was taken in whole for hours, be it the mailbox, the server or its clock:
             deadlines that fell in that time, or soon after it, are put off by its length
    jump     the same for days: every game is held, for perhaps it is the clock that is wrong
    mass     many phases close by their deadlines at once without orders, of seats that never missed one before, and
             hardly anybody else wrote of late: rounds of a tournament end together, and letters come all the while
    bounces  most of the letters sent last were refused for good
             in both, deadlines are put off by a day, once a phase: something is wrong between server and players

Everybody concerned is told, and so is whoever runs the server.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg, plain
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.letters.content import Letter, when
from pbem.play import deadlines, holds, pauses
from pbem.play.deadlines import Delay
from pbem.play.positions import Position, position
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries, tables

log = Logger(__name__)

OUTAGE = timedelta(hours=2)
"""A mailbox not polled for longer was out of reach."""

DAYS = timedelta(days=3)
"""After a longer time a person has to look."""

MASS = 4
"""As many phases closing at once, at least, can be a sign that letters do not come through."""

BOUNCES = 10
"""As many of the letters sent last are looked at."""

SHARE = 0.6
"""The part of them, or of the seats that are silent or were heard, from which on it is no accident."""

_GRACE = timedelta(hours=24)
_SLIP = timedelta(minutes=5)
_MASS, _BOUNCES = "mass", "bounces"


def after_gap(work: Transaction, since: datetime, until: datetime) -> None:
    """The mailbox was polled again at `until`, for the first time since `since`: put off what that time was taken from.

    A phase whose deadline lies behind `until` by a day or more had time enough before and has it still. Called again
    for the same gap, as after a crash, it does nothing more.
    """
    gap = until - since
    if gap < -_SLIP:
        what = msg("The clock of this server went back by {span}.", span=content.minutes(-gap // timedelta(minutes=1)))
        outbox.to_operator(work.at(until), outbox.Notice(what, "", cause=f"clock {since.isoformat()}"))
    if gap < OUTAGE:
        return
    log.warning("the mailbox was out of reach", since=since.isoformat(), until=until.isoformat())
    hours = -(-gap // timedelta(hours=1))
    for game, phase in _open(work.session):
        if gap > DAYS:
            why = msg("For {span} this server could not be reached, or its clock is wrong.", span=content.hours(hours))
            holds.hold(work.at(until), game, phase, why, plain(why))
        elif (
            phase.state == "open" and since < phase.deadline < until + _GRACE and not _done(work.session, phase, since)
        ):
            why = msg("For {span} letters did not reach this server.", span=content.hours(hours))
            to = phase.deadline + timedelta(hours=hours)
            _put_off(work.at(until), position(work, game), phase, Delay(to, "outage"), why)
        elif phase.state == "closed" and not _done(work.session, phase, since):
            _more_time(work, game, phase, since, until)


def _more_time(work: Transaction, game: tables.Game, phase: tables.Phase, since: datetime, until: datetime) -> None:
    """Whoever is asked by letter gets the time back that was taken from his answers; nobody else hears of it."""
    segment = queries.phases.asking(work.session, phase)
    if segment is None or segment.deadline is None or not since < segment.deadline < until + _GRACE:
        return
    segment.deadline += until - since
    work.session.add(segment)
    hot_statements.add(work.session, tables.Delay, phase_id=phase.id, seat_id=None, cause="outage", seconds=0, at=until)
    pauses.await_answers(work.at(until), game, segment, "outage")
    for seat in queries.games.seats(work.session, game.id):
        if pauses.put_to(work.session, segment, seat):
            told = msg(
                "Letters did not reach this server: you have until {when} to answer what you were asked.",
                when=when(segment.deadline, seat.zone),
            )
            head = outbox.head_of(work.server, game, seat, phase)
            letter = Letter("announcement", head, opening=(told,)).to_json()
            cause = f"more time {segment.id} {until.isoformat()}"
            outbox.to_seat(work.at(until), letter, seat, game, cause=cause)


def trouble(work: Transaction, dues: Sequence[tables.Due]) -> str:
    """What is wrong when these rows are due at once: ``mass``, ``bounces``, or nothing."""
    closing = [due for due in dues if due.kind == "close" and due.cause == deadlines.DEADLINE]
    if not closing:
        return ""
    tries = queries.outbox.last_tries(work.session, BOUNCES)
    lost = sum(500 <= row.code < 600 and row.at > work.now - _GRACE for row in tries)
    if len(tries) == BOUNCES and lost >= SHARE * BOUNCES:
        return _BOUNCES
    if len(closing) < MASS:
        return ""
    silent = len(queries.orders.suddenly_silent(work.session, [due.game_id for due in closing]))
    heard = queries.inbox.heard_since(work.session, work.now - _GRACE)
    return _MASS if silent >= MASS and silent >= SHARE * (silent + heard) else ""


def postpone(work: Transaction, here: Position, phase: tables.Phase, trouble: str) -> bool:
    """Put the deadline of a phase off because of trouble, unless that was done for it before; whether it was done."""
    if not trouble or queries.schedule.delays(work.session, phase, *_WHY):
        return False
    to = max(phase.deadline, work.now) + _GRACE
    _put_off(work, here, phase, Delay(to, trouble), _WHY[trouble])
    return True


_WHY = {
    _MASS: msg("In many games at once no orders came; perhaps letters did not get through."),
    _BOUNCES: msg("Most of the letters that this server sent last were refused; perhaps yours was among them."),
}


def _put_off(work: Transaction, here: Position, phase: tables.Phase, delay: Delay, why: Msg) -> None:
    game, to, cause = here.game, delay.to, delay.cause
    deadlines.put_off(work, here, phase, delay)

    def told(zone: str) -> Sequence[Msg]:
        return why, msg("The deadline of turn {turn} is put off to {when}.", turn=phase.turn, when=when(to, zone))

    named = f"{cause} {phase.id} {work.now.isoformat()}"
    outbox.to_all(work, game, phase, outbox.Circular(told, cause=named, may_wait=True))
    title = msg("a deadline is put off")
    outbox.to_operator(work, outbox.Notice(why, "", cause=f"{game.id} {named}", game=game.id, title=title))


def _done(session: Session, phase: tables.Phase, since: datetime) -> bool:
    return any(delay.at > since for delay in queries.schedule.delays(session, phase, "outage"))


def _open(session: Session) -> list[tuple[tables.Game, tables.Phase]]:
    """The games that are played, each with its phase that is open or waits for answers."""
    return [(game, phase) for game, phase in queries.games.with_phases(session) if game.state == "running"]
