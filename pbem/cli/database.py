"""The database of a server that cannot be used: what it is, and the way out."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from pbem.cli.exit_codes import Stop
from pbem.store import upkeep
from pbem.store.engine import file_of

if TYPE_CHECKING:
    from sqlalchemy.exc import DBAPIError

    from pbem.cli.settings import Settings

NEWER = "run the newer program again, or put back the backup of before with `pbem restore FILE`"
"""What is to be done about tables that a newer program has made."""


ROOM = 1_000_000
"""Octets without which no command can work."""


def private() -> None:
    """Whatever this process makes from now on is its owner's alone: database, folders, backups hold all secrets."""
    os.umask(0o077)


def is_there(path: Path) -> bool:
    """Whether something is there as far as this user can see; behind a closed door there is nothing."""
    try:
        return path.exists()
    except OSError:
        return False


def check_whole(read: Settings) -> None:
    """Look a database in a file over before it is served; Stop says what is wrong with it, and what to do."""
    path = file_of(read.database.url)
    refuse_unfinished(read)
    if path is not None and is_there(path) and path.stat().st_size and (found := upkeep.look_over(path)) != "ok":
        raise Stop(damaged(read, found))


def refuse_unfinished(read: Settings) -> None:
    """Stop if a database was being put back and is not yet."""
    path = file_of(read.database.url)
    if path is not None and is_there(upkeep.staged(path)):
        raise Stop(f"a `pbem restore` was begun here and not ended ({upkeep.staged(path)} is there): run it again")


def unusable(wrong: DBAPIError, read: Settings) -> Stop:
    """What the database refused, in words, and the way out."""
    path = file_of(read.database.url)
    code = getattr(wrong.orig, "sqlite_errorcode", 0) & 0xFF
    whose = "it, the folder it lies in and the files beside it are to belong to the server's user"
    if code == sqlite3.SQLITE_FULL or (code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN) and _full(path)):
        return Stop(f"the disk is full: nothing was done and nothing is lost. Make room for {path}, and do it again")
    if code == sqlite3.SQLITE_READONLY:
        return Stop(f"{path} cannot be written to: {whose}")
    if code == sqlite3.SQLITE_CANTOPEN:
        return Stop(f"{path} cannot be opened: {whose}")
    if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
        return Stop(damaged(read, str(wrong.orig)))
    return Stop(f"the database cannot be used: {wrong.orig}")


def _full(path: Path | None) -> bool:
    """Whether there is no room beside a database: SQLite says so of its file, and not of those beside it."""
    try:
        return path is not None and shutil.disk_usage(path.parent).free < ROOM
    except OSError:
        return False


def damaged(read: Settings, found: str) -> str:
    """What is said of a damaged database."""
    mend = "Keep it, and put the last backup in its place with `pbem restore FILE`; `pbem mail retake` gets back"
    return f"{file_of(read.database.url)} is damaged: {found}. {mend} the letters that came since"
