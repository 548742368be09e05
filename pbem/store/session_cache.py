"""What a session has found and need not ask for once more: forgotten when any of its work is rolled back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from sqlalchemy import event
from sqlalchemy.orm import Session, object_session
from sqlmodel import SQLModel

_KEPT = "kept"
Row = TypeVar("Row", bound=SQLModel)


def cache_of(session: Session, what: str) -> dict[str, Any]:
    """What is kept of some kind, to be read and written."""
    found: dict[str, Any] = session.info.setdefault(_KEPT, {}).setdefault(what, {})
    return found


def cached_rows(session: Session, table: type[Row], key: object, ask: Callable[[], Sequence[Row]]) -> Sequence[Row]:
    """Return the rows that `ask` finds, asked for once until a row of the table is written (`forget_when_written`)."""
    # What is written but not yet flushed counts as well, as it would for a statement.
    session.flush()
    known: dict[Any, Sequence[Row]] = cache_of(session, str(table.__tablename__))
    if key not in known or any(row not in session for row in known[key]):
        known[key] = ask()
    return known[key]


def forget_rows(session: Session, *written: type[SQLModel]) -> None:
    """Ask for the rows of these tables once more."""
    for table in written:
        cache_of(session, str(table.__tablename__)).clear()


def forget_when_written(*written: type[SQLModel]) -> None:
    """Have a session forget the rows it keeps of a table when it inserts, updates or deletes one of them."""

    def forget(_mapper: object, _connection: object, row: SQLModel) -> None:
        if (session := object_session(row)) is not None:
            forget_rows(session, type(row))

    for table in written:
        for what in ("after_insert", "after_update", "after_delete"):
            event.listen(table, what, forget)


def _forget(session: Session, *_: object) -> None:
    session.info.pop(_KEPT, None)


# To a savepoint as well: what was written since is gone, and what was read may have been of it.
event.listen(Session, "after_soft_rollback", _forget)
