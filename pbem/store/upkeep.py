"""The file of an SQLite database as a whole: copied while it is in use, looked over, put in the place of another.

An open database is more than its file: its newest changes are in one beside it (``-wal``) until they are moved over. A
copy is therefore made by SQLite itself, and a file that takes the place of another must not find what was beside that
one: it would be read as its own newest changes.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from pbem.store.engine import BUSY_SECONDS

BESIDE = ("-wal", "-shm", "-journal")
"""How the names of the files end that SQLite keeps beside a database."""


class Unusable(Exception):
    """A file is no database, or a damaged one; the message says what SQLite found."""


def copy(source: Path, target: Path) -> None:
    """Copy a database as it is at this moment into a new file of its owner's alone; whoever writes goes on meanwhile.

    The copy is looked over and on the disk when this returns. Unusable if the source is damaged; OSError if the copy
    cannot be written, and then there is none.
    """
    fresh = target.with_name(f"{target.name}.part")
    os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
    try:
        try:
            with _reading(source) as old, closing(sqlite3.connect(fresh)) as new:
                old.backup(new)
                # The copy is one file: nothing is to lie beside it that could be left behind.
                new.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.Error as wrong:
            if getattr(wrong, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise OSError(0, str(wrong)) from None
            raise Unusable(str(wrong)) from None
        if (found := look_over(fresh)) != "ok":
            raise Unusable(found)
        _sync(fresh)
        fresh.replace(target)
        _sync(target.parent)
    finally:
        fresh.unlink(missing_ok=True)


def look_over(path: Path) -> str:
    """``ok``, or what SQLite finds wrong with a database (PRAGMA quick_check); nothing is changed."""
    try:
        with _reading(path) as opened:
            return str(opened.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.Error as wrong:
        return str(wrong)


def version(path: Path) -> str | None:
    """The version of the tables in a database of ours; None if it has none."""
    try:
        with _reading(path) as opened:
            found = opened.execute("SELECT version_num FROM alembic_version").fetchone()
    except sqlite3.Error:
        return None
    return str(found[0]) if found else None


def in_use(path: Path) -> bool:
    """Whether another process has a database open; a damaged one is held by nobody as far as can be told."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path, timeout=1, isolation_level=None)) as opened:
            opened.execute("PRAGMA locking_mode = EXCLUSIVE")
            opened.execute("BEGIN EXCLUSIVE")
            opened.execute("ROLLBACK")
    except sqlite3.Error as wrong:
        return getattr(wrong, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return False


def staged(path: Path) -> Path:
    """Where the copy lies that is to take the place of a database; left there, that was begun and not ended."""
    return path.with_name(f"{path.name}.restoring")


def replace(source: Path, path: Path, aside: Path) -> None:
    """Put a copy of one database in the place of another, which nobody may have open; the other goes `aside`.

    Unusable, with nothing changed, if the source is damaged. Cut short anywhere it may be done again, and whoever finds
    the staged copy knows that it has to be.
    """
    copy(source, staged(path))
    _give_away(staged(path))
    for name in ("", *BESIDE):
        old = path.with_name(path.name + name)
        if old.exists():
            old.replace(aside.with_name(aside.name + name))
    staged(path).replace(path)
    _sync(path.parent)


@contextmanager
def _reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open to read. One that needs a file beside it and can have none, on a disk of no writing, is read as it lies."""
    where = f"file:{quote(str(path.absolute()))}?mode=ro"
    with closing(sqlite3.connect(where, uri=True, timeout=BUSY_SECONDS)) as opened:
        try:
            opened.execute("PRAGMA schema_version")
        except sqlite3.OperationalError as wrong:
            if wrong.sqlite_errorcode & 0xFF not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
        else:
            yield opened
            return
    with closing(sqlite3.connect(f"{where}&immutable=1", uri=True)) as opened:
        yield opened


def _give_away(path: Path) -> None:
    """Leave a file to whom the folder belongs, if a command was run by root: the server has to write it."""
    if os.geteuid() == 0:
        folder = path.parent.stat()
        os.chown(path, folder.st_uid, folder.st_gid)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
