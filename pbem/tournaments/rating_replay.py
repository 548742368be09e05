"""E9 Ratings counted again from the log: each ``rated`` of each pool, to the last digit.

Of every table that a period names the log is asked: the edition that it began with (`open` of its own chain), what it
counted (`score` of the tournament's), who sat there (`pair`). Who an entrant is stays sealed in the log; the rows of
this server say it. The book before is that of this count, never that of the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.canon import Json, loads
from pbem.log.sequencer import Noted
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import event_leaves, pools
from pbem.tournaments.arithmetic.ratings import Book, RatedGame, book_from_json, empty_book
from pbem.tournaments.monthly_ratings import PLAYED, counted, text_of


class Recounted(NamedTuple):
    """A period of a pool: how many games and people it has, the digest in the log, and what is wrong; nothing if all
    is as it was.

    `checkable` is False where the log has lost the text that a leaf opens, or a table.
    """

    pool: str
    period: str
    games: int
    people: int
    digest: str
    wrong: tuple[str, ...] = ()
    checkable: bool = True


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
    for period, leaves in sorted(periods.items()):
        digest = leaves[0].noted("ratings")
        try:
            told = _opened(leaves)
            games = [_game(count, leaves, one) for one in told["games"]]
        except (ValueError, LookupError, TypeError) as lost:
            yield Recounted(pool, period, 0, 0, digest, (str(lost),), isinstance(lost, _Differs))
            return
        book = counted(book, period, [game for _, game in games])
        wrong = [f"{table} was rated before" for table, _ in games if table in seen]
        seen |= {table for table, _ in games}
        if text_of(book, told["games"]) != leaves[0].opens:
            wrong += _apart(book, book_from_json(told))
        if book != pools.book_after(work, pool, period):
            wrong.append("the rows of this server are not what the log says")
        yield Recounted(pool, period, len(games), len(book.people), digest, tuple(wrong))


class _Count(NamedTuple):
    """A pool that is counted again."""

    work: Work
    pool: str
    chains: _Chains


class _Differs(ValueError):
    """The log contradicts itself."""


def _opened(leaves: Sequence[_Leaf]) -> Json:
    """What the leaves of a period open, which is the same of all."""
    first = leaves[0]
    if not first.opens:
        raise LookupError(f"leaf {first.noted.seq} of {first.event} opens nothing any more")
    for leaf in leaves:
        if leaf.opens != first.opens or event_leaves.sha256_of(leaf.opens) != leaf.noted("ratings"):
            raise _Differs(f"leaf {leaf.noted.seq} of {leaf.event} opens another text than it names")
    return loads(first.opens)


def _game(count: _Count, leaves: Sequence[_Leaf], told: Json) -> tuple[str, RatedGame]:
    """A game as the leaves before have it, which what was rated must agree with."""
    table = str(told["table"])
    session = count.work.session
    known = queries.tournaments.board_of(session, table)
    mine = [leaf for leaf in leaves if known is not None and leaf.event == event_leaves.chain_of(known[0])]
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
    return pools.name_in(count.work, count.pool, row.person_id)


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
