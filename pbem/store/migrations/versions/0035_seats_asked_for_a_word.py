"""Since when a seat owes a word that somebody is there."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seat", sa.Column("silent", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))


def downgrade() -> None:
    op.drop_column("seat", "silent")
