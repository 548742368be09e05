"""E9 Ratings by the month: what closed in a month is rated once it is over, in the pool that the rules name.

A pool may have several tournaments. Whoever comes first rates the month for all of them, in one transaction, and each
whose boards were rated has a leaf ``rated`` in its chain, which opens the same text::

    {"games":[{"ground":"sha256:...","halves":2,"how":"played","table":"cup60-r1-01","turn":9}],
     "grounds":{...},"people":{...},"period":"2030-02","pool":"main"}

A board that is disputed while its month is rated comes into the next one that is. What was rated stays so.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from pbem.engine.data.canon import Json, dumps
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import event_leaves, pools, record
from pbem.tournaments.arithmetic.ratings import Book, RatedGame, book_to_json, rate_period

PLAYED = ("played", "forfeit", "adjudicated")
"""How the boards come about that are rated."""


class Due(NamedTuple):
    """A board that is to be rated, and its tournament."""

    event: tables.Tournament
    board: tables.Board


def rating_moment(work: Work, event: tables.Tournament) -> datetime | None:
    """When the first month is over of which a board of the tournament is not rated; None if there is none."""
    month = _month(work, event)
    return pools.end_of(month) if month else None


def _month(work: Work, event: tables.Tournament) -> str:
    """The month that the first board not rated is to be rated in: its own, or the first that the pool has not rated."""
    pool = record.rules_of(event).rating.pool
    first = queries.tournaments.closed_unrated(work.session, event.id) if pool else None
    if first is None:
        return ""
    last, own = queries.tournaments.last_period(work.session, pool), pools.month_of(first)
    return own if own > last else pools.month_of(pools.end_of(last))


def rate(work: Work, event: tables.Tournament) -> bool:
    """Rate the first month that is over and of which a board of the tournament is not rated, with the whole pool.

    False if there is none, or if another worker has a tournament of the pool: then it is tried again in a minute.
    """
    month = _month(work, event)
    if not month or pools.end_of(month) > work.now:
        return False
    pool = record.rules_of(event).rating.pool
    due = _due(work, event, pool, month)
    if due is None:
        return False
    _rate(work, pools.newest(work, pool), month, due)
    return True


def _due(work: Work, event: tables.Tournament, pool: str, month: str) -> list[Due] | None:
    """The boards of a pool that are rated in a month, their tournaments held; None if one cannot be held now."""
    found: list[Due] = []
    for one in queries.tournaments.every(work.session):
        if record.rules_of(one).rating.pool != pool:
            continue
        first = queries.tournaments.closed_unrated(work.session, one.id)
        if first is None or first >= pools.end_of(month):
            continue
        held = event if one.id == event.id else queries.tournaments.free_tournament(work.session, one.id)
        if held is None:
            return None
        boards = queries.tournaments.unrated(work.session, one.id, pools.end_of(month))
        found += [Due(held, board) for _, board in boards]
    return found


def _rate(work: Work, book: Book, month: str, due: Sequence[Due]) -> None:
    """Rate a month after the book of the last one, and tell it in the chain of each tournament that it is of."""
    persons: dict[str, int] = {
        row.name: row.person_id for row in queries.tournaments.of_period(work.session, book.pool, book.period)
    }
    games, told, theirs = [], [], {}
    for event, board in due:
        rated = _rated(work, book.pool, event, board, persons)
        board.rated = month if rated is not None else "-"
        work.session.add(board)
        if rated is not None:
            games.append(rated)
            told.append(_told(board, rated))
            theirs[event.id] = event
    if games:
        after = counted(book, month, games)
        pools.keep(work, after, persons)
        text = text_of(after, told)
        says = (("pool", book.pool), ("period", month), ("ratings", event_leaves.sha256_of(text)))
        for name in sorted(theirs):
            event_leaves.note(work, theirs[name], "rated", says, text)
    work.session.flush()


def counted(book: Book, month: str, games: Sequence[RatedGame]) -> Book:
    """The book after a month: in the months between it and the last one nobody played."""
    for empty in pools.months_between(book.period, month)[:-1]:
        book = rate_period(book, empty, ())
    return rate_period(book, month, games)


def text_of(book: Book, games: Sequence[Json]) -> str:
    """What the leaf opens: the book with the games that were rated, by their tables."""
    return dumps({**book_to_json(book), "games": sorted(games, key=lambda one: str(one["table"]))})


def _rated(
    work: Work, pool: str, event: tables.Tournament, board: tables.Board, persons: dict[str, int]
) -> RatedGame | None:
    """A board as it is rated; None of one that is not, as a bye."""
    if board.how not in PLAYED or not board.game_id or board.first_halves + board.second_halves != 2:
        return None
    both = []
    for number in (board.first, board.second):
        row = queries.tournaments.entrant(work.session, event.id, number)
        if row is None:
            raise LookupError(f"{event.id} has no entrant e{number}")
        name = pools.name_in(work, pool, row.person_id)
        persons[name] = row.person_id
        both.append(name)
    return RatedGame(both[0], both[1], board.first_halves, event.edition, board.how, board.turns)


def _told(board: tables.Board, rated: RatedGame) -> Json:
    return {
        "table": board.game_id,
        "ground": rated.ground,
        "halves": rated.halves,
        "how": rated.how,
        "turn": rated.turn,
    }
