"""Statements that are always the same, handed to the driver as it takes them.

SQLAlchemy looks up how a statement was compiled, sorts its values out and turns each into what the driver wants, every
time anew; for a row of a few columns that takes longer than writing it. Here all of it is done once for a statement
and the names of its values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, CursorResult, Delete, Dialect, Insert, Update
from sqlalchemy.sql.selectable import SelectBase

_STATEMENTS = 256


class _Driven(NamedTuple):
    """A statement as its driver takes it.

    `order` are the names of its values in their order, None where the driver takes them by name; `fixed` are values
    that the statement itself has, and defaults of columns. `turned` are functions, by name, that convert a value
    for the driver; `read` are functions, by place of the column, that convert a value which the driver returns.
    """

    text: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]
    turned: tuple[tuple[str, Callable[[Any], Any]], ...]
    read: tuple[tuple[int, Callable[[Any], Any]], ...]

    def run(self, connection: Connection, values: Mapping[str, Any]) -> CursorResult[Any]:
        """Execute the statement on a connection with these values."""
        told = {**self.fixed, **values}
        for name, turn in self.turned:
            told[name] = turn(told[name])
        return connection.exec_driver_sql(
            self.text, told if self.order is None else tuple([told[n] for n in self.order])
        )


def execute(
    connection: Connection, statement: Insert | Update | Delete, values: Mapping[str, Any]
) -> CursorResult[Any]:
    """Execute a statement that has a parameter for each of these values, and no others.

    The statement is to be one that is kept: what is made of it is remembered by its identity. A column's default must
    be a plain value.
    """
    return _driven(statement, connection.dialect, tuple(values)).run(connection, values)


def rows(connection: Connection, statement: SelectBase, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Execute a SELECT of plain columns as `execute` does, and return its rows."""
    driven = _driven(statement, connection.dialect, tuple(values))
    found: list[tuple[Any, ...]] = [tuple(row) for row in driven.run(connection, values)]
    for at, read in driven.read:
        found = [(*row[:at], read(row[at]), *row[at + 1 :]) for row in found]
    return found


def key_of(done: CursorResult[Any]) -> int:
    """The number that an inserted row has got."""
    return int(done.scalar_one() if done.returns_rows else done.lastrowid)


@lru_cache(maxsize=_STATEMENTS)
def _driven(statement: Insert | Update | Delete | SelectBase, dialect: Dialect, names: tuple[str, ...]) -> _Driven:
    compiled = statement.compile(dialect=dialect, column_keys=list(names))
    fixed = {name: bind.value for name, bind in compiled.binds.items() if name not in names and not bind.required}
    fixed |= {one.key: one.default.arg for one in compiled.insert_prefetch or ()}  # type: ignore[union-attr]
    turns = ((name, bind.type.dialect_impl(dialect).bind_processor(dialect)) for name, bind in compiled.binds.items())
    turned = tuple((name, turn) for name, turn in turns if turn is not None)
    order = tuple(compiled.positiontup or ()) if compiled.positional else None
    columns = statement.selected_columns if isinstance(statement, SelectBase) else ()
    reads = ((at, one.type.dialect_impl(dialect).result_processor(dialect, None)) for at, one in enumerate(columns))
    return _Driven(str(compiled), order, fixed, turned, tuple((at, read) for at, read in reads if read is not None))
