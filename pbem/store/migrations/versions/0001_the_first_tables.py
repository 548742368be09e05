"""The first tables, and the triggers that make `event` append-only."""

import sqlalchemy as sa
import sqlmodel.sql.sqltypes
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "edition",
        sa.Column("digest", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("system", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("text", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_edition")),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("language", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("zone", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
    )
    op.create_table(
        "poll",
        sa.Column("account", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("folder", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("begun", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.PrimaryKeyConstraint("account", "folder", name=op.f("pk_poll")),
    )
    op.create_table(
        "raw",
        sa.Column("sha256", sqlmodel.sql.sqltypes.AutoString(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_raw")),
    )
    op.create_table(
        "address",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("email", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_address_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_address")),
        sa.UniqueConstraint("email", name=op.f("uq_address_email")),
    )
    with op.batch_alter_table("address", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_address_person_id"), ["person_id"], unique=False)

    op.create_table(
        "game",
        sa.Column("id", sqlmodel.sql.sqltypes.AutoString(length=20), nullable=False),
        sa.Column("system", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("scenario", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("edition_digest", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("scheme", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("state", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("held_why", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("zone", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("weekdays", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("grace_hours", sa.Integer(), nullable=False),
        sa.Column("undo_minutes", sa.Integer(), nullable=False),
        sa.Column("root", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("created", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.CheckConstraint("state IN ('forming', 'running', 'held', 'over')", name=op.f("ck_game_state")),
        sa.ForeignKeyConstraint(["edition_digest"], ["edition.digest"], name=op.f("fk_game_edition_digest_edition")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game")),
    )
    op.create_table(
        "due",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("game_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("cause", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_due_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_due")),
        sa.UniqueConstraint("game_id", "kind", "cause", name=op.f("uq_due_game_id_kind_cause")),
    )
    with op.batch_alter_table("due", schema=None) as batch_op:
        batch_op.create_index("ix_due_at_kind_id", ["at", "kind", "id"], unique=False)

    op.create_table(
        "phase",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("state", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("opened", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("deadline", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("closed", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("orders", sqlmodel.sql.sqltypes.AutoString(), nullable=True),
        sa.Column("slate", sqlmodel.sql.sqltypes.AutoString(), nullable=True),
        sa.Column("rolls", sqlmodel.sql.sqltypes.AutoString(), nullable=True),
        sa.Column("events_digest", sqlmodel.sql.sqltypes.AutoString(), nullable=True),
        sa.Column("state_digest", sqlmodel.sql.sqltypes.AutoString(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'closed', 'resolved')", name=op.f("ck_phase_state")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_phase_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_phase")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_phase_game_id_number")),
        sa.UniqueConstraint("game_id", "turn", "name", "attempt", name=op.f("uq_phase_game_id_turn_name_attempt")),
    )
    with op.batch_alter_table("phase", schema=None) as batch_op:
        batch_op.create_index(
            "ix_phase_one_open",
            ["game_id"],
            unique=True,
            sqlite_where=sa.text("state = 'open'"),
            postgresql_where=sa.text("state = 'open'"),
        )

    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("name", sqlmodel.sql.sqltypes.AutoString(length=12), nullable=False),
        sa.Column("side", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("language", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("zone", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("nonce", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("template", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("last_letter", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_seat_game_id_game")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_seat_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seat")),
        sa.UniqueConstraint("game_id", "name", name=op.f("uq_seat_game_id_name")),
    )
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_seat_person_id"), ["person_id"], unique=False)

    op.create_table(
        "snapshot",
        sa.Column("game_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("body", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_snapshot_game_id_game")),
        sa.PrimaryKeyConstraint("game_id", "number", name=op.f("pk_snapshot")),
    )
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("cite", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("body", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_event_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("phase_id", "number", name=op.f("uq_event_phase_id_number")),
    )
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("folder", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=False),
        sa.Column("uid", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("sha256", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("sender", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("internaldate", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("taken", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("verdict", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("outcome", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("copy_of", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["copy_of"], ["inbox.id"], name=op.f("fk_inbox_copy_of_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_inbox_seat_id_seat")),
        sa.ForeignKeyConstraint(["sha256"], ["raw.sha256"], name=op.f("fk_inbox_sha256_raw")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint(
            "account", "folder", "uidvalidity", "uid", name=op.f("uq_inbox_account_folder_uidvalidity_uid")
        ),
    )
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.create_index(
            "ix_inbox_one_original",
            ["message_id", "sha256"],
            unique=True,
            sqlite_where=sa.text("copy_of IS NULL"),
            postgresql_where=sa.text("copy_of IS NULL"),
        )
        batch_op.create_index(batch_op.f("ix_inbox_sender"), ["sender"], unique=False)

    op.create_table(
        "order_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("text", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("state", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.Column("dated", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=True),
        sa.Column("received", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.CheckConstraint("state IN ('queued', 'replaced', 'cancelled')", name=op.f("ck_order_set_state")),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_order_set_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_order_set_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_order_set_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_order_set")),
        sa.UniqueConstraint("phase_id", "seat_id", "revision", name=op.f("uq_order_set_phase_id_seat_id_revision")),
    )
    with op.batch_alter_table("order_set", schema=None) as batch_op:
        batch_op.create_index(
            "ix_order_set_one_queued",
            ["phase_id", "seat_id"],
            unique=True,
            sqlite_where=sa.text("state = 'queued'"),
            postgresql_where=sa.text("state = 'queued'"),
        )

    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("message_id", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("kind", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("game_id", sqlmodel.sql.sqltypes.AutoString(), nullable=True),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("inbox_id", sa.Integer(), nullable=True),
        sa.Column("recipient", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("envelope_sender", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("reply_to", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("in_reply_to", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("references", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("language", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("model", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("state", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("next_try", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("last_code", sa.Integer(), nullable=True),
        sa.Column("last_text", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.CheckConstraint("state IN ('queued', 'sent', 'failed')", name=op.f("ck_outbox_state")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_outbox_game_id_game")),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_outbox_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_outbox_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("message_id", name=op.f("uq_outbox_message_id")),
    )
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_outbox_inbox_id"), ["inbox_id"], unique=False)
        batch_op.create_index("ix_outbox_state_next_try", ["state", "next_try"], unique=False)

    op.create_table(
        "standing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("scope", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("text", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_standing_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_standing_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_standing")),
        sa.UniqueConstraint("seat_id", "scope", name=op.f("uq_standing_seat_id_scope")),
    )
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("at", sqlmodel.sql.sqltypes.UTCDateTime(), nullable=False),
        sa.Column("code", sa.Integer(), nullable=False),
        sa.Column("text", sqlmodel.sql.sqltypes.AutoString(), nullable=False),
        sa.ForeignKeyConstraint(["outbox_id"], ["outbox.id"], name=op.f("fk_attempt_outbox_id_outbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
    )
    with op.batch_alter_table("attempt", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_attempt_outbox_id"), ["outbox_id"], unique=False)

    _make_append_only("event")


def _make_append_only(table: str) -> None:
    """Refuse UPDATE and DELETE of any row; the message reads ``event is append-only``."""
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


def downgrade() -> None:
    with op.batch_alter_table("attempt", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_attempt_outbox_id"))

    op.drop_table("attempt")
    op.drop_table("standing")
    with op.batch_alter_table("outbox", schema=None) as batch_op:
        batch_op.drop_index("ix_outbox_state_next_try")
        batch_op.drop_index(batch_op.f("ix_outbox_inbox_id"))

    op.drop_table("outbox")
    with op.batch_alter_table("order_set", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_order_set_one_queued",
            sqlite_where=sa.text("state = 'queued'"),
            postgresql_where=sa.text("state = 'queued'"),
        )

    op.drop_table("order_set")
    with op.batch_alter_table("inbox", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_inbox_sender"))
        batch_op.drop_index(
            "ix_inbox_one_original",
            sqlite_where=sa.text("copy_of IS NULL"),
            postgresql_where=sa.text("copy_of IS NULL"),
        )

    op.drop_table("inbox")
    op.drop_table("event")
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP FUNCTION event_append_only()")
    op.drop_table("snapshot")
    with op.batch_alter_table("seat", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_seat_person_id"))

    op.drop_table("seat")
    with op.batch_alter_table("phase", schema=None) as batch_op:
        batch_op.drop_index(
            "ix_phase_one_open", sqlite_where=sa.text("state = 'open'"), postgresql_where=sa.text("state = 'open'")
        )

    op.drop_table("phase")
    with op.batch_alter_table("due", schema=None) as batch_op:
        batch_op.drop_index("ix_due_at_kind_id")

    op.drop_table("due")
    op.drop_table("game")
    with op.batch_alter_table("address", schema=None) as batch_op:
        batch_op.drop_index(batch_op.f("ix_address_person_id"))

    op.drop_table("address")
    op.drop_table("raw")
    op.drop_table("poll")
    op.drop_table("person")
    op.drop_table("edition")
