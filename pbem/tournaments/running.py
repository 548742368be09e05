"""Advance tournaments when they are due, one action a transaction.

Each has a `wake`, the moment of its next action; a letter or a finished game sets it to now. Several
workers may run this at once: a locked tournament is skipped. `notify` is called at two points:
``stepping``, while the transaction is still open, and ``stepped`` after it.
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
    bidding,
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
"""Most actions of one call; more would be an endless loop."""
_LOOK = timedelta(minutes=1)
"""Interval of retries for a beacon round or a locked game."""


def ignore_point(point: str) -> None:
    """Ignore the points reached."""


def advance_tournaments(server: Server, notify: Callable[[str], None] = ignore_point, limit: int | None = None) -> int:
    """Advance all due tournaments, at most `limit` actions; return their number.

    A tournament whose action fails by a fault of ours is held, and the operator is notified; WEATHER passes.
    """
    done = 0
    for _ in range(_ROUNDS):
        now = server.clock.now()
        with server.reading(now) as work:
            names = queries.schedule.tournaments(work.session, now)
            if not names or log_health.trouble(work) is not None:
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
        playout = unfinished_tables.run_playout(server, name, now)
        with server.work(now) as work:
            event = queries.tournaments.free_tournament(work.session, name)
            if event is None or event.wake is None or event.wake > now:
                return False
            has_acted = _advance(work, event, playout)
            event.wake = now if has_acted and event.state in (*LIVE, *ENDED) else _next_wake(work, event)
            work.session.add(event)
            notify("stepping")
        notify("stepped")
        return has_acted
    except TRANSIENT_ERRORS:
        raise
    except Exception as fault:
        log.exception("a tournament is held", tournament=name)
        _hold(server, name, now, fault)
        return True


def _hold(server: Server, name: str, now: datetime, fault: Exception) -> None:
    with server.work(now) as work:
        event = record.tournament_by_name(work.session, name)
        round_states.hold(event, f"{type(fault).__name__}: {fault}"[:1000])
        work.session.add(event)
        sentence = msg("The tournament {event} is held: its next step failed, and nothing of it was kept.", event=name)
        detail, cause = "".join(traceback.format_exception(fault)), f"{name} held {now.isoformat()}"
        outbox.to_operator(work, outbox.Notice(sentence, detail, cause=cause, title=msg("a tournament is held")))
        post.mail_director(work, event, post.LetterContent(msg("the tournament is held"), (sentence,)), cause)


def _advance(work: Transaction, event: tables.Tournament, playout: PlayoutResults) -> bool:
    """Run the first due action; return False if there is none."""
    if event.state in (*LIVE, *ENDED) and (ratings.rate_next_month(work, event) or digest.send_digests(work, event)):
        return True
    if event.state not in LIVE:
        return False
    if (
        director_desk.send_desk_letter(work, event)
        or no_shows.end_offers(work, event)
        or no_shows.fill_places(work, event)
    ):
        return True
    if event.state == "open":
        return _begin_if_due(work, event)
    current = queries.tournaments.rounds(work.session, event.id)[-1]
    if disputes.advance_disputes(work, event) or _rescore(work, event):
        return True
    if current.state == "playing":
        return _advance_playing(work, event, current, playout)
    return _STATES[current.state](work, event, current)


def _begin_if_due(work: Transaction, event: tables.Tournament) -> bool:
    """Begin or cancel the tournament once the list of entrants closes by itself."""
    closes = record.closing_time(record.rules_of(event))
    if closes is None or closes > work.now:
        return False
    begin_tournament(work, event)
    return True


def begin_tournament(work: Transaction, event: tables.Tournament) -> None:
    """Close the list of entrants now: begin the first stage, or cancel."""
    if entry.taken_places(work, event) < 2:
        closing.cancel_tournament(work, event, msg("Fewer than two entered {event}: it is not held.", event=event.id))
        return
    round_states.start(event, work.now)
    work.session.add(event)
    # Captains have the gap between rounds for their line-ups.
    gap = record.rules_of(event).round.gap_hours if record.boards_per_match(event) else 0
    closing.plan_round(work, event, (1, 1), work.now + timedelta(hours=gap))


def _advance_planned(work: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    if teams.ask_for_lineups(work, event, round_):
        return True
    if round_.opens > work.now:
        return False
    draw.close_list(work, event, round_)
    return True


def _advance_listed(work: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    if round_.draws is None or round_.draws > work.now:
        return False
    if round_.beacon != "none" and draw.beacon_of(work, round_) is None:
        return False
    draw.draw(work, event, round_)
    rounds.notify_without_game(work, event, round_)
    bidding.ask_for_bids(work, event, round_)
    return True


def _advance_drawn(work: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    if rounds.create_games(work, event, round_):
        return True
    if round_.starts is not None and round_.starts > work.now:
        return False
    if not rounds.begin_games(work, event, round_):
        round_states.start_round(round_)
        work.session.add(round_)
    return True


def _advance_playing(
    work: Transaction, event: tables.Tournament, round_: tables.Round, playout: PlayoutResults
) -> bool:
    if no_shows.advance_no_shows(work, event, round_) or scoring.score_all(work, event, round_):
        return True
    if not scoring.open_boards(work, round_):
        lots_before = lots.newest_lot(work, event, f"{standings.TIES}/{round_.name}")
        if not standings.are_ties_broken(work, event, round_):
            return lots.newest_lot(work, event, f"{standings.TIES}/{round_.name}") is not lots_before
        closing.close_round(work, event, round_)
        return True
    return (
        round_.ends is not None
        and round_.ends <= work.now
        and unfinished_tables.decide_table(work, event, round_, playout)
    )


def _advance_closed(work: Transaction, event: tables.Tournament, round_: tables.Round) -> bool:
    if closing.successor_kind(work, event, round_) != "round" and (
        disputes.dispute_times(work, event) or lots.pending_lots(work, event, standings.TIES)
    ):
        return False
    closing.plan_next(work, event)
    return True


_STATES = {"planned": _advance_planned, "shut": _advance_listed, "drawn": _advance_drawn, "closed": _advance_closed}
"""Actions for the current round by its state, except while it is played."""


def _rescore(work: Transaction, event: tables.Tournament) -> bool:
    """Score a reopened game of an earlier round again, and send the new table."""
    for round_ in queries.tournaments.reopened(work.session, event.id):
        if scoring.score_all(work, event, round_):
            if standings.are_ties_broken(work, event, round_):
                closing.resend_table(work, event, round_)
            return True
    return _resend_after_lots(work, event)


def _resend_after_lots(work: Transaction, event: tables.Tournament) -> bool:
    """Send a closed round's table again once its new lots are settled."""
    rounds = {
        f"{standings.TIES}/{round_row.name}": round_row
        for round_row in queries.tournaments.rounds(work.session, event.id)
    }
    for lot in lots.pending_lots(work, event, standings.TIES):
        round_ = rounds[lot.stem]
        if round_.state == "closed" and standings.are_ties_broken(work, event, round_):
            closing.resend_table(work, event, round_)
            return True
    return False


def _next_wake(work: Transaction, event: tables.Tournament) -> datetime | None:
    """Return the time of the next action; None if nothing happens by itself."""
    if event.state not in (*LIVE, *ENDED):
        return None
    optional_times = (ratings.next_rating_time(work, event), digest.next_digest_time(work, event))
    times = [moment for moment in optional_times if moment is not None]
    if event.state in ENDED:
        return min((max(moment, work.now + _LOOK) for moment in times), default=None)
    times += [*no_shows.due_times(work, event), *disputes.dispute_times(work, event)]
    times += [lot.draws for lot in lots.pending_lots(work, event, standings.TIES)]
    times += [daily] if (daily := director_desk.next_desk_time(work, event)) is not None else []
    if event.state == "playing":
        current = queries.tournaments.rounds(work.session, event.id)[-1]
        request_time = teams.lineup_request_time(event, current)
        times += [*_round_times(work, current), *((request_time,) if request_time is not None else ())]
    if event.state == "open" and (closes := record.closing_time(record.rules_of(event))) is not None:
        times.append(closes)
    return min((moment if moment > work.now else work.now + _LOOK for moment in times), default=None)


def _round_times(work: Transaction, current: tables.Round) -> list[datetime]:
    """Return the next time of the current round, if it has one.

    After its end there is none while only a jury is awaited.
    """
    if current.state == "playing" and not queries.tournaments.count_boards(work.session, current.id, "playing"):
        return []
    moment = record.next_time(current)
    return [moment] if moment is not None else []
