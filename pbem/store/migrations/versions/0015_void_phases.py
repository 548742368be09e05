"""Phases that a ruling made void, those resolved once more, and the states that play goes on from after rulings."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

_ONE = "uq_phase_game_id_turn_name_attempt"
_EACH = "uq_phase_game_id_turn_name_attempt_run"


def upgrade() -> None:
    text = sqlmodel.sql.sqltypes.AutoString
    with op.batch_alter_table("phase", schema=None) as batch_op:
        batch_op.add_column(sa.Column("run", sa.Integer(), nullable=False, server_default="1"))
        batch_op.add_column(sa.Column("again_of", sa.Integer(), nullable=True))
        batch_op.add_column(sa.Column("void_by", sa.Integer(), nullable=True))
        batch_op.create_foreign_key(op.f("fk_phase_again_of_phase"), "phase", ["again_of"], ["id"])
        batch_op.drop_constraint(op.f(_ONE), type_="unique")
        batch_op.create_unique_constraint(op.f(_EACH), ["game_id", "turn", "name", "attempt", "run"])
    _words("open", "closed", "resolved", "void")
    op.create_table(
        "basis",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("ruling", sa.Integer(), nullable=False),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("events", text(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_basis_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_basis")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_basis_game_id_number")),
    )
    _make_append_only("basis")


def downgrade() -> None:
    op.drop_table("basis")
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION basis_append_only")
    _words("open", "closed", "resolved")
    with op.batch_alter_table("phase", schema=None) as batch_op:
        batch_op.drop_constraint(op.f(_EACH), type_="unique")
        batch_op.create_unique_constraint(op.f(_ONE), ["game_id", "turn", "name", "attempt"])
        batch_op.drop_constraint(op.f("fk_phase_again_of_phase"), type_="foreignkey")
        for column in ("void_by", "again_of", "run"):
            batch_op.drop_column(column)


def _words(*words: str) -> None:
    listed = ", ".join(f"'{word}'" for word in words)
    with op.batch_alter_table("phase", schema=None) as batch_op:
        batch_op.drop_constraint(op.f("ck_phase_state"), type_="check")
        batch_op.create_check_constraint(op.f("ck_phase_state"), f"state IN ({listed})")


def _make_append_only(table: str) -> None:
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            f"CREATE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            f"$$ BEGIN RAISE EXCEPTION '{table} is append-only'; END $$"
        )
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only()"
        )
        return
    for act in ("UPDATE", "DELETE"):
        op.execute(
            f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )
