"""Since when the letters about a game that is over are not kept any more."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("game", sa.Column("emptied", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True))


def downgrade() -> None:
    op.drop_column("game", "emptied")
