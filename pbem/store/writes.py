"""The rows that every letter writes, each by one statement at once, past the session's unit of work.

A letter writes some seven rows whose order is known beforehand: gathering, sorting and flushing them as objects costs
several times what the database takes to write them. Everything stays in the session's transaction, and what the
session still holds back is written first. Where a unique constraint can say that a row is there already it is asked,
and nothing is looked up beforehand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Connection, Insert, Table, Update, bindparam, delete, insert, inspect, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, SQLModel

from pbem.store import tables as t
from pbem.store.driven import execute, key_of

__all__ = [
    "add",
    "add_new",
    "add_row",
    "change",
    "connection",
    "end_begun",
    "forget_begun",
    "forget_drafts",
    "forget_due",
    "keep_bodies",
    "new",
    "plan",
    "wish",
]

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


def _put(dialect: Any, name: str, unique: Sequence[str], column: str) -> Insert:
    """An insert that writes one column anew of a row which is there under the same unique values."""
    made = dialect.insert(_TABLES[name])
    put: Insert = made.on_conflict_do_update(index_elements=unique, set_={column: made.excluded[column]})
    return put.inline()


def _key(table: Table) -> str:
    (column,) = table.primary_key.columns
    return str(column.name)


@cache
def _change(table: Table) -> Update:
    return update(table).where(table.c[_key(table)] == bindparam("_key"))


_OUTBOX = _TABLES[str(t.Outbox.__tablename__)]
_KEEP_BODY = (
    update(_OUTBOX).where(_OUTBOX.c.id == bindparam("row"), _OUTBOX.c.body.is_(None)).values(body=bindparam("bytes"))
)

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
    (dialect.dialect.name, name): _put(dialect, name, unique, column)
    for dialect in (sqlite, postgresql)
    for name, unique, column in (
        ("due", ("game_id", "kind", "cause"), "at"),
        ("wish", ("phase_id", "seat_id"), "word"),
    )
}


def add(session: Session, name: str, **values: Any) -> int:
    """Write a row of a table with a numbered primary key, and return its number."""
    return key_of(execute(connection(session), _INSERTS[name], values))


def new(kind: type[R], **values: Any) -> R:
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


def add_row(session: Session, row: SQLModel) -> int:
    """Write an object as a new row of its table, and return its number; the object is not kept by the session."""
    table = row.__class__.__table__  # type: ignore[attr-defined]
    values, own = row.__dict__, _key(table)
    return add(session, table.name, **{at.name: values[at.name] for at in table.c if at.name != own})


def add_new(session: Session, name: str, **values: Any) -> bool:
    """Write a row of `raw`, `outbox`, `picture` or `begun`, and return True, unless its key is there already."""
    here = connection(session)
    return execute(here, _NEW[here.dialect.name, name], values).rowcount == 1


def change(session: Session, row: SQLModel, **values: Any) -> None:
    """Write values of a stored row at once, alone, and have the object say the same without being written again."""
    table = row.__class__.__table__  # type: ignore[attr-defined]
    execute(connection(session), _change(table), {**values, "_key": getattr(row, _key(table))})
    persistent = inspect(row).persistent
    for name, value in values.items():
        if persistent:
            set_committed_value(row, name, value)
        else:
            setattr(row, name, value)


def plan(session: Session, game: str, kind: str, cause: str, at: datetime) -> None:
    """Plan something of a game for a moment; what was planned of this kind for the same cause is planned anew."""
    _put_row(session, "due", game_id=game, kind=kind, cause=cause, at=at)


def forget_due(session: Session, game: str, *causes: str, but: str = "") -> None:
    """Strike out what was due of a game for some causes; all of it but one kind if none is named."""
    asked: dict[str, Any] = {"game": game, **({"causes": causes} if causes else {"but": but})}
    connection(session).execute(_FORGET_SOME if causes else _FORGET_ALL, asked)


def end_begun(session: Session, place: Mapping[str, Any]) -> None:
    """Strike out the letter that was begun at a place: it is taken."""
    execute(connection(session), _END_BEGUN, place)


def forget_begun(session: Session, account: str, folder: str) -> None:
    """Delete the rows of a mailbox's begun letters, when the poll that began them is over."""
    connection(session).execute(_FORGET_BEGUN, {"account": account, "folder": folder})


def forget_drafts(session: Session, before: datetime) -> None:
    """Strike out the drafts of rulings, of all games, that were asked for before a moment."""
    connection(session).execute(_FORGET_DRAFTS, {"before": before})


def wish(session: Session, phase: t.Phase, seat: t.Seat, word: str) -> None:
    """Write what a seat wants of a phase's closing, in the place of what it said before; nothing if `word` is empty."""
    if word:
        _put_row(session, "wish", phase_id=phase.id, seat_id=seat.id, word=word)
    else:
        connection(session).execute(_NO_WISH, {"phase": phase.id, "seat": seat.id})


def keep_bodies(session: Session, bodies: Mapping[int, bytes]) -> None:
    """Store the bytes of letters of the outbox by id, unless some are there: those may be on their way already."""
    if bodies:
        connection(session).execute(_KEEP_BODY, [{"row": row, "bytes": body} for row, body in bodies.items()])


def _put_row(session: Session, name: str, **values: Any) -> None:
    here = connection(session)
    execute(here, _PUT[here.dialect.name, name], values)


def connection(session: Session) -> Connection:
    """The connection of the session's transaction, with everything written that the session held back."""
    session.flush()
    kept: Connection | None = session.info.get(connection)
    if kept is None or kept.closed:
        kept = session.info[connection] = session.connection()
    return kept
