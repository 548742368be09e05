"""The log: leaves, tree, checkpoints, the lease of who signs, and what each seat has been shown."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    text, moment = sqlmodel.sql.sqltypes.AutoString, sqlmodel.sql.sqltypes.UTCDateTime
    op.create_table(
        "leaf",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game", text(length=64), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("kind", text(), nullable=False),
        sa.Column("phase", text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=True),
        sa.Column("written", moment(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leaf")),
        sa.UniqueConstraint("game", "seq", name=op.f("uq_leaf_game_seq")),
        sa.UniqueConstraint("number", name=op.f("uq_leaf_number")),
    )
    op.create_index(op.f("ix_leaf_phase"), "leaf", ["phase"])
    op.create_table(
        "node",
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("place", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("level", "place", name=op.f("pk_node")),
    )
    op.create_table(
        "checkpoint",
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("note", sa.LargeBinary(), nullable=False),
        sa.Column("signed", moment(), nullable=False),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_checkpoint")),
    )
    op.create_table(
        "lease",
        sa.Column("name", text(), nullable=False),
        sa.Column("owner", text(), nullable=False),
        sa.Column("until", moment(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_lease")),
    )
    op.create_table(
        "shown",
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_shown_seat_id_seat")),
        sa.PrimaryKeyConstraint("seat_id", name=op.f("pk_shown")),
    )
    _guard_leaves()


def _guard_leaves() -> None:
    """A leaf gets its number once; every other change, and every DELETE, fails with ``leaf is append-only``."""
    kept = ("game", "seq", "kind", "phase", "body", "written")
    if op.get_context().dialect.name == "postgresql":
        same = " AND ".join(f"NEW.{column} = OLD.{column}" for column in kept)
        op.execute(
            "CREATE FUNCTION leaf_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"IF TG_OP = 'UPDATE' AND OLD.number IS NULL AND {same} THEN RETURN NEW; END IF; "
            "RAISE EXCEPTION 'leaf is append-only'; END $$"
        )
        op.execute(
            "CREATE TRIGGER leaf_append_only BEFORE UPDATE OR DELETE ON leaf "
            "FOR EACH ROW EXECUTE FUNCTION leaf_append_only()"
        )
        return
    changed = " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in kept)
    op.execute(
        f"CREATE TRIGGER leaf_no_update BEFORE UPDATE ON leaf WHEN OLD.number IS NOT NULL OR {changed} "
        "BEGIN SELECT RAISE(ABORT, 'leaf is append-only'); END"
    )
    op.execute(
        "CREATE TRIGGER leaf_no_delete BEFORE DELETE ON leaf BEGIN SELECT RAISE(ABORT, 'leaf is append-only'); END"
    )


def downgrade() -> None:
    for table in ("shown", "lease", "checkpoint", "node", "leaf"):
        op.drop_table(table)
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION leaf_append_only")
