"""E9 Rate the games of a pool month by month, and recompute ratings from the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps, loads
from pbem.log.sequencer import Noted
from pbem.runtime import tokens
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import leaves, record
from pbem.tournaments.arithmetic.ratings import (
    FirstSideAdvantage,
    PoolRatings,
    RatedGame,
    Rating,
    empty_pool_ratings,
    pool_ratings_from_json,
    pool_ratings_to_json,
    rate_month,
)


def month_of(moment: datetime) -> str:
    """Return the month of a moment: ``2030-02``."""
    return f"{moment.astimezone(UTC):%Y-%m}"


def end_of_month(month: str) -> datetime:
    """Return the moment at which a month ends."""
    year, number = map(int, month.split("-"))
    return datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)


def months_between(before: str, month: str) -> tuple[str, ...]:
    """Return the months after one, up to and including another.

    If `before` is empty, return only `month`.
    """
    months = [month_of(end_of_month(before))] if before else [month]
    while months[-1] < month:
        months.append(month_of(end_of_month(months[-1])))
    return tuple(months)


def rating_of_row(row: tables.Rating) -> Rating:
    """Return a stored rating as the arithmetic takes it."""
    return Rating(Decimal(row.mu), Decimal(row.phi), Decimal(row.vol))


def ratings_after(tx: Transaction, pool: str, month: str) -> PoolRatings:
    """Return the book of a pool after a month; its names are those in the log."""
    people = {row.name: rating_of_row(row) for row in queries.tournaments.ratings_of_period(tx.session, pool, month)}
    rows = queries.tournaments.edition_ratings(tx.session, pool, month)
    return PoolRatings(
        pool, month, people, {row.edition: FirstSideAdvantage(Decimal(row.mu), Decimal(row.phi)) for row in rows}
    )


def newest_ratings(tx: Transaction, pool: str) -> PoolRatings:
    """Return the newest book of a pool; an empty one before its first rating."""
    return ratings_after(tx, pool, queries.tournaments.last_period(tx.session, pool))


def name_in_pool(tx: Transaction, pool: str, person: int) -> str:
    """Return a person's name in a pool's log: his name, or that at his first rating."""
    return queries.tournaments.pseudonym_of(tx.session, person, pool) or tokens.rating_pseudonym(
        tx.server.keys.key, pool, person
    )


def store_ratings(tx: Transaction, book: PoolRatings, people: Mapping[str, int]) -> None:
    """Store a book; `people` maps the names in it to persons."""
    for name, rating in book.people.items():
        mu, phi, vol = (f"{value:f}" for value in rating)
        row = tables.Rating(
            person_id=people[name], pool=book.pool, period=book.period, name=name, mu=mu, phi=phi, vol=vol
        )
        tx.session.add(row)
    for edition, ground in book.grounds.items():
        mu, phi = (f"{value:f}" for value in ground)
        tx.session.add(tables.EditionRating(edition=edition, pool=book.pool, period=book.period, mu=mu, phi=phi))
    tx.session.flush()


# E9 Monthly ratings: boards closed in a month are rated after it, in the pool that the rules name.
#
# A pool may have several tournaments. The first one due rates the month for all of them, in one transaction, and each
# with rated boards has a leaf ``rated`` in its log, which opens the same text::
#
#     {"games":[{"ground":"sha256:...","halves":2,"how":"played","table":"cup60-r1-01","turn":9}],
#      "grounds":{...},"people":{...},"period":"2030-02","pool":"main"}
#
# A board disputed when its month is rated is rated with the next one. Rated boards are not rated again.


PLAYED = ("played", "forfeit", "adjudicated")
"""The kinds of results that are rated."""


class DueBoard(NamedTuple):
    """A board to be rated, with its tournament."""

    event: tables.Tournament
    board: tables.Board


def next_rating_time(tx: Transaction, event: tables.Tournament) -> datetime | None:
    """Return the end of the first month with an unrated board, or None."""
    month = _next_month(tx, event)
    return end_of_month(month) if month else None


def _next_month(tx: Transaction, event: tables.Tournament) -> str:
    """Return the month in which the first unrated board is rated.

    It is the month in which the board closed; if the pool has rated that month already, the month after its last
    rating.
    """
    pool = record.rules_of(event).rating.pool
    first = queries.tournaments.first_unrated_closing(tx.session, event.id) if pool else None
    if first is None:
        return ""
    last, closing_month = queries.tournaments.last_period(tx.session, pool), month_of(first)
    return closing_month if closing_month > last else month_of(end_of_month(last))


def rate_next_month(tx: Transaction, event: tables.Tournament) -> bool:
    """Rate the first finished month with an unrated board, for the whole pool.

    Return False if there is none, or if another worker has locked a tournament of the pool; the next try is a
    minute later.
    """
    month = _next_month(tx, event)
    if not month or end_of_month(month) > tx.now:
        return False
    pool = record.rules_of(event).rating.pool
    due = _due_boards(tx, event, pool, month)
    if due is None:
        return False
    _rate_month(tx, newest_ratings(tx, pool), month, due)
    return True


def _due_boards(tx: Transaction, event: tables.Tournament, pool: str, month: str) -> list[DueBoard] | None:
    """Return the boards of a pool to rate in a month, and lock their tournaments.

    None if a tournament is locked by another worker.
    """
    due: list[DueBoard] = []
    for candidate in queries.tournaments.all_tournaments(tx.session):
        if record.rules_of(candidate).rating.pool != pool:
            continue
        first = queries.tournaments.first_unrated_closing(tx.session, candidate.id)
        if first is None or first >= end_of_month(month):
            continue
        locked = (
            event if candidate.id == event.id else queries.tournaments.lock_tournament_if_free(tx.session, candidate.id)
        )
        if locked is None:
            return None
        boards = queries.tournaments.unrated_boards(tx.session, candidate.id, end_of_month(month))
        due += [DueBoard(locked, board) for _, board in boards]
    return due


def _rate_month(tx: Transaction, book: PoolRatings, month: str, due: Sequence[DueBoard]) -> None:
    """Rate a month on the basis of the last book, and log it in each tournament."""
    persons: dict[str, int] = {
        row.name: row.person_id for row in queries.tournaments.ratings_of_period(tx.session, book.pool, book.period)
    }
    games, entries, tournaments = [], [], {}
    for event, board in due:
        rated = _rated_game(tx, book.pool, event, board, persons)
        board.rated = month if rated is not None else "-"
        tx.session.add(board)
        if rated is not None:
            games.append(rated)
            entries.append(_game_json(board, rated))
            tournaments[event.id] = event
    if games:
        new_book = ratings_after_games(book, month, games)
        store_ratings(tx, new_book, persons)
        text = rated_period_text(new_book, entries)
        says = (("pool", book.pool), ("period", month), ("ratings", leaves.sha256_of(text)))
        for name in sorted(tournaments):
            leaves.record_leaf(tx, tournaments[name], "rated", says, text)
    tx.session.flush()


def ratings_after_games(book: PoolRatings, month: str, games: Sequence[RatedGame]) -> PoolRatings:
    """Return the book after a month; months in between had no games."""
    for empty in months_between(book.period, month)[:-1]:
        book = rate_month(book, empty, ())
    return rate_month(book, month, games)


def rated_period_text(book: PoolRatings, games: Sequence[Json]) -> str:
    """Return the text digested in the leaf: the book, and rated games by table."""
    return dumps({**pool_ratings_to_json(book), "games": sorted(games, key=lambda game: str(game["table"]))})


def _rated_game(
    tx: Transaction, pool: str, event: tables.Tournament, board: tables.Board, persons: dict[str, int]
) -> RatedGame | None:
    """Return a board as a rated game; None if it is not rated, like a bye."""
    if board.how not in PLAYED or not board.game_id or board.first_halves + board.second_halves != 2:
        return None
    names = []
    for number in (board.first, board.second):
        row = queries.tournaments.entrant(tx.session, event.id, number)
        if row is None:
            raise LookupError(f"{event.id} has no entrant e{number}")
        name = name_in_pool(tx, pool, row.person_id)
        persons[name] = row.person_id
        names.append(name)
    edition = tx.session.get_one(tables.Game, board.game_id).edition_digest
    return RatedGame(names[0], names[1], board.first_halves, edition, board.how, board.turns)


def _game_json(board: tables.Board, game: RatedGame) -> Json:
    return {
        "table": board.game_id,
        "ground": game.ground,
        "halves": game.halves,
        "how": game.how,
        "turn": game.turn,
    }


# E9 Recount of ratings from the log: each ``rated`` leaf of each pool, to the last digit.
#
# For every table of a period the log gives: its edition (`open` of its own log), its score
# (`score` of the tournament's log), its players (`pair`). Identities are sealed in the log; the rows of
# this server name them. The book before is that of this recount, never that of the log.


class RatingRecount(NamedTuple):
    """The recount of a period: games, people, digest in the log, and faults.

    `same` is whether it agrees with the log; None if the log has lost a digested text or a table.
    """

    pool: str
    period: str
    games: int
    people: int
    digest: str
    same: bool | None
    wrong: tuple[str, ...]


class _RatedLeaf(NamedTuple):
    """A ``rated`` leaf with its tournament and the text that it digests."""

    event: str
    noted: Noted
    opens: str


def replay_ratings(tx: Transaction, pool: str = "") -> Iterator[RatingRecount]:
    """Recount all periods of a pool, or of all pools."""
    pools: dict[str, dict[str, list[_RatedLeaf]]] = {}
    for row in queries.tournaments.rated_leaves(tx.session):
        noted = _read_leaf(row)
        if pool in ("", noted("pool")):
            period_leaves = pools.setdefault(noted("pool"), {}).setdefault(noted("period"), [])
            period_leaves.append(_RatedLeaf(row.game, noted, row.opens))
    for name, periods in sorted(pools.items()):
        yield from _recount_pool(tx, name, periods)


def _recount_pool(tx: Transaction, pool: str, periods: Mapping[str, Sequence[_RatedLeaf]]) -> Iterator[RatingRecount]:
    book, counted_tables = empty_pool_ratings(pool), set[str]()
    count = _PoolRecount(tx, pool, _Chains(tx.session))
    for period, period_leaves in sorted(periods.items()):
        digest = period_leaves[0].noted("ratings")
        try:
            opening = _read_opened(period_leaves)
            games = [_recount_game(count, period_leaves, entry) for entry in opening["games"]]
        except (ValueError, LookupError, TypeError) as lost:
            # A text or table that the log has lost, or changed: no later period can be counted without this one.
            yield RatingRecount(
                pool, period, 0, 0, digest, False if isinstance(lost, _LogMismatch) else None, (str(lost),)
            )
            return
        book = ratings_after_games(book, period, [game for _, game in games])
        wrong = [f"{table} was rated before" for table, _ in games if table in counted_tables]
        counted_tables |= {table for table, _ in games}
        if rated_period_text(book, opening["games"]) != period_leaves[0].opens:
            wrong += _differences(book, pool_ratings_from_json(opening))
        if book != ratings_after(tx, pool, period):
            wrong.append("the rows of this server are not what the log says")
        yield RatingRecount(pool, period, len(games), len(book.people), digest, not wrong, tuple(wrong))


class _PoolRecount(NamedTuple):
    """A pool that is recounted."""

    work: Transaction
    pool: str
    chains: _Chains


class _LogMismatch(ValueError):
    """The log contradicts itself."""


def _read_opened(period_leaves: Sequence[_RatedLeaf]) -> Json:
    """Return the JSON whose digest the leaves of a period have, the same in all.

    Raise LookupError if the text is lost, _LogMismatch if the texts differ.
    """
    first = period_leaves[0]
    if not first.opens:
        raise LookupError(f"leaf {first.noted.seq} of {first.event} opens nothing any more")
    for leaf in period_leaves:
        if leaf.opens != first.opens or leaves.sha256_of(leaf.opens) != leaf.noted("ratings"):
            raise _LogMismatch(f"leaf {leaf.noted.seq} of {leaf.event} opens another text than it names")
    return loads(first.opens)


def _recount_game(count: _PoolRecount, period_leaves: Sequence[_RatedLeaf], entry: Json) -> tuple[str, RatedGame]:
    """Return a game from its leaves before the rating.

    Raise _LogMismatch if the rating disagrees.
    """
    table = str(entry["table"])
    session = count.work.session
    board = queries.tournaments.board_of(session, table)
    leaves_here = [leaf for leaf in period_leaves if board is not None and leaf.event == leaves.log_name_of(board[0])]
    if board is None or not leaves_here:
        raise _LogMismatch(f"{table} is no table of a tournament that tells of this period")
    event, before = board[0], leaves_here[0].noted.seq
    score = count.chains.last(leaves_here[0].event, "score", table, before)
    halves = [int(value) for value in score("halves").split()]
    opening = queries.log.leaves(session, table, "open")
    if not opening:
        raise LookupError(f"the log has no leaf in which {table} was opened")
    ground = _read_leaf(opening[0])("edition")
    if (ground, halves[0], score("how")) != (entry["ground"], entry["halves"], entry["how"]):
        raise _LogMismatch(f"{table} was rated otherwise than it was scored")
    if score("how") not in PLAYED or sum(halves) != 2:
        raise _LogMismatch(f"{table} is none that is rated")
    pair = count.chains.last(leaves_here[0].event, "pair", table, before)
    first, second = (_entrant_name(count, event, pair(key)) for key in _side_keys(pair, table))
    return table, RatedGame(first, second, halves[0], ground, score("how"), int(entry["turn"]))


class _Chains:
    """The leaves of tournaments' logs by table; each log is read once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._read: dict[tuple[str, str], dict[str, list[Noted]]] = {}

    def last(self, chain: str, kind: str, table: str, before: int) -> Noted:
        """Return a table's newest leaf of a kind before another.

        Raise LookupError if there is none.
        """
        if (chain, kind) not in self._read:
            by_table: dict[str, list[Noted]] = {}
            for row in queries.log.leaves(self._session, chain, kind):
                noted = _read_leaf(row)
                for table_name in noted("table").split():
                    by_table.setdefault(table_name, []).append(noted)
            self._read[chain, kind] = by_table
        for noted in reversed(self._read[chain, kind].get(table, ())):
            if noted.seq < before:
                return noted
        raise LookupError(f"{chain} has no {kind} of {table} before leaf {before}")


def _read_leaf(row: tables.Leaf) -> Noted:
    return Noted(row.seq, row.kind, row.phase, row.body, row.says)


def _side_keys(pair: Noted, table: str) -> tuple[str, str]:
    """Return the pair's keys, first side first; the second mirrored table swaps them."""
    tables_ = sorted(pair("table").split())
    return ("second", "first") if len(tables_) == 2 and table == tables_[1] else ("first", "second")


def _entrant_name(count: _PoolRecount, event: tables.Tournament, entrant: str) -> str:
    row = queries.tournaments.entrant(count.work.session, event.id, int(entrant.removeprefix("e")))
    if row is None:
        raise LookupError(f"{event.id} has no entrant {entrant}")
    return name_in_pool(count.work, count.pool, row.person_id)


def _differences(mine: PoolRatings, log: PoolRatings) -> list[str]:
    """Return the differences of two books, a line each; at least one."""
    lines = [
        f"{kind} {name}: {_figures(ours.get(name))}, the log has {_figures(logged.get(name))}"
        for kind, ours, logged in (("person", mine.people, log.people), ("ground", mine.grounds, log.grounds))
        for name in sorted({*ours, *logged})
        if ours.get(name) != logged.get(name)
    ]
    return lines or ["the text in the log is written otherwise"]


def _figures(rating: Sequence[object] | None) -> str:
    return "nothing" if rating is None else " ".join(str(value) for value in rating)
