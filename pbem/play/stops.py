"""Stop the deadlines of a game: play goes on, and no clock is charged.

Orders, letters and answers count as always: a phase closes when all orders are in. Who stops a game, and
until when, is a matter of its tournament.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from pbem.engine.data.messages import Msg, msg
from pbem.letters import outbox
from pbem.letters.content import moment_in_words
from pbem.play import deadlines, pauses
from pbem.play.positions import read_position
from pbem.runtime import stopped_time
from pbem.runtime.stopped_time import Span, Spans
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

CAUSE = "pause"
"""Cause of a deadline that a stop moved."""


def exclude_from_clocks(game: tables.Game, span: Span) -> None:
    """Charge no clock with a span of time that is past."""
    game.stopped = stopped_time.write_spans(stopped_time.join_spans(*stopped_time.read_spans(game.stopped), span))


def change_stops(tx: Transaction, game: tables.Game, after: Spans) -> None:
    """Stop a game in other spans from now on: move what runs, and notify its seats."""
    before = stopped_time.read_spans(game.stopped)
    game.stopped = stopped_time.write_spans(after)
    tx.session.add(game)
    phase = queries.phases.present_phase(tx.session, game.id)
    if phase is None or game.state not in ("running", "held"):
        return
    segment = queries.phases.open_pause(tx.session, phase) if phase.state == "closed" else None
    if phase.state == "open":
        deadline = deadline_with_stops(game, phase, tx.now, before)
        if game.state == "held":
            phase.deadline = deadline
            tx.session.add(phase)
        elif deadline != phase.deadline:
            _move(tx, game, phase, deadline)
    elif segment is not None and segment.deadline is not None:
        _move_answers(tx, game, segment, stopped_time.shift_by_stops(segment.deadline, tx.now, before, after))


def deadline_with_stops(game: tables.Game, phase: tables.Phase, now: datetime, before: Spans) -> datetime:
    """Return the deadline of an open phase once its game is stopped in other spans.

    The phase keeps as much time as it had with the spans of `before`, up to the hour at which deadlines of the
    game fall.
    """
    after = stopped_time.read_spans(game.stopped)
    carried = stopped_time.shift_by_stops(phase.deadline, now, before, after)
    if carried == phase.deadline:
        return carried
    return stopped_time.deadline_of(deadlines.pace_of(game), carried - timedelta(seconds=1), after, 0)


def _move(tx: Transaction, game: tables.Game, phase: tables.Phase, deadline: datetime) -> None:
    deadlines.move_deadline(tx, read_position(tx, game), phase, deadlines.DeadlineMove(deadline, CAUSE))

    def write_notice(zone: str) -> Sequence[Msg]:
        return (
            msg("The deadline of turn {turn} is now {when}.", turn=phase.turn, when=moment_in_words(deadline, zone)),
        )

    cause = f"{CAUSE} {phase.id} {tx.now.isoformat()}"
    outbox.announce_to_all(tx, game, phase, outbox.Announcement(write_notice, cause=cause, may_wait=True))


def _move_answers(tx: Transaction, game: tables.Game, segment: tables.Segment, deadline: datetime) -> None:
    if deadline == segment.deadline:
        return

    def write_notice(zone: str) -> Sequence[Msg]:
        return (msg("You have until {when} to answer what you were asked.", when=moment_in_words(deadline, zone)),)

    pauses.postpone_answers(tx, game, segment, pauses.AnswerPostponement(deadline, CAUSE, write_notice))
