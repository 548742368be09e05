"""Rulings of moderators, and appeals to them."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        "ruling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", moment(), nullable=False),
        sa.Column("phase", text(), nullable=False),
        sa.Column("line", text(), nullable=False),
        sa.Column("reason", text(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_ruling_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ruling")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_ruling_game_id_number")),
    )
    op.create_table(
        "appeal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("at", moment(), nullable=False),
        sa.Column("phase", text(), nullable=False),
        sa.Column("text", text(), nullable=False),
        sa.Column("answer", text(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_appeal_game_id_game")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_appeal_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appeal")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_appeal_game_id_number")),
    )


def downgrade() -> None:
    for table in ("appeal", "ruling"):
        op.drop_table(table)
