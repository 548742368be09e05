"""What was begun is known by its bytes as well as by its place, which a mailbox may give to another letter."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    with op.batch_alter_table("begun") as table:
        table.add_column(
            sa.Column("sha256", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=sa.text("''"))
        )


def downgrade() -> None:
    with op.batch_alter_table("begun") as table:
        table.drop_column("sha256")
