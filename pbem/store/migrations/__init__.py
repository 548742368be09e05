"""Migrate a database, empty or old, to the tables of today: `upgrade(engine)`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import IntegrityError

from pbem.lazy import lazily

with lazily():
    from pbem.store.migrations import runner

_MIGRATING = 0x7062656D + 2
"""The number of the advisory lock for migrations of a PostgreSQL database: the next after those of `coordination`."""


class NewerDatabase(Exception):
    """The tables are of a newer version than this program knows."""

    def __init__(self, revision: str, known: str) -> None:
        super().__init__(f"its tables are of version {revision}, and this program knows them up to {known}")


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Run the migrations that the database lacks, in one transaction.

    Raise IntegrityError if a reference is broken, and NewerDatabase, without any change, if a later version of this
    program has migrated it.

    For a database of today nothing is loaded: every command begins here, and Alembic reads all scripts to see
    that there is none to run. SQLite changes a constraint by making the table anew, which references to it
    would forbid: they are checked once all is done.
    """
    if refuse_newer(engine) == newest_version() and revision == "head":
        return
    with engine.connect() as connection:
        sqlite = connection.dialect.name == "sqlite"
        if sqlite:
            _switch_references(connection, "OFF")
        try:
            with connection.begin():
                if not sqlite:
                    # One process migrates; a second one at the same time finds nothing left to do.
                    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATING})
                runner.run_migrations(connection, revision)
                if sqlite and (orphans := connection.exec_driver_sql("PRAGMA foreign_key_check").all()):
                    # Three show which table it is.
                    raise IntegrityError("foreign_key_check", None, ValueError(f"rows of no parent: {orphans[:3]}"))
        finally:
            if sqlite:
                _switch_references(connection, "ON")


def _switch_references(connection: Connection, switch: str) -> None:
    """Switch the check of references by each statement; only outside a transaction."""
    driver = connection.connection.driver_connection
    if driver is not None:
        driver.execute(f"PRAGMA foreign_keys = {switch}")


def refuse_newer(engine: Engine) -> str | None:
    """Return the version of the tables, None if there are none.

    Raise NewerDatabase if a later version of this program has migrated the database, even while this one works
    on it.
    """
    version, known = versions(engine)
    if version is not None and version > known:
        raise NewerDatabase(version, known)
    return version


def versions(engine: Engine) -> tuple[str | None, str]:
    """Return the versions of a database's tables, None without, and of this program."""
    with engine.connect() as connection:
        version = None
        if inspect(connection).has_table("alembic_version"):
            version = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return version, newest_version()


@cache
def newest_version() -> str:
    """Return the version of this program's tables: the number of the last script."""
    # Scripts are numbered by four digits, so that the greatest text is the greatest number.
    return max(path.name[:4] for path in Path(__file__).with_name("versions").glob("[0-9]*.py"))
