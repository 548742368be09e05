"""Witnesses of games, and what they have cosigned."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        "witness",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", text(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("email", text(), nullable=False),
        sa.Column("language", text(), nullable=False),
        sa.Column("state", text(), nullable=False),
        sa.Column("key", text(), nullable=False),
        sa.Column("base", sa.BigInteger(), nullable=False),
        sa.Column("unanswered", sa.Integer(), nullable=False),
        sa.Column("gaps", sa.Integer(), nullable=False),
        sa.Column("asked", moment(), nullable=False),
        sa.CheckConstraint("state IN ('asked', 'sworn', 'off')", name=op.f("ck_witness_state")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_witness_game_id_game")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_witness_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_witness")),
    )
    for column in ("game_id", "email"):
        op.create_index(op.f(f"ix_witness_{column}"), "witness", [column], unique=False)
    op.create_table(
        "cosignature",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("witness_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("by", text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("came", moment(), nullable=False),
        sa.ForeignKeyConstraint(["witness_id"], ["witness.id"], name=op.f("fk_cosignature_witness_id_witness")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cosignature")),
        sa.UniqueConstraint("witness_id", "size", name=op.f("uq_cosignature_witness_id_size")),
    )


def downgrade() -> None:
    for table in ("cosignature", "witness"):
        op.drop_table(table)
