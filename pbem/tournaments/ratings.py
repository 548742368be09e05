"""E9 Ratings: the pools, a period each month, and the same counted anew from the log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, dumps, loads
from pbem.log.sequencer import Noted
from pbem.runtime import tokens
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import leaves, record
from pbem.tournaments.arithmetic.ratings import (
    Book,
    GroundRating,
    RatedGame,
    Rating,
    book_from_json,
    book_to_json,
    empty_book,
    rate_period,
)


def month_of(moment: datetime) -> str:
    """The month of a moment: ``2030-02``."""
    return f"{moment.astimezone(UTC):%Y-%m}"


def end_of(month: str) -> datetime:
    """The moment in which a month is over."""
    year, number = map(int, month.split("-"))
    return datetime(year + number // 12, number % 12 + 1, 1, tzinfo=UTC)


def months_between(before: str, month: str) -> tuple[str, ...]:
    """The months after one and up to another, which is the last; it alone if there is none before."""
    found = [month_of(end_of(before))] if before else [month]
    while found[-1] < month:
        found.append(month_of(end_of(found[-1])))
    return tuple(found)


def rating_of_row(row: tables.Rating) -> Rating:
    """A row as the arithmetic has it."""
    return Rating(Decimal(row.mu), Decimal(row.phi), Decimal(row.vol))


def book_after(work: Work, pool: str, month: str) -> Book:
    """The book of a pool after a month, people by what the log calls them."""
    people = {row.name: rating_of_row(row) for row in queries.tournaments.of_period(work.session, pool, month)}
    rows = queries.tournaments.grounds(work.session, pool, month)
    return Book(pool, month, people, {row.edition: GroundRating(Decimal(row.mu), Decimal(row.phi)) for row in rows})


def newest(work: Work, pool: str) -> Book:
    """The newest book of a pool; an empty one if nobody was ever rated in it."""
    return book_after(work, pool, queries.tournaments.last_period(work.session, pool))


def name_in(work: Work, pool: str, person: int) -> str:
    """What the log calls a person in a pool: the name that he has, or gets with his first rating."""
    return queries.tournaments.name_of(work.session, person, pool) or tokens.rated(work.server.keys.key, pool, person)


def keep(work: Work, book: Book, people: Mapping[str, int]) -> None:
    """Write a book down; `people` tells whose the names are."""
    for name, rating in book.people.items():
        mu, phi, vol = (f"{value:f}" for value in rating)
        row = tables.Rating(
            person_id=people[name], pool=book.pool, period=book.period, name=name, mu=mu, phi=phi, vol=vol
        )
        work.session.add(row)
    for edition, ground in book.grounds.items():
        mu, phi = (f"{value:f}" for value in ground)
        work.session.add(tables.Ground(edition=edition, pool=book.pool, period=book.period, mu=mu, phi=phi))
    work.session.flush()


# E9 Ratings by the month: what closed in a month is rated once it is over, in the pool that the rules name.
#
# A pool may have several tournaments. Whoever comes first rates the month for all of them, in one transaction, and each
# whose boards were rated has a leaf ``rated`` in its chain, which opens the same text::
#
#     {"games":[{"ground":"sha256:...","halves":2,"how":"played","table":"cup60-r1-01","turn":9}],
#      "grounds":{...},"people":{...},"period":"2030-02","pool":"main"}
#
# A board that is disputed while its month is rated comes into the next one that is. What was rated stays so.


PLAYED = ("played", "forfeit", "adjudicated")
"""How the boards come about that are rated."""


class Due(NamedTuple):
    """A board that is to be rated, and its tournament."""

    event: tables.Tournament
    board: tables.Board


def rating_moment(work: Work, event: tables.Tournament) -> datetime | None:
    """When the first month is over of which a board of the tournament is not rated; None if there is none."""
    month = _month(work, event)
    return end_of(month) if month else None


def _month(work: Work, event: tables.Tournament) -> str:
    """The month that the first board not rated is to be rated in: its own, or the first that the pool has not rated."""
    pool = record.rules_of(event).rating.pool
    first = queries.tournaments.closed_unrated(work.session, event.id) if pool else None
    if first is None:
        return ""
    last, own = queries.tournaments.last_period(work.session, pool), month_of(first)
    return own if own > last else month_of(end_of(last))


def rate(work: Work, event: tables.Tournament) -> bool:
    """Rate the first month that is over and of which a board of the tournament is not rated, with the whole pool.

    False if there is none, or if another worker has a tournament of the pool: then it is tried again in a minute.
    """
    month = _month(work, event)
    if not month or end_of(month) > work.now:
        return False
    pool = record.rules_of(event).rating.pool
    due = _due(work, event, pool, month)
    if due is None:
        return False
    _rate(work, newest(work, pool), month, due)
    return True


def _due(work: Work, event: tables.Tournament, pool: str, month: str) -> list[Due] | None:
    """The boards of a pool that are rated in a month, their tournaments held; None if one cannot be held now."""
    found: list[Due] = []
    for one in queries.tournaments.every(work.session):
        if record.rules_of(one).rating.pool != pool:
            continue
        first = queries.tournaments.closed_unrated(work.session, one.id)
        if first is None or first >= end_of(month):
            continue
        held = event if one.id == event.id else queries.tournaments.free_tournament(work.session, one.id)
        if held is None:
            return None
        boards = queries.tournaments.unrated(work.session, one.id, end_of(month))
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
        keep(work, after, persons)
        text = text_of(after, told)
        says = (("pool", book.pool), ("period", month), ("ratings", leaves.sha256_of(text)))
        for name in sorted(theirs):
            leaves.note(work, theirs[name], "rated", says, text)
    work.session.flush()


def counted(book: Book, month: str, games: Sequence[RatedGame]) -> Book:
    """The book after a month: in the months between it and the last one nobody played."""
    for empty in months_between(book.period, month)[:-1]:
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
        name = name_in(work, pool, row.person_id)
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


# E9 Ratings counted again from the log: each ``rated`` of each pool, to the last digit.
#
# Of every table that a period names the log is asked: the edition that it began with (`open` of its own chain), what it
# counted (`score` of the tournament's), who sat there (`pair`). Who an entrant is stays sealed in the log; the rows of
# this server say it. The book before is that of this count, never that of the log.


class Recounted(NamedTuple):
    """A period of a pool: how many games and people it has, the digest in the log, whether it is as it was, and what is
    wrong.

    `same` is None where the log has lost the text that a leaf opens, or a table.
    """

    pool: str
    period: str
    games: int
    people: int
    digest: str
    same: bool | None
    wrong: tuple[str, ...]


class _Leaf(NamedTuple):
    """A leaf ``rated``, with the tournament whose it is and what it opens."""

    event: str
    noted: Noted
    opens: str


def replay_ratings(work: Work, pool: str = "") -> Iterator[Recounted]:
    """Count all periods of a pool again, or of all pools."""
    found: dict[str, dict[str, list[_Leaf]]] = {}
    for row in queries.tournaments.rated_leaves(work.session):
        noted = _noted(row)
        if pool in ("", noted("pool")):
            told = found.setdefault(noted("pool"), {}).setdefault(noted("period"), [])
            told.append(_Leaf(row.game, noted, row.opens))
    for name, periods in sorted(found.items()):
        yield from _pool(work, name, periods)


def _pool(work: Work, pool: str, periods: Mapping[str, Sequence[_Leaf]]) -> Iterator[Recounted]:
    book, seen = empty_book(pool), set[str]()
    count = _Count(work, pool, _Chains(work.session))
    for period, listed in sorted(periods.items()):
        digest = listed[0].noted("ratings")
        try:
            told = _opened(listed)
            games = [_game(count, listed, one) for one in told["games"]]
        except (ValueError, LookupError, TypeError) as lost:
            yield Recounted(pool, period, 0, 0, digest, False if isinstance(lost, _Differs) else None, (str(lost),))
            return
        book = counted(book, period, [game for _, game in games])
        wrong = [f"{table} was rated before" for table, _ in games if table in seen]
        seen |= {table for table, _ in games}
        if text_of(book, told["games"]) != listed[0].opens:
            wrong += _apart(book, book_from_json(told))
        if book != book_after(work, pool, period):
            wrong.append("the rows of this server are not what the log says")
        yield Recounted(pool, period, len(games), len(book.people), digest, not wrong, tuple(wrong))


class _Count(NamedTuple):
    """A pool that is counted again."""

    work: Work
    pool: str
    chains: _Chains


class _Differs(ValueError):
    """The log contradicts itself."""


def _opened(listed: Sequence[_Leaf]) -> Json:
    """What the leaves of a period open, which is the same of all."""
    first = listed[0]
    if not first.opens:
        raise LookupError(f"leaf {first.noted.seq} of {first.event} opens nothing any more")
    for leaf in listed:
        if leaf.opens != first.opens or leaves.sha256_of(leaf.opens) != leaf.noted("ratings"):
            raise _Differs(f"leaf {leaf.noted.seq} of {leaf.event} opens another text than it names")
    return loads(first.opens)


def _game(count: _Count, listed: Sequence[_Leaf], told: Json) -> tuple[str, RatedGame]:
    """A game as the leaves before have it, which what was rated must agree with."""
    table = str(told["table"])
    session = count.work.session
    known = queries.tournaments.board_of(session, table)
    mine = [leaf for leaf in listed if known is not None and leaf.event == leaves.chain_of(known[0])]
    if known is None or not mine:
        raise _Differs(f"{table} is no table of a tournament that tells of this period")
    event, before = known[0], mine[0].noted.seq
    score = count.chains.last(mine[0].event, "score", table, before)
    halves = [int(one) for one in score("halves").split()]
    opening = queries.log.leaves(session, table, "open")
    if not opening:
        raise LookupError(f"the log has no leaf in which {table} was opened")
    ground = _noted(opening[0])("edition")
    if (ground, halves[0], score("how")) != (told["ground"], told["halves"], told["how"]):
        raise _Differs(f"{table} was rated otherwise than it was scored")
    if score("how") not in PLAYED or sum(halves) != 2:
        raise _Differs(f"{table} is none that is rated")
    pair = count.chains.last(mine[0].event, "pair", table, before)
    first, second = (_name(count, event, pair(key)) for key in _order(pair, table))
    return table, RatedGame(first, second, halves[0], ground, score("how"), int(told["turn"]))


class _Chains:
    """The leaves of tournaments' chains by the tables that they are about, each chain read once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._read: dict[tuple[str, str], dict[str, list[Noted]]] = {}

    def last(self, chain: str, kind: str, table: str, before: int) -> Noted:
        """The newest leaf of a kind about a table before another leaf; LookupError if there is none."""
        if (chain, kind) not in self._read:
            found: dict[str, list[Noted]] = {}
            for row in queries.log.leaves(self._session, chain, kind):
                noted = _noted(row)
                for one in noted("table").split():
                    found.setdefault(one, []).append(noted)
            self._read[chain, kind] = found
        for noted in reversed(self._read[chain, kind].get(table, ())):
            if noted.seq < before:
                return noted
        raise LookupError(f"{chain} has no {kind} of {table} before leaf {before}")


def _noted(row: tables.Leaf) -> Noted:
    return Noted(row.seq, row.kind, row.phase, row.body, row.says)


def _order(pair: Noted, table: str) -> tuple[str, str]:
    """Which of a pair had the first side at a table: at the second of two that are mirrored the other."""
    tables_ = sorted(pair("table").split())
    return ("second", "first") if len(tables_) == 2 and table == tables_[1] else ("first", "second")


def _name(count: _Count, event: tables.Tournament, entrant: str) -> str:
    row = queries.tournaments.entrant(count.work.session, event.id, int(entrant.removeprefix("e")))
    if row is None:
        raise LookupError(f"{event.id} has no entrant {entrant}")
    return name_in(count.work, count.pool, row.person_id)


def _apart(mine: Book, log: Book) -> list[str]:
    """In what two books differ, a line each; at least one."""
    found = [
        f"{what} {name}: {_figures(one.get(name))}, the log has {_figures(other.get(name))}"
        for what, one, other in (("person", mine.people, log.people), ("ground", mine.grounds, log.grounds))
        for name in sorted({*one, *other})
        if one.get(name) != other.get(name)
    ]
    return found or ["the text in the log is written otherwise"]


def _figures(rating: Sequence[object] | None) -> str:
    return "nothing" if rating is None else " ".join(str(one) for one in rating)
