"""How processes at one database keep out of each other's way: a lock, and hints that there is something to do.

Who works on a database alone, the one daemon or a command that nobody may serve beside, holds a lock; a second one is
refused. PostgreSQL keeps it for a connection (an advisory lock), beside SQLite it is a file with the lock of a process
on it (flock). Both are let go of by whoever ends, however he ends: nothing has to be cleared away after a crash, and no
clock is asked. Commands that only look or write a row need no lock. On PostgreSQL workers may serve beside the daemon.
They share a second lock with it, which a command that nobody may serve beside has alone.

A hint (NOTIFY, on PostgreSQL alone) says that there is something to do: who hears it looks at once. Nothing hangs on
it. What is to be done is in the tables, everybody looks there by himself after a while, and a hint that got lost, or
one too many, changes nothing but when.
"""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

Part = Literal["alone", "daemon", "worker"]
"""As what somebody takes the lock: beside nobody, as the one who reads the mailbox, as one of those beside him."""

_NUMBER = 0x7062656D
"""The number of the advisory lock: pbem. It is one for each database of a cluster."""
_SHARED = _NUMBER + 1
"""The number of the lock that all who serve share."""
_WANTED: dict[Part, tuple[tuple[str, int], ...]] = {
    "alone": (("pg_try_advisory_lock", _NUMBER), ("pg_try_advisory_lock", _SHARED)),
    "daemon": (("pg_try_advisory_lock", _NUMBER), ("pg_try_advisory_lock_shared", _SHARED)),
    "worker": (("pg_try_advisory_lock_shared", _SHARED),),
}


class Taken(Exception):
    """Another process holds the lock; the text says which, as far as that is known."""


class Lock:
    """The lock of one database; `owner` is what others are told of who holds it, and since when."""

    def __init__(self, engine: Engine, owner: str, part: Part = "alone") -> None:
        self._engine = engine
        self._owner = owner
        self._part: Part = part
        self._connection: Connection | None = None
        self._file: int | None = None

    def take(self) -> None:
        """Take the lock, or make sure that we have it; Taken if another has it, DBAPIError if the database is away."""
        if self._engine.dialect.name == "sqlite":
            self._take_file()
        else:
            self._take_connection()

    def release(self) -> None:
        """Release the lock."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self._hang_up()

    def _take_file(self) -> None:
        name = self._engine.url.database
        if self._file is not None or not name or name == ":memory:":
            return
        # Whichever name it is reached by, a file is one database.
        path = Path(f"{os.path.realpath(name)}.lock")
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.geteuid() == 0:
                # A command of root must not leave a file that the server cannot open.
                home = path.parent.stat()
                os.fchown(file, home.st_uid, home.st_gid)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 200).decode("utf-8", "replace").strip()
            os.close(file)
            raise Taken(f"{holder or 'another process'} holds {path}") from None
        except OSError:
            os.close(file)
            raise
        os.truncate(file, 0)
        os.write(file, f"{self._owner} (since {datetime.now(UTC):%Y-%m-%d %H:%M} UTC)\n".encode())
        self._file = file

    def _take_connection(self) -> None:
        if self._connection is not None:
            try:
                self._connection.execute(text("SELECT 1"))
                return
            except DBAPIError:
                # With the connection the lock is gone: whoever comes first has it now.
                self._hang_up()
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # Who looks into pg_stat_activity is told as well.
        connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": f"pbem {self._owner}"})
        for way, number in _WANTED[self._part]:
            if not connection.execute(text(f"SELECT {way}(:number)"), {"number": number}).scalar():
                holder = connection.execute(text(_HOLDER), {"number": number}).scalar()
                _let_go(connection)
                connection.invalidate()
                connection.close()
                raise Taken(f"{holder or 'another process'} holds the lock of the database")
        self._connection = connection

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError):
                _let_go(connection)
            with suppress(DBAPIError):
                # It goes back into no pool: there it would keep its name.
                connection.invalidate()
                connection.close()


def _let_go(connection: Connection) -> None:
    """Release what a connection holds now: the server only notices after a while that it was closed."""
    connection.execute(text("SELECT pg_advisory_unlock_all()"))


_HOLDER = """
SELECT a.application_name || ' (since ' || to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC)'
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
JOIN pg_database d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database() AND l.objid = :number
ORDER BY a.backend_start LIMIT 1
"""


_CHANNEL = "pbem"


class Lost(Exception):
    """The connection that hints are heard on is gone."""


def tell(engine: Engine, owner: str) -> None:
    """Say to all who listen, but to `owner`, that there is something to do; on SQLite there is nobody."""
    if engine.dialect.name == "sqlite":
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("SELECT pg_notify(:channel, :owner)"), {"channel": _CHANNEL, "owner": owner})


class Hints:
    """Hints that others than `owner` give, heard on a connection of its own."""

    def __init__(self, engine: Engine, owner: str) -> None:
        self._engine, self._owner = engine, owner
        self._connection: Connection | None = None

    @property
    def is_open(self) -> bool:
        """Whether anything can be heard."""
        return self._connection is not None

    def open(self) -> int:
        """Listen from now on; the descriptor that becomes readable with a hint. DBAPIError if the database is away."""
        self.close()
        self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        self._connection.execute(text(f"LISTEN {_CHANNEL}"))
        descriptor: int = self._driver().socket
        return descriptor

    def heard(self) -> bool:
        """Whether anybody gave a hint since it was asked last; waits for none. Lost if the connection is gone."""
        driver, heard = self._driver(), False
        try:
            driver.consume_input()
            while (hint := driver.notifies()) is not None:
                heard |= hint.extra.decode("utf-8") != self._owner
        except self._engine.dialect.loaded_dbapi.Error as gone:
            raise Lost(str(gone)) from None
        return heard

    def close(self) -> None:
        """Listen no longer."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(DBAPIError):
                # It goes back into no pool: there it would go on listening.
                connection.invalidate()
                connection.close()

    def _driver(self) -> Any:
        if self._connection is None:
            raise Lost("nobody listens")
        return self._connection.connection.driver_connection.pgconn  # type: ignore[union-attr]
