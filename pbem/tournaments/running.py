"""Tournaments as they go by: `step` looks at those whose moment has come, and does one thing a transaction.

Each has a `wake`, the moment at which something is to be looked at; a letter or a game that is over sets it to now.
Several workers may do so at once: a tournament that another has is passed over. `at` is told the points reached:
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
from pbem.runtime.transaction import WEATHER, Server, Work
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
from pbem.tournaments.unfinished_tables import Thoughts

log = Logger(__name__)

POINTS = ("stepping", "stepped")
_ROUNDS = 10_000
"""Things done in one call; past this many something goes in circles."""
_LOOK = timedelta(minutes=1)
"""How often it is looked whether a beacon's round or a game that another has held has come free."""


def nowhere(point: str) -> None:
    """Nobody is told the points reached."""


def step(server: Server, at: Callable[[str], None] = nowhere, most: int | None = None) -> int:
    """Do what is due of tournaments, so many things at `most`, and return how many were done.

    One that a fault of ours is found in is held, and the operator written to; WEATHER passes.
    """
    done = 0
    for _ in range(_ROUNDS):
        now = server.clock.now()
        with server.reading(now) as work:
            names = queries.schedule.tournaments(work.session, now)
            if not names or log_health.trouble(work) is not None:
                break
        ran = 0
        for name in names:
            if most is not None and done + ran >= most:
                break
            ran += _step_or_hold(server, name, now, at)
        done += ran
        if not ran:
            break
    if done:
        log_health.sign(server)
    return done


def _step_or_hold(server: Server, name: str, now: datetime, at: Callable[[str], None]) -> bool:
    try:
        thoughts = unfinished_tables.think(server, name, now)
        with server.work(now) as work:
            event = queries.tournaments.free_tournament(work.session, name)
            if event is None or event.wake is None or event.wake > now:
                return False
            did = _move(work, event, thoughts)
            event.wake = now if did and event.state in (*LIVE, *ENDED) else _next_wake(work, event)
            work.session.add(event)
            at("stepping")
        at("stepped")
        return did
    except WEATHER:
        raise
    except Exception as fault:
        log.exception("a tournament is held", tournament=name)
        _hold(server, name, now, fault)
        return True


def _hold(server: Server, name: str, now: datetime, fault: Exception) -> None:
    with server.work(now) as work:
        event = record.tournament_named(work.session, name)
        round_states.hold(event, f"{type(fault).__name__}: {fault}"[:1000])
        work.session.add(event)
        what = msg("The tournament {event} is held: its next step failed, and nothing of it was kept.", event=name)
        detail, cause = "".join(traceback.format_exception(fault)), f"{name} held {now.isoformat()}"
        outbox.to_operator(work, outbox.Notice(what, detail, cause=cause, title=msg("a tournament is held")))
        post.to_director(work, event, post.Told(msg("the tournament is held"), (what,)), cause)


def _move(work: Work, event: tables.Tournament, thoughts: Thoughts) -> bool:
    """Do the first thing that is due; False if nothing is."""
    if event.state in (*LIVE, *ENDED) and (ratings.rate(work, event) or digest.tell_followers(work, event)):
        return True
    if event.state not in LIVE:
        return False
    if (
        director_desk.tell_director(work, event)
        or no_shows.end_offers(work, event)
        or no_shows.fill_places(work, event)
    ):
        return True
    if event.state == "open":
        return _begin(work, event)
    current = queries.tournaments.rounds(work.session, event.id)[-1]
    if disputes.step_disputes(work, event) or _rescore(work, event):
        return True
    if current.state == "playing":
        return _playing(work, event, current, thoughts)
    return _STATES[current.state](work, event, current)


def _begin(work: Work, event: tables.Tournament) -> bool:
    """The list of entrants shuts: the first stage begins, or nothing comes of it."""
    closes = record.closing_of(record.rules_of(event))
    if closes is None or closes > work.now:
        return False
    begin(work, event)
    return True


def begin(work: Work, event: tables.Tournament) -> None:
    """Shut the list of entrants now."""
    if entry.taken_places(work, event) < 2:
        closing.cancel(work, event, msg("Fewer than two entered {event}: it is not held.", event=event.id))
        return
    round_states.start(event, work.now)
    work.session.add(event)
    # Captains have the hours between two rounds to line somebody up.
    gap = record.rules_of(event).round.gap_hours if record.boards_a_match(event) else 0
    closing.plan_round(work, event, (1, 1), work.now + timedelta(hours=gap))


def _planned(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    if teams.ask_for_lineups(work, event, round_):
        return True
    if round_.opens > work.now:
        return False
    draw.shut(work, event, round_)
    return True


def _shut(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    if round_.draws is None or round_.draws > work.now:
        return False
    if round_.beacon != "none" and draw.beacon_of(work, round_) is None:
        return False
    draw.draw(work, event, round_)
    rounds.tell_passing(work, event, round_)
    bidding.ask_for_bids(work, event, round_)
    return True


def _drawn(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    if rounds.found_tables(work, event, round_):
        return True
    if round_.starts is not None and round_.starts > work.now:
        return False
    if not rounds.begin_tables(work, event, round_):
        round_states.start_round(round_)
        work.session.add(round_)
    return True


def _playing(work: Work, event: tables.Tournament, round_: tables.Round, thoughts: Thoughts) -> bool:
    if no_shows.look(work, event, round_) or scoring.score_all(work, event, round_):
        return True
    if not scoring.open_boards(work, round_):
        known = lots.newest(work, event, f"{standings.TIES}/{round_.name}")
        if not standings.ties_are_parted(work, event, round_):
            return lots.newest(work, event, f"{standings.TIES}/{round_.name}") is not known
        closing.close(work, event, round_)
        return True
    return (
        round_.ends is not None and round_.ends <= work.now and unfinished_tables.decide(work, event, round_, thoughts)
    )


def _closed(work: Work, event: tables.Tournament, round_: tables.Round) -> bool:
    if closing.what_follows(work, event, round_) != "round" and (
        disputes.dispute_moments(work, event) or lots.awaited(work, event, standings.TIES)
    ):
        return False
    closing.follow(work, event)
    return True


_STATES = {"planned": _planned, "shut": _shut, "drawn": _drawn, "closed": _closed}
"""What is done in each state of the round that is current, before and after it is played."""


def _rescore(work: Work, event: tables.Tournament) -> bool:
    """A game of a round before that was opened again is over once more: its score and the table are counted anew."""
    for round_ in queries.tournaments.reopened(work.session, event.id):
        if scoring.score_all(work, event, round_):
            if standings.ties_are_parted(work, event, round_):
                closing.say_again(work, event, round_)
            return True
    return _say_parted(work, event)


def _say_parted(work: Work, event: tables.Tournament) -> bool:
    """Lots by which the table of a closed round is counted anew have come, or nothing needs them any more."""
    rounds = {f"{standings.TIES}/{one.name}": one for one in queries.tournaments.rounds(work.session, event.id)}
    for lot in lots.awaited(work, event, standings.TIES):
        round_ = rounds[lot.stem]
        if round_.state == "closed" and standings.ties_are_parted(work, event, round_):
            closing.say_again(work, event, round_)
            return True
    return False


def _next_wake(work: Work, event: tables.Tournament) -> datetime | None:
    """When something is to be looked at next; None if nothing will happen by itself."""
    if event.state not in (*LIVE, *ENDED):
        return None
    told = (ratings.rating_moment(work, event), digest.digest_moment(work, event))
    wanted = [at for at in told if at is not None]
    if event.state in ENDED:
        return min((max(at, work.now + _LOOK) for at in wanted), default=None)
    wanted += [*no_shows.moments(work, event), *disputes.dispute_moments(work, event)]
    wanted += [lot.draws for lot in lots.awaited(work, event, standings.TIES)]
    wanted += [daily] if (daily := director_desk.desk_moment(work, event)) is not None else []
    if event.state == "playing":
        current = queries.tournaments.rounds(work.session, event.id)[-1]
        asks = teams.asks_at(event, current)
        wanted += [*_of_round(work, current), *((asks,) if asks is not None else ())]
    if event.state == "open" and (closes := record.closing_of(record.rules_of(event))) is not None:
        wanted.append(closes)
    return min((at if at > work.now else work.now + _LOOK for at in wanted), default=None)


def _of_round(work: Work, current: tables.Round) -> list[datetime]:
    """When something is due of the round that is current; after its end nothing is where only a jury is waited for."""
    if current.state == "playing" and not queries.tournaments.count_boards(work.session, current.id, "playing"):
        return []
    at = record.next_moment(current)
    return [at] if at is not None else []
