"""What letters say lies beside their rows: whoever looks over letters reads the rows alone."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "content",
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("model", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["outbox_id"], ["outbox.id"], name=op.f("fk_content_outbox_id_outbox")),
        sa.PrimaryKeyConstraint("outbox_id", name=op.f("pk_content")),
    )
    op.execute("INSERT INTO content (outbox_id, model, body) SELECT id, model, body FROM outbox")
    # Not as a batch, which would copy the table twice: SQLite drops a column by itself.
    op.drop_column("outbox", "body")
    op.drop_column("outbox", "model")


def downgrade() -> None:
    op.add_column("outbox", sa.Column("model", sqlmodel.sql.sqltypes.AutoString(), nullable=False, server_default=""))
    op.add_column("outbox", sa.Column("body", sa.LargeBinary(), nullable=True))
    op.execute(
        "UPDATE outbox SET model = (SELECT model FROM content WHERE outbox_id = outbox.id), "
        "body = (SELECT body FROM content WHERE outbox_id = outbox.id)"
    )
    op.drop_table("content")
