"""How far an entrant was shown the chain of his tournament."""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("entrant", sa.Column("told", sa.Integer(), nullable=False, server_default="-1"))


def downgrade() -> None:
    op.drop_column("entrant", "told")
