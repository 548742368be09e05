"""A word of a player's that is sealed with his orders, and the orders of phases with their standing orders apart."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_TABLES = ("order_set", "later")


def upgrade() -> None:
    for name in _TABLES:
        with op.batch_alter_table(name) as table:
            table.add_column(
                sa.Column("luck", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=sa.text("''"))
            )


def downgrade() -> None:
    for name in _TABLES:
        with op.batch_alter_table(name) as table:
            table.drop_column("luck")
