"""Commands that are counted, and letters that were begun."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        "use",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("command", text(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("phase_id", sa.Integer(), nullable=True),
        sa.Column("about", text(), nullable=False),
        sa.Column("at", moment(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_use_seat_id_seat")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_use_person_id_person")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_use_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_use")),
    )
    op.create_index("ix_use_seat_id_command", "use", ["seat_id", "command"], unique=False)
    op.create_index("ix_use_person_id_at", "use", ["person_id", "at"], unique=False)
    op.create_index(op.f("ix_use_at"), "use", ["at"], unique=False)
    op.create_table(
        "begun",
        sa.Column("account", text(), nullable=False),
        sa.Column("folder", text(), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=False),
        sa.Column("uid", sa.BigInteger(), nullable=False),
        sa.Column("lives", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("account", "folder", "uidvalidity", "uid", name=op.f("pk_begun")),
    )


def downgrade() -> None:
    for table in ("begun", "use"):
        op.drop_table(table)
