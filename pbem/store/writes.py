"""The rows that every letter writes, each by one statement at once, past the session's unit of work.

A letter writes some seven rows whose order is known beforehand: gathering, sorting and flushing them as objects costs
several times what the database takes to write them. Everything stays in the session's transaction, and what the
session still holds back is written first. Where a unique constraint can say that a row is there already it is asked,
and nothing is looked up beforehand.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Insert, Table, bindparam, delete, insert, inspect, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm.attributes import set_committed_value
from sqlmodel import Session, SQLModel

from pbem.store import tables as t

__all__ = ["add", "add_new", "change", "forget_due", "keep_body"]

_TABLES = SQLModel.metadata.tables
_INSERTS = {name: insert(table) for name, table in _TABLES.items()}
_DUE = _TABLES[str(t.Due.__tablename__)]
_FORGET = delete(_DUE).where(_DUE.c.game_id == bindparam("game"), _DUE.c.cause == bindparam("cause_is"))


def _new(dialect: Any, name: str, column: str) -> Insert:
    """An insert that leaves a row alone which has the same value in a unique column."""
    made: Insert = dialect.insert(_TABLES[name]).on_conflict_do_nothing(index_elements=[column])
    # Without the first PostgreSQL is asked for the new key, without the second its count of the rows is thrown away.
    counted: Insert = made.inline().execution_options(preserve_rowcount=True)
    return counted


_OUTBOX = _TABLES[str(t.Outbox.__tablename__)]
_KEEP_BODY = update(_OUTBOX).where(_OUTBOX.c.id == bindparam("row"), _OUTBOX.c.body.is_(None))

_UNIQUE = {"raw": "sha256", "outbox": "message_id"}
_NEW = {
    (dialect.dialect.name, name): _new(dialect, name, column)
    for dialect in (sqlite, postgresql)
    for name, column in _UNIQUE.items()
}


def add(session: Session, name: str, **values: Any) -> int:
    """Write a row of a table with a numbered primary key, and return its number."""
    done = _connection(session).execute(_INSERTS[name], values)
    key = done.inserted_primary_key
    if key is None:
        raise LookupError(f"a row of {name} has got no number")
    return int(key[0])


def add_new(session: Session, name: str, **values: Any) -> bool:
    """Write a row of `raw` or `outbox` unless its key is there already, and return whether it was not."""
    connection = _connection(session)
    return connection.execute(_NEW[connection.dialect.name, name], values).rowcount == 1


def change(session: Session, row: SQLModel, **values: Any) -> None:
    """Write values of a stored row at once, alone, and have the object say the same without being written again."""
    table = row.__class__.__table__  # type: ignore[attr-defined]
    key = _key(table)
    connection = _connection(session)
    connection.execute(update(table).where(table.c[key] == bindparam("_key")), {**values, "_key": getattr(row, key)})
    persistent = inspect(row).persistent
    for name, value in values.items():
        if persistent:
            set_committed_value(row, name, value)
        else:
            setattr(row, name, value)


def forget_due(session: Session, game: str, cause: str) -> None:
    """Strike out what was due of a game for one cause."""
    _connection(session).execute(_FORGET, {"game": game, "cause_is": cause})


def keep_body(session: Session, row: int, body: bytes) -> None:
    """Store the bytes of a letter of the outbox, unless some are there: those may be on their way already."""
    _connection(session).execute(_KEEP_BODY, {"row": row, "body": body})


def _connection(session: Session) -> Connection:
    session.flush()
    return session.connection()


def _key(table: Table) -> str:
    (column,) = table.primary_key.columns
    return str(column.name)
