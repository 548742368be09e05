"""Games that somebody had set up by letter, to play against a bot."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("game", schema=None) as table:
        table.add_column(sa.Column("asked_by", sa.Integer(), nullable=True))
        table.create_foreign_key(op.f("fk_game_asked_by_person"), "person", ["asked_by"], ["id"])


def downgrade() -> None:
    with op.batch_alter_table("game", schema=None) as table:
        table.drop_constraint(op.f("fk_game_asked_by_person"), type_="foreignkey")
        table.drop_column("asked_by")
