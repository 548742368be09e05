"""Terms agreed on: wishes, deadlines put off, absences, and what a seat's clock says."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.add_column(sa.Column("terms", text(), nullable=False, server_default="{}"))
        batch_op.add_column(sa.Column("result", text(), nullable=False, server_default=""))
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.add_column(sa.Column("missed", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("spent", sa.Integer(), nullable=False, server_default="0"))
    op.create_table(
        "wish",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("word", text(), nullable=False),
        sa.CheckConstraint("word IN ('wait', 'go')", name=op.f("ck_wish_word")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_wish_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_wish_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wish")),
        sa.UniqueConstraint("phase_id", "seat_id", name=op.f("uq_wish_phase_id_seat_id")),
    )
    op.create_table(
        "delay",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("cause", text(), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_delay_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_delay_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delay")),
    )
    op.create_index(op.f("ix_delay_phase_id"), "delay", ["phase_id"])
    op.create_index(op.f("ix_delay_seat_id"), "delay", ["seat_id"])
    op.create_table(
        "absence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("first", text(), nullable=False),
        sa.Column("last", text(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_absence_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_absence")),
    )
    op.create_index(op.f("ix_absence_seat_id"), "absence", ["seat_id"])


def downgrade() -> None:
    for table in ("absence", "delay", "wish"):
        op.drop_table(table)
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.drop_column("spent")
        batch_op.drop_column("missed")
    with op.batch_alter_table("game", schema=None) as batch_op:
        batch_op.drop_column("result")
        batch_op.drop_column("terms")
