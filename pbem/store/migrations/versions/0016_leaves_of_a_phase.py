"""The leaves of a phase are found by game and phase: of that name there is one phase in every game."""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_leaf_game_phase_seq", "leaf", ["game", "phase", "seq"])
    op.drop_index(op.f("ix_leaf_phase"), "leaf")


def downgrade() -> None:
    op.create_index(op.f("ix_leaf_phase"), "leaf", ["phase"])
    op.drop_index("ix_leaf_game_phase_seq", "leaf")
