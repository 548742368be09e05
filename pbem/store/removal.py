"""A game taken out of the tables, with every row that is about it; the leaves of the log alone remain.

What is about a game is found by the references between the tables: whatever refers to it, or to what does.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import ColumnElement, Connection, Table, delete, or_, select, text
from sqlmodel import Session, SQLModel

from pbem.store import tables as t

_APPEND_ONLY = ("event", "basis")
_TABLES = SQLModel.metadata.tables
_GAME = _TABLES[str(t.Game.__tablename__)]
_RAW = _TABLES[str(t.Raw.__tablename__)]
_INBOX = _TABLES[str(t.Inbox.__tablename__)]


def remove_game(session: Session, name: str) -> None:
    """Delete a game and all that is about it; letters of which nothing else is left are deleted with their bytes."""
    connection = session.connection()
    about = _about(name)
    # The log is one tree over all games: a leaf less, and it could never again be shown to be what was signed.
    with _writable(connection):
        for table in reversed(SQLModel.metadata.sorted_tables):
            if table in about:
                connection.execute(delete(table).where(about[table]))
    kept = select(_INBOX.c.sha256).where(_INBOX.c.sha256 == _RAW.c.sha256)
    connection.execute(delete(_RAW).where(~kept.exists()))


def _about(name: str) -> dict[Table, ColumnElement[bool]]:
    """For each table that can hold something about a game, which rows do; tables referred to come first."""
    found: dict[Table, ColumnElement[bool]] = {_GAME: _GAME.c.id == name}
    for table in SQLModel.metadata.sorted_tables:
        ways = [
            key.parent.in_(select(key.column).where(found[key.column.table]))
            for key in table.foreign_keys
            if key.column.table in found and key.column.table is not table
        ]
        if ways and table is not _GAME:
            found[table] = or_(*ways)
    return found


@contextmanager
def _writable(connection: Connection) -> Iterator[None]:
    """Let rows be deleted that nothing may change: in this transaction alone, and refused again at its end."""
    if connection.dialect.name == "postgresql":
        for table in _APPEND_ONLY:
            connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only"))
        yield
        for table in _APPEND_ONLY:
            connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER {table}_append_only"))
        return
    listed = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('event', 'basis')"
    triggers = connection.execute(text(listed)).all()
    for name, _ in triggers:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for _, made in triggers:
        connection.exec_driver_sql(made)
