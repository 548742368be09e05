"""Seats that a bot holds, and its orders, which no letter brought."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("bot", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=""))
    with op.batch_alter_table("order_set", schema=None) as table:
        table.alter_column("inbox_id", existing_type=sa.Integer(), nullable=True)
        table.drop_constraint(op.f("ck_order_set_origin"), type_="check")
        table.create_check_constraint(op.f("ck_order_set_origin"), "origin IN ('letter', 'later', 'repeated', 'bot')")


def downgrade() -> None:
    op.drop_column("seat", "bot")
    with op.batch_alter_table("order_set", schema=None) as table:
        table.alter_column("inbox_id", existing_type=sa.Integer(), nullable=False)
        table.drop_constraint(op.f("ck_order_set_origin"), type_="check")
        table.create_check_constraint(op.f("ck_order_set_origin"), "origin IN ('letter', 'later', 'repeated')")
