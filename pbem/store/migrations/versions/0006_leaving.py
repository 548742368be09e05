"""Games that their players end, seats that change hands."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString
    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("word", text(), nullable=False),
        sa.CheckConstraint("word IN ('draw', 'concede')", name=op.f("ck_proposal_word")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_proposal_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_proposal_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
        sa.UniqueConstraint("phase_id", "seat_id", "word", name=op.f("uq_proposal_phase_id_seat_id_word")),
    )
    op.create_table(
        "standby",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("game_id", text(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_standby_game_id_game")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_standby_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_standby")),
        sa.UniqueConstraint("person_id", "game_id", name=op.f("uq_standby_person_id_game_id")),
    )
    op.create_index(op.f("ix_standby_game_id"), "standby", ["game_id"])


def downgrade() -> None:
    for table in ("standby", "proposal"):
        op.drop_table(table)
