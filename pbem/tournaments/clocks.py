"""Stop and restart the clocks of a tournament, a round or a table.

While they stand still no deadline of games, lists, rounds, questions, offers, disputes and jurors passes: each is
put off by the length of the stop. Holidays of the rules stop them by themselves, as they are known from the
founding on; an outage of the mailbox stops them afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.play import holds, outage_guard, stops
from pbem.runtime import stopped_time
from pbem.runtime.stopped_time import Span, Spans
from pbem.runtime.transaction import Server, Transaction
from pbem.store import queries, tables
from pbem.tournaments import founding, record, round_states

_AHEAD = ("planned", "shut", "drawn", "playing")
"""The states of a round that has deadlines still to come."""


class ClockScope(NamedTuple):
    """What a ruling stops: one round or all, with the boards of their games.

    `table` is set if only one board of a round is meant.
    """

    event: tables.Tournament
    rounds: Sequence[tables.Round]
    boards: Sequence[tuple[tables.Board, tables.Game]]
    everything: bool = False
    table: bool = False

    @property
    def stopped_spans(self) -> Spans:
        """Return the spans in which its clocks stand still."""
        texts = (self.event.stopped,) if self.everything else tuple(game.stopped for _, game in self.boards)
        return stopped_time.join_spans(*(span for text in texts for span in stopped_time.read_spans(text)))


def scope_of_all(tx: Transaction, event: tables.Tournament) -> ClockScope:
    """Return all rounds to come and all games that are not over."""
    rounds = queries.tournaments.rounds(tx.session, event.id)
    boards = [board for round_ in rounds for board in boards_in_play(tx, round_)]
    return ClockScope(event, [round_ for round_ in rounds if round_.state in _AHEAD], boards, everything=True)


def boards_in_play(tx: Transaction, round_: tables.Round) -> list[tuple[tables.Board, tables.Game]]:
    """Return the boards of a round whose games are not over, with those games."""
    games = queries.tournaments.table_games(tx.session, round_.id)
    boards = queries.tournaments.boards(tx.session, round_.id)
    with_games = [(board, games[board.game_id]) for board in boards if board.game_id in games]
    return [(board, game) for board, game in with_games if game.state != "over"]


def later_on_board_clock(
    tx: Transaction, event: tables.Tournament, board: tables.Board | None, hours: int, since: datetime | None = None
) -> datetime:
    """Return the moment that is some running hours later on a board's clock.

    It counts from now if no start is given. Without a board it is the tournament's clock that counts.
    """
    game = queries.games.game(tx.session, (board.game_id if board is not None else None) or "")
    texts = (event.stopped, game.stopped if game is not None else "")
    stopped = stopped_time.join_spans(*(span for text in texts for span in stopped_time.read_spans(text)))
    return stopped_time.add_time(since or tx.now, timedelta(hours=hours), stopped)


Change = Callable[[Spans], Spans]
"""A change of the spans in which clocks stand still."""


def end_after(scope: ClockScope, round_: tables.Round, change: Change, now: datetime) -> datetime | None:
    """Return the latest end of a round after a change; None before its draw.

    A game that is put off may lose up to a day, since its deadlines fall on a fixed hour. Where the rules promise
    that all games end, the round gets that day too.
    """
    if round_.ends is None or round_.state not in ("drawn", "playing"):
        return None
    end = stopped_time.shift_by_stops(round_.ends, now, scope.stopped_spans, change(scope.stopped_spans))
    if scope.table:
        end = max(end, round_.ends)
    rules = record.rules_of(scope.event)
    has_certain_end = not (rules.stage[round_.stage - 1].days or rules.round.days)
    return founding.pace_of(rules).deadline(end, 24) if has_certain_end and end != round_.ends else end


def change_clocks(tx: Transaction, scope: ClockScope, change: Change) -> None:
    """Replace the spans in which clocks stand still, and put off all that runs."""
    before = scope.stopped_spans
    ends = [end_after(scope, round_, change, tx.now) for round_ in scope.rounds]
    if scope.everything:
        scope.event.stopped = stopped_time.write_spans(change(before))
    _carry_times(tx, scope, lambda moment: stopped_time.shift_by_stops(moment, tx.now, before, change(before)))
    for round_, end in zip(scope.rounds, ends, strict=True):
        round_.ends = end or round_.ends
        tx.session.add(round_)
    for _, game in scope.boards:
        stops.change_stops(tx, game, change(stopped_time.read_spans(game.stopped)))
    tx.session.flush()


def lock_games(tx: Transaction, scope: ClockScope) -> bool:
    """Lock the games of a scope; return False if another transaction has one."""
    return all(queries.games.free_game(tx.session, game.id) is not None for _, game in scope.boards)


def resume_held_games(tx: Transaction, scope: ClockScope) -> None:
    """Resume games that were held because of an outage of days."""
    for _, game in scope.boards:
        if game.state == "held":
            holds.resume_game(tx, game.id)


def _carry_times(tx: Transaction, scope: ClockScope, carried: Callable[[datetime], datetime]) -> None:
    """Put off the times of rounds, questions, offers and disputes.

    The moment of a draw whose beacon round is fixed stays, and the end of a round.
    """
    for round_ in scope.rounds if not scope.table else ():
        if round_.state == "planned":
            round_.opens = carried(round_.opens)
        elif round_.state == "shut" and round_.draws is not None and round_.beacon == "none":
            round_.draws = carried(round_.draws)
        elif round_.state == "drawn" and round_.starts is not None:
            round_.starts = carried(round_.starts)
        tx.session.add(round_)
    _carry_questions(tx, scope, carried)
    _carry_disputes(tx, scope, carried)
    tx.session.flush()


def _carry_questions(tx: Transaction, scope: ClockScope, carried: Callable[[datetime], datetime]) -> None:
    """Put off questions to silent players, and offers of seats and places."""
    session, event = tx.session, scope.event
    board_ids = {board.id for board, _ in scope.boards}
    offered_seats = set[int]()
    for silence in queries.tournaments.silences(session, event.id, "asked", "director", "open", "offered", "accepted"):
        if silence.board_id in board_ids:
            silence.until = carried(silence.until)
            offered_seats.add(silence.entrant)
            session.add(silence)
    for row in queries.tournaments.entrants(session, event.id):
        if row.offered_until is not None and (scope.everything or row.offered_for in offered_seats):
            row.offered_until = carried(row.offered_until)
            session.add(row)


def _carry_disputes(tx: Transaction, scope: ClockScope, carried: Callable[[datetime], datetime]) -> None:
    """Put off the deadlines of directors, jurors and appeals."""
    board_ids = {board.id for board, _ in scope.boards}
    for dispute in queries.tournaments.open_disputes(tx.session, scope.event.id):
        if not (scope.everything or dispute.board_id in board_ids):
            continue
        if dispute.state != "jury":
            dispute.until = carried(dispute.until)
            tx.session.add(dispute)
        for vote in queries.tournaments.votes(tx.session, dispute.id):
            vote.until = vote.until if vote.word else carried(vote.until)
            tx.session.add(vote)


def stop_until(until: datetime, now: datetime) -> Change:
    """Return the change by which clocks stand still from now on until a moment."""
    return lambda spans: stopped_time.join_spans(*spans, (now, until))


def end_stop_at(until: datetime, now: datetime) -> Change:
    """Return the change by which clocks that stand still run from a coming moment on."""
    return lambda spans: stopped_time.join_spans(*stopped_time.cut_spans(spans, now), (now, until))


def end_stop_now(now: datetime) -> Change:
    """Return the change by which clocks that stand still run from now on."""
    return lambda spans: stopped_time.cut_spans(spans, now)


def is_stopped(scope: ClockScope, now: datetime) -> bool:
    """Return whether any clock stands still now, or a game is held."""
    texts = (scope.event.stopped, *(game.stopped for _, game in scope.boards))
    spans = stopped_time.join_spans(*(span for text in texts for span in stopped_time.read_spans(text)))
    return stopped_time.end_of_stop(now, spans) > now or any(game.state == "held" for _, game in scope.boards)


# An outage of the mailbox: nobody could write, so no time ran. The games move their own deadlines (outage_guard).


def is_mailbox_silent(tx: Transaction) -> bool:
    """Return whether the mailbox has not been read for so long that letters may wait."""
    last_poll = queries.inbox.last_poll(tx.session)
    return last_poll is not None and tx.now - last_poll >= outage_guard.OUTAGE


def handle_gap(server: Server, last_poll: datetime, next_poll: datetime) -> None:
    """Stop all tournaments for the time between two polls of the mailbox, once."""
    gap = next_poll - last_poll
    if gap < outage_guard.OUTAGE:
        return
    span = (last_poll, last_poll - (-gap // timedelta(hours=1)) * timedelta(hours=1))
    with server.reading(next_poll) as tx:
        names = [event.id for event in queries.tournaments.all_tournaments(tx.session)]
    for name in names:
        with server.work(next_poll) as tx:
            event = record.tournament_by_name(tx.session, name)
            if event.state in round_states.LIVE or event.state == "held":
                _leave_out(tx, event, span)


def _leave_out(tx: Transaction, event: tables.Tournament, span: Span) -> None:
    before = stopped_time.read_spans(event.stopped)
    after = stopped_time.join_spans(*before, span)
    if after == before:
        return
    scope = scope_of_all(tx, event)

    def shift(moment: datetime) -> datetime:
        return stopped_time.shift_by_stops(moment, span[0], before, after)

    _carry_times(tx, scope, shift)
    for round_ in scope.rounds:
        round_.ends = shift(round_.ends) if round_.ends is not None else None
        tx.session.add(round_)
    event.stopped = stopped_time.write_spans(after)
    if event.wake is not None:
        event.wake = tx.now
    tx.session.add(event)
