"""How a seat's letters are laid out, kept with the seat and with each letter that is made for it."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Not as a batch: that would copy every letter that was ever sent.
    for table in ("seat", "outbox"):
        op.add_column(
            table, sa.Column("format", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default="text")
        )


def downgrade() -> None:
    for table in ("outbox", "seat"):
        op.drop_column(table, "format")
