"""Whose letters a seat does not want, whose are forbidden, and from whom a letter was kept."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString()
    op.add_column("seat", sa.Column("muted", text, nullable=False, server_default=""))
    op.add_column("seat", sa.Column("press_forbidden", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("press", sa.Column("kept_from", text, nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("press", "kept_from")
    op.drop_column("seat", "press_forbidden")
    op.drop_column("seat", "muted")
