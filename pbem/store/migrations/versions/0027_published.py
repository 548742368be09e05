"""What players let be shown of their games on the server's pages, and under which name."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString()
    op.add_column("seat", sa.Column("published", text, nullable=False, server_default=""))
    op.add_column("seat", sa.Column("pen_name", text, nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("seat", "pen_name")
    op.drop_column("seat", "published")
