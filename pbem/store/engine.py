"""Open database engines to write or read: SQLite or PostgreSQL.

SQLite takes its write lock when a transaction begins, not at its first write: a transaction that read and then
wanted to write would otherwise fail, because its snapshot had become stale, and waiting does not help. Readers use
another engine to the same database: its transactions begin without a lock, do not block writers, and cannot write.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, ExceptionContext, create_engine, event, make_url
from sqlalchemy.exc import OperationalError

BUSY_SECONDS = 30
"""How long a writer waits for another before it fails with OperationalError: transactions take milliseconds, those
of a letter up to a second or two (docs/limits.md)."""

PAGE_BYTES = 2048
"""Bytes of a page in new databases. A choice: a letter changes some thirty pages by little each, and all of a changed
page is written twice, so that the usual 4096 write nearly twice as much."""
PAGES_AHEAD = 4000
"""Pages in the log of writes before they go into the database: 8 MB. A choice: a page that was changed several times
meanwhile is written into it once."""

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class DatabaseCondition(NamedTuple):
    """The condition of a database file: its journal mode, and ``ok`` or its damage."""

    mode: str
    whole: str


def open_engine(url: str) -> Engine:
    """Open ``sqlite:///FILE`` or PostgreSQL; `migrations.upgrade` makes the tables."""
    if make_url(url).get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "handle_error", _wait_for_repair)
    # Not as a listener: with one, the engine looks for listeners before and after every statement.
    engine.dialect.do_begin = _begin  # type: ignore[method-assign, assignment]
    return engine


def read_only_engine(engine: Engine) -> Engine:
    """Return an engine to the same database with read-only snapshots without locks.

    It is disposed of together with `engine`. For a database in memory `engine` itself is returned.
    """
    known = _READERS.get(engine)
    if known is not None:
        return known
    reader: Engine
    if engine.dialect.name == "sqlite" and engine.url.database in (None, "", ":memory:"):
        return engine
    if engine.dialect.name != "sqlite":
        reader = engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
    else:
        reader = create_engine(engine.url, connect_args={"timeout": BUSY_SECONDS})
        event.listen(reader, "connect", _set_up_to_read)
        event.listen(reader, "handle_error", _wait_for_repair)
        reader.dialect.do_begin = _begin_to_read  # type: ignore[method-assign, assignment]
        event.listen(engine, "engine_disposed", lambda disposed: reader.dispose())
    _READERS[engine] = reader
    return reader


_READERS: WeakKeyDictionary[Engine, Engine] = WeakKeyDictionary()


def database_file(url: str) -> Path | None:
    """Return the file of an SQLite database; None for any other database."""
    parsed = make_url(url)
    return Path(parsed.database) if parsed.get_backend_name() == "sqlite" and parsed.database else None


def database_size(engine: Engine) -> int:
    """Return the octets of a database, with those not moved into it yet; 0 in memory."""
    if engine.dialect.name == "postgresql":
        with engine.connect() as connection:
            return int(connection.exec_driver_sql("SELECT pg_database_size(current_database())").scalar_one())
    path = database_file(engine.url.render_as_string())
    files = [path, path.with_name(f"{path.name}-wal")] if path else []
    return sum(file.stat().st_size for file in files if file.exists())


def check_condition(engine: Engine) -> DatabaseCondition | None:
    """Check that a database has tables, is undamaged and writable.

    Return None if it has no file.
    """
    # Each transaction begins with the right to write (BEGIN IMMEDIATE), and this one changes nothing.
    with engine.begin() as connection:
        if engine.dialect.name != "sqlite":
            return None
        mode = str(connection.exec_driver_sql("PRAGMA journal_mode").scalar())
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = version_num")
        return DatabaseCondition(mode, str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()))


def _set_up(connection: Any, record: Any) -> None:
    # The driver must not begin transactions of its own: BEGIN IMMEDIATE below does.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_SECONDS * 1000}",
        # Before the journal, whose mode makes the file. Those that are there keep their pages.
        f"page_size = {PAGE_BYTES}",
        f"wal_autocheckpoint = {PAGES_AHEAD}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _set_up_to_read(connection: Any, record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")
    cursor.execute("PRAGMA query_only = ON")
    cursor.close()


def _wait_for_repair(context: ExceptionContext) -> None:
    """Raise OperationalError for a damaged file.

    Callers then wait as for a lost database. The driver raises DatabaseError, the base class of all its errors;
    without this the letter at hand would be taken for the cause and set aside.
    """
    error = context.original_exception
    if isinstance(error, sqlite3.DatabaseError) and getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
        raise OperationalError(context.statement, context.parameters, error)


def _begin(connection: Any) -> None:
    connection.execute("BEGIN IMMEDIATE")


def _begin_to_read(connection: Any) -> None:
    connection.execute("BEGIN")
