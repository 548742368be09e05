"""Rulings that a director was mailed a code for are kept as a moderator's are."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("draft") as draft:
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
