"""Statements that every letter costs, and those for proofs: made once, and handed to the driver as it takes them.

Everything else goes through the session. What stands here costs a third or less of what the session takes for it, as
``python -m benchmarks.statements`` measures: the comment above a function has both, in microseconds of CPU a call. Who
adds a statement adds its row there.

All stays in the session's transaction, and what the session still holds back is written first. Where a unique
constraint can say that a row is there already it is asked, and nothing is looked up beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from functools import cache, lru_cache
from importlib import import_module
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    Connection,
    CursorResult,
    Delete,
    Dialect,
    Insert,
    Table,
    TextClause,
    Update,
    bindparam,
    delete,
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
from sqlalchemy.orm.attributes import set_committed_value
from sqlalchemy.sql.selectable import SelectBase
from sqlmodel import Session, SQLModel, col

from pbem.store import tables as t
from pbem.store.queries.log import Addressee, Brief, LeafRow, Mark
from pbem.store.session_cache import cache_of

# How statements are handed to the driver.
#
# SQLAlchemy looks up how a statement was compiled, sorts its values out and turns each into what the driver wants,
# every time anew; for a row of a few columns that takes longer than writing it. Here all of it is done once for a
# statement and the names of its values.

_STATEMENTS = 256


class _Driven(NamedTuple):
    """A statement as its driver takes it.

    `order` are the names of its values in their order, None where the driver takes them by name; `fixed` are values
    that the statement itself has, and defaults of columns. `turned` are functions, by name, that convert a value
    for the driver; `read` are functions, by place of the column, that convert a value which the driver returns.
    """

    text: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]
    turned: tuple[tuple[str, Callable[[Any], Any]], ...]
    read: tuple[tuple[int, Callable[[Any], Any]], ...]

    def run(self, connection: Connection, values: Mapping[str, object]) -> CursorResult[Any]:
        """Execute the statement on a connection with these values."""
        told = {**self.fixed, **values}
        for name, turn in self.turned:
            told[name] = turn(told[name])
        return connection.exec_driver_sql(
            self.text, told if self.order is None else tuple([told[n] for n in self.order])
        )


def execute(
    connection: Connection, statement: Insert | Update | Delete, values: Mapping[str, object]
) -> CursorResult[Any]:
    """Execute a statement that has a parameter for each of these values, and no others.

    The statement is to be one that is kept: what is made of it is remembered by its identity. A column's default must
    be a plain value.
    """
    return _driven(statement, connection.dialect, tuple(values)).run(connection, values)


def rows(connection: Connection, statement: SelectBase, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """Execute a SELECT of plain columns as `execute` does, and return its rows."""
    driven = _driven(statement, connection.dialect, tuple(values))
    found: list[tuple[Any, ...]] = [tuple(row) for row in driven.run(connection, values)]
    for at, read in driven.read:
        found = [(*row[:at], read(row[at]), *row[at + 1 :]) for row in found]
    return found


def key_of(done: CursorResult[Any]) -> int:
    """The number that an inserted row has got."""
    return int(done.scalar_one() if done.returns_rows else done.lastrowid)


@lru_cache(maxsize=_STATEMENTS)
def _driven(statement: Insert | Update | Delete | SelectBase, dialect: Dialect, names: tuple[str, ...]) -> _Driven:
    compiled = statement.compile(dialect=dialect, column_keys=list(names))
    fixed = {name: bind.value for name, bind in compiled.binds.items() if name not in names and not bind.required}
    fixed |= {one.key: one.default.arg for one in compiled.insert_prefetch or ()}  # type: ignore[union-attr]
    turns = ((name, bind.type.dialect_impl(dialect).bind_processor(dialect)) for name, bind in compiled.binds.items())
    turned = tuple((name, turn) for name, turn in turns if turn is not None)
    order = tuple(compiled.positiontup or ()) if compiled.positional else None
    columns = statement.selected_columns if isinstance(statement, SelectBase) else ()
    reads = ((at, one.type.dialect_impl(dialect).result_processor(dialect, None)) for at, one in enumerate(columns))
    return _Driven(str(compiled), order, fixed, turned, tuple((at, read) for at, read in reads if read is not None))


def connection(session: Session) -> Connection:
    """The connection of the session's transaction, with everything written that the session held back."""
    session.flush()
    if session.in_nested_transaction():
        # Only what the session is asked for begins the savepoint: without it nothing could be taken back to there.
        return session.connection()
    known: Connection | None = session.info.get(connection)
    if known is None or known.closed:
        known = session.info[connection] = session.connection()
    return known


def table_of(kind: type[SQLModel]) -> Table:
    """The table of a class of rows."""
    found: Table = kind.__table__  # type: ignore[attr-defined]
    return found


def insert_for(dialect: Dialect, table: Table) -> Any:
    """An INSERT that can say ON CONFLICT, in the words of a dialect."""
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
def _insert_unless_there(dialect: Dialect, table: Table) -> Insert:
    """An insert that leaves a row alone which has the same values in unique columns."""
    made: Insert = insert_for(dialect, table).on_conflict_do_nothing(index_elements=_UNIQUE[table.name])
    # Without the first PostgreSQL is asked for the new key, without the second its count of the rows is thrown away.
    counted: Insert = made.inline().execution_options(preserve_rowcount=True)
    return counted


@cache
def _insert_or_update(dialect: Dialect, table: Table, unique: tuple[str, ...], columns: tuple[str, ...]) -> Insert:
    """An insert that writes some columns anew of a row which is there under the same unique values."""
    made = insert_for(dialect, table)
    anew = {column: made.excluded[column] for column in columns}
    put: Insert = made.on_conflict_do_update(index_elements=unique, set_=anew)
    return put.inline()


@cache
def _update(table: Table) -> Update:
    return update(table).where(table.c[_key(table)] == bindparam("_key"))


def _key(table: Table) -> str:
    (column,) = table.primary_key.columns
    return str(column.name)


# 17 us; by the session 177.
def add(session: Session, kind: type[SQLModel], /, **values: object) -> int:
    """Write a row of a table with a numbered primary key, and return its number."""
    return key_of(execute(connection(session), _insert(table_of(kind)), values))


def new(kind: type[R], /, **values: object) -> R:
    """Return a new row for `add_row`, made as SQLAlchemy makes rows that it reads: values are not validated.

    That also spares an event for each attribute, and takes a tenth of the time that the class itself takes. LookupError
    if a value is missing that has no default.
    """
    row: R = inspect(kind).class_manager.new_instance()
    row.__dict__.update(_defaults(kind), **values)
    if missing := [name for name, value in row.__dict__.items() if value is _MISSING]:
        raise LookupError(f"a row of {kind.__name__} has no {', '.join(missing)}")
    return row


@cache
def _defaults(kind: type[SQLModel]) -> dict[str, Any]:
    return {name: _MISSING if of.is_required() else of.default for name, of in kind.model_fields.items()}


# 25 us; by the session 180.
def add_row(session: Session, row: SQLModel) -> int:
    """Write an object as a new row of its table, and return its number; the object is not kept by the session."""
    table = table_of(row.__class__)
    values, own = row.__dict__, _key(table)
    return add(session, row.__class__, **{at.name: values[at.name] for at in table.c if at.name != own})


# 13 us; by the session 266.
def add_new(session: Session, kind: type[SQLModel], /, **values: object) -> bool:
    """Write a row of one of the tables in `_UNIQUE`, and return True, unless its key is there already."""
    here = connection(session)
    return execute(here, _insert_unless_there(here.dialect, table_of(kind)), values).rowcount == 1


def put(session: Session, kind: type[SQLModel], unique: Mapping[str, object], /, **values: object) -> None:
    """Write a row, or these values of the one that is there under the same unique ones."""
    here = connection(session)
    statement = _insert_or_update(here.dialect, table_of(kind), tuple(unique), tuple(values))
    execute(here, statement, {**unique, **values})


# 22 us; by the session 125.
def change(session: Session, row: SQLModel, /, **values: object) -> None:
    """Write values of a stored row at once, alone, and have the object say the same without being written again."""
    table = table_of(row.__class__)
    execute(connection(session), _update(table), {**values, "_key": getattr(row, _key(table))})
    persistent = inspect(row).persistent
    for name, value in values.items():
        if persistent:
            set_committed_value(row, name, value)
        else:
            setattr(row, name, value)


# Letters: what came before one, what is written of one, what is planned and struck out.

_INBOX, _OUTBOX, _CONTENT = table_of(t.Inbox), table_of(t.Outbox), table_of(t.Content)
_DUE, _BEGUN = table_of(t.Due), table_of(t.Begun)
_SEEN = tuple(_INBOX.c[name] for name in ("id", "message_id", "sha256", "verdict", "outcome", "seat_id"))
# Every copy has an original with its id, and only originals are in the index by id: the question stays cheap.
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
_FORGET_SOME = _FORGET.where(_DUE.c.cause.in_(bindparam("causes", expanding=True)))
_END_BEGUN = delete(_BEGUN).where(*(column == bindparam(column.name) for column in _BEGUN.primary_key.columns))


# 30 us; by the session 394.
def earlier(session: Session, place: Mapping[str, object], message_id: str) -> list[tuple[Any, ...]]:
    """What `queries.inbox.earlier` returns, as columns."""
    return rows(connection(session), _EARLIER, {**place, "message_id": message_id})


# 44 us; by the session 532.
def add_letter(session: Session, model: str, **values: object) -> bool:
    """Write a letter that is to go out, with what it says, and return True, unless one of its name is there already."""
    new = add_new(session, t.Outbox, **values)
    if new:
        execute(connection(session), _SAYS, {"name": values["message_id"], "says": model})
    return new


# 17 us; by the session 460.
def plan(session: Session, game: str, kind: str, cause: str, at: datetime) -> None:
    """Plan something of a game for a moment; what was planned of this kind for the same cause is planned anew."""
    put(session, t.Due, {"game_id": game, "kind": kind, "cause": cause}, at=at, judged=None)


# 28 us; by the session 163.
def forget_due(session: Session, game: str, *causes: str, but: str = "") -> None:
    """Strike out what was due of a game for some causes; all of it but one kind if none is named."""
    asked: dict[str, Any] = {"game": game, **({"causes": causes} if causes else {"but": but})}
    connection(session).execute(_FORGET_SOME if causes else _FORGET_ALL, asked)


# 10 us; by the session 242.
def end_begun(session: Session, place: Mapping[str, object]) -> None:
    """Strike out the letter that was begun at a place: it is taken."""
    execute(connection(session), _END_BEGUN, place)


# What a letter of orders is held against.

_STATE, _STANDING = table_of(t.Snapshot), table_of(t.Standing)
LATEST_STATE = select(_STATE.c.number, _STATE.c.body).where(_STATE.c.game_id == bindparam("game"))
LATEST_STATE = LATEST_STATE.order_by(_STATE.c.number.desc()).limit(1)
_STANDING_TEXTS = select(_STANDING.c.text).where(_STANDING.c.seat_id == bindparam("seat")).order_by(_STANDING.c.scope)


# 21 us; by the session 166.
def latest_state(session: Session, game: str) -> tuple[int, str] | None:
    """The state after the last resolved phase, or at the start: its number, and the text."""
    found = rows(connection(session), LATEST_STATE, {"game": game})
    return (found[0][0], found[0][1]) if found else None


# 20 us; by the session 168.
def standing_texts(session: Session, seat: int | None) -> list[str]:
    """The texts alone of the standing orders of a seat, in the order of scopes."""
    return [text for (text,) in rows(connection(session), _STANDING_TEXTS, {"seat": seat})]


# The log: a letter of orders writes one leaf and is proven by a few.

_LEAF, _NODE = table_of(t.Leaf), table_of(t.Node)
_SHOWN, _TREE = table_of(t.Shown), table_of(t.Checkpoint)
_BRIEF = [_LEAF.c[name] for name in Brief._fields]
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
_ONE_WAITING = select(_LEAF.c.id).where(_LEAF.c.number.is_(None)).limit(1)
_NEWEST_TREE = select(_TREE.c.size, _TREE.c.note).order_by(_TREE.c.size.desc()).limit(1)
_NUMBER = update(_LEAF).where(_LEAF.c.id == bindparam("row")).values(number=bindparam("at"))
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
    select(col(t.Seat.id), col(t.Seat.name), t.Game, _SHOWN.c.size, _SHOWN.c.seq)
    .select_from(t.Seat)
    .join(t.Game)
    .outerjoin(_SHOWN)
    .where(col(t.Seat.id).in_(bindparam("seats", expanding=True)))
)


@cache
def _show(dialect: Dialect) -> Insert:
    """An insert that writes what a seat was shown anew, unless it was shown more meanwhile."""
    made = insert_for(dialect, _SHOWN)
    new = made.excluded
    put: Insert = made.on_conflict_do_update(
        index_elements=["seat_id"], set_={"size": new.size, "seq": new.seq}, where=_SHOWN.c.seq <= new.seq
    )
    return put.inline()


# 23 us; by the session 192.
def last_leaf(session: Session, game: str) -> Brief | None:
    """The last leaf of a game's chain, signed for or not; the caller holds the game."""
    written: Brief | None = cache_of(session, "last leaf").get(game)
    if written is not None:
        return written
    found = rows(connection(session), _LAST, {"of": game})
    return Brief(*found[0]) if found else None


# 91 us; by the session 536.
def leaves_about(session: Session, game: str, phase: str) -> tuple[tuple[Brief, ...], datetime | None]:
    """The leaves of a phase and the last of its game, in order, and when a phase of the game is planned to be closed.

    The moment is None also where there are no leaves.
    """
    found = connection(session).execute(_ABOUT, {"of": game, "in": phase}).all()
    rows = sorted((Brief(*row[:5]) for row in found), key=lambda row: row.seq)
    return tuple(rows), found[0].closes if found else None


# 29 us; by the session 226.
def leaves_since(session: Session, game: str, seq: int) -> tuple[tuple[Brief, ...], datetime | None]:
    """The leaves of a game from place `seq` on; the moment is that of `leaves_about`."""
    found = rows(connection(session), _SINCE, {"of": game, "since": seq})
    return tuple(Brief(*row[:5]) for row in found), found[0][5] if found else None


# 23 us; by the session 234.
def add_leaf(session: Session, game: str, leaf: Brief, opens: str, written: datetime) -> None:
    """Write a leaf, which has no number yet."""
    row = {"game": game, **leaf._asdict(), "opens": opens, "number": None, "written": written}
    execute(connection(session), _insert(_LEAF), row)
    cache_of(session, "last leaf")[game] = leaf


# 18 us; by the session 133.
def is_any_leaf_waiting(session: Session) -> bool:
    """Whether any leaf has no number yet."""
    return bool(rows(connection(session), _ONE_WAITING, {}))


# 20 us; by the session 144.
def newest_tree(session: Session) -> tuple[int, bytes] | None:
    """Size and note of the newest checkpoint; None before the first."""
    found = rows(connection(session), _NEWEST_TREE, {})
    return (found[0][0], found[0][1]) if found else None


# 211 us; by the session 2387.
def number_leaves(session: Session, numbers: Mapping[int, int]) -> None:
    """Give leaves their numbers, by the ids of their rows."""
    connection(session).execute(_NUMBER, [{"row": row, "at": at} for row, at in numbers.items()])


# 54 us; by the session 580.
def add_nodes(session: Session, full: Mapping[tuple[int, int], bytes]) -> None:
    """Keep nodes of the tree, by level and place, that have become full."""
    rows = [{"level": level, "place": place, "digest": digest} for (level, place), digest in full.items()]
    connection(session).execute(_insert(_NODE), rows)


# 183 us; by the session 787.
def nodes(session: Session, wanted: Collection[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
    """Nodes of the tree by level and place; those that are not there are left out."""
    if not wanted:
        return {}
    listed, values = _listed(_NODES, wanted, (-1, -1))
    return {(level, place): digest for level, place, digest in connection(session).execute(listed, values)}


# 153 us; by the session 773.
def leaves_after(session: Session, seen: Mapping[str, int], size: int) -> dict[str, tuple[LeafRow, ...]]:
    """The leaves of each game after one of its own, in order, as far as they are among the first `size` of the log."""
    if not seen:
        return {}
    listed, values = _listed(_AFTER, seen.items(), ("", 0))
    rows = [LeafRow(*row) for row in connection(session).execute(listed, {**values, "size": size})]
    return {game: tuple(of) for game, of in groupby(rows, key=lambda row: row.game)}


# 112 us; by the session 373.
def addressees(session: Session, seats: Collection[int]) -> dict[int, Addressee]:
    """Seats that are written to, by their ids."""
    found = session.execute(_ADDRESSEES, {"seats": list(seats)}) if seats else ()
    return {
        seat: Addressee(seat, name, game, None if size is None else Mark(size, seq))
        for seat, name, game, size, seq in found
    }


# 18 us; by the session 335.
def show(session: Session, shown: Iterable[tuple[int, Mark]]) -> None:
    """Keep how far seats, by their ids, were shown the log; where one was shown more meanwhile, that stays."""
    rows = [{"seat_id": seat, **one._asdict()} for seat, one in shown]
    if rows:
        here = connection(session)
        here.execute(_show(here.dialect), rows)


def _listed(
    sql: str, pairs: Collection[tuple[object, object]], nothing: tuple[object, object]
) -> tuple[TextClause, dict[str, Any]]:
    """A statement for these pairs, and their values; it is filled up with pairs that find nothing.

    So the lengths of lists are few, and few statements have to be made.
    """
    count = max(_FEWEST, 1 << (len(pairs) - 1).bit_length())
    filled = [*pairs, *[nothing] * (count - len(pairs))]
    return _of_pairs(sql, count), {f"{half}{at}": pair[half == "b"] for at, pair in enumerate(filled) for half in "ab"}


def _of_pairs(sql: str, count: int) -> TextClause:
    return text(sql.format(", ".join(f"(:a{at}, :b{at})" for at in range(count))))
