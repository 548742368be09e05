"""Writing statements that are always the same, handed to the driver as it takes them.

SQLAlchemy looks up how a statement was compiled, sorts its values out and turns each into what the driver wants, every
time anew; for a row of a few columns that takes longer than writing it. Here all of it is done once for a statement
and the names of its values.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, CursorResult, Delete, Dialect, Insert, Update

__all__ = ["execute", "key_of"]

_STATEMENTS = 256


class _Driven(NamedTuple):
    """A statement as its driver takes it.

    `order` are the names of its values in their order, None where the driver takes them by name; `fixed` are columns
    with a default, and `turned` what makes of a value what the driver wants.
    """

    text: str
    order: tuple[str, ...] | None
    fixed: Mapping[str, Any]
    turned: tuple[tuple[str, Callable[[Any], Any]], ...]


def execute(
    connection: Connection, statement: Insert | Update | Delete, values: Mapping[str, Any]
) -> CursorResult[Any]:
    """Execute a statement that has a parameter for each of these values, and no others.

    The statement is to be one that is kept: what is made of it is remembered by its identity. A column's default must
    be a plain value.
    """
    driven = _driven(statement, connection.dialect, tuple(values))
    told = {**driven.fixed, **values}
    for name, turn in driven.turned:
        told[name] = turn(told[name])
    return connection.exec_driver_sql(driven.text, told if driven.order is None else tuple(map(told.get, driven.order)))


def key_of(done: CursorResult[Any]) -> int:
    """The number that an inserted row has got."""
    return int(done.scalar_one() if done.returns_rows else done.lastrowid)


@lru_cache(maxsize=_STATEMENTS)
def _driven(statement: Insert | Update | Delete, dialect: Dialect, names: tuple[str, ...]) -> _Driven:
    compiled = statement.compile(dialect=dialect, column_keys=list(names))
    fixed = {column.key: column.default.arg for column in compiled.insert_prefetch or ()}  # type: ignore[union-attr]
    turns = ((name, bind.type.dialect_impl(dialect).bind_processor(dialect)) for name, bind in compiled.binds.items())
    turned = tuple((name, turn) for name, turn in turns if turn is not None)
    order = tuple(compiled.positiontup or ()) if compiled.positional else None
    return _Driven(str(compiled), order, fixed, turned)
