"""Cache query results of a session until some of its work is rolled back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import Table, event
from sqlalchemy.orm import Session, object_session
from sqlmodel import SQLModel

_KEPT = "kept"
Row = TypeVar("Row", bound=SQLModel)


def cache_of(session: Session, kind: str) -> dict[Any, Any]:
    """Return the cache of a kind, to read and write."""
    cache: dict[Any, Any] = session.info.setdefault(_KEPT, {}).setdefault(kind, {})
    return cache


def cached_rows(session: Session, table: type[Row], key: object, query: Callable[[], Sequence[Row]]) -> Sequence[Row]:
    """Return the rows of a query, cached until a row of the table is written."""
    # Pending changes count as well, as they would for a statement.
    write_pending(session, table)
    cache: dict[Any, Sequence[Row]] = cache_of(session, str(table.__tablename__))
    if key not in cache or any(row not in session for row in cache[key]):
        cache[key] = query()
    return cache[key]


def write_pending(session: Session, *tables: type[SQLModel] | Table) -> None:
    """Write pending changes, unless they only change rows of other tables."""
    if session.new or session.deleted or any(type(row) in tables or row.__table__ in tables for row in session.dirty):
        session.flush()


def forget_rows(session: Session, *tables: type[SQLModel] | Table) -> None:
    """Drop the cached rows of these tables."""
    caches = session.info.get(_KEPT) or {}
    for table in tables:
        caches.pop(table.name if isinstance(table, Table) else table.__tablename__, None)


def forget_when_written(*tables: type[SQLModel]) -> None:
    """Drop the cache of some tables when a session writes or deletes their rows."""

    def forget(_mapper: object, _connection: object, row: SQLModel) -> None:
        if (session := object_session(row)) is not None:
            forget_rows(session, type(row))

    for table in tables:
        for event_name in ("after_insert", "after_update", "after_delete"):
            event.listen(table, event_name, forget)


def drop_caches(session: Session, *_: object) -> None:
    """Drop all that is cached."""
    session.info.pop(_KEPT, None)


# After a savepoint's rollback too: later writes are gone, and cached rows may be of them.
event.listen(Session, "after_soft_rollback", drop_caches)
