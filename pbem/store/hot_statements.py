"""Execute the frequent statements of letters and proofs, compiled once.

Everything else goes through the session. These statements cost a third or less of the session's, as ``python
-m benchmarks.statements`` measures: the comment above a function has both, in microseconds of CPU a call. A
new statement needs its row there.

All stays in the session's transaction, and pending changes of rows of the same tables are written first. Where a
unique constraint can detect an existing row, nothing is queried beforehand.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from importlib import import_module
from itertools import groupby
from typing import Any, TypeVar

from sqlalchemy import (
    Delete,
    Dialect,
    Insert,
    Table,
    TextClause,
    Update,
    and_,
    bindparam,
    delete,
    exists,
    func,
    insert,
    inspect,
    literal,
    null,
    select,
    text,
    union_all,
    update,
)
from sqlalchemy.orm import make_transient_to_detached
from sqlalchemy.orm.attributes import flag_dirty, set_committed_value
from sqlmodel import Session, SQLModel, col

from pbem.store import tables as t
from pbem.store.compiled_statements import connection_of, execute, inserted_key, read_rows, write_rows
from pbem.store.queries.log import Addressee, ChainLeaf, LeafRow, ShownMark
from pbem.store.session_cache import cache_of, forget_rows, write_pending


def table_of(kind: type[SQLModel]) -> Table:
    """Return the table of a class of rows."""
    table: Table = kind.__table__  # type: ignore[attr-defined]
    return table


def insert_for(dialect: Dialect, table: Table) -> Any:
    """Return an INSERT of a dialect that supports ON CONFLICT."""
    return import_module(f"sqlalchemy.dialects.{dialect.name}").insert(table)


# Rows of any table.

R = TypeVar("R", bound=SQLModel)

_MISSING = object()
_UNIQUE = {
    "raw": ("sha256",),
    "outbox": ("message_id",),
    "picture": ("digest",),
    "begun": ("account", "folder", "uidvalidity", "uid"),
    "lease": ("name",),
}


@cache
def _insert(table: Table) -> Insert:
    return insert(table)


@cache
def _insert_many(table: Table) -> Insert:
    # Without this PostgreSQL would return all new keys.
    return insert(table).inline()


@cache
def _insert_if_new(dialect: Dialect, table: Table) -> Insert:
    """Return an insert that keeps an existing row with the same unique values."""
    statement: Insert = insert_for(dialect, table).on_conflict_do_nothing(index_elements=_UNIQUE[table.name])
    # Without the first PostgreSQL would return the new key, without the second its row count would be lost.
    with_count: Insert = statement.inline().execution_options(preserve_rowcount=True)
    return with_count


@cache
def _insert_or_update(dialect: Dialect, table: Table, unique: tuple[str, ...], columns: tuple[str, ...]) -> Insert:
    """Return an insert that updates columns of a row with the same unique values."""
    statement = insert_for(dialect, table)
    assignments = {column: statement.excluded[column] for column in columns}
    upsert: Insert = statement.on_conflict_do_update(index_elements=unique, set_=assignments)
    return upsert.inline()


@cache
def _update(table: Table) -> Update:
    return update(table).where(table.c[_key(table)] == bindparam("_key"))


@cache
def _delete(table: Table) -> Delete:
    return delete(table).where(table.c[_key(table)] == bindparam("_key"))


def _key(table: Table) -> str:
    (column,) = table.primary_key.columns
    return str(column.name)


# 17 us; by the session 177.
def insert_numbered(session: Session, kind: type[SQLModel], /, **values: object) -> int:
    """Insert a row of a table with a numbered primary key, and return its number."""
    forget_rows(session, kind)
    return inserted_key(write_rows(session, _insert(table_of(kind)), values))


# 41 us; by the session 555.
def insert_rows(session: Session, kind: type[SQLModel], *rows: Mapping[str, object]) -> None:
    """Insert rows of a table at once, in their order; all have the same columns."""
    if rows:
        forget_rows(session, kind)
        write_rows(session, _insert_many(table_of(kind)), *rows)


def new_row(kind: type[R], /, **values: object) -> R:
    """Return a new row for `insert_object`, not validated, as SQLAlchemy reads rows.

    This avoids an event of SQLAlchemy for each attribute, and takes a tenth of the time of calling the class. Raise
    LookupError if a value is missing that has no default.
    """
    row: R = inspect(kind).class_manager.new_instance()
    row.__dict__.update(_defaults(kind), **values)
    if missing := [name for name, value in row.__dict__.items() if value is _MISSING]:
        raise LookupError(f"a row of {kind.__name__} has no {', '.join(missing)}")
    return row


@cache
def _defaults(kind: type[SQLModel]) -> dict[str, Any]:
    return {name: _MISSING if field.is_required() else field.default for name, field in kind.model_fields.items()}


# 25 us; by the session 180.
def insert_object(session: Session, row: SQLModel) -> int:
    """Insert an object as a new row; return its number.

    The session does not track the object.
    """
    table = table_of(row.__class__)
    values, key = row.__dict__, _key(table)
    return insert_numbered(
        session, row.__class__, **{column.name: values[column.name] for column in table.c if column.name != key}
    )


# 51 us; by the session 215.
def add_row(session: Session, row: SQLModel) -> None:
    """Insert an object of `new_row` that the session tracks from now on."""
    setattr(row, _key(table_of(row.__class__)), insert_object(session, row))
    make_transient_to_detached(row)
    session.add(row)


# 81 us; by the session 338.
def delete_row(session: Session, row: SQLModel) -> None:
    """Delete a row that the session has read, and track it no longer."""
    table = table_of(row.__class__)
    session.expunge(row)
    forget_rows(session, table)
    write_rows(session, _delete(table), {"_key": getattr(row, _key(table))})


# 13 us; by the session 266.
def insert_if_new(session: Session, kind: type[SQLModel], /, **values: object) -> bool:
    """Insert a row of a table in `_UNIQUE`; return False if its key exists already."""
    forget_rows(session, kind)
    return write_rows(session, _insert_if_new(session.get_bind().dialect, table_of(kind)), values).rowcount == 1


def insert_or_update(session: Session, kind: type[SQLModel], unique: Mapping[str, object], /, **values: object) -> None:
    """Insert a row, or update the row with the same `unique` columns."""
    statement = _insert_or_update(session.get_bind().dialect, table_of(kind), tuple(unique), tuple(values))
    forget_rows(session, kind)
    write_rows(session, statement, {**unique, **values})


# 22 us; by the session 125.
def update_row(session: Session, row: SQLModel, /, **values: object) -> None:
    """Update values of a stored row at once, in the database and in its object.

    What else of it was changed is written in the same statement.
    """
    table, state = table_of(row.__class__), inspect(row)
    if state.persistent:
        values = {**{name: row.__dict__[name] for name in state.committed_state}, **values}
        for name, value in values.items():
            set_committed_value(row, name, value)
        if session.in_nested_transaction():
            # So the session reads the object anew if the savepoint is taken back.
            flag_dirty(row)
        else:
            # As after a flush: otherwise the next one would compare all values of the row.
            state._commit_all(row.__dict__, session.identity_map)
    else:
        for name, value in values.items():
            setattr(row, name, value)
    # Pending changes of other rows do not matter here, but a pending new row may be this one.
    write_pending(session)
    execute(connection_of(session), _update(table), {**values, "_key": getattr(row, _key(table))})
    forget_rows(session, row.__class__)


# Letters: earlier ones, content, schedule, begun ones.

_INBOX, _OUTBOX, _CONTENT = table_of(t.Inbox), table_of(t.Outbox), table_of(t.Content)
_DUE, _BEGUN = table_of(t.Due), table_of(t.Begun)
_SEEN = tuple(_INBOX.c[name] for name in ("id", "message_id", "sha256", "verdict", "outcome", "seat_id"))
# Every copy has an original with its id, and only originals are in the index by id: so the query stays cheap.
_EARLIER = union_all(
    select(literal(True).label("here"), *_SEEN).where(
        *(_INBOX.c[name] == bindparam(name) for name in ("account", "folder", "uidvalidity", "uid"))
    ),
    select(literal(False), *_SEEN).where(_INBOX.c.message_id == bindparam("message_id"), _INBOX.c.copy_of.is_(None)),
)
_SAYS = (
    insert(_CONTENT)
    .values(
        outbox_id=select(_OUTBOX.c.id).where(_OUTBOX.c.message_id == bindparam("name")).scalar_subquery(),
        model=bindparam("says"),
        body=None,
    )
    .inline()
)
_FORGET = delete(_DUE).where(_DUE.c.game_id == bindparam("game"))
_FORGET_ALL = _FORGET.where(_DUE.c.kind != bindparam("but"))


@cache
def _forget_some(count: int) -> Delete:
    return _FORGET.where(_DUE.c.cause.in_([bindparam(name) for name in _bind_names(range(count))]))


def _bind_names(values: Iterable[object]) -> dict[str, object]:
    return {f"cause{index}": value for index, value in enumerate(values)}


_END_BEGUN = delete(_BEGUN).where(*(column == bindparam(column.name) for column in _BEGUN.primary_key.columns))


# 30 us; by the session 394.
def select_earlier(session: Session, place: Mapping[str, object], message_id: str) -> list[tuple[Any, ...]]:
    """Return the columns for `queries.inbox.earlier`."""
    return read_rows(session, _EARLIER, **place, message_id=message_id)


# 44 us; by the session 532.
def add_letter(session: Session, model: str, **values: object) -> bool:
    """Insert an outgoing letter with its content; return False if its name exists."""
    is_new = insert_if_new(session, t.Outbox, **values)
    if is_new:
        write_rows(session, _SAYS, {"name": values["message_id"], "says": model})
    return is_new


# 17 us; by the session 460.
def schedule_job(session: Session, game: str, kind: str, cause: str, due_at: datetime) -> None:
    """Schedule a job of a game; replace the one of this kind and cause."""
    insert_or_update(session, t.Due, {"game_id": game, "kind": kind, "cause": cause}, at=due_at, judged=None)


# 30 us; by the session 960.
def schedule_jobs(session: Session, game: str, *jobs: tuple[str, str, datetime]) -> None:
    """Schedule jobs of a game as `schedule_job` does, each by kind, cause and time."""
    statement = _insert_or_update(session.get_bind().dialect, _DUE, ("game_id", "kind", "cause"), ("at", "judged"))
    rows = (
        {"game_id": game, "kind": kind, "cause": cause, "at": due_at, "judged": None} for kind, cause, due_at in jobs
    )
    write_rows(session, statement, *rows)


# 14 us; by the session 192.
def delete_jobs(session: Session, game: str, *causes: str, except_kind: str = "") -> None:
    """Delete a game's jobs for some causes; without causes all but one kind."""
    values = {"game": game, **(_bind_names(causes) if causes else {"but": except_kind})}
    write_rows(session, _forget_some(len(causes)) if causes else _FORGET_ALL, values)


# 10 us; by the session 242.
def delete_begun(session: Session, place: Mapping[str, object]) -> None:
    """Delete the row of the begun letter at a place, since it was taken in."""
    write_rows(session, _END_BEGUN, place)


# State and standing orders, against which orders are checked.

_STATE, _STANDING = table_of(t.Snapshot), table_of(t.StandingOrders)
LATEST_STATE_QUERY = select(_STATE.c.number, _STATE.c.body).where(_STATE.c.game_id == bindparam("game"))
LATEST_STATE_QUERY = LATEST_STATE_QUERY.order_by(_STATE.c.number.desc()).limit(1)
_STANDING_TEXTS = select(_STANDING.c.text).where(_STANDING.c.seat_id == bindparam("seat")).order_by(_STANDING.c.scope)


# 21 us; by the session 166.
def latest_state(session: Session, game: str) -> tuple[int, str] | None:
    """Return number and text of the last resolved phase's state, or of the start's."""
    result = read_rows(session, LATEST_STATE_QUERY, game=game)
    return (result[0][0], result[0][1]) if result else None


# 20 us; by the session 168.
def standing_texts(session: Session, seat: int | None) -> list[str]:
    """Return only the texts of a seat's standing orders, in the order of scopes."""
    return [text for (text,) in read_rows(session, _STANDING_TEXTS, seat=seat)]


# What most games have nothing of when a phase closes: one statement sees that for all these tables.

_THIS: Any = bindparam("game")
_ITS_SEATS = select(table_of(t.Seat).c.id).where(table_of(t.Seat).c.game_id == _THIS)
_ITS_TURN = select(table_of(t.Phase).c.id).where(
    table_of(t.Phase).c.game_id == _THIS, table_of(t.Phase).c.turn == bindparam("turn")
)
_RARE = {
    "segment": table_of(t.Segment).c.phase_id.in_(_ITS_TURN),
    "absence": table_of(t.Absence).c.seat_id.in_(_ITS_SEATS),
    "later": table_of(t.Later).c.seat_id.in_(_ITS_SEATS),
    "observer": table_of(t.Observer).c.game_id == _THIS,
    "press": and_(table_of(t.Press).c.game_id == _THIS, table_of(t.Press).c.delivered.is_(False)),
    "witness": and_(table_of(t.Witness).c.game_id == _THIS, table_of(t.Witness).c.state != "off"),
}
_ARE_THERE = select(*(exists().where(condition).label(name) for name, condition in _RARE.items()))


# 42 us; by the session 420.
def tables_without_rows(session: Session, game: str, turn: int) -> list[str]:
    """Return those of the rare tables that have nothing of a game, or of this turn."""
    (row,) = read_rows(session, _ARE_THERE, game=game, turn=turn)
    missing = [name for name, is_there in zip(_RARE, row, strict=True) if not is_there]
    return [*missing, "question"] if "segment" in missing else missing


# The log: a letter of orders writes one leaf and is proven by a few.

_LEAF, _NODE = table_of(t.Leaf), table_of(t.Node)
_SHOWN, _TREE = table_of(t.Shown), table_of(t.Checkpoint)
_BRIEF = [_LEAF.c[name] for name in ChainLeaf._fields]
_OF = _LEAF.c.game == bindparam("of")
_LAST = select(*_BRIEF).where(_OF).order_by(_LEAF.c.seq.desc()).limit(1)
_NEWEST = select(func.max(_LEAF.c.seq)).where(_OF).scalar_subquery()
_CLOSES = select(func.min(_DUE.c.at)).where(_DUE.c.game_id == bindparam("of"), _DUE.c.kind == "close").scalar_subquery()
_SINCE = select(*_BRIEF, _CLOSES.label("closes")).where(_OF)
_ABOUT = union_all(
    _SINCE.where(_LEAF.c.seq == _NEWEST),
    select(*_BRIEF, null()).where(_OF, _LEAF.c.phase == bindparam("in"), _LEAF.c.seq < _NEWEST),
)
_SINCE = _SINCE.where(_LEAF.c.seq >= bindparam("since")).order_by(_LEAF.c.seq)
_KINDS = select(_LEAF.c.kind).where(_OF, _LEAF.c.phase == bindparam("in")).order_by(_LEAF.c.seq)
_ONE_WAITING = select(_LEAF.c.id).where(_LEAF.c.number.is_(None)).limit(1)
_NEWEST_TREE = select(_TREE.c.size, _TREE.c.note).order_by(_TREE.c.size.desc()).limit(1)
_NUMBER = update(_LEAF).where(_LEAF.c.id == bindparam("row")).values(number=bindparam("at"))
# A table joined to a list of pairs: with `IN`, SQLite would read all of the table.
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
"""The least length of a list of pairs, filled up: most lists are shorter, so that one statement serves them all."""
_ADDRESSEES = (
    select(col(t.Seat.id), col(t.Seat.name), t.Game, _SHOWN.c.size, _SHOWN.c.seq)
    .select_from(t.Seat)
    .join(t.Game)
    .outerjoin(_SHOWN)
    .where(col(t.Seat.id).in_(bindparam("seats", expanding=True)))
)


@cache
def _upsert_shown(dialect: Dialect) -> Insert:
    """Return an insert that updates what a seat was shown.

    A row that already has more stays unchanged.
    """
    statement = insert_for(dialect, _SHOWN)
    excluded = statement.excluded
    upsert: Insert = statement.on_conflict_do_update(
        index_elements=["seat_id"],
        set_={"size": excluded.size, "seq": excluded.seq},
        where=_SHOWN.c.seq <= excluded.seq,
    )
    return upsert.inline()


# 23 us; by the session 192.
def last_leaf(session: Session, game: str) -> ChainLeaf | None:
    """Return the last leaf of a game's chain, even unsigned; lock the game first."""
    cached: ChainLeaf | None = cache_of(session, "last leaf").get(game)
    if cached is not None:
        return cached
    result = read_rows(session, _LAST, of=game)
    return ChainLeaf(*result[0]) if result else None


# 91 us; by the session 536.
def leaves_about(session: Session, game: str, phase: str) -> tuple[tuple[ChainLeaf, ...], datetime | None]:
    """Return a phase's leaves with the game's last one, and its planned closing.

    The moment is also None if there are no leaves.
    """
    result = read_rows(session, _ABOUT, of=game, **{"in": phase})
    # The first five columns are the leaf, the sixth is the closing. A union of two queries has no order.
    briefs = sorted((ChainLeaf(*row[:5]) for row in result), key=lambda row: row.seq)
    cache_of(session, "leaf kinds")[game, phase] = [leaf.kind for leaf in briefs if leaf.phase == phase]
    return tuple(briefs), next((row[5] for row in result if row[5] is not None), None)


# 58 us; by the session 439.
def leaf_kinds(session: Session, game: str, phase: str) -> Sequence[str]:
    """Return the kinds of a phase's leaves in order; lock the game first."""
    cache = cache_of(session, "leaf kinds")
    if (game, phase) not in cache:
        cache[game, phase] = [kind for (kind,) in read_rows(session, _KINDS, of=game, **{"in": phase})]
    return tuple(cache[game, phase])


# 29 us; by the session 226.
def leaves_since(session: Session, game: str, seq: int) -> tuple[tuple[ChainLeaf, ...], datetime | None]:
    """Return the leaves of a game from place `seq` on, and `leaves_about`'s moment."""
    result = read_rows(session, _SINCE, of=game, since=seq)
    return tuple(ChainLeaf(*row[:5]) for row in result), result[0][5] if result else None


# 23 us; by the session 234.
def add_leaves(session: Session, game: str, leaves: Sequence[tuple[ChainLeaf, str]], written: datetime) -> None:
    """Insert leaves of a game, each with its opening; they have no number yet."""
    rows = [
        {"game": game, **leaf._asdict(), "opens": opens, "number": None, "written": written} for leaf, opens in leaves
    ]
    write_rows(session, _insert_many(_LEAF), *rows)
    for leaf, _ in leaves:
        cache_of(session, "last leaf")[game] = leaf
        cache_of(session, "leaf kinds").get((game, leaf.phase), []).append(leaf.kind)


# 18 us; by the session 133.
def is_any_leaf_waiting(session: Session) -> bool:
    """Return whether any leaf has no number yet."""
    return bool(read_rows(session, _ONE_WAITING))


# 20 us; by the session 144.
def newest_tree(session: Session) -> tuple[int, bytes] | None:
    """Return size and note of the newest checkpoint; None before the first."""
    result = read_rows(session, _NEWEST_TREE)
    return (result[0][0], result[0][1]) if result else None


# 211 us; by the session 2387.
def number_leaves(session: Session, numbers: Mapping[int, int]) -> None:
    """Give leaves their numbers, by the ids of their rows."""
    write_rows(session, _NUMBER, *({"row": row, "at": number} for row, number in numbers.items()))


# 54 us; by the session 580.
def add_nodes(session: Session, full: Mapping[tuple[int, int], bytes]) -> None:
    """Insert nodes of the tree that have become full, by level and place."""
    rows = [{"level": level, "place": place, "digest": digest} for (level, place), digest in full.items()]
    insert_rows(session, t.Node, *rows)


# 183 us; by the session 787.
def read_nodes(session: Session, wanted: Collection[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """Return nodes of the tree by level and place; missing ones are left out."""
    if not wanted:
        return {}
    statement, values = _pairs_statement(_NODES, wanted, (-1, -1))
    return {(level, place): digest for level, place, digest in session.execute(statement, values)}


# 153 us; by the session 773.
def leaves_after(session: Session, last_seen: Mapping[str, int], size: int) -> dict[str, tuple[LeafRow, ...]]:
    """Return each game's leaves after its last seen one.

    Only leaves among the first `size` of the log are returned.
    """
    if not last_seen:
        return {}
    statement, values = _pairs_statement(_AFTER, last_seen.items(), ("", 0))
    rows = [LeafRow(*row) for row in session.execute(statement, {**values, "size": size})]
    return {game: tuple(leaves) for game, leaves in groupby(rows, key=lambda row: row.game)}


# 112 us; by the session 373.
def addressees(session: Session, seats: Collection[int]) -> dict[int, Addressee]:
    """Return the recipients of these seats, by their ids."""
    result = session.execute(_ADDRESSEES, {"seats": list(seats)}) if seats else ()
    return {
        seat: Addressee(seat, name, game, None if size is None else ShownMark(size, seq))
        for seat, name, game, size, seq in result
    }


# 18 us; by the session 335.
def store_shown_marks(session: Session, shown: Iterable[tuple[int, ShownMark]]) -> None:
    """Store up to where seats, by id, were shown the log.

    A value never goes back.
    """
    rows = [{"seat_id": seat, **mark._asdict()} for seat, mark in shown]
    if rows:
        write_rows(session, _upsert_shown(session.get_bind().dialect), *rows)


def _pairs_statement(
    sql: str, pairs: Collection[tuple[object, object]], filler: tuple[object, object]
) -> tuple[TextClause, dict[str, Any]]:
    """Return a statement for these pairs, filled up to a power of two, and values.

    The fillers match nothing. So there are few lengths of lists, and few statements to compile.
    """
    count = max(_FEWEST, 1 << (len(pairs) - 1).bit_length())
    filled = [*pairs, *[filler] * (count - len(pairs))]
    return _statement_of_pairs(sql, count), {
        f"{half}{index}": pair[half == "b"] for index, pair in enumerate(filled) for half in "ab"
    }


def _statement_of_pairs(sql: str, count: int) -> TextClause:
    return text(sql.format(", ".join(f"(:a{index}, :b{index})" for index in range(count))))
