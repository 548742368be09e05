"""What letters in leave behind: the mark of a block, addresses seen, letters that came back."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "writer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("email", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("first", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_writer_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_writer")),
        sa.UniqueConstraint("seat_id", "email", name=op.f("uq_writer_seat_id_email")),
    )
    with op.batch_alter_table("order_set", schema=None) as batch_op:
        batch_op.add_column(sa.Column("mark", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=""))
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.add_column(sa.Column("bounced", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=""))
        batch_op.create_index(batch_op.f("ix_outbox_envelope_sender"), ["envelope_sender"], unique=False)
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.add_column(sa.Column("bounces", sa.Integer(), nullable=False, server_default="0"))
        batch_op.add_column(sa.Column("unreachable", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_inbox_seat_id_taken"), ["seat_id", "taken"], unique=False)
        batch_op.create_index(batch_op.f("ix_inbox_verdict_taken"), ["verdict", "taken"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_inbox_verdict_taken"))
        batch_op.drop_index(batch_op.f("ix_inbox_seat_id_taken"))
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.drop_column("unreachable")
        batch_op.drop_column("bounces")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_outbox_envelope_sender"))
        batch_op.drop_column("bounced")
    with op.batch_alter_table("order_set", schema=None) as batch_op:
        batch_op.drop_column("mark")
    op.drop_table("writer")
