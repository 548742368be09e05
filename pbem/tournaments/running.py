"""Advance tournaments when they are due, one action a transaction.

Each tournament has a `wake`, the moment of its next action; a letter or a finished game sets it to now. Several
workers may run this at once: a locked tournament is skipped. `notify` is called at two points: ``stepping``, while
the transaction is still open, and ``stepped`` after it.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from datetime import datetime, timedelta

from pbem.engine.data.messages import msg
from pbem.lazy import Logger
from pbem.letters import outbox
from pbem.log import log_health
from pbem.runtime.transaction import TRANSIENT_ERRORS, Server, Transaction
from pbem.store import queries, tables
from pbem.tournaments import (
    appointments,
    bidding,
    choosing,
    clocks,
    closing,
    digest,
    director_desk,
    disputes,
    draw,
    entry,
    lots,
    no_shows,
    post,
    ratings,
    record,
    round_states,
    rounds,
    scoring,
    standings,
    teams,
    unfinished_tables,
)
from pbem.tournaments.round_states import ENDED, LIVE
from pbem.tournaments.unfinished_tables import PlayoutResults

log = Logger(__name__)

POINTS = ("stepping", "stepped")
_ROUNDS = 10_000
"""Most actions of one call: a large tournament has some thousand at once; more would be an endless loop."""
_LOOK = timedelta(minutes=1)
"""Interval of retries for a beacon round or a locked game: both come within minutes."""


def ignore_point(point: str) -> None:
    """Ignore the points reached."""


def advance_tournaments(server: Server, notify: Callable[[str], None] = ignore_point, limit: int | None = None) -> int:
    """Advance all due tournaments; return the number of actions, at most `limit`.

    A tournament whose action fails by a bug is held, and the operator is notified; TRANSIENT_ERRORS are tried
    again. While the mailbox is out of reach nothing is done: letters waiting in it may have been sent in time.
    """
    done = 0
    for _ in range(_ROUNDS):
        now = server.clock.now()
        with server.reading(now) as tx:
            names = queries.schedule.due_tournaments(tx.session, now)
            if not names or clocks.is_mailbox_silent(tx) or log_health.trouble(tx) is not None:
                break
        done_now = 0
        for name in names:
            if limit is not None and done + done_now >= limit:
                break
            done_now += _advance_or_hold(server, name, now, notify)
        done += done_now
        if not done_now:
            break
    if done:
        log_health.sign(server)
    return done


def _advance_or_hold(server: Server, name: str, now: datetime, notify: Callable[[str], None]) -> bool:
    try:
        playout = unfinished_tables.run_due_playouts(server, name, now)
        with server.work(now) as tx:
            event = queries.tournaments.lock_tournament_if_free(tx.session, name)
            if event is None or event.wake is None or event.wake > now:
                return False
            has_acted = _advance(tx, event, playout)
            event.wake = now if has_acted and event.state in (*LIVE, *ENDED) else _next_wake(tx, event)
            tx.session.add(event)
            notify("stepping")
        notify("stepped")
        return has_acted
    except TRANSIENT_ERRORS:
        # The database is away or busy: the step is tried again later, and the tournament not held.
        raise
    except Exception as fault:
        log.exception("a tournament is held", tournament=name)
        _hold(server, name, now, fault)
        return True


def _hold(server: Server, name: str, now: datetime, fault: Exception) -> None:
    with server.work(now) as tx:
        event = record.tournament_by_name(tx.session, name)
        # A choice: the fault may have a text of any length, and is shown in lists.
        round_states.hold(event, f"{type(fault).__name__}: {fault}"[:1000])
        tx.session.add(event)
        sentence = msg("The tournament {event} is held: its next step failed, and nothing of it was kept.", event=name)
        detail, cause = "".join(traceback.format_exception(fault)), f"{name} held {now.isoformat()}"
        outbox.write_to_operator(
            tx, outbox.OperatorNotice(sentence, detail, cause=cause, title=msg("a tournament is held"))
        )
        post.mail_director(tx, event, post.LetterContent(msg("the tournament is held"), (sentence,)), cause)


def _advance(tx: Transaction, event: tables.Tournament, playout: PlayoutResults) -> bool:
    """Run the first due action; return False if there is none."""
    if event.state in (*LIVE, *ENDED) and (ratings.rate_next_month(tx, event) or digest.send_digests(tx, event)):
        return True
    if event.state not in LIVE:
        return False
    if appointments.appoint_deputy_after_silence(tx, event) or director_desk.send_desk_letter(tx, event):
        return True
    if no_shows.withdraw_expired_offers(tx, event) or no_shows.offer_free_places(tx, event):
        return True
    if event.state == "open":
        return _begin_if_due(tx, event)
    current = queries.tournaments.rounds(tx.session, event.id)[-1]
    if disputes.advance_disputes(tx, event) or _rescore(tx, event):
        return True
    if current.state == "playing":
        return _advance_playing(tx, event, current, playout)
    return _STATES[current.state](tx, event, current)


def _begin_if_due(tx: Transaction, event: tables.Tournament) -> bool:
    """Begin or cancel the tournament once the list of entrants closes by itself."""
    closes = record.closing_time(event)
    if closes is None or closes > tx.now:
        return False
    begin_tournament(tx, event)
    return True


def begin_tournament(tx: Transaction, event: tables.Tournament) -> None:
    """Close the list of entrants now: begin the first stage, or cancel."""
    if entry.taken_places(tx, event) < 2:
        closing.cancel_tournament(tx, event, msg("Fewer than two entered {event}: it is not held.", event=event.id))
        return
    round_states.start(event, tx.now)
    tx.session.add(event)
    # Captains have the gap between rounds for their line-ups.
    gap = record.rules_of(event).round.gap_hours if record.boards_per_match(event) else 0
    closing.plan_round(tx, event, (1, 1), tx.now + timedelta(hours=gap))


def _advance_planned(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    if teams.ask_for_lineups(tx, event, round_):
        return True
    # A result corrected late may send others into the stage, once lots have parted those level.
    if round_.opens > tx.now or (round_.within == 1 and lots.pending_lots(tx, event, standings.TIES)):
        return False
    draw.close_entrant_list(tx, event, round_)
    return True


def _advance_listed(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    if round_.draws is None or round_.draws > tx.now:
        return False
    if round_.beacon != "none" and draw.beacon_of(tx, round_) is None:
        return False
    draw.draw_and_log_round(tx, event, round_)
    rounds.notify_without_game(tx, event, round_)
    bidding.ask_for_bids(tx, event, round_)
    choosing.ask_for_choices(tx, event, round_)
    return True


def _advance_drawn(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    if rounds.create_games(tx, event, round_):
        return True
    if round_.starts is not None and round_.starts > tx.now:
        return False
    if not rounds.begin_games(tx, event, round_):
        round_states.start_round(round_)
        tx.session.add(round_)
    return True


def _advance_playing(tx: Transaction, event: tables.Tournament, round_: tables.Round, playout: PlayoutResults) -> bool:
    if no_shows.advance_no_shows(tx, event, round_) or scoring.score_finished_tables(tx, event, round_):
        return True
    if not scoring.open_boards(tx, round_):
        lots_before = lots.newest_lot(tx, event, f"{standings.TIES}/{round_.name}")
        if not standings.are_ties_broken(tx, event, round_):
            return lots.newest_lot(tx, event, f"{standings.TIES}/{round_.name}") is not lots_before
        closing.close_round(tx, event, round_)
        return True
    return (
        round_.ends is not None
        and round_.ends <= tx.now
        and unfinished_tables.decide_cut_off_table(tx, event, round_, playout)
    )


def _advance_closed(tx: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    if closing.kind_of_next_step(tx, event, round_) != "round" and (
        disputes.dispute_times(tx, event) or lots.pending_lots(tx, event, standings.TIES)
    ):
        return False
    closing.plan_after_round(tx, event)
    return True


_STATES = {"planned": _advance_planned, "shut": _advance_listed, "drawn": _advance_drawn, "closed": _advance_closed}
"""Actions for the current round by its state; the state ``playing`` has actions of its own."""


def _rescore(tx: Transaction, event: tables.Tournament) -> bool:
    """Score a reopened game of an earlier round again, and mail the new table."""
    for round_ in queries.tournaments.reopened_rounds(tx.session, event.id):
        if scored := scoring.score_finished_tables(tx, event, round_):
            if standings.are_ties_broken(tx, event, round_):
                corrected = msg(
                    "A result of round {number} is corrected. The table is counted anew; what was drawn from the old "
                    "one stands.",
                    number=round_.number,
                )
                reason = corrected if any(board.adjudged for board in scored) else None
                closing.resend_standings(tx, event, round_, reason)
                closing.qualify_again(tx, event, round_)
            return True
    return _resend_after_lots(tx, event)


def _resend_after_lots(tx: Transaction, event: tables.Tournament) -> bool:
    """Mail a closed round's table again once its new lots are drawn."""
    rounds = {
        f"{standings.TIES}/{round_row.name}": round_row
        for round_row in queries.tournaments.rounds(tx.session, event.id)
    }
    for lot in lots.pending_lots(tx, event, standings.TIES):
        round_ = rounds[lot.stem]
        if round_.state == "closed" and standings.are_ties_broken(tx, event, round_):
            closing.resend_standings(tx, event, round_)
            closing.qualify_again(tx, event, round_)
            return True
    return False


def _next_wake(tx: Transaction, event: tables.Tournament) -> datetime | None:
    """Return the time of the next action; None if only people can act."""
    if event.state not in (*LIVE, *ENDED):
        return None
    optional_times = (ratings.next_rating_time(tx, event), digest.next_digest_time(tx, event))
    times = [moment for moment in optional_times if moment is not None]
    if event.state in ENDED:
        return min((max(moment, tx.now + _LOOK) for moment in times), default=None)
    times += [*no_shows.no_show_times(tx, event), *disputes.dispute_times(tx, event)]
    times += [lot.draws for lot in lots.pending_lots(tx, event, standings.TIES)]
    times += [daily] if (daily := director_desk.next_desk_time(tx, event)) is not None else []
    if event.state == "playing":
        current = queries.tournaments.rounds(tx.session, event.id)[-1]
        request_time = teams.lineup_request_time(event, current)
        times += [*_round_times(tx, current), *((request_time,) if request_time is not None else ())]
    if event.state == "open" and (closes := record.closing_time(event)) is not None:
        times.append(closes)
    return min((moment if moment > tx.now else tx.now + _LOOK for moment in times), default=None)


def _round_times(tx: Transaction, current: tables.Round) -> list[datetime]:
    """Return the next time of the current round, if it has one.

    After its end the round has no such time while it only waits for a jury.
    """
    if current.state == "playing" and not queries.tournaments.count_boards(tx.session, current.id, "playing"):
        return []
    moment = record.next_round_time(current)
    return [moment] if moment is not None else []
