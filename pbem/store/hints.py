"""A hint on PostgreSQL that there is something to do (NOTIFY): who hears it looks at once.

Nothing hangs on it. What is to be done stands in the tables, everybody looks there by himself after a while, and a hint
that got lost, or one too many, changes nothing but when.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

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
