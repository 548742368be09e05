"""Engines: SQLite on disk set up to survive a power cut and several writers, or any PostgreSQL; to write, or to read.

SQLite takes its write lock when a transaction begins, not at its first write: a transaction that read and then wanted
to write would otherwise fail, because its snapshot had gone stale and no waiting can mend that. Whoever only reads
takes another engine to the same database: its transactions begin without a lock, keep nobody waiting, cannot write.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sqlalchemy import Engine, ExceptionContext, create_engine, event, make_url
from sqlalchemy.exc import OperationalError

BUSY_SECONDS = 30
"""How long a writer waits for another before it fails with OperationalError."""

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Condition(NamedTuple):
    """How a database in a file is: its journal mode, and ``ok`` or what is damaged in it."""

    mode: str
    whole: str


def open_engine(url: str) -> Engine:
    """Open ``sqlite:///FILE`` or ``postgresql+psycopg://...``; the tables come by `migrations.upgrade`."""
    if make_url(url).get_backend_name() != "sqlite":
        return create_engine(url, pool_pre_ping=True)
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS})
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "handle_error", _wait_for_repair)
    # Not as a listener: with one, the engine asks before and after every statement who else is listening.
    engine.dialect.do_begin = _begin  # type: ignore[method-assign, assignment]
    return engine


def reader_of(engine: Engine) -> Engine:
    """An engine to the same database whose transactions see one moment of it, lock nothing and cannot write.

    It is disposed of together with the first. A database in memory has none but the first itself.
    """
    found = _READERS.get(engine)
    if found is not None:
        return found
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


def file_of(url: str) -> Path | None:
    """The file that an SQLite database lies in; None for any other database."""
    read = make_url(url)
    return Path(read.database) if read.get_backend_name() == "sqlite" and read.database else None


def condition(engine: Engine) -> Condition | None:
    """Look at a database that has tables, and see that it can be written to; None if it is in no file of its own."""
    # Each transaction begins with the right to write (BEGIN IMMEDIATE), and this one changes nothing.
    with engine.begin() as connection:
        if engine.dialect.name != "sqlite":
            return None
        mode = str(connection.exec_driver_sql("PRAGMA journal_mode").scalar())
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = version_num")
        return Condition(mode, str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar()))


def _set_up(connection: Any, record: Any) -> None:
    # The driver must not begin transactions of its own: BEGIN IMMEDIATE below does.
    connection.isolation_level = None
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_SECONDS * 1000}",
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
    """Raise OperationalError for a damaged file, which is waited for like a database that is away.

    The driver raises DatabaseError itself, the base of all its errors; a letter would be blamed for that and set aside.
    """
    wrong = context.original_exception
    if isinstance(wrong, sqlite3.DatabaseError) and getattr(wrong, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
        raise OperationalError(context.statement, context.parameters, wrong)


def _begin(connection: Any) -> None:
    connection.execute("BEGIN IMMEDIATE")


def _begin_to_read(connection: Any) -> None:
    connection.execute("BEGIN")
