"""The post: letters in and out, what they say, press."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT


def tables() -> None:
    """Make them."""
    op.create_table(
        "picture",
        sa.Column("digest", TEXT(length=64), nullable=False),
        sa.Column("png", sa.LargeBinary(), nullable=False),
        sa.Column("made", MOMENT(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_picture")),
    )
    op.create_index(op.f("ix_picture_made"), "picture", ["made"], unique=False)
    op.create_table(
        "poll",
        sa.Column("account", TEXT(), nullable=False),
        sa.Column("folder", TEXT(), nullable=False),
        sa.Column("begun", MOMENT(), nullable=False),
        sa.PrimaryKeyConstraint("account", "folder", name=op.f("pk_poll")),
    )
    op.create_table(
        "raw",
        sa.Column("sha256", TEXT(length=64), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_raw")),
    )
    op.create_table(
        "tally",
        sa.Column("about", TEXT(), nullable=False),
        sa.Column("word", TEXT(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("about", "word", name=op.f("pk_tally")),
    )
    op.create_table(
        "gathered",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("kind", TEXT(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.Column("body", TEXT(), nullable=False),
        sa.Column("letter", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_gathered_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gathered")),
    )
    op.create_index(op.f("ix_gathered_seat_id"), "gathered", ["seat_id"], unique=False)
    op.create_table(
        "inbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", TEXT(), nullable=False),
        sa.Column("folder", TEXT(), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=False),
        sa.Column("uid", sa.BigInteger(), nullable=False),
        sa.Column("message_id", TEXT(), nullable=False),
        sa.Column("sha256", TEXT(), nullable=False),
        sa.Column("sender", TEXT(), nullable=False),
        sa.Column("internaldate", MOMENT(), nullable=False),
        sa.Column("taken", MOMENT(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("verdict", TEXT(), nullable=False),
        sa.Column("outcome", TEXT(), nullable=False),
        sa.Column("copy_of", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["copy_of"], ["inbox.id"], name=op.f("fk_inbox_copy_of_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_inbox_seat_id_seat")),
        sa.ForeignKeyConstraint(["sha256"], ["raw.sha256"], name=op.f("fk_inbox_sha256_raw")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint(
            "account", "folder", "uidvalidity", "uid", name=op.f("uq_inbox_account_folder_uidvalidity_uid")
        ),
    )
    op.create_index(op.f("ix_inbox_copy_of"), "inbox", ["copy_of"], unique=False)
    op.create_index(
        "ix_inbox_one_original",
        "inbox",
        ["message_id", "sha256"],
        unique=True,
        sqlite_where=sa.text("copy_of IS NULL"),
        postgresql_where=sa.text("copy_of IS NULL"),
    )
    op.create_index("ix_inbox_seat_id_taken", "inbox", ["seat_id", "taken"], unique=False)
    op.create_index(op.f("ix_inbox_sender"), "inbox", ["sender"], unique=False)
    op.create_index(op.f("ix_inbox_sha256"), "inbox", ["sha256"], unique=False)
    op.create_index("ix_inbox_taken", "inbox", ["taken"], unique=False)
    op.create_index("ix_inbox_verdict_taken", "inbox", ["verdict", "taken"], unique=False)
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("message_id", TEXT(), nullable=False),
        sa.Column("kind", TEXT(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=True),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("inbox_id", sa.Integer(), nullable=True),
        sa.Column("recipient", TEXT(), nullable=False),
        sa.Column("envelope_sender", TEXT(), nullable=False),
        sa.Column("reply_to", TEXT(), nullable=False),
        sa.Column("in_reply_to", TEXT(), nullable=False),
        sa.Column("references", TEXT(), nullable=False),
        sa.Column("language", TEXT(), nullable=False),
        sa.Column("format", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created", MOMENT(), nullable=False),
        sa.Column("next_try", MOMENT(), nullable=False),
        sa.Column("last_code", sa.Integer(), nullable=True),
        sa.Column("last_text", TEXT(), nullable=False),
        sa.Column("bounced", TEXT(), nullable=False),
        sa.Column("owner", TEXT(), server_default="", nullable=False),
        sa.Column("until", MOMENT(), nullable=True),
        sa.CheckConstraint("state IN ('queued', 'sent', 'failed')", name=op.f("ck_outbox_state")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_outbox_game_id_game")),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_outbox_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_outbox_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_outbox")),
        sa.UniqueConstraint("message_id", name=op.f("uq_outbox_message_id")),
    )
    op.create_index(op.f("ix_outbox_created"), "outbox", ["created"], unique=False)
    op.create_index(op.f("ix_outbox_envelope_sender"), "outbox", ["envelope_sender"], unique=False)
    op.create_index("ix_outbox_game_id_created", "outbox", ["game_id", "created"], unique=False)
    op.create_index(
        "ix_outbox_given_up",
        "outbox",
        ["id"],
        unique=False,
        sqlite_where=sa.text("state = 'failed' AND last_text NOT LIKE 'overtaken by %'"),
        postgresql_where=sa.text("state = 'failed' AND last_text NOT LIKE 'overtaken by %'"),
    )
    op.create_index(op.f("ix_outbox_inbox_id"), "outbox", ["inbox_id"], unique=False)
    op.create_index(op.f("ix_outbox_recipient"), "outbox", ["recipient"], unique=False)
    op.create_index("ix_outbox_seat_id_kind_id", "outbox", ["seat_id", "kind", "id"], unique=False)
    op.create_index("ix_outbox_state_next_try", "outbox", ["state", "next_try"], unique=False)
    op.create_table(
        "press",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("to", TEXT(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.Column("delivered", sa.Boolean(), nullable=False),
        sa.Column("kept_from", TEXT(), nullable=False),
        sa.Column("rides", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_press_game_id_game")),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_press_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_press_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_press")),
    )
    op.create_index(op.f("ix_press_game_id"), "press", ["game_id"], unique=False)
    op.create_index(op.f("ix_press_seat_id"), "press", ["seat_id"], unique=False)
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.Column("code", sa.Integer(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["outbox_id"], ["outbox.id"], name=op.f("fk_attempt_outbox_id_outbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
    )
    op.create_index(op.f("ix_attempt_outbox_id"), "attempt", ["outbox_id"], unique=False)
    op.create_index(
        "ix_attempt_taken",
        "attempt",
        ["id"],
        unique=False,
        sqlite_where=sa.text("code BETWEEN 200 AND 299"),
        postgresql_where=sa.text("code BETWEEN 200 AND 299"),
    )
    op.create_table(
        "content",
        sa.Column("outbox_id", sa.Integer(), nullable=False),
        sa.Column("model", TEXT(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["outbox_id"], ["outbox.id"], name=op.f("fk_content_outbox_id_outbox")),
        sa.PrimaryKeyConstraint("outbox_id", name=op.f("pk_content")),
    )
