"""What is kept for a time to come: orders of later turns, lines that are repeated, news that wait for a digest."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString
    moment = sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        "later",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("text", text(), nullable=False),
        sa.Column("repeated", text(), nullable=True),
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.Column("dated", moment(), nullable=True),
        sa.Column("received", moment(), nullable=False),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_later_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_later_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_later")),
        sa.UniqueConstraint("seat_id", "turn", name=op.f("uq_later_seat_id_turn")),
    )
    op.create_table(
        "gathered",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("kind", text(), nullable=False),
        sa.Column("at", moment(), nullable=False),
        sa.Column("body", text(), nullable=False),
        sa.Column("letter", text(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_gathered_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gathered")),
    )
    op.create_index(op.f("ix_gathered_seat_id"), "gathered", ["seat_id"], unique=False)
    with op.batch_alter_table("order_set", schema=None) as batch_op:
        batch_op.add_column(sa.Column("origin", text(), nullable=False, server_default="letter"))
        batch_op.add_column(sa.Column("waits", sa.Boolean(), nullable=False, server_default=sa.false()))
        batch_op.add_column(sa.Column("repeated", text(), nullable=True))
        batch_op.create_check_constraint(op.f("ck_order_set_origin"), "origin IN ('letter', 'later', 'repeated')")
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.add_column(sa.Column("notify", text(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("repeats", text(), nullable=False, server_default=""))
        batch_op.add_column(sa.Column("repeats_from", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("reminded", sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.drop_column("reminded")
        batch_op.drop_column("repeats_from")
        batch_op.drop_column("repeats")
        batch_op.drop_column("notify")
    with op.batch_alter_table("order_set", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_order_set_origin"), type_="check")
        batch_op.drop_column("repeated")
        batch_op.drop_column("waits")
        batch_op.drop_column("origin")
    for table in ("gathered", "later"):
        op.drop_table(table)
