"""Add what a ruling changed, for UNDO, and another closing of the list of entrants."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("docket", sa.Column("before", TEXT(), nullable=False, server_default=""))
    op.add_column("tournament", sa.Column("closes", MOMENT(), nullable=True))


def downgrade() -> None:
    op.drop_column("docket", "before")
    op.drop_column("tournament", "closes")
