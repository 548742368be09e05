"""The log and its witnesses."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT


def tables() -> None:
    """Make them."""
    op.create_table(
        "checkpoint",
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.LargeBinary(), nullable=False),
        sa.Column("signed", MOMENT(), nullable=False),
        sa.Column("kept", sa.Boolean(), server_default="0", nullable=False),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_checkpoint")),
    )
    op.create_table(
        "leaf",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", TEXT(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", TEXT(), nullable=False),
        sa.Column("phase", TEXT(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("says", sa.LargeBinary(), server_default=sa.text("''"), nullable=False),
        sa.Column("opens", TEXT(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column("written", MOMENT(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leaf")),
        sa.UniqueConstraint("game", "seq", name=op.f("uq_leaf_game_seq")),
        sa.UniqueConstraint("number", name=op.f("uq_leaf_number")),
    )
    op.create_index("ix_leaf_game_phase_seq", "leaf", ["game", "phase", "seq"], unique=False)
    op.create_table(
        "lease",
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("owner", TEXT(), nullable=False),
        sa.Column("until", MOMENT(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_lease")),
    )
    op.create_table(
        "node",
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("level", "place", name=op.f("pk_node")),
    )
    op.create_table(
        "web_cosignature",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", TEXT(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("by", TEXT(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("came", MOMENT(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_web_cosignature")),
        sa.UniqueConstraint("key", "size", name=op.f("uq_web_cosignature_key_size")),
    )
    op.create_index(op.f("ix_web_cosignature_at"), "web_cosignature", ["at"], unique=False)
    op.create_table(
        "shown",
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_shown_seat_id_seat")),
        sa.PrimaryKeyConstraint("seat_id", name=op.f("pk_shown")),
    )
    op.create_table(
        "witness",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("email", TEXT(), nullable=False),
        sa.Column("language", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("key", TEXT(), nullable=False),
        sa.Column("base", sa.BigInteger(), nullable=False),
        sa.Column("unanswered", sa.Integer(), nullable=False),
        sa.Column("gaps", sa.Integer(), nullable=False),
        sa.Column("asked", MOMENT(), nullable=False),
        sa.CheckConstraint("state IN ('asked', 'sworn', 'off')", name=op.f("ck_witness_state")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_witness_game_id_game")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_witness_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_witness")),
    )
    op.create_index(op.f("ix_witness_email"), "witness", ["email"], unique=False)
    op.create_index(op.f("ix_witness_game_id"), "witness", ["game_id"], unique=False)
    op.create_index(op.f("ix_witness_state"), "witness", ["state"], unique=False)
    op.create_table(
        "cosignature",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("witness_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("by", TEXT(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("came", MOMENT(), nullable=False),
        sa.ForeignKeyConstraint(["witness_id"], ["witness.id"], name=op.f("fk_cosignature_witness_id_witness")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cosignature")),
        sa.UniqueConstraint("witness_id", "size", name=op.f("uq_cosignature_witness_id_size")),
    )
    op.create_table(
        "statement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("witness_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("said", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("came", MOMENT(), nullable=False),
        sa.ForeignKeyConstraint(["witness_id"], ["witness.id"], name=op.f("fk_statement_witness_id_witness")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_statement")),
    )
    op.create_index(op.f("ix_statement_witness_id"), "statement", ["witness_id"], unique=False)
