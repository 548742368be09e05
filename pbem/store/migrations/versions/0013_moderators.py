"""Moderators who write letters, and rulings that wait for their code."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        "moderator",
        sa.Column("game_id", text(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("language", text(), nullable=False),
        sa.Column("zone", text(), nullable=False),
        sa.Column("plays", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_moderator_game_id_game")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_moderator_person_id_person")),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_moderator")),
    )
    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", text(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("lines", text(), nullable=False),
        sa.Column("asked", moment(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=True),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("made", moment(), nullable=True),
        sa.Column("numbers", text(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_draft_game_id_game")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_draft_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
    )
    for table, column in (("moderator", "person_id"), ("draft", "game_id")):
        op.create_index(op.f(f"ix_{table}_{column}"), table, [column], unique=False)


def downgrade() -> None:
    for table in ("draft", "moderator"):
        op.drop_table(table)
