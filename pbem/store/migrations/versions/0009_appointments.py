"""Add co-directors, deputies and invited entrants of tournaments."""

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "appointment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("role", TEXT(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("since", MOMENT(), nullable=False),
        sa.CheckConstraint("role IN ('director', 'deputy', 'guest', 'past')", name=op.f("ck_appointment_role")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_appointment_person_id_person")),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_appointment_tournament_id_tournament")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appointment")),
        sa.UniqueConstraint("tournament_id", "person_id", name=op.f("uq_appointment_tournament_id_person_id")),
    )
    op.create_index(op.f("ix_appointment_person_id"), "appointment", ["person_id"], unique=False)


def downgrade() -> None:
    op.drop_table("appointment")
