"""The rows that every letter writes, each by one statement at once, past the session's unit of work.

A letter writes some seven rows whose order is known beforehand: gathering, sorting and flushing them as objects costs
several times what the database takes to write them. Everything stays in the session's transaction, and what the
session still holds back is written first. Where a unique constraint can say that a row is there already it is asked,
and nothing is looked up beforehand.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import (
    Connection,
    CursorResult,
    Delete,
    Dialect,
    Insert,
    Table,
    Update,
    bindparam,
    delete,
    insert,
    inspect,
    select,
    union,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm.attributes import set_committed_value
from sqlalchemy.sql.selectable import SelectBase
from sqlmodel import Session, SQLModel

from pbem.store import tables as t

# Statements that are always the same, handed to the driver as it takes them.
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


R = TypeVar("R", bound=SQLModel)

_MISSING = object()
_TABLES = SQLModel.metadata.tables
_INSERTS = {name: insert(table) for name, table in _TABLES.items()}
_DUE = _TABLES[str(t.Due.__tablename__)]
_FORGET = delete(_DUE).where(_DUE.c.game_id == bindparam("game"))
_FORGET_ALL = _FORGET.where(_DUE.c.kind != bindparam("but"))
_FORGET_SOME = _FORGET.where(_DUE.c.cause.in_(bindparam("causes", expanding=True)))
_DRAFT = _TABLES[str(t.Draft.__tablename__)]
_FORGET_DRAFTS = delete(_DRAFT).where(_DRAFT.c.asked < bindparam("before"))
_BEGUN = _TABLES[str(t.Begun.__tablename__)]
_FORGET_BEGUN = delete(_BEGUN).where(_BEGUN.c.account == bindparam("account"), _BEGUN.c.folder == bindparam("folder"))
_END_BEGUN = _FORGET_BEGUN.where(_BEGUN.c.uidvalidity == bindparam("uidvalidity"), _BEGUN.c.uid == bindparam("uid"))
_WISH = _TABLES[str(t.Wish.__tablename__)]
_NO_WISH = delete(_WISH).where(_WISH.c.phase_id == bindparam("phase"), _WISH.c.seat_id == bindparam("seat"))


def _new(dialect: Any, name: str, unique: Sequence[str]) -> Insert:
    """An insert that leaves a row alone which has the same values in unique columns."""
    made: Insert = dialect.insert(_TABLES[name]).on_conflict_do_nothing(index_elements=unique)
    # Without the first PostgreSQL is asked for the new key, without the second its count of the rows is thrown away.
    counted: Insert = made.inline().execution_options(preserve_rowcount=True)
    return counted


def _put(dialect: Any, name: str, unique: Sequence[str], columns: Sequence[str]) -> Insert:
    """An insert that writes some columns anew of a row which is there under the same unique values."""
    made = dialect.insert(_TABLES[name])
    anew = {column: made.excluded[column] for column in columns}
    put: Insert = made.on_conflict_do_update(index_elements=unique, set_=anew)
    return put.inline()


def _key(table: Table) -> str:
    (column,) = table.primary_key.columns
    return str(column.name)


@cache
def _change(table: Table) -> Update:
    return update(table).where(table.c[_key(table)] == bindparam("_key"))


_OUTBOX = _TABLES[str(t.Outbox.__tablename__)]
_CONTENT = _TABLES[str(t.Content.__tablename__)]
_SAYS = (
    insert(_CONTENT)
    .values(
        outbox_id=select(_OUTBOX.c.id).where(_OUTBOX.c.message_id == bindparam("name")).scalar_subquery(),
        model=bindparam("says"),
        body=None,
    )
    .inline()
)
_KEEP_BODY = (
    update(_CONTENT)
    .where(_CONTENT.c.outbox_id == bindparam("row"), _CONTENT.c.body.is_(None))
    .values(body=bindparam("bytes"))
)
_TAKE_ON = (
    update(_OUTBOX)
    .where(_OUTBOX.c.id.in_(bindparam("rows", expanding=True)))
    .values(owner=bindparam("by"), until=bindparam("end"))
)
_TAKE_BACK = (
    update(_OUTBOX)
    .where(_OUTBOX.c.state == "queued", _OUTBOX.c.owner != "", _OUTBOX.c.owner.not_like(bindparam("but")))
    .values(owner="", until=None)
)
_JUDGE = update(_DUE).where(_DUE.c.id.in_(bindparam("rows", expanding=True))).values(judged=bindparam("word"))
_PICTURE = _TABLES[str(t.Picture.__tablename__)]
_INBOX, _RAW, _SEAT, _GAME = (_TABLES[name] for name in ("inbox", "raw", "seat", "game"))
_GONE = select(_OUTBOX.c.id).where(_OUTBOX.c.game_id == bindparam("about"), _OUTBOX.c.state != "queued")
_EMPTY_OUT = update(_CONTENT).where(_CONTENT.c.outbox_id.in_(_GONE)).values(model="", body=None)
_CAME = union(
    select(_INBOX.c.sha256).join(_SEAT).where(_SEAT.c.game_id == bindparam("about")),
    select(_INBOX.c.sha256)
    .join(_OUTBOX, _OUTBOX.c.inbox_id == _INBOX.c.id)
    .where(_OUTBOX.c.game_id == bindparam("about")),
)
_EMPTY_IN = update(_RAW).where(_RAW.c.sha256.in_(_CAME)).values(body=b"")
_EMPTIED = update(_GAME).where(_GAME.c.id == bindparam("about")).values(emptied=bindparam("now"))

_UNIQUE = {
    "raw": ("sha256",),
    "outbox": ("message_id",),
    "picture": ("digest",),
    "begun": ("account", "folder", "uidvalidity", "uid"),
}
_NEW = {
    (dialect.dialect.name, name): _new(dialect, name, unique)
    for dialect in (sqlite, postgresql)
    for name, unique in _UNIQUE.items()
}
_PUT = {
    (dialect.dialect.name, name): _put(dialect, name, unique, columns)
    for dialect in (sqlite, postgresql)
    for name, unique, columns in (
        ("due", ("game_id", "kind", "cause"), ("at", "judged")),
        ("wish", ("phase_id", "seat_id"), ("word",)),
        ("tally", ("about", "word"), ("count",)),
    )
}


def add(session: Session, name: str, **values: object) -> int:
    """Write a row of a table with a numbered primary key, and return its number."""
    return key_of(execute(connection(session), _INSERTS[name], values))


def new(kind: type[R], **values: object) -> R:
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


def add_all(session: Session, name: str, rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows of a table at once, in their order; each has the same columns."""
    if rows:
        connection(session).execute(_INSERTS[name].inline(), rows)


def add_row(session: Session, row: SQLModel) -> int:
    """Write an object as a new row of its table, and return its number; the object is not kept by the session."""
    table = row.__class__.__table__  # type: ignore[attr-defined]
    values, own = row.__dict__, _key(table)
    return add(session, table.name, **{at.name: values[at.name] for at in table.c if at.name != own})


def add_new(session: Session, name: str, **values: object) -> bool:
    """Write a row of `raw`, `outbox`, `picture` or `begun`, and return True, unless its key is there already."""
    here = connection(session)
    return execute(here, _NEW[here.dialect.name, name], values).rowcount == 1


def add_letter(session: Session, model: str, **values: object) -> bool:
    """Write a letter that is to go out, with what it says, and return True, unless one of its name is there already."""
    new = add_new(session, "outbox", **values)
    if new:
        execute(connection(session), _SAYS, {"name": values["message_id"], "says": model})
    return new


def change(session: Session, row: SQLModel, **values: object) -> None:
    """Write values of a stored row at once, alone, and have the object say the same without being written again."""
    table = row.__class__.__table__  # type: ignore[attr-defined]
    execute(connection(session), _change(table), {**values, "_key": getattr(row, _key(table))})
    persistent = inspect(row).persistent
    for name, value in values.items():
        if persistent:
            set_committed_value(row, name, value)
        else:
            setattr(row, name, value)


def put_tally(session: Session, about: str, counts: Mapping[str, int]) -> None:
    """Write how many there are of each word."""
    for word, count in counts.items():
        _put_row(session, "tally", about=about, word=word, count=count)


def plan(session: Session, game: str, kind: str, cause: str, at: datetime) -> None:
    """Plan something of a game for a moment; what was planned of this kind for the same cause is planned anew."""
    _put_row(session, "due", game_id=game, kind=kind, cause=cause, at=at, judged=None)


def forget_due(session: Session, game: str, *causes: str, but: str = "") -> None:
    """Strike out what was due of a game for some causes; all of it but one kind if none is named."""
    asked: dict[str, Any] = {"game": game, **({"causes": causes} if causes else {"but": but})}
    connection(session).execute(_FORGET_SOME if causes else _FORGET_ALL, asked)


def end_begun(session: Session, place: Mapping[str, object]) -> None:
    """Strike out the letter that was begun at a place: it is taken."""
    execute(connection(session), _END_BEGUN, place)


def forget_begun(session: Session, account: str, folder: str) -> None:
    """Delete the rows of a mailbox's begun letters, when the poll that began them is over."""
    connection(session).execute(_FORGET_BEGUN, {"account": account, "folder": folder})


def forget_drafts(session: Session, before: datetime) -> None:
    """Strike out the drafts of rulings, of all games, that were asked for before a moment."""
    connection(session).execute(_FORGET_DRAFTS, {"before": before})


def forget_pictures(session: Session, before: datetime, most: int) -> int:
    """Delete pictures that were drawn before a moment, the oldest first and so many at most; how many there were."""
    oldest = select(_PICTURE.c.digest).where(_PICTURE.c.made < before).order_by(_PICTURE.c.made).limit(most)
    gone = connection(session).execute(delete(_PICTURE).where(_PICTURE.c.digest.in_(oldest)))
    return int(gone.rowcount)


def wish(session: Session, phase: t.Phase, seat: t.Seat, word: str) -> None:
    """Write what a seat wants of a phase's closing, in the place of what it said before; nothing if `word` is empty."""
    if word:
        _put_row(session, "wish", phase_id=phase.id, seat_id=seat.id, word=word)
    else:
        connection(session).execute(_NO_WISH, {"phase": phase.id, "seat": seat.id})


def judge(session: Session, dues: Collection[int], word: str) -> None:
    """Write what was thought of rows that are due."""
    connection(session).execute(_JUDGE, {"rows": list(dues), "word": word})


def take_on(session: Session, letters: Collection[int], owner: str, until: datetime | None) -> None:
    """Write who sends these letters of the outbox, and until when nobody else does."""
    connection(session).execute(_TAKE_ON, {"rows": list(letters), "by": owner, "end": until})


def take_back(session: Session, but: str) -> None:
    """Let go of the letters that are taken on and not sent, but for those whose owner's name begins so."""
    connection(session).execute(_TAKE_BACK, {"but": f"{but}%"})


def empty_letters(session: Session, game: str, now: datetime) -> None:
    """Empty all letters about a game, those that came and those that went, and note when that was."""
    here = connection(session)
    for statement in (_EMPTY_OUT, _EMPTY_IN):
        here.execute(statement, {"about": game})
    here.execute(_EMPTIED, {"about": game, "now": now})


def keep_bodies(session: Session, bodies: Mapping[int, bytes]) -> None:
    """Store the bytes of letters of the outbox by id, unless some are there: those may be on their way already."""
    if bodies:
        connection(session).execute(_KEEP_BODY, [{"row": row, "bytes": body} for row, body in bodies.items()])


def _put_row(session: Session, name: str, **values: object) -> None:
    here = connection(session)
    execute(here, _PUT[here.dialect.name, name], values)


def connection(session: Session) -> Connection:
    """The connection of the session's transaction, with everything written that the session held back."""
    session.flush()
    kept: Connection | None = session.info.get(connection)
    if kept is None or kept.closed:
        kept = session.info[connection] = session.connection()
    return kept
