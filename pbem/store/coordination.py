"""Coordinate processes at one database by a lock and by wake-ups.

A process that needs a database for itself, the one daemon or an exclusive command, holds a lock; a second one is
refused. On PostgreSQL it is an advisory lock of a connection; with SQLite it is a file beside the database that the
process locks (flock). Both are released when the process ends, also by a crash, so that nothing has to be cleared
away; no clock is used. Commands that only look or write a row need no lock. On PostgreSQL workers may serve beside
the daemon. They share a second lock with it, which an exclusive command has alone.

A wake-up (NOTIFY, only on PostgreSQL) tells listeners to look for work at once. Nothing depends on it: the work is
in the tables, every process looks there after a while, and a lost or extra wake-up changes only the time.
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
"""The role of the lock's holder: exclusive, the mailbox poller, or one of its workers."""

_NUMBER = 0x7062656D
"""The number of the advisory lock: the letters pbem in ASCII. Each database of a cluster has its own locks."""
_SHARED = _NUMBER + 1
"""The number of the lock that daemon and workers share."""
_WANTED: dict[Part, tuple[tuple[str, int], ...]] = {
    "alone": (("pg_try_advisory_lock", _NUMBER), ("pg_try_advisory_lock", _SHARED)),
    "daemon": (("pg_try_advisory_lock", _NUMBER), ("pg_try_advisory_lock_shared", _SHARED)),
    "worker": (("pg_try_advisory_lock_shared", _SHARED),),
}


class LockTaken(Exception):
    """Another process holds the lock; the text names it, if known."""


class DatabaseLock:
    """The lock of one database; `owner` tells others the holder and the time."""

    def __init__(self, engine: Engine, owner: str, part: Part = "alone") -> None:
        self._engine = engine
        self._owner = owner
        self._part: Part = part
        self._connection: Connection | None = None
        self._file: int | None = None

    def take(self) -> None:
        """Take or confirm the lock; raise LockTaken, or DBAPIError without a database."""
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
        # A file is one database, under any of its names.
        path = Path(f"{os.path.realpath(name)}.lock")
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            if os.geteuid() == 0:
                # A command of root must not leave a file that the server cannot open.
                folder_stat = path.parent.stat()
                os.fchown(file, folder_stat.st_uid, folder_stat.st_gid)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # More than the line that a holder writes.
            holder = os.read(file, 200).decode("utf-8", "replace").strip()
            os.close(file)
            raise LockTaken(f"{holder or 'another process'} holds {path}") from None
        except OSError:
            # Any other error says nothing of another holder; only the file must not stay open.
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
                # The lock is lost with the connection: another process may have it now.
                self._hang_up()
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        # Readers of pg_stat_activity see the owner as well.
        connection.execute(text("SELECT set_config('application_name', :name, false)"), {"name": f"pbem {self._owner}"})
        for function, number in _WANTED[self._part]:
            if not connection.execute(text(f"SELECT {function}(:number)"), {"number": number}).scalar():
                holder = connection.execute(text(_HOLDER), {"number": number}).scalar()
                _release_locks(connection)
                connection.invalidate()
                connection.close()
                raise LockTaken(f"{holder or 'another process'} holds the lock of the database")
        self._connection = connection

    def _hang_up(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(SQLAlchemyError):
                _release_locks(connection)
            with suppress(DBAPIError):
                # Not back into the pool: there it would keep its name.
                connection.invalidate()
                connection.close()


def _release_locks(connection: Connection) -> None:
    """Release a connection's locks at once.

    Otherwise the server would keep them until it notices the end of the connection.
    """
    connection.execute(text("SELECT pg_advisory_unlock_all()"))


_HOLDER = """
SELECT a.application_name || ' (since ' || to_char(a.backend_start AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC)'
FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
JOIN pg_database d ON d.oid = l.database
WHERE l.locktype = 'advisory' AND l.granted AND d.datname = current_database() AND l.objid = :number
ORDER BY a.backend_start LIMIT 1
"""


_CHANNEL = "pbem"


class WakeUpsLost(Exception):
    """The connection for wake-ups is gone."""


def wake_others(engine: Engine, owner: str) -> None:
    """Notify all listeners except `owner` that there is work; do nothing on SQLite."""
    if engine.dialect.name == "sqlite":
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("SELECT pg_notify(:channel, :owner)"), {"channel": _CHANNEL, "owner": owner})


class WakeUps:
    """Wake-ups by other owners, received on a connection of its own."""

    def __init__(self, engine: Engine, owner: str) -> None:
        self._engine, self._owner = engine, owner
        self._connection: Connection | None = None

    @property
    def is_open(self) -> bool:
        """Return whether it is listening."""
        return self._connection is not None

    def open(self) -> int:
        """Listen from now on; return a descriptor that a wake-up makes readable.

        Raise DBAPIError if the database is away.
        """
        self.close()
        self._connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        self._connection.execute(text(f"LISTEN {_CHANNEL}"))
        descriptor: int = self._driver().socket
        return descriptor

    def was_woken(self) -> bool:
        """Return whether a wake-up came since the last call, without waiting.

        Raises WakeUpsLost if the connection is gone."""
        driver, woken = self._driver(), False
        try:
            driver.consume_input()
            while (notice := driver.notifies()) is not None:
                woken |= notice.extra.decode("utf-8") != self._owner
        except self._engine.dialect.loaded_dbapi.Error as error:
            # The connection is used below SQLAlchemy, which therefore does not wrap the driver's error.
            raise WakeUpsLost(str(error)) from None
        return woken

    def close(self) -> None:
        """Stop listening."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(DBAPIError):
                # Not back into the pool: there it would go on listening.
                connection.invalidate()
                connection.close()

    def _driver(self) -> Any:
        if self._connection is None:
            raise WakeUpsLost("nobody listens")
        return self._connection.connection.driver_connection.pgconn  # type: ignore[union-attr]
