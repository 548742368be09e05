"""Migrations, shipped with the package: `upgrade(engine)` brings a database, empty or old, to the tables of today."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text
from sqlalchemy.exc import IntegrityError

from pbem.lazy import lazily

with lazily():
    from pbem.store.migrations import runner

_MIGRATING = 0x7062656D + 2
"""The number of the advisory lock of whoever migrates a database of PostgreSQL."""


class Newer(Exception):
    """The tables are of a later version than this program knows."""

    def __init__(self, found: str, known: str) -> None:
        super().__init__(f"its tables are of version {found}, and this program knows them up to {known}")


def upgrade(engine: Engine, revision: str = "head") -> None:
    """Run the migrations that the database lacks, all in one transaction; IntegrityError if a reference is broken.

    Newer if a later version of this program has been at it: it is left alone.

    A database of today is left alone at once: every command begins here, and Alembic reads all scripts to see that
    there is none to run. SQLite changes a constraint by making the table anew, which references to it would forbid:
    they are held against the tables once all is done.
    """
    if refuse_newer(engine) == newest() and revision == "head":
        return
    with engine.connect() as connection:
        sqlite = connection.dialect.name == "sqlite"
        if sqlite:
            _references(connection, "OFF")
        try:
            with connection.begin():
                if not sqlite:
                    # One process migrates; another that came at the same time finds nothing left to do.
                    connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": _MIGRATING})
                runner.run(connection, revision)
                if sqlite and (lost := connection.exec_driver_sql("PRAGMA foreign_key_check").all()):
                    raise IntegrityError("foreign_key_check", None, ValueError(f"rows of no parent: {lost[:3]}"))
        finally:
            if sqlite:
                _references(connection, "ON")


def _references(connection: Connection, switch: str) -> None:
    """Hold references against the tables with every statement, or not; only outside of a transaction."""
    driver = connection.connection.driver_connection
    if driver is not None:
        driver.execute(f"PRAGMA foreign_keys = {switch}")


def refuse_newer(engine: Engine) -> str | None:
    """Return the version of the tables, None if there are none.

    Newer if a later version of this program has been at the database, be it while this one works on it.
    """
    found, known = versions(engine)
    if found is not None and found > known:
        raise Newer(found, known)
    return found


def versions(engine: Engine) -> tuple[str | None, str]:
    """The version of a database's tables, None if it has none, and that of this program; nothing is changed."""
    with engine.connect() as connection:
        found = None
        if inspect(connection).has_table("alembic_version"):
            found = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found, newest()


@cache
def newest() -> str:
    """The version of this program's tables: the number that the name of the last script begins with."""
    return max(path.name[:4] for path in Path(__file__).with_name("versions").glob("[0-9]*.py"))
