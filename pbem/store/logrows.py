"""The rows of the log, asked for and written by statements made once, a whole batch by one, past the unit of work.

A letter of orders writes one leaf and is proven by a few: as objects they would cost several times what the database
takes. Everything stays in the session's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Insert, TextClause, bindparam, delete, func, insert, null, or_, text, union_all, update
from sqlalchemy import select as columns
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel, col

from pbem.store import tables
from pbem.store.kept import kept
from pbem.store.tables import log as t
from pbem.store.writes import connection, execute, rows

_LEAF = SQLModel.metadata.tables[str(t.Leaf.__tablename__)]
_NODE = SQLModel.metadata.tables[str(t.Node.__tablename__)]
_SHOWN = SQLModel.metadata.tables[str(t.Shown.__tablename__)]


class Brief(NamedTuple):
    """Of a leaf its place in the chain of its game, its kind, its phase, its bytes and those of what it says."""

    seq: int
    kind: str
    phase: str
    body: bytes
    says: bytes = b""


class LeafRow(NamedTuple):
    """A leaf as `store.tables.Leaf` has it, but for the moment in which it was written."""

    id: int
    game: str
    seq: int
    kind: str
    phase: str
    body: bytes
    says: bytes
    opens: str
    number: int | None


class Mark(NamedTuple):
    """How far a seat was shown the log: the size of the last tree, and the last leaf of its game."""

    size: int
    seq: int


class Addressee(NamedTuple):
    """A seat that is written to: its id and name, its game, and how far it was shown the log, None if not at all."""

    id: int
    name: str
    game: tables.Game
    shown: Mark | None


_BRIEF = [_LEAF.c[name] for name in Brief._fields]
_ROW = [_LEAF.c[name] for name in LeafRow._fields]
_OF = _LEAF.c.game == bindparam("of")
_LAST = columns(*_BRIEF).where(_OF).order_by(_LEAF.c.seq.desc()).limit(1)
_NEWEST = columns(func.max(_LEAF.c.seq)).where(_OF).scalar_subquery()
_CLOSES = (
    columns(func.min(tables.Due.at))
    .where(col(tables.Due.game_id) == bindparam("of"), col(tables.Due.kind) == "close")
    .scalar_subquery()
)
_SINCE = columns(*_BRIEF, _CLOSES.label("closes")).where(_OF).order_by(_LEAF.c.seq)
_ABOUT = union_all(
    _SINCE.order_by(None).where(_LEAF.c.seq == _NEWEST),
    columns(*_BRIEF, null()).where(_OF, _LEAF.c.phase == bindparam("in"), _LEAF.c.seq < _NEWEST),
)
_SINCE = _SINCE.where(_LEAF.c.seq >= bindparam("since"))
_NEWEST_OF = columns(*_BRIEF).where(_OF, _LEAF.c.kind.in_(bindparam("kinds", expanding=True)))
_NEWEST_OF = _NEWEST_OF.order_by(_LEAF.c.seq.desc()).limit(1)
_AGAIN = (
    columns(*_ROW)
    .where(
        _OF,
        _LEAF.c.number < bindparam("size"),
        or_(_LEAF.c.phase == bindparam("in"), _LEAF.c.seq >= bindparam("since")),
    )
    .order_by(_LEAF.c.seq)
)
_OF_KIND = columns(*_ROW).where(_OF, _LEAF.c.kind == bindparam("kind")).order_by(_LEAF.c.seq)
_WAITING = columns(*_ROW).where(_LEAF.c.number.is_(None)).order_by(_LEAF.c.id)
_ONE_WAITING = columns(_LEAF.c.id).where(_LEAF.c.number.is_(None)).limit(1)
_NUMBER = update(_LEAF).where(_LEAF.c.id == bindparam("row")).values(number=bindparam("at"))
_PUT = insert(_LEAF)
_TREE = SQLModel.metadata.tables[str(t.Checkpoint.__tablename__)]
_NEWEST_TREE = columns(_TREE.c.size, _TREE.c.note).order_by(_TREE.c.size.desc()).limit(1)
_PUT_CHECKPOINT = insert(_TREE)
_PUT_NODES = insert(_NODE)
# A list of pairs that a table is joined to: held against `IN`, SQLite would read all of the table.
_NODES = """
    WITH listed (level, place) AS (VALUES {})
    SELECT node.level, node.place, node.digest
    FROM listed JOIN node ON node.level = listed.level AND node.place = listed.place
"""
_AFTER = """
    WITH listed (game, seq) AS (VALUES {})
    SELECT leaf.id, leaf.game, leaf.seq, leaf.kind, leaf.phase, leaf.body, leaf.says, leaf.opens, leaf.number
    FROM listed JOIN leaf ON leaf.game = listed.game AND leaf.seq > listed.seq
    WHERE leaf.number < :size
    ORDER BY leaf.game, leaf.seq
"""
_FEWEST = 8
_ADDRESSEES = (
    columns(col(tables.Seat.id), col(tables.Seat.name), tables.Game, _SHOWN.c.size, _SHOWN.c.seq)
    .select_from(tables.Seat)
    .join(tables.Game)
    .outerjoin(_SHOWN)
    .where(col(tables.Seat.id).in_(bindparam("seats", expanding=True)))
)


def _shows(dialect: Any) -> Insert:
    """An insert that writes what a seat was shown anew, unless it was shown more meanwhile."""
    made = dialect.insert(_SHOWN)
    new = made.excluded
    put: Insert = made.on_conflict_do_update(
        index_elements=["seat_id"], set_={"size": new.size, "seq": new.seq}, where=_SHOWN.c.seq <= new.seq
    )
    return put.inline()


_HELD = SQLModel.metadata.tables[str(t.Lease.__tablename__)]
_LEASE = (
    update(_HELD)
    .where(_HELD.c.name == bindparam("of"), or_(_HELD.c.owner == bindparam("by"), _HELD.c.until <= bindparam("now")))
    .values(owner=bindparam("by"), until=bindparam("to"))
)
_GIVE_BACK = delete(_HELD).where(_HELD.c.name == bindparam("of"), _HELD.c.owner == bindparam("by"))
_FIRST_LEASE = {
    dialect.dialect.name: dialect.insert(_HELD)
    .on_conflict_do_nothing(index_elements=["name"])
    .inline()
    .execution_options(preserve_rowcount=True)
    for dialect in (sqlite, postgresql)
}
_SHOW = {dialect.dialect.name: _shows(dialect) for dialect in (sqlite, postgresql)}


def last(session: Session, game: str) -> Brief | None:
    """The last leaf of a game's chain, signed for or not; the caller holds the game."""
    written: Brief | None = kept(session, "last leaf").get(game)
    if written is not None:
        return written
    found = rows(connection(session), _LAST, {"of": game})
    return Brief(*found[0]) if found else None


def about(session: Session, game: str, phase: str) -> tuple[tuple[Brief, ...], datetime | None]:
    """The leaves of a phase and the last of its game, in order, and when a phase of the game is planned to be closed.

    The moment is None also where there are no leaves.
    """
    found = connection(session).execute(_ABOUT, {"of": game, "in": phase}).all()
    rows = sorted((Brief(*row[:5]) for row in found), key=lambda row: row.seq)
    return tuple(rows), found[0].closes if found else None


def newest(session: Session, game: str, kinds: Collection[str]) -> Brief | None:
    """The last leaf of a game that is of one of these kinds."""
    found = connection(session).execute(_NEWEST_OF, {"of": game, "kinds": list(kinds)}).first()
    return None if found is None else Brief(*found)


def of_kind(session: Session, game: str, kind: str) -> list[LeafRow]:
    """All leaves of a game that are of one kind, in order, signed for or not."""
    return [LeafRow(*row) for row in rows(connection(session), _OF_KIND, {"of": game, "kind": kind})]


def again(session: Session, game: str, phase: str, since: int, size: int) -> list[LeafRow]:
    """All leaves of a phase, and those from a place in its game's chain on, as far as the first `size` hold them."""
    asked = {"of": game, "in": phase, "since": since, "size": size}
    return [LeafRow(*row) for row in connection(session).execute(_AGAIN, asked)]


def since(session: Session, game: str, seq: int) -> tuple[tuple[Brief, ...], datetime | None]:
    """The leaves of a game from place `seq` on, and when a phase of the game is planned to be closed (see `about`)."""
    found = rows(connection(session), _SINCE, {"of": game, "since": seq})
    return tuple(Brief(*row[:5]) for row in found), found[0][5] if found else None


def waiting(session: Session) -> list[LeafRow]:
    """The leaves that have no number yet, in the order in which they were written."""
    return [LeafRow(*row) for row in connection(session).execute(_WAITING)]


def is_waited(session: Session) -> bool:
    """Whether any leaf has no number yet."""
    return bool(rows(connection(session), _ONE_WAITING, {}))


def put(session: Session, game: str, leaf: Brief, opens: str, written: datetime) -> None:
    """Write a leaf, which has no number yet."""
    row = {"game": game, **leaf._asdict(), "opens": opens, "number": None, "written": written}
    execute(connection(session), _PUT, row)
    kept(session, "last leaf")[game] = leaf


def newest_tree(session: Session) -> tuple[int, bytes] | None:
    """Size and note of the newest checkpoint; None before the first."""
    found = rows(connection(session), _NEWEST_TREE, {})
    return (found[0][0], found[0][1]) if found else None


def put_checkpoint(session: Session, size: int, note: bytes, signed: datetime, kept: bool) -> None:
    """Write a checkpoint as `tables.Checkpoint` has it."""
    connection(session).execute(_PUT_CHECKPOINT, {"size": size, "note": note, "signed": signed, "kept": kept})


def lease(session: Session, name: str, owner: str, now: datetime, until: datetime) -> bool:
    """Take or prolong a lease, unless somebody else holds it at this moment; return whether it is held now."""
    here = connection(session)
    asked = {"of": name, "by": owner, "now": now, "to": until}
    if here.execute(_LEASE, asked).rowcount:
        return True
    values = {"name": name, "owner": owner, "until": until}
    return here.execute(_FIRST_LEASE[here.dialect.name], values).rowcount == 1


def give_back(session: Session, name: str, owner: str) -> None:
    """Give up a lease, if this one holds it."""
    held = columns(_HELD.c.name).where(_HELD.c.name == name, _HELD.c.owner == owner)
    if connection(session).execute(held).first() is not None:
        connection(session).execute(_GIVE_BACK, {"of": name, "by": owner})


def number(session: Session, numbers: Mapping[int, int]) -> None:
    """Give leaves their numbers, by the ids of their rows."""
    connection(session).execute(_NUMBER, [{"row": row, "at": at} for row, at in numbers.items()])


def put_nodes(session: Session, full: Mapping[tuple[int, int], bytes]) -> None:
    """Keep nodes of the tree, by level and place, that have become full."""
    rows = [{"level": level, "place": place, "digest": digest} for (level, place), digest in full.items()]
    connection(session).execute(_PUT_NODES, rows)


def nodes(session: Session, wanted: Collection[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """Nodes of the tree by level and place; those that are not there are left out."""
    if not wanted:
        return {}
    listed, values = _listed(_NODES, wanted, (-1, -1))
    return {(level, place): digest for level, place, digest in connection(session).execute(listed, values)}


def addressees(session: Session, seats: Collection[int]) -> dict[int, Addressee]:
    """Seats that are written to, by their ids."""
    found = session.execute(_ADDRESSEES, {"seats": list(seats)}) if seats else ()
    return {
        seat: Addressee(seat, name, game, None if size is None else Mark(size, seq))
        for seat, name, game, size, seq in found
    }


def after(session: Session, seen: Mapping[str, int], size: int) -> dict[str, tuple[LeafRow, ...]]:
    """The leaves of each game after one of its own, in order, as far as they are among the first `size` of the log."""
    if not seen:
        return {}
    listed, values = _listed(_AFTER, seen.items(), ("", 0))
    rows = [LeafRow(*row) for row in connection(session).execute(listed, {**values, "size": size})]
    return {game: tuple(of) for game, of in groupby(rows, key=lambda row: row.game)}


def show(session: Session, shown: Iterable[tuple[int, Mark]]) -> None:
    """Keep how far seats, by their ids, were shown the log; where one was shown more meanwhile, that stays."""
    rows = [{"seat_id": seat, **one._asdict()} for seat, one in shown]
    if rows:
        here = connection(session)
        here.execute(_SHOW[here.dialect.name], rows)


def _listed(
    sql: str, pairs: Collection[tuple[object, object]], nothing: tuple[object, object]
) -> tuple[TextClause, dict[str, Any]]:
    """A statement for these pairs, and their values; it is filled up with pairs that find nothing.

    So the lengths of lists are few, and few statements have to be made.
    """
    count = max(_FEWEST, 1 << (len(pairs) - 1).bit_length())
    filled = [*pairs, *[nothing] * (count - len(pairs))]
    return _of_pairs(sql, count), {f"{half}{at}": pair[half == "b"] for at, pair in enumerate(filled) for half in "ab"}


@cache
def _of_pairs(sql: str, count: int) -> TextClause:
    return text(sql.format(", ".join(f"(:a{at}, :b{at})" for at in range(count))))
