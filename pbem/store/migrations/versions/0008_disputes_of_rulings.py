"""Let disputes be about a ruling, without a board, and let players claim a win or a draw."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def _before() -> sa.Table:
    """Return the former table: SQLite copies it, offline SQL cannot look it up."""
    return sa.Table(
        "dispute",
        sa.MetaData(),
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("by", sa.Integer(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("until", MOMENT(), nullable=False),
        sa.Column("appealed", sa.Boolean(), nullable=False),
        sa.Column("ruling", TEXT(), nullable=False),
        sa.Column("answer", TEXT(), nullable=False, server_default=""),
        sa.PrimaryKeyConstraint("id", name="pk_dispute"),
        sa.CheckConstraint("state IN ('director', 'jury', 'ruled', 'final')", name="ck_dispute_state"),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name="fk_dispute_board_id_board"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name="fk_dispute_tournament_id_tournament"),
        sa.UniqueConstraint("tournament_id", "number", name="uq_dispute_tournament_id_number"),
    )


def upgrade() -> None:
    with op.batch_alter_table("dispute", copy_from=_before()) as dispute:
        dispute.alter_column("board_id", existing_type=sa.Integer(), nullable=True)
        dispute.add_column(sa.Column("docket", sa.Integer(), nullable=True))
        dispute.add_column(sa.Column("claim", TEXT(), nullable=False, server_default=""))


def downgrade() -> None:
    op.execute("DELETE FROM vote WHERE dispute_id IN (SELECT id FROM dispute WHERE board_id IS NULL)")
    op.execute("DELETE FROM dispute WHERE board_id IS NULL")
    with op.batch_alter_table("dispute") as dispute:
        dispute.drop_column("claim")
        dispute.drop_column("docket")
        dispute.alter_column("board_id", existing_type=sa.Integer(), nullable=False)
