"""Add the answer to a dispute, and the private part of a ruling's reason."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("dispute", sa.Column("answer", TEXT(), nullable=False, server_default=""))
    op.add_column("docket", sa.Column("private", TEXT(), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("dispute", "answer")
    op.drop_column("docket", "private")
