"""What leaves say stands beside them; a word of a player's is sealed with his orders.

A log whose leaves say all in public cannot be gone on with.
"""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

from pbem.store.migrations import Outdated

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_TABLES = ("order_set", "later")


def upgrade() -> None:
    if not op.get_context().as_sql and op.get_bind().exec_driver_sql("SELECT count(*) FROM leaf").scalar_one():
        raise Outdated
    # Not as a batch: that would make the table anew, and lose its triggers.
    op.add_column("leaf", sa.Column("says", sa.LargeBinary(), nullable=False, server_default=sa.text("''")))
    op.add_column("phase", sa.Column("shown", sqlmodel.sql.sqltypes.AutoString(), nullable=True))
    for name in _TABLES:
        with op.batch_alter_table(name) as table:
            table.add_column(
                sa.Column("luck", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=sa.text("''"))
            )


def downgrade() -> None:
    op.drop_column("leaf", "says")
    op.drop_column("phase", "shown")
    for name in _TABLES:
        with op.batch_alter_table(name) as table:
            table.drop_column("luck")
