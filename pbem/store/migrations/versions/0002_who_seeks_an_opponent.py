"""Add searches for an opponent by letter (SEEK): battle, side and time."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "seek",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("scenario", TEXT(), nullable=False),
        sa.Column("seat", TEXT(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_seek_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seek")),
        sa.UniqueConstraint("person_id", "scenario", name=op.f("uq_seek_person_id_scenario")),
    )
    op.create_index(op.f("ix_seek_scenario"), "seek", ["scenario"], unique=False)
    op.create_index(op.f("ix_seek_at"), "seek", ["at"], unique=False)


def downgrade() -> None:
    op.drop_table("seek")
