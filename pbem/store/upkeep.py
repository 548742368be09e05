"""Copy, check and replace the file of an SQLite database as a whole, even in use.

An open database is more than its file: its newest changes are in a file beside it (``-wal``) until they are moved
over. So SQLite itself makes the copy, and the side files of a replaced database must be removed: SQLite would read
them as the newest changes of the new one.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from pbem.store.engine import BUSY_SECONDS

SIDE_FILE_ENDINGS = ("-wal", "-shm", "-journal")
"""The endings of the files that SQLite keeps beside a database file."""


class UnusableDatabase(Exception):
    """A file is no database, or a damaged one; the message is SQLite's."""


def copy_database(source: Path, target: Path) -> None:
    """Copy a database as it is now into a new private file; writers go on meanwhile.

    The copy is checked and on the disk when this returns. Raise Unusable if the source is damaged, and OSError if
    the copy cannot be written; no part of it is then left.
    """
    part_path = target.with_name(f"{target.name}.part")
    os.close(os.open(part_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        try:
            with _open_to_read(source) as old, closing(sqlite3.connect(part_path)) as new:
                old.backup(new)
                # The copy is one file: no second file may be left behind.
                new.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as error:
            # A full or broken disk is where the copy is to go; any other fault is the source's.
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise OSError(0, str(error)) from None
            raise UnusableDatabase(str(error)) from None
        if (verdict := check_file(part_path)) != "ok":
            raise UnusableDatabase(verdict)
        _sync(part_path)
        part_path.replace(target)
        _sync(target.parent)
    finally:
        part_path.unlink(missing_ok=True)


def check_file(path: Path) -> str:
    """Return ``ok``, or a database's damage (PRAGMA quick_check); change nothing."""
    try:
        with _open_to_read(path) as connection:
            return str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.Error as error:
        # Of a file that SQLite cannot read at all, the error is the finding.
        return str(error)


def table_version(path: Path) -> str | None:
    """Return the version of the tables in a database of this program, or None."""
    try:
        with _open_to_read(path) as connection:
            row = connection.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error:
        # It is no database, or another program's.
        return None
    return str(row[0]) if row else None


def is_in_use(path: Path) -> bool:
    """Return whether another process has a database open; False for a damaged one."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as connection:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("ROLLBACK")
    except sqlite3.Error as error:
        # The lower byte is the kind of the error; the upper ones are its details.
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return False


def staged_path(path: Path) -> Path:
    """Return the path of the copy that is to replace a database.

    A file left there shows an unfinished replacement.
    """
    return path.with_name(f"{path.name}.restoring")


def replace_database(source: Path, path: Path, aside: Path) -> None:
    """Replace a database by a copy of another; move the old one `aside`.

    Nobody may have it open. Raise Unusable, and change nothing, if the source is damaged. After an interruption it
    can be called again; the staged copy shows that this is necessary.
    """
    copy_database(source, staged_path(path))
    _keep_owner(staged_path(path))
    for name in ("", *SIDE_FILE_ENDINGS):
        old_path = path.with_name(path.name + name)
        if old_path.exists():
            old_path.replace(aside.with_name(aside.name + name))
    staged_path(path).replace(path)
    _sync(path.parent)


@contextmanager
def _open_to_read(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database to read.

    On a read-only disk, where SQLite cannot make the files beside it, only the main file is read.
    """
    uri = f"file:{quote(str(path.absolute()))}?mode=ro"
    with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
        try:
            connection.execute("PRAGMA schema_version")
        except sqlite3.OperationalError as error:
            # Of all errors only these come of a disk that cannot be written.
            if error.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
        else:
            yield connection
            return
    with closing(sqlite3.connect(f"{uri}&immutable=1", uri=True)) as connection:
        yield connection


def _keep_owner(path: Path) -> None:
    """Give a file written by root to the folder's owner: the server has to write it."""
    if os.geteuid() == 0:
        folder = path.parent.stat()
        os.chown(path, folder.st_uid, folder.st_gid)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
