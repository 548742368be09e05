"""Add the spans in which no deadline of a game or a tournament runs."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("game", "tournament"):
        op.add_column(table, sa.Column("stopped", TEXT(), nullable=False, server_default=""))


def downgrade() -> None:
    for table in ("game", "tournament"):
        op.drop_column(table, "stopped")
