"""Whether a letter between players rides, and with which report it is there."""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("press", sa.Column("rides", sa.Integer(), nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_column("press", "rides")
