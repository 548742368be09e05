"""Pictures that letters show, and which seats want them. Seats that are there get letters as they did."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString()
    op.create_table(
        "picture",
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("png", sa.LargeBinary(), nullable=False),
        sa.Column("made", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_picture")),
    )
    op.add_column("seat", sa.Column("map", text, nullable=False, server_default="on"))


def downgrade() -> None:
    op.drop_column("seat", "map")
    op.drop_table("picture")
