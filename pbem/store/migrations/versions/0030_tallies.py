"""How many letters came and went, so that nobody has to count them all."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tally",
        sa.Column("about", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("word", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("about", "word", name=op.f("pk_tally")),
    )


def downgrade() -> None:
    op.drop_table("tally")
