"""Several workers on one database: who sends a letter and until when, and what was thought of a closing that is due."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Not as batches: these are among the largest tables, and a column is added to SQLite's at once.
    op.add_column("outbox", sa.Column("owner", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=""))
    op.add_column("outbox", sa.Column("until", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))
    op.add_column("due", sa.Column("judged", sqlmodel.sql.sqltypes.AutoString(), nullable=True))


def downgrade() -> None:
    op.drop_column("due", "judged")
    op.drop_column("outbox", "until")
    op.drop_column("outbox", "owner")
