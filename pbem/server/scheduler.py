"""Run due jobs: rows of a table, in order, each in a transaction of its own.

Several workers may do so at once. The first worker that locks a row's game runs the row; the others skip it, and
later find it gone or delayed. One worker decides for all whether many phases that close at once show an outage.
Nothing else happens by itself; it does not matter who calls this, or how often. `on_step` is called with the points
reached: ``closing``, while the transaction of a row that ran is still open, and ``closed`` after it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from zlib import crc32

from pbem.engine.data.messages import msg, plain_english
from pbem.lazy import Logger
from pbem.letters import content, moderators, outbox
from pbem.log import log_health, sequencer
from pbem.play import beacons, bot_seats, deadlines, holds, outage_guard, phase_states, phases, promises, war_progress
from pbem.play.commands.questions import review
from pbem.play.commands.seats import digest, takeover
from pbem.play.commands.table import ending
from pbem.play.positions import Position, read_position
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, Transaction
from pbem.server.outbox_sender import ignore_point
from pbem.store import changes, hot_statements, queries, tables
from pbem.store.queries.schedule import AwaitedEvents

log = Logger(__name__)

JOB_POINTS = ("closing", "closed")

MOST_BOT_TURNS = 1
"""Turns of bots in yielding games before queued letters are sent: a turn may take seconds, and people wait for
letters."""
_ROWS_AT_ONCE = 500
"""Rows read together: enough for workers to begin at different ones, while the cost for each game stays the same."""
_ROUNDS = 1_000
"""Most rounds of due rows in one call: phases without questions follow each other at once, and more mean a loop."""


def run_due_jobs(server: Server, on_step: Callable[[str], None] = ignore_point, limit: int | None = None) -> int:
    """Run due jobs, at most `limit`; return their number.

    Raises one of TRANSIENT_ERRORS if the database is not available. A row that fails holds its game, not the
    others: its transaction is rolled back whole and the operator notified. As long as the log must not be signed
    (`log_health`) all games wait. Jobs of games against a bot that players asked for by letter come last, and only
    a few of their bots write at a time, so that other letters can go out in between.
    """
    ran, bot_turns, window = 0, 0, _ROWS_AT_ONCE
    for _ in range(_ROUNDS):
        now = server.clock.now()
        with server.reading(now) as tx:
            due_rows = queries.schedule.due_now(tx.session, now, _awaited_events(server), window)
            rows, thinking = _order_rows(tx, due_rows, MOST_BOT_TURNS - bot_turns)
            stopped = log_health.trouble(tx)
        if stopped is not None:
            with server.work(now) as tx:
                log_health.alarm(tx, stopped)
            break
        ran_now, moved = 0, set[str]()
        for row in _check_for_outages(server, now, rows):
            if ran + ran_now == limit:
                break
            # What a game's phase had planned is mostly gone once it has closed: the next round looks again.
            if row.game_id not in moved and _run_or_hold(server, row.id or 0, now, on_step):
                ran_now += 1
                moved.add(row.game_id)
        if not ran_now and (ran == limit or len(due_rows) < window):
            break
        if not ran_now:
            # None of these can run now; later rows must not wait for them.
            window *= 4
        ran, bot_turns = ran + ran_now, bot_turns + thinking
    log_health.sign(server)
    return ran


def _awaited_events(server: Server) -> AwaitedEvents:
    """Return the events that due rows wait for; the query leaves such rows out."""
    rounds = [beacons.beacon_due_cause(chain, number) for chain, number in list(server.caches.rounds)]
    # Where letters come by hand each row asks by itself whether the mailbox was ever read (`_mail_is_in`).
    posted = () if server.settings.by_hand else ("close", "answers")
    return AwaitedEvents(posted, deadlines.ALL_IN, beacons.ROUND, rounds)


def _is_unjudged(row: tables.Due) -> bool:
    """Return whether a phase closes by its deadline, without a check for outages."""
    return row.judged is None and row.kind == "close" and row.cause == deadlines.DEADLINE


def _check_for_outages(server: Server, now: datetime, rows: Sequence[tables.Due]) -> Sequence[tables.Due]:
    """Check due closings for outages, once for all workers; return runnable rows.

    Otherwise a worker that closes some of them meanwhile would change the result for the rest.
    """
    if not any(map(_is_unjudged, rows)):
        return rows
    with server.work(now) as tx:
        if not sequencer.take_turn(tx, "breakers"):
            return [row for row in rows if not _is_unjudged(row)]
        unjudged = [
            row for row in queries.schedule.due_now(tx.session, now, _awaited_events(server)) if _is_unjudged(row)
        ]
        if unjudged:
            changes.store_outage_check(
                tx.session, [row.id or 0 for row in unjudged], outage_guard.find_mail_trouble(tx, unjudged)
            )
    return rows


def _order_rows(tx: Transaction, rows: Sequence[tables.Due], bot_limit: int) -> tuple[Sequence[tables.Due], int]:
    """Return the rows in running order, and the number of yielding bot turns.

    Rows of yielding games come last; at most `bot_limit` of them have a bot write, the others stay due.
    """
    if len(rows) == 1 and rows[0].kind != bot_seats.DUE:
        return rows, 0
    yielding = queries.games.yielding_games(tx.session, {row.game_id for row in rows})
    bots = [row for row in rows if row.kind == bot_seats.DUE and row.game_id in yielding]
    preferred = [row for row in rows if row.game_id not in yielding]
    yielding_rows = [row for row in rows if row.game_id in yielding and row.kind != bot_seats.DUE]
    bot_rows = bots[:bot_limit]
    return [*_spread(tx.server, preferred), *yielding_rows, *bot_rows], len(bot_rows)


def _spread(server: Server, rows: Sequence[tables.Due]) -> Sequence[tables.Due]:
    """Return rows in order; with several workers each begins at another game.

    No worker then has to skip many games that others have locked.
    """
    if not server.settings.shared:
        return rows
    games = list(dict.fromkeys(row.game_id for row in rows))
    # Without any game the remainder would be one of 0.
    offset = crc32(server.settings.owner.encode()) % max(1, len(games))
    positions = {name: (index - offset) % len(games) for index, name in enumerate(games)}
    return sorted(rows, key=lambda row: positions[row.game_id])


def _run_or_hold(server: Server, due_id: int, now: datetime, on_step: Callable[[str], None]) -> bool:
    try:
        with server.work(now) as tx:
            ran = _run(tx, due_id)
            if ran:
                on_step("closing")
        if ran:
            on_step("closed")
        return ran
    except TRANSIENT_ERRORS:
        # Not the game's fault: it is not held, and its row stays due.
        raise
    except Exception as fault:
        log.exception("a game is held", due=due_id)
        _hold(server, due_id, now, fault)
        return True


def _run(tx: Transaction, due_id: int) -> bool:
    """Run a row if it is due and its game is free; return False if it stays."""
    # The schedule is stable only now that no other transaction has the game: an earlier row of this round, a letter or
    # another worker may have moved or deleted the job.
    game, due = queries.games.free_game_of_job(tx.session, due_id) or (None, None)
    if game is None or due is None or due.at > tx.now:
        return False
    if due.kind == outbox.NEWS_DUE:
        # News are sent for held and finished games too.
        digest.send_digest(tx, due, game)
        return True
    if due.kind == review.DUE:
        return review.send_review(tx, due, game)
    phase, snapshot = queries.seats.read_table(tx.session, game.id, tx.now)
    phase = phase or queries.phases.waiting_phase(tx.session, game.id)
    if game.state != "running" or phase is None:
        tx.session.delete(due)
        return True
    position = read_position(tx, game, snapshot)
    at_deadline = due.kind == "close" and due.cause == deadlines.DEADLINE and phase.state == "open"
    if at_deadline and outage_guard.postpone_closing(tx, position, phase, due.judged or ""):
        return True
    return _KINDS[due.kind](tx, due, position, phase)


def _close_phase(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Close the open phase."""
    game = position.game
    if phase.state == "open" and not _mail_is_in(tx, due, position):
        return False
    if phase.state == "open" and due.cause == deadlines.DEADLINE:
        bot_seats.queue_stand_in_orders(tx, position, phase)
    if phase.state == "open" and (
        seats_to_hold := deadlines.seats_holding_game(
            tx.session, position, phase, queries.games.seats(tx.session, game.id)
        )
    ):
        _hold_for_moderator(tx, position, phase, seats_to_hold)
        return True
    if phase.state == "open" and deadlines.seats_ending_game(
        tx.session, position, phase, queries.games.seats(tx.session, game.id)
    ):
        why = msg("No orders came for so long that the game was closed.")
        ending.end_game(tx, game, phase, ending.GameEnd(why, war_progress.FORSAKEN))
        return True
    hot_statements.delete_row(tx.session, due)
    if phase.state != "open":
        return True
    log.info("phase closes", game=game.id, phase=str(outbox.phase_of(phase)), cause=due.cause)
    phases.close_and_resolve(tx, position, phase)
    _log_end(phase)
    return True


def _offer_seats(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Offer seats whose players sent no word to the players standing by."""
    if not _mail_is_in(tx, due, position):
        return False
    tx.session.delete(due)
    for seat in queries.games.seats(tx.session, position.game.id):
        if not seat.is_free and seat.silent is not None and deadlines.is_open_to_others(position.game, seat, tx.now):
            takeover.offer_seat(tx, position.game, seat)
    return True


def _hold_for_moderator(tx: Transaction, position: Position, phase: tables.Phase, seats: Sequence[str]) -> None:
    """Hold the game until its moderator decides about seats that sent nothing again."""
    game = position.game
    sentence = msg(
        "No orders came from {seats} again; by the terms of this game its moderator decides now.", seats=seats
    )
    holds.hold_and_notify(tx, game, phase, sentence, plain_english(sentence))


def _remind(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Remind seats without orders of the coming deadline."""
    tx.session.delete(due)
    # If the server was down until after the deadline, there is nothing left to remind of.
    missing = deadlines.awaited_seats(tx.session, position, phase) if tx.now < phase.deadline else ()
    for seat in queries.games.seats(tx.session, position.game.id):
        if seat.name in missing and seat.reminded:
            queued = queries.orders.queued_orders(tx.session, phase, seat)
            opening = (
                msg("You have no orders in for turn {turn}.", turn=phase.turn)
                if queued is None
                else msg("Of turn {turn} I hold what you wrote before it; GO leaves it at that.", turn=phase.turn),
                msg("They are wanted by {when}.", when=content.moment_in_words(phase.deadline, seat.zone)),
            )
            template = seat.template.split("\n") if seat.template else ()
            head = outbox.head_of(tx.server, position.game, seat, phase)
            form = promises.promise_form(position, template, queries.orders.standing_texts(tx.session, seat))
            letter = content.Letter("reminder", head, opening=opening, wanted=2, template=template, form=form)
            cause = f"remind {phase.id} {phase.deadline.isoformat()}"
            outbox.write_to_seat(tx, letter.to_json(), seat, position.game, cause=cause)
    return True


def _stop_waiting(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Continue a phase with the answers that came in time."""
    game, segment = position.game, queries.phases.open_pause(tx.session, phase)
    if not _mail_is_in(tx, due, position):
        return False
    tx.session.delete(due)
    tx.session.flush()
    if segment is not None:
        log.info("phase goes on", game=game.id, phase=str(outbox.phase_of(phase)), cause=due.cause)
        phase_states.stop_asking(tx.session, segment)
        phases.continue_phase(tx, position, phase)
        _log_end(phase)
    return True


def _continue_with_round(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Continue a closed phase once the round that its dice wait for is out."""
    if _is_waited_for(tx, due, phase):
        return False
    hot_statements.delete_jobs(tx.session, position.game.id, due.cause)
    if phase.state == "closed" and queries.phases.open_pause(tx.session, phase) is None:
        log.info("its round is out", game=position.game.id, phase=str(outbox.phase_of(phase)))
        phases.continue_phase(tx, position, phase)
        _log_end(phase)
    return True


def _continue_with_board(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Continue a phase once all tables that share its dice have closed."""
    if beacons.continue_if_board_is_bound(tx, due, position, phase):
        log.info("its board is bound", game=position.game.id, phase=str(outbox.phase_of(phase)))
        phases.continue_phase(tx, position, phase)
        _log_end(phase)
    return True


def _report_late_round(tx: Transaction, due: tables.Due, position: Position, phase: tables.Phase) -> bool:
    """Report a round that is long overdue."""
    if _is_waited_for(tx, due, phase):
        beacons.report_late_round(tx, due, position, phase)
    else:
        tx.session.delete(due)
    return True


def _is_waited_for(tx: Transaction, due: tables.Due, phase: tables.Phase) -> bool:
    """Return whether a phase waits for the round of a row."""
    wanted = beacons.closed_orders_with_beacons(tx, phase).waits_for if phase.state == "closed" else None
    return wanted is not None and due.cause == beacons.beacon_due_cause(*wanted)


def _log_end(phase: tables.Phase) -> None:
    if phase.state == "resolved":
        log.info("phase resolved", game=phase.game_id, events=phase.events_digest)
    else:
        log.info("phase waits", game=phase.game_id)


_KINDS: Mapping[str, Callable[[Transaction, tables.Due, Position, tables.Phase], bool]] = {
    "answers": _stop_waiting,
    bot_seats.DUE: bot_seats.queue_bot_orders,
    beacons.BOARD: _continue_with_board,
    beacons.ROUND: _continue_with_round,
    "close": _close_phase,
    beacons.LATE: _report_late_round,
    deadlines.OFFER: _offer_seats,
    deadlines.REMIND: _remind,
}
"""The function for a row of each kind while its game runs and a phase is open or closed. If it returns False, the row
stays for a later run.

False leaves it for a later run."""


def _mail_is_in(tx: Transaction, due: tables.Due, position: Position) -> bool:
    """Return whether every letter that was in time has been taken in.

    That is known only after a poll of the mailbox that began at the closing moment or later; where no mailbox was
    ever polled and letters come by hand, each is taken as it comes. If all orders are in and there is no undo window,
    no letter can matter.
    """
    has_no_undo = position.game.undo_minutes == 0 or position.by_letter or not position.active
    if due.cause == deadlines.ALL_IN and (has_no_undo if due.kind == "close" else position.game.undo_minutes == 0):
        return True
    polled = queries.inbox.last_poll(tx.session)
    return tx.server.settings.by_hand if polled is None else polled >= due.at


def _hold(server: Server, due_id: int, now: datetime, fault: Exception) -> None:
    """Hold the game of a failed row, or drop a failed notice; notify the operator."""
    with server.work(now) as tx:
        due = tx.session.get_one(tables.Due, due_id)
        game = tx.session.get_one(tables.Game, due.game_id)
        detail, cause = "".join(traceback.format_exception(fault)), f"held {now.isoformat()}"
        if game.state == "over" or due.kind in (outbox.NEWS_DUE, review.DUE):
            sentence = msg(
                "What was to be told of {game} now could not be written. The game stays as it is.", game=game.id
            )
            title = msg("a letter could not be written")
            outbox.write_to_operator(
                tx, outbox.OperatorNotice(sentence, detail, cause=cause, game=game.id, title=title)
            )
            tx.session.delete(due)
            return
        sentence = msg(
            "The game {game} is held: its phase could not be resolved, and nothing of it was kept.", game=game.id
        )
        phase_states.hold_game(tx.session, game, f"{type(fault).__name__}: {fault}")
        outbox.write_to_operator(
            tx, outbox.OperatorNotice(sentence, detail, cause=cause, game=game.id, title=holds.HELD)
        )
        moderators.notify(tx, game, moderators.ModeratorNotice((sentence,), cause=cause))
