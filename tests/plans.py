"""How SQLite would find the rows of the statements that a block runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from typing import Any

from sqlalchemy import Engine, event

from pbem.store import tables
from pbem.store.engine import read_only_engine

SMALL = frozenset({"poll", "lease", "alembic_version", "edition", "moderator", "observer", "standby", "listed"})
"""Tables that stay small, or are the values of the statement itself."""
SOME = frozenset(
    str(index.name)
    for table in tables.metadata().tables.values()
    for index in table.indexes
    if index.dialect_options["sqlite"]["where"] is not None
)
"""Indexes over those rows alone that are asked for: reading all of one is no more than what is wanted."""
_USING = re.compile(r" INDEX (\w+)")
_SCAN = re.compile(r"^SCAN (\w+)")
_NEVER = re.compile(r"^\s*(PRAGMA|BEGIN|SAVEPOINT|RELEASE|ROLLBACK|EXPLAIN|INSERT INTO (\w+) \([^)]*\) VALUES)")


@contextmanager
def listening(engine: Engine, **listeners: Any) -> Iterator[None]:
    """Tell functions of the events of their names while the block runs: of an engine, and of that which only reads."""
    engines = (engine, read_only_engine(engine))
    for target, (name, whom) in product(engines, listeners.items()):
        event.listen(target, name, whom)
    try:
        yield
    finally:
        for target, (name, whom) in product(engines, listeners.items()):
            event.remove(target, name, whom)


@contextmanager
def scans(engine: Engine) -> Iterator[list[str]]:
    """The statements of the block that read a table from one end to the other, each with what SQLite says of it.

    One that asks for the first rows of an index, and of which each row is one, is none of these.
    """
    asked: dict[str, Any] = {}
    steps: list[str] = []

    def note(connection: Any, cursor: Any, statement: str, values: Any, context: Any, many: bool) -> None:
        if not _NEVER.match(statement):
            asked.setdefault(
                statement, values[0] if many and values and isinstance(values[0], tuple | dict) else values
            )

    try:
        with listening(engine, before_cursor_execute=note):
            yield steps
    finally:
        with engine.connect() as connection:
            driver: Any = connection.connection.driver_connection
            for statement, values in asked.items():
                plan = [row[3] for row in driver.execute(f"EXPLAIN QUERY PLAN {statement}", values or ())]
                steps += [f"{step}: {statement}" for step in plan if _reads_all(step, plan, statement)]


def _reads_all(step: str, plan: list[str], statement: str) -> bool:
    scanned = _SCAN.match(step)
    if scanned is None or scanned[1] in SMALL or re.match(r"SCAN (\d+ )?CONSTANT", step):
        return False
    using = _USING.search(step)
    if using is not None and using[1] in SOME:
        return False
    first_of_all = "LIMIT" in statement and "WHERE" not in statement
    return not first_of_all or any("TEMP B-TREE" in other for other in plan)
