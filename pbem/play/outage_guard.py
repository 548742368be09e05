"""Guard players against the server's own trouble, which is no absence.

    outage   no complete poll of the mailbox for hours, be it the mailbox, the server or its clock:
             deadlines in that time, or soon after it, are moved by its length
    jump     the same for days: every game is held, for perhaps the clock is wrong
    mass     many phases close by their deadlines at once without orders, of seats that never missed one before, and
             hardly any letters came of late: rounds of a tournament end together, and letters come all the while
    bounces  most of the letters sent last were refused permanently
             after mass or bounces, deadlines are moved by a day, once a phase: letters may be lost on the way

Everybody concerned is notified, and so is the operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg, plain_english
from pbem.lazy import Logger
from pbem.letters import content, outbox
from pbem.letters.content import moment_in_words
from pbem.play import deadlines, holds, pauses, stops
from pbem.play.deadlines import DeadlineMove
from pbem.play.positions import Position, read_position
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

log = Logger(__name__)

OUTAGE = timedelta(hours=2)
"""Minimum time without a poll that counts as an outage: a shorter one costs a player who writes at the last moment no
more than a slow mail server does."""

DAYS = timedelta(days=3)
"""After a longer outage the operator has to decide: moved deadlines would not do, and the clock may be wrong."""

MASS = 4
"""Minimum phases closing at once that can indicate lost letters: three silent games are chance."""

BOUNCES = 10
"""Number of last sent letters that are checked: fewer could all be to one provider that is down."""

SHARE = 0.6
"""Minimum share of bounces, or of silent seats, that is no accident: more than half."""

_GRACE = timedelta(hours=24)
"""Time that players get after an outage, and over which signs of one are counted: whoever reads mail once a day sees
it."""
_SLIP = timedelta(minutes=5)
"""Steps of the clock backwards that are not reported: setting it by the network moves it by less."""
_MASS, _BOUNCES = "mass", "bounces"


def handle_polling_gap(tx: Transaction, last_poll: datetime, next_poll: datetime) -> None:
    """Move deadlines for the time between two polls of the mailbox.

    A phase whose deadline is a day or more after `next_poll` had time enough before and still has. If a deadline is
    moved, no clock is charged with the gap. A second call for the same gap, as after a crash, changes nothing.
    """
    gap = next_poll - last_poll
    if gap < -_SLIP:
        notice = msg(
            "The clock of this server went back by {span}.", span=content.minutes_in_words(-gap // timedelta(minutes=1))
        )
        outbox.write_to_operator(
            tx.at(next_poll), outbox.OperatorNotice(notice, "", cause=f"clock {last_poll.isoformat()}")
        )
    if gap < OUTAGE:
        return
    log.warning("the mailbox was out of reach", since=last_poll.isoformat(), until=next_poll.isoformat())
    hours = -(-gap // timedelta(hours=1))
    for game, phase in _running_games(tx.session):
        if gap > DAYS:
            reason = msg(
                "For {span} this server could not be reached, or its clock is wrong.",
                span=content.hours_in_words(hours),
            )
            holds.hold_and_notify(tx.at(next_poll), game, phase, reason, plain_english(reason))
        elif (
            phase.state == "open"
            and last_poll < phase.deadline < next_poll + _GRACE
            and not _is_already_moved(tx.session, phase, last_poll)
        ):
            reason = msg("For {span} letters did not reach this server.", span=content.hours_in_words(hours))
            deadline = deadlines.postpone_deadline(game, phase, hours)
            stops.exclude_from_clocks(game, (last_poll, next_poll))
            _move_deadline(tx.at(next_poll), read_position(tx, game), phase, DeadlineMove(deadline, "outage"), reason)
        elif phase.state == "closed" and not _is_already_moved(tx.session, phase, last_poll):
            _extend_questions(tx, game, phase, last_poll, next_poll)


def _extend_questions(
    tx: Transaction, game: tables.Game, phase: tables.Phase, since: datetime, until: datetime
) -> None:
    """Extend open questions by the length of the outage; notify only the seat asked."""
    segment = queries.phases.open_pause(tx.session, phase)
    if segment is None or segment.deadline is None or not since < segment.deadline < until + _GRACE:
        return
    deadline = segment.deadline + (until - since)

    def write_notice(zone: str) -> Sequence[Msg]:
        return (
            msg(
                "Letters did not reach this server: you have until {when} to answer what you were asked.",
                when=moment_in_words(deadline, zone),
            ),
        )

    pauses.postpone_answers(tx.at(until), game, segment, pauses.AnswerPostponement(deadline, "outage", write_notice))


def find_mail_trouble(tx: Transaction, dues: Sequence[tables.Due]) -> str:
    """Return the trouble of rows due at once: ``mass``, ``bounces``, or empty."""
    closing = [due for due in dues if due.kind == "close" and due.cause == deadlines.DEADLINE]
    if not closing:
        return ""
    attempts = queries.outbox.last_tries(tx.session, BOUNCES)
    bounce_count = sum(500 <= row.code < 600 and row.at > tx.now - _GRACE for row in attempts)
    if len(attempts) == BOUNCES and bounce_count >= SHARE * BOUNCES:
        return _BOUNCES
    if len(closing) < MASS:
        return ""
    silent_count = len(queries.orders.newly_silent_games(tx.session, [due.game_id for due in closing]))
    heard_count = queries.inbox.count_active_seats(tx.session, tx.now - _GRACE)
    return _MASS if silent_count >= MASS and silent_count >= SHARE * (silent_count + heard_count) else ""


def postpone_closing(tx: Transaction, position: Position, phase: tables.Phase, trouble: str) -> bool:
    """Move a phase's deadline because of trouble, unless that was done before.

    Returns whether it was moved.
    """
    if not trouble or queries.schedule.delays(tx.session, phase, *_WHY):
        return False
    deadline = max(phase.deadline, tx.now) + _GRACE
    _move_deadline(tx, position, phase, DeadlineMove(deadline, trouble), _WHY[trouble])
    return True


_WHY = {
    _MASS: msg("In many games at once no orders came; perhaps letters did not get through."),
    _BOUNCES: msg("Most of the letters that this server sent last were refused; perhaps yours was among them."),
}


def _move_deadline(tx: Transaction, position: Position, phase: tables.Phase, delay: DeadlineMove, reason: Msg) -> None:
    game, deadline, cause = position.game, delay.to, delay.cause
    deadlines.move_deadline(tx, position, phase, delay)

    def write_notice(zone: str) -> Sequence[Msg]:
        return reason, msg(
            "The deadline of turn {turn} is put off to {when}.", turn=phase.turn, when=moment_in_words(deadline, zone)
        )

    notice_cause = f"{cause} {phase.id} {tx.now.isoformat()}"
    outbox.announce_to_all(tx, game, phase, outbox.Announcement(write_notice, cause=notice_cause, may_wait=True))
    title = msg("a deadline is put off")
    outbox.write_to_operator(
        tx, outbox.OperatorNotice(reason, "", cause=f"{game.id} {notice_cause}", game=game.id, title=title)
    )


def _is_already_moved(session: Session, phase: tables.Phase, since: datetime) -> bool:
    return any(delay.at > since for delay in queries.schedule.delays(session, phase, "outage"))


def _running_games(session: Session) -> list[tuple[tables.Game, tables.Phase]]:
    """Return the running games, each with its open or waiting phase."""
    return [(game, phase) for game, phase in queries.games.games_with_phases(session) if game.state == "running"]
