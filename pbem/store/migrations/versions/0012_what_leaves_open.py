"""What the digests in leaves stand for, kept beside them."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Not as a batch: that would make the table anew, and lose its triggers.
    op.add_column("leaf", sa.Column("opens", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("leaf", "opens")
