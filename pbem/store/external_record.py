"""A few bytes kept outside the database, and exchanged only by who knows them: in a file, or in a row elsewhere.

The file is for a server on one machine. Where processes on several machines share a database, another database that all
of them reach has the row; it is put back from no backup together with the first.
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
from pbem.store.durable import Unwritten
from pbem.store.engine import reader_of


class ExternalRecord(Protocol):
    """Bytes outside the database; `place` tells where they are."""

    place: str

    def read(self) -> bytes | None:
        """Return the bytes; None if there are none yet. OSError if they cannot be read."""
        ...

    def exchange(self, before: bytes | None, after: bytes) -> bool:
        """Put others in their place if they still are these, None: if there are none; whether they were."""
        ...

    def put(self, after: bytes) -> None:
        """Put others in their place, whatever they are."""
        ...

    def close(self) -> None:
        """Let go of what it holds."""
        ...


class FileRecord:
    """A file, replaced at once, and on the disk when that is said; written by root it stays its folder's owner's."""

    def __init__(self, path: Path) -> None:
        self.path, self.place = path, str(path)

    def read(self) -> bytes | None:
        """Return what the file has."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def exchange(self, before: bytes | None, after: bytes) -> bool:
        """Replace the file if it still is as it was."""
        with self._locked():
            same = self.read() == before
            if same:
                durable.put(self.path, after, self._give_back)
            return same

    def put(self, after: bytes) -> None:
        """Replace the file."""
        with self._locked():
            durable.put(self.path, after, self._give_back)

    def close(self) -> None:
        """It is open only while it is read or written."""

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the lock of the file; other processes wait to write it."""
        try:
            descriptor = os.open(f"{self.path}.lock", os.O_WRONLY | os.O_CREAT, 0o600)
        except OSError as wrong:
            raise Unwritten(wrong.errno, wrong.strerror, self.place) from wrong
        try:
            self._give_back(descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def _give_back(self, descriptor: int) -> None:
        """Leave a file to whom the folder belongs, if a command was run by root: the server has to read it."""
        if os.geteuid() == 0:
            folder = self.path.parent.stat()
            os.fchown(descriptor, folder.st_uid, folder.st_gid)


class Within(ValueError):
    """The other database is a server's own: who puts that one back puts back both."""


class RowRecord:
    """A row of another database, by its `name`; its table is made if it is missing."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine, self._name = engine, name
        self._is_there = False
        self.place = f"{name} in {engine.url.render_as_string(hide_password=True)}"

    def read(self) -> bytes | None:
        """Return what the row has."""
        if not self._look():
            return None
        with reader_of(self._engine).begin() as connection:
            return connection.execute(select(_ROWS.c.said).where(_ROWS.c.name == self._name)).scalar()

    def exchange(self, before: bytes | None, after: bytes) -> bool:
        """Write the row if it still is as it was: by one statement, carried out for one at a time."""
        self._make()
        same = update(_ROWS).where(_ROWS.c.name == self._name, _ROWS.c.said == before)
        with suppress(IntegrityError), self._engine.begin() as connection:
            if before is None:
                connection.execute(insert(_ROWS).values(name=self._name, said=after))
                return True
            return connection.execute(same.values(said=after)).rowcount == 1
        # It is there already.
        return False

    def put(self, after: bytes) -> None:
        """Write the row."""
        # Once more if somebody else has written it meanwhile.
        while not self.exchange(self.read(), after):
            pass

    def close(self) -> None:
        """Close its connections."""
        self._engine.dispose()

    def _look(self) -> bool:
        """Whether the table is there; Within if the database is one that it must not lie in."""
        if not self._is_there:
            tables = inspect(reader_of(self._engine))
            if tables.has_table("leaf"):
                raise Within(f"{self.place}: the log itself lies in that database")
            self._is_there = tables.has_table("beside")
        return self._is_there

    def _make(self) -> None:
        """Make the table if it is missing."""
        if not self._look():
            # Two who make it at once: one of them is refused, and finds it there.
            with suppress(IntegrityError, ProgrammingError), self._engine.begin() as connection:
                _ROWS.create(connection, checkfirst=True)


_ROWS = Table(
    "beside",
    MetaData(),
    Column("name", String(320), primary_key=True),
    Column("said", LargeBinary, nullable=False),
)
