"""Questions by letter: the segments of a phase, and what was asked at the end of each."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_TEXT = sqlmodel.sql.sqltypes.AutoString


def upgrade() -> None:
    op.create_table(
        "segment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", _TEXT(), nullable=False),
        sa.Column("slate", _TEXT(), nullable=False),
        sa.Column("events", _TEXT(), nullable=False),
        sa.Column("opened", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("deadline", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.CheckConstraint("state IN ('asking', 'closed')", name=op.f("ck_segment_state")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_segment_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_segment")),
        sa.UniqueConstraint("phase_id", "number", name=op.f("uq_segment_phase_id_number")),
    )
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("segment_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("window", _TEXT(), nullable=False),
        sa.Column("text", _TEXT(), nullable=False),
        sa.Column("answer", _TEXT(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["segment_id"], ["segment.id"], name=op.f("fk_question_segment_id_segment")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_question_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.UniqueConstraint("segment_id", "seat_id", "number", name=op.f("uq_question_segment_id_seat_id_number")),
    )
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_question_seat_id"), ["seat_id"], unique=False)


def downgrade() -> None:
    with op.batch_alter_table("question", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_question_seat_id"))
    op.drop_table("question")
    op.drop_table("segment")
