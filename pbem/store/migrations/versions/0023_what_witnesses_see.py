"""What witnesses say of the closed lists that they were shown, and cosignatures of witnesses who are asked by HTTP."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        "statement",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("witness_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("said", sa.LargeBinary(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("came", moment(), nullable=False),
        sa.ForeignKeyConstraint(["witness_id"], ["witness.id"], name=op.f("fk_statement_witness_id_witness")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_statement")),
    )
    op.create_index(op.f("ix_statement_witness_id"), "statement", ["witness_id"], unique=False)
    op.create_table(
        "web_cosignature",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("by", text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("came", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_web_cosignature")),
        sa.UniqueConstraint("key", "size", name=op.f("uq_web_cosignature_key_size")),
    )


def downgrade() -> None:
    for table in ("web_cosignature", "statement"):
        op.drop_table(table)
