"""Rows made without ceremony are the rows that they would be otherwise."""

from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import inspect

from pbem.store import hot_statements, tables

NOON = datetime(2030, 1, 7, 12, tzinfo=UTC)
SAID: dict[str, Any] = {
    "phase_id": 1,
    "seat_id": 2,
    "revision": 3,
    "text": "MOVE\n",
    "inbox_id": 4,
    "received": NOON,
    "mark": "m",
}


def test_a_new_row_is_that_of_the_class():
    row, same = hot_statements.new_row(tables.QueuedOrders, **SAID), tables.QueuedOrders(**SAID)
    assert row.model_dump() == same.model_dump()
    assert (row.state, row.origin, row.waits, row.id) == ("queued", "letter", False, None)
    assert inspect(row).transient
    row.id, row.state = 7, "replaced"
    assert (row.id, row.state, same.state) == (7, "replaced", "queued")
    assert hot_statements.new_row(tables.QueuedOrders, **SAID).state == "queued"


def test_a_value_that_has_to_be_there():
    with pytest.raises(LookupError, match="QueuedOrders has no text"):
        hot_statements.new_row(tables.QueuedOrders, **{name: value for name, value in SAID.items() if name != "text"})
