"""Pass statements to the driver of the database, compiled once.

SQLAlchemy looks up how a statement was compiled, sorts its values out and turns each into what the driver wants,
every time anew; for a row of a few columns that takes longer than writing it. Here all of it is done once for a
statement and the names of its values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import ClauseElement, Connection, CursorResult, Delete, Dialect, Insert, Table, Update
from sqlalchemy.sql import visitors
from sqlalchemy.sql.selectable import SelectBase
from sqlmodel import Session

from pbem.store.session_cache import write_pending

_STATEMENTS = 256
"""Compiled statements that are cached; the least recently used one is compiled anew. A choice: some dozens are used."""


class _CompiledStatement(NamedTuple):
    """A statement compiled for its driver.

    `order` are the names of its values in their order, None where the driver takes them by name; `fixed` are values
    in the statement itself, and defaults of columns. `turned` has functions, by name, that convert a value for the
    driver; `read` has functions, by index of the column, that convert a value from the driver.
    """

    text: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]
    turned: tuple[tuple[str, Callable[[Any], Any]], ...]
    read: tuple[tuple[int, Callable[[Any], Any]], ...]

    def run(self, connection: Connection, *rows: Mapping[str, object]) -> CursorResult[Any]:
        """Execute the statement on a connection with these values, once for each row."""
        bound = [self._bind(values) for values in rows]
        return connection.exec_driver_sql(self.text, bound if len(bound) > 1 else bound[0])

    def _bind(self, values: Mapping[str, object]) -> Any:
        parameters = {**self.fixed, **values}
        for name, convert in self.turned:
            parameters[name] = convert(parameters[name])
        return parameters if self.order is None else tuple([parameters[key] for key in self.order])


def execute(
    connection: Connection, statement: Insert | Update | Delete, values: Mapping[str, object]
) -> CursorResult[Any]:
    """Execute a statement with exactly one parameter for each of these values.

    The statement must be a lasting object: its compiled form is cached by its identity. A column's default
    must be a plain value.
    """
    return _compile(statement, connection.dialect, tuple(values)).run(connection, values)


def select_rows(connection: Connection, statement: SelectBase, values: Mapping[str, object]) -> list[tuple[Any, ...]]:
    """Execute a SELECT of plain columns as `execute` does, and return its rows."""
    compiled = _compile(statement, connection.dialect, tuple(values))
    result_rows: list[tuple[Any, ...]] = [tuple(row) for row in compiled.run(connection, values)]
    for index, convert in compiled.read:
        result_rows = [(*row[:index], convert(row[index]), *row[index + 1 :]) for row in result_rows]
    return result_rows


def read_rows(session: Session, statement: SelectBase, /, **values: object) -> list[tuple[Any, ...]]:
    """Execute a lasting SELECT of plain columns in the session; return its rows."""
    return select_rows(_connection_for(session, statement), statement, values)


def write_rows(session: Session, statement: Insert | Update | Delete, *rows: Mapping[str, object]) -> CursorResult[Any]:
    """Execute a lasting statement in the session, once for each row of values."""
    target = _connection_for(session, statement)
    return _compile(statement, target.dialect, tuple(rows[0])).run(target, *rows)


def inserted_key(result: CursorResult[Any]) -> int:
    """Return the primary key of an inserted row."""
    return int(result.scalar_one() if result.returns_rows else result.lastrowid)


@lru_cache(maxsize=_STATEMENTS)
def _compile(
    statement: Insert | Update | Delete | SelectBase, dialect: Dialect, names: tuple[str, ...]
) -> _CompiledStatement:
    compiled = statement.compile(dialect=dialect, column_keys=list(names))
    fixed = {name: bind.value for name, bind in compiled.binds.items() if name not in names and not bind.required}
    fixed |= {column.key: column.default.arg for column in compiled.insert_prefetch or ()}  # type: ignore[union-attr]
    processors = (
        (name, bind.type.dialect_impl(dialect).bind_processor(dialect)) for name, bind in compiled.binds.items()
    )
    turned = tuple((name, convert) for name, convert in processors if convert is not None)
    order = tuple(compiled.positiontup or ()) if compiled.positional else None
    columns = statement.selected_columns if isinstance(statement, SelectBase) else ()
    result_processors = (
        (index, column.type.dialect_impl(dialect).result_processor(dialect, None))
        for index, column in enumerate(columns)
    )
    return _CompiledStatement(
        str(compiled),
        order,
        fixed,
        turned,
        tuple((index, convert) for index, convert in result_processors if convert is not None),
    )


def _connection_for(session: Session, statement: ClauseElement) -> Connection:
    """Return the session's connection, after writing what a statement may meet."""
    write_pending(session, *_tables_of(statement))
    return connection_of(session)


def connection_of(session: Session) -> Connection:
    if session.in_nested_transaction():
        # Only a request to the session begins the savepoint: without it a rollback to it would be impossible.
        return session.connection()
    cached: Connection | None = session.info.get(connection_of)
    if cached is None or cached.closed:
        cached = session.info[connection_of] = session.connection()
    return cached


@lru_cache(maxsize=_STATEMENTS)
def _tables_of(statement: ClauseElement) -> tuple[Table, ...]:
    return tuple({part for part in visitors.iterate(statement) if isinstance(part, Table)})
