"""Phases whose letters are carried out one by one: what is awaited after each, and orders that are behind us."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString
    with op.batch_alter_table("segment", schema=None) as batch_op:
        batch_op.add_column(sa.Column("letter", text(), nullable=True))
        batch_op.add_column(sa.Column("position", text(), nullable=True))
    _words("order_set", "state", "queued", "replaced", "cancelled", "carried")
    _words("wish", "word", "wait", "go", "done")


def downgrade() -> None:
    _words("wish", "word", "wait", "go")
    _words("order_set", "state", "queued", "replaced", "cancelled")
    with op.batch_alter_table("segment", schema=None) as batch_op:
        batch_op.drop_column("position")
        batch_op.drop_column("letter")


def _words(table: str, column: str, *words: str) -> None:
    """Let a column hold these words and no others."""
    listed = ", ".join(f"'{word}'" for word in words)
    with op.batch_alter_table(table, schema=None) as batch_op:
        batch_op.drop_constraint(op.f(f"ck_{table}_{column}"), type_="check")
        batch_op.create_check_constraint(op.f(f"ck_{table}_{column}"), f"{column} IN ({listed})")
