"""Keep a director's draft rulings, confirmed by code, like a moderator's."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def _before() -> sa.Table:
    """Return the former table: SQLite copies it, offline SQL cannot look it up."""
    return sa.Table(
        "draft",
        sa.MetaData(),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("lines", TEXT(), nullable=False),
        sa.Column("asked", MOMENT(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=True),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("made", MOMENT(), nullable=True),
        sa.Column("numbers", TEXT(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_draft"),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name="fk_draft_game_id_game"),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name="fk_draft_phase_id_phase"),
        sa.Index("ix_draft_asked", "asked"),
        sa.Index("ix_draft_game_id", "game_id"),
    )


def upgrade() -> None:
    with op.batch_alter_table("draft", copy_from=_before()) as draft:
        draft.alter_column("game_id", existing_type=TEXT(), nullable=True)
        draft.add_column(sa.Column("tournament_id", TEXT(), nullable=True))
        draft.create_foreign_key(op.f("fk_draft_tournament_id_tournament"), "tournament", ["tournament_id"], ["id"])
        draft.create_index(op.f("ix_draft_tournament_id"), ["tournament_id"], unique=False)


def downgrade() -> None:
    op.execute("DELETE FROM draft WHERE game_id IS NULL")
    with op.batch_alter_table("draft") as draft:
        draft.drop_index(op.f("ix_draft_tournament_id"))
        draft.drop_constraint(op.f("fk_draft_tournament_id_tournament"), type_="foreignkey")
        draft.drop_column("tournament_id")
        draft.alter_column("game_id", existing_type=TEXT(), nullable=False)
