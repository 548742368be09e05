"""Indexes for questions that went through all letters, phases or games ever."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_INDEXES = (
    ("outbox", ("seat_id", "kind", "id"), ""),
    ("outbox", ("game_id", "created"), ""),
    ("outbox", ("created",), ""),
    ("outbox", ("recipient",), ""),
    ("inbox", ("copy_of",), ""),
    ("inbox", ("taken",), ""),
    ("inbox", ("sha256",), ""),
    ("order_set", ("inbox_id",), ""),
    ("game", ("state",), ""),
    ("game", ("asked_by",), ""),
    ("draft", ("asked",), ""),
    ("web_cosignature", ("at",), ""),
    ("witness", ("state",), ""),
    ("phase", ("game_id",), "state IN ('open', 'closed')"),
    ("attempt", ("id",), "code BETWEEN 200 AND 299"),
)
_NAMES: dict[tuple[str, tuple[str, ...]], str] = {
    ("phase", ("game_id",)): "ix_phase_going_on",
    ("attempt", ("id",)): "ix_attempt_taken",
}


def _name(table: str, columns: tuple[str, ...]) -> str:
    return _NAMES.get((table, columns), f"ix_{table}_{'_'.join(columns)}")


def upgrade() -> None:
    for table, columns, where in _INDEXES:
        some: dict[str, Any] = {"sqlite_where": sa.text(where), "postgresql_where": sa.text(where)} if where else {}
        op.create_index(_name(table, columns), table, list(columns), **some)


def downgrade() -> None:
    for table, columns, _ in reversed(_INDEXES):
        op.drop_index(_name(table, columns), table_name=table)
