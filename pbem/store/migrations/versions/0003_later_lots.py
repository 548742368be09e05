"""Add the version of a tournament's leaves, and lots after a draw."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tournament", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.create_table(
        "lot",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("stem", TEXT(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("first", TEXT(), nullable=False),
        sa.Column("then", TEXT(), nullable=False),
        sa.Column("needed", MOMENT(), nullable=False),
        sa.Column("draws", MOMENT(), nullable=False),
        sa.Column("beacon", TEXT(), nullable=False),
        sa.Column("sig", TEXT(), nullable=False),
        sa.Column("proof", TEXT(), nullable=False),
        sa.Column("shown", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_lot_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lot")),
        sa.UniqueConstraint("tournament_id", "name", name=op.f("uq_lot_tournament_id_name")),
    )
    op.create_index("ix_lot_proof_draws", "lot", ["proof", "draws"], unique=False)


def downgrade() -> None:
    op.drop_table("lot")
    op.drop_column("tournament", "version")
