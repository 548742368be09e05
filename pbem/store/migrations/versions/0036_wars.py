"""Wars, and the games that they are made of."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

TEXT = sqlmodel.sql.sqltypes.AutoString


def upgrade() -> None:
    op.create_table(
        "war",
        sa.Column("id", TEXT(length=16), nullable=False),
        sa.Column("system", TEXT(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("opening", TEXT(), nullable=False),
        sa.Column("record", TEXT(), nullable=False),
        sa.Column("sued", TEXT(), nullable=False),
        sa.CheckConstraint("state IN ('going', 'over')", name=op.f("ck_war_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_war")),
    )
    op.create_table(
        "war_game",
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("war_id", TEXT(length=16), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("ended", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_war_game_game_id_game")),
        sa.ForeignKeyConstraint(["war_id"], ["war.id"], name=op.f("fk_war_game_war_id_war")),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_war_game")),
        sa.UniqueConstraint("war_id", "place", name=op.f("uq_war_game_war_id_place")),
    )


def downgrade() -> None:
    op.drop_table("war_game")
    op.drop_table("war")
