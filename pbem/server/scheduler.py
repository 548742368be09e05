"""What is due: rows of a table, run in order, each in a transaction of its own.

Several workers may do so at once. A row is run by who gets hold of its game first; the others pass it over, and find
it gone or put off when they come by again. What is thought of many phases closing at once is thought by one of them.

Nothing else makes anything happen by itself; whoever wakes this function up, and how often, does not matter. `at` is
told the points reached: ``closing``, while the transaction of a row that ran is still open, and ``closed`` after it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from zlib import crc32

from sqlmodel import Session

from pbem.engine.data.messages import msg, plain
from pbem.lazy import Logger
from pbem.letters import content, moderators, outbox
from pbem.log import log_health, sequencer
from pbem.play import beacons, bot_seats, deadlines, holds, outage_guard, phase_states, phases, promises, war_progress
from pbem.play.commands.questions import review
from pbem.play.commands.seats import digest, takeover
from pbem.play.commands.table import ending
from pbem.play.positions import Position, read_position
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, Transaction
from pbem.server.outbox_sender import nowhere
from pbem.store import changes, hot_statements, queries, tables
from pbem.store.queries.schedule import Waits

log = Logger(__name__)

POINTS = ("closing", "closed")

THOUGHTS = 1
"""Bots of games that yield that write before what is queued is sent."""
_AT_ONCE = 500
"""Rows that are looked at together: enough for some workers to begin apart, and an evening costs no more a game."""
_ROUNDS = 1_000
"""Phases that nobody is asked in follow each other at once; past this many something goes in circles."""


def tick(server: Server, at: Callable[[str], None] = nowhere, most: int | None = None) -> int:
    """Run what is due, so many rows at `most`, and return how many rows ran; WEATHER if the database is away.

    A row that fails holds its game, not the others: its transaction is rolled back whole and the operator written to.
    As long as the log may not be signed (`log_health`) all games stand still. What games against a bot wait for that
    players asked for by letter comes last, and of their bots so many write that letters of others can go out in
    between.
    """
    ran, written, looks = 0, 0, _AT_ONCE
    for _ in range(_ROUNDS):
        now = server.clock.now()
        with server.reading(now) as tx:
            found = queries.schedule.due_now(tx.session, now, _waits(server), looks)
            rows, thinking = _in_turn(tx, found, THOUGHTS - written)
            stopped = log_health.trouble(tx)
        if stopped is not None:
            with server.work(now) as tx:
                log_health.alarm(tx, stopped)
            break
        done = 0
        for row in _judge(server, now, rows):
            if ran + done == most:
                break
            done += _run_or_hold(server, row.id or 0, now, at)
        if not done and (ran == most or len(found) < looks):
            break
        if not done:
            # Nothing of all these can be done now; what lies behind them must not wait for it.
            looks *= 4
        ran, written = ran + done, written + thinking
    log_health.sign(server)
    return ran


def _waits(server: Server) -> Waits:
    """What rows that are due wait for, as far as the database can tell: they are not looked at before it has come."""
    rounds = [beacons.round_cause(chain, number) for chain, number in list(server.caches.rounds)]
    return Waits(("close", "answers"), deadlines.ALL_IN, beacons.ROUND, rounds)


def _is_unjudged(row: tables.Due) -> bool:
    """Whether a phase is to close by its deadline, and nobody has looked yet whether something is wrong."""
    return row.judged is None and row.kind == "close" and row.cause == deadlines.DEADLINE


def _judge(server: Server, now: datetime, rows: Sequence[tables.Due]) -> Sequence[tables.Due]:
    """Look once for all workers what is wrong with the closings that are due; those of the rows that may run.

    Who closes some of them meanwhile must not change what is thought of the rest.
    """
    if not any(map(_is_unjudged, rows)):
        return rows
    with server.work(now) as tx:
        if not sequencer.take_turn(tx, "breakers"):
            return [row for row in rows if not _is_unjudged(row)]
        fresh = [row for row in queries.schedule.due_now(tx.session, now, _waits(server)) if _is_unjudged(row)]
        if fresh:
            changes.judge(tx.session, [row.id or 0 for row in fresh], outage_guard.find_trouble(tx, fresh))
    return rows


def _in_turn(tx: Transaction, rows: Sequence[tables.Due], thoughts: int) -> tuple[Sequence[tables.Due], int]:
    """Return the rows as they are run, those of games that yield last, and how many of them have such a bot write: so
    many `thoughts` at most, the others stay due."""
    if len(rows) == 1 and rows[0].kind != bot_seats.DUE:
        return rows, 0
    yielding = queries.games.asked_for(tx.session, {row.game_id for row in rows})
    bots = [row for row in rows if row.kind == bot_seats.DUE and row.game_id in yielding]
    first = [row for row in rows if row.game_id not in yielding]
    last = [row for row in rows if row.game_id in yielding and row.kind != bot_seats.DUE]
    thinking = bots[: max(0, thoughts)]
    return [*_spread(tx.server, first), *last, *thinking], len(thinking)


def _spread(server: Server, rows: Sequence[tables.Due]) -> Sequence[tables.Due]:
    """Rows in their order; where others work beside us each begins elsewhere, and none has to pass many over."""
    if not server.settings.shared:
        return rows
    games = list(dict.fromkeys(row.game_id for row in rows))
    first = crc32(server.settings.owner.encode()) % max(1, len(games))
    place = {name: (at - first) % len(games) for at, name in enumerate(games)}
    return sorted(rows, key=lambda row: place[row.game_id])


def _run_or_hold(server: Server, due_id: int, now: datetime, at: Callable[[str], None]) -> bool:
    try:
        with server.work(now) as tx:
            ran = _run(tx, due_id)
            if ran:
                at("closing")
        if ran:
            at("closed")
        return ran
    except TRANSIENT_ERRORS:
        raise
    except Exception as fault:
        log.exception("a game is held", due=due_id)
        _hold(server, due_id, now, fault)
        return True


def _run(tx: Transaction, due_id: int) -> bool:
    """Run a row if its time has really come and nobody else has its game; False leaves it for a later tick."""
    due = tx.session.get(tables.Due, due_id)
    game = queries.games.free_game(tx.session, due.game_id) if due is not None else None
    # What was planned stands still only now that nobody else has the game: an earlier row of this round, a letter or
    # another worker may have put it off or struck it out.
    due = tx.session.get(tables.Due, due_id, populate_existing=True)
    if game is None or due is None or due.at > tx.now:
        return False
    if due.kind == outbox.NEWS_DUE:
        # News are told of games that are held or over too.
        digest.send_digest(tx, due, game)
        return True
    if due.kind == review.DUE:
        return review.send_review(tx, due, game)
    phase = queries.phases.played_phase(tx.session, due.game_id)
    if game.state != "running" or phase is None:
        tx.session.delete(due)
        return True
    here = read_position(tx, game)
    at_deadline = due.kind == "close" and due.cause == deadlines.DEADLINE and phase.state == "open"
    if at_deadline and outage_guard.postpone(tx, here, phase, due.judged or ""):
        return True
    return _KINDS[due.kind](tx, due, here, phase)


def _close(tx: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """The open phase is over."""
    game = here.game
    if phase.state == "open" and not _mail_is_in(tx.session, due, here):
        return False
    if phase.state == "open" and due.cause == deadlines.DEADLINE:
        bot_seats.queue_stand_in_orders(tx, here, phase)
    if phase.state == "open" and (
        stopped := deadlines.seats_holding_game(tx.session, here, phase, queries.games.seats(tx.session, game.id))
    ):
        _stop_for(tx, here, phase, stopped)
        return True
    if phase.state == "open" and deadlines.seats_ending_game(
        tx.session, here, phase, queries.games.seats(tx.session, game.id)
    ):
        why = msg("No orders came for so long that the game was closed.")
        ending.end_game(tx, game, phase, ending.GameEnd(why, war_progress.FORSAKEN))
        return True
    tx.session.delete(due)
    tx.session.flush()
    if phase.state != "open":
        return True
    log.info("phase closes", game=game.id, phase=str(outbox.phase_of(phase)), cause=due.cause)
    phases.close_and_resolve(tx, here, phase)
    _log_end(phase)
    return True


def _offer(tx: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """No word came from seats that were asked for one: whoever stands by is told of them."""
    if not _mail_is_in(tx.session, due, here):
        return False
    tx.session.delete(due)
    for seat in queries.games.seats(tx.session, here.game.id):
        if not seat.is_free and seat.silent is not None and deadlines.is_offered(here.game, seat, tx.now):
            takeover.offer_seat(tx, here.game, seat)
    return True


def _stop_for(tx: Transaction, here: Position, phase: tables.Phase, seats: Sequence[str]) -> None:
    """Hold the game: by its terms the moderator decides what becomes of seats that sent nothing again."""
    game = here.game
    why = msg("No orders came from {seats} again; by the terms of this game its moderator decides now.", seats=seats)
    holds.hold_and_notify(tx, game, phase, why, plain(why))


def _remind(tx: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """Whoever has not sent orders is told that the deadline comes nearer."""
    tx.session.delete(due)
    # Where the server was down until after the deadline there is nothing to remind of any more.
    missing = deadlines.awaited_seats(tx.session, here, phase) if tx.now < phase.deadline else ()
    for seat in queries.games.seats(tx.session, here.game.id):
        if seat.name in missing and seat.reminded:
            queued = queries.orders.queued(tx.session, phase, seat)
            opening = (
                msg("You have no orders in for turn {turn}.", turn=phase.turn)
                if queued is None
                else msg("Of turn {turn} I hold what you wrote before it; GO leaves it at that.", turn=phase.turn),
                msg("They are wanted by {when}.", when=content.when(phase.deadline, seat.zone)),
            )
            template = seat.template.split("\n") if seat.template else ()
            head = outbox.head_of(tx.server, here.game, seat, phase)
            form = promises.promise_form(here, template, queries.orders.standing_texts(tx.session, seat))
            letter = content.Letter("reminder", head, opening=opening, wanted=2, template=template, form=form)
            cause = f"remind {phase.id} {phase.deadline.isoformat()}"
            outbox.to_seat(tx, letter.to_json(), seat, here.game, cause=cause)
    return True


def _answers(tx: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """The phase has waited long enough for answers: it goes on with those that came."""
    game, segment = here.game, queries.phases.asking(tx.session, phase)
    if not _mail_is_in(tx.session, due, here):
        return False
    tx.session.delete(due)
    tx.session.flush()
    if segment is not None:
        log.info("phase goes on", game=game.id, phase=str(outbox.phase_of(phase)), cause=due.cause)
        phase_states.stop_asking(tx.session, segment)
        phases.continue_phase(tx, here, phase)
        _log_end(phase)
    return True


def _round(tx: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """The round that the dice of a closed phase wait for: once it has come the phase goes on, and not before."""
    if _is_waited_for(tx, due, phase):
        return False
    hot_statements.forget_due(tx.session, here.game.id, due.cause)
    if phase.state == "closed" and queries.phases.asking(tx.session, phase) is None:
        log.info("its round is out", game=here.game.id, phase=str(outbox.phase_of(phase)))
        phases.continue_phase(tx, here, phase)
        _log_end(phase)
    return True


def _board(tx: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """Tables that have one luck with this one may all have closed by now: then the phase goes on."""
    if beacons.look_at_board(tx, due, here, phase):
        log.info("its board is bound", game=here.game.id, phase=str(outbox.phase_of(phase)))
        phases.continue_phase(tx, here, phase)
        _log_end(phase)
    return True


def _late(tx: Transaction, due: tables.Due, here: Position, phase: tables.Phase) -> bool:
    """A round that is waited for should have come long ago."""
    if _is_waited_for(tx, due, phase):
        beacons.report_late_round(tx, due, here, phase)
    else:
        tx.session.delete(due)
    return True


def _is_waited_for(tx: Transaction, due: tables.Due, phase: tables.Phase) -> bool:
    """Whether a phase waits for the round of a row, and it has not come."""
    wanted = beacons.closed_lists(tx, phase).waits_for if phase.state == "closed" else None
    return wanted is not None and due.cause == beacons.round_cause(*wanted)


def _log_end(phase: tables.Phase) -> None:
    if phase.state == "resolved":
        log.info("phase resolved", game=phase.game_id, events=phase.events_digest)
    else:
        log.info("phase waits", game=phase.game_id)


_KINDS: Mapping[str, Callable[[Transaction, tables.Due, Position, tables.Phase], bool]] = {
    "answers": _answers,
    bot_seats.DUE: bot_seats.queue_bot_orders,
    beacons.BOARD: _board,
    beacons.ROUND: _round,
    "close": _close,
    beacons.LATE: _late,
    deadlines.OFFER: _offer,
    deadlines.REMIND: _remind,
}
"""What is done with a row of each kind while its game runs and a phase is open or waits for answers.

False leaves it for a later tick.
"""


def _mail_is_in(session: Session, due: tables.Due, here: Position) -> bool:
    """True once every letter that was in time has been taken in.

    That is known only of a poll of the mailbox that began at the closing moment or later. Where all are in and no
    undo window was agreed on, there is no such letter.
    """
    at_once = here.game.undo_minutes == 0 or here.by_letter or not here.active
    if due.cause == deadlines.ALL_IN and (at_once if due.kind == "close" else here.game.undo_minutes == 0):
        return True
    polled = queries.inbox.polled(session)
    return polled is not None and polled >= due.at


def _hold(server: Server, due_id: int, now: datetime, fault: Exception) -> None:
    """Hold the game of a row that failed; what is only told of a game is struck out instead, and its operator hears."""
    with server.work(now) as tx:
        due = tx.session.get_one(tables.Due, due_id)
        game = tx.session.get_one(tables.Game, due.game_id)
        detail, cause = "".join(traceback.format_exception(fault)), f"held {now.isoformat()}"
        if game.state == "over" or due.kind in (outbox.NEWS_DUE, review.DUE):
            what = msg("What was to be told of {game} now could not be written. The game stays as it is.", game=game.id)
            title = msg("a letter could not be written")
            outbox.to_operator(tx, outbox.Notice(what, detail, cause=cause, game=game.id, title=title))
            tx.session.delete(due)
            return
        what = msg(
            "The game {game} is held: its phase could not be resolved, and nothing of it was kept.", game=game.id
        )
        phase_states.hold_game(tx.session, game, f"{type(fault).__name__}: {fault}")
        outbox.to_operator(tx, outbox.Notice(what, detail, cause=cause, game=game.id, title=holds.HELD))
        moderators.notify(tx, game, moderators.Memo((what,), cause=cause))
