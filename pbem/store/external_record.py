"""Store a few bytes outside the database, in a file or a row elsewhere.

Only a caller who knows the present bytes may exchange them. The file is for a server on one machine. If processes
on several machines share a database, the row is in another database that all of them reach, and that is not
restored from a backup together with the first.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from sqlalchemy import Column, Engine, LargeBinary, MetaData, String, Table, insert, inspect, select, update
from sqlalchemy.exc import IntegrityError, ProgrammingError

from pbem.store import durable
from pbem.store.durable import UnwritableFile
from pbem.store.engine import read_only_engine


class ExternalRecord(Protocol):
    """Bytes outside the database; `place` names where they are."""

    place: str

    def read(self) -> bytes | None:
        """Return the bytes; None if there are none yet. Raise OSError if unreadable."""
        ...

    def exchange(self, before: bytes | None, after: bytes) -> bool:
        """Replace bytes equal to `before` (None: no bytes yet).

        Return whether they were equal.
        """
        ...

    def put(self, after: bytes) -> None:
        """Replace the bytes, whatever they are."""
        ...

    def close(self) -> None:
        """Release its resources."""
        ...


class FileRecord:
    """A file that is replaced as a whole; if root writes it, its owner stays.

    The owner is that of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path, self.place = path, str(path)

    def read(self) -> bytes | None:
        """Return the content of the file."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def exchange(self, before: bytes | None, after: bytes) -> bool:
        """Replace the file if it is unchanged."""
        with self._hold_lock():
            is_same = self.read() == before
            if is_same:
                durable.replace_file(self.path, after, self._keep_owner)
            return is_same

    def put(self, after: bytes) -> None:
        """Replace the file."""
        with self._hold_lock():
            durable.replace_file(self.path, after, self._keep_owner)

    def close(self) -> None:
        """Do nothing: the file is open only while it is read or written."""

    @contextmanager
    def _hold_lock(self) -> Iterator[None]:
        """Hold the lock of the file; other processes wait to write it."""
        try:
            descriptor = os.open(f"{self.path}.lock", os.O_WRONLY | os.O_CREAT, 0o600)
        except OSError as error:
            # Callers try this error again later, as with a full disk.
            raise UnwritableFile(error.errno, error.strerror, self.place) from error
        try:
            self._keep_owner(descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _keep_owner(self, descriptor: int) -> None:
        """Give a file written by root to the folder's owner: the server reads it."""
        if os.geteuid() == 0:
            folder = self.path.parent.stat()
            os.fchown(descriptor, folder.st_uid, folder.st_gid)


class SameDatabase(ValueError):
    """The other database is the server's own, so that a restore would affect both."""


class RowRecord:
    """A row of another database, by its `name`; its table is made if it is missing."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine, self._name = engine, name
        self._is_there = False
        self.place = f"{name} in {engine.url.render_as_string(hide_password=True)}"

    def read(self) -> bytes | None:
        """Return the content of the row."""
        if not self._look():
            return None
        with read_only_engine(self._engine).begin() as connection:
            return connection.execute(select(_ROWS.c.said).where(_ROWS.c.name == self._name)).scalar()

    def exchange(self, before: bytes | None, after: bytes) -> bool:
        """Write the row if it is unchanged, by one atomic statement."""
        self._make()
        update_same = update(_ROWS).where(_ROWS.c.name == self._name, _ROWS.c.said == before)
        with suppress(IntegrityError), self._engine.begin() as connection:
            if before is None:
                connection.execute(insert(_ROWS).values(name=self._name, said=after))
                return True
            return connection.execute(update_same.values(said=after)).rowcount == 1
        # The row exists.
        return False

    def put(self, after: bytes) -> None:
        """Write the row."""
        # Again if another process has written it meanwhile.
        while not self.exchange(self.read(), after):
            pass

    def close(self) -> None:
        """Close its connections."""
        self._engine.dispose()

    def _look(self) -> bool:
        """Return whether the table exists; raise SameDatabase if the log is in it."""
        if not self._is_there:
            tables = inspect(read_only_engine(self._engine))
            if tables.has_table("leaf"):
                raise SameDatabase(f"{self.place}: the log itself lies in that database")
            self._is_there = tables.has_table("beside")
        return self._is_there

    def _make(self) -> None:
        """Make the table if it is missing."""
        if not self._look():
            # If two make it at once, one of them is refused, and then finds it.
            with suppress(IntegrityError, ProgrammingError), self._engine.begin() as connection:
                _ROWS.create(connection, checkfirst=True)


_ROWS = Table(
    "beside",
    MetaData(),
    # The name is an origin, the two parts of an address with a slash: 320 characters are the most (RFC 5321, 4.5.3.1).
    Column("name", String(320), primary_key=True),
    Column("said", LargeBinary, nullable=False),
)
