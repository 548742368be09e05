"""What games come by: phases and events, orders, pauses, deadlines, rulings, limits, wars."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT


def tables() -> None:
    """Make them."""
    op.create_table(
        "begun",
        sa.Column("account", TEXT(), nullable=False),
        sa.Column("folder", TEXT(), nullable=False),
        sa.Column("uidvalidity", sa.BigInteger(), nullable=False),
        sa.Column("uid", sa.BigInteger(), nullable=False),
        sa.Column("lives", sa.Integer(), nullable=False),
        sa.Column("sha256", TEXT(), nullable=False),
        sa.PrimaryKeyConstraint("account", "folder", "uidvalidity", "uid", name=op.f("pk_begun")),
    )
    op.create_table(
        "war",
        sa.Column("id", TEXT(length=16), nullable=False),
        sa.Column("system", TEXT(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("opening", TEXT(), nullable=False),
        sa.Column("record", TEXT(), nullable=False),
        sa.Column("sued", TEXT(), nullable=False),
        sa.CheckConstraint("state IN ('going', 'over')", name=op.f("ck_war_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_war")),
    )
    op.create_table(
        "basis",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("ruling", sa.Integer(), nullable=False),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("events", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_basis_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_basis")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_basis_game_id_number")),
    )
    op.create_table(
        "due",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.Column("kind", TEXT(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("cause", TEXT(), nullable=False),
        sa.Column("judged", TEXT(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_due_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_due")),
        sa.UniqueConstraint("game_id", "kind", "cause", name=op.f("uq_due_game_id_kind_cause")),
    )
    op.create_index("ix_due_at_kind_id", "due", ["at", "kind", "id"], unique=False)
    op.create_table(
        "moderator",
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("language", TEXT(), nullable=False),
        sa.Column("zone", TEXT(), nullable=False),
        sa.Column("plays", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_moderator_game_id_game")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_moderator_person_id_person")),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_moderator")),
    )
    op.create_index(op.f("ix_moderator_person_id"), "moderator", ["person_id"], unique=False)
    op.create_table(
        "phase",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("run", sa.Integer(), nullable=False),
        sa.Column("again_of", sa.Integer(), nullable=True),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("void_by", sa.Integer(), nullable=True),
        sa.Column("opened", MOMENT(), nullable=False),
        sa.Column("deadline", MOMENT(), nullable=False),
        sa.Column("closed", MOMENT(), nullable=True),
        sa.Column("orders", TEXT(), nullable=True),
        sa.Column("slate", TEXT(), nullable=True),
        sa.Column("rolls", TEXT(), nullable=True),
        sa.Column("events_digest", TEXT(), nullable=True),
        sa.Column("state_digest", TEXT(), nullable=True),
        sa.Column("shown", TEXT(), nullable=True),
        sa.CheckConstraint("state IN ('open', 'closed', 'resolved', 'void')", name=op.f("ck_phase_state")),
        sa.ForeignKeyConstraint(["again_of"], ["phase.id"], name=op.f("fk_phase_again_of_phase")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_phase_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_phase")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_phase_game_id_number")),
        sa.UniqueConstraint(
            "game_id", "turn", "name", "attempt", "run", name=op.f("uq_phase_game_id_turn_name_attempt_run")
        ),
    )
    op.create_index(
        "ix_phase_going_on",
        "phase",
        ["game_id"],
        unique=False,
        sqlite_where=sa.text("state IN ('open', 'closed')"),
        postgresql_where=sa.text("state IN ('open', 'closed')"),
    )
    op.create_index(
        "ix_phase_one_open",
        "phase",
        ["game_id"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
        postgresql_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "ruling",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.Column("phase", TEXT(), nullable=False),
        sa.Column("line", TEXT(), nullable=False),
        sa.Column("reason", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_ruling_game_id_game")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ruling")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_ruling_game_id_number")),
    )
    op.create_table(
        "snapshot",
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("body", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_snapshot_game_id_game")),
        sa.PrimaryKeyConstraint("game_id", "number", name=op.f("pk_snapshot")),
    )
    op.create_table(
        "war_game",
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("war_id", TEXT(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("ended", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_war_game_game_id_game")),
        sa.ForeignKeyConstraint(["war_id"], ["war.id"], name=op.f("fk_war_game_war_id_war")),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_war_game")),
        sa.UniqueConstraint("war_id", "place", name=op.f("uq_war_game_war_id_place")),
    )
    op.create_table(
        "appeal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.Column("phase", TEXT(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("answer", TEXT(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_appeal_game_id_game")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_appeal_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appeal")),
        sa.UniqueConstraint("game_id", "number", name=op.f("uq_appeal_game_id_number")),
    )
    op.create_table(
        "delay",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=True),
        sa.Column("cause", TEXT(), nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_delay_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_delay_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delay")),
    )
    op.create_index(op.f("ix_delay_phase_id"), "delay", ["phase_id"], unique=False)
    op.create_index(op.f("ix_delay_seat_id"), "delay", ["seat_id"], unique=False)
    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("lines", TEXT(), nullable=False),
        sa.Column("asked", MOMENT(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=True),
        sa.Column("after", sa.Integer(), nullable=False),
        sa.Column("made", MOMENT(), nullable=True),
        sa.Column("numbers", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_draft_game_id_game")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_draft_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
    )
    op.create_index(op.f("ix_draft_asked"), "draft", ["asked"], unique=False)
    op.create_index(op.f("ix_draft_game_id"), "draft", ["game_id"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("kind", TEXT(), nullable=False),
        sa.Column("cite", TEXT(), nullable=False),
        sa.Column("body", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_event_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
        sa.UniqueConstraint("phase_id", "number", name=op.f("uq_event_phase_id_number")),
    )
    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("word", TEXT(), nullable=False),
        sa.CheckConstraint("word IN ('draw', 'concede')", name=op.f("ck_proposal_word")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_proposal_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_proposal_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
        sa.UniqueConstraint("phase_id", "seat_id", "word", name=op.f("uq_proposal_phase_id_seat_id_word")),
    )
    op.create_table(
        "segment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("slate", TEXT(), nullable=False),
        sa.Column("events", TEXT(), nullable=False),
        sa.Column("letter", TEXT(), nullable=True),
        sa.Column("position", TEXT(), nullable=True),
        sa.Column("opened", MOMENT(), nullable=False),
        sa.Column("deadline", MOMENT(), nullable=True),
        sa.CheckConstraint("state IN ('asking', 'closed')", name=op.f("ck_segment_state")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_segment_phase_id_phase")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_segment")),
        sa.UniqueConstraint("phase_id", "number", name=op.f("uq_segment_phase_id_number")),
    )
    op.create_table(
        "use",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("command", TEXT(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("phase_id", sa.Integer(), nullable=True),
        sa.Column("about", TEXT(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_use_person_id_person")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_use_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_use_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_use")),
    )
    op.create_index(op.f("ix_use_at"), "use", ["at"], unique=False)
    op.create_index("ix_use_person_id_at", "use", ["person_id", "at"], unique=False)
    op.create_index("ix_use_seat_id_command", "use", ["seat_id", "command"], unique=False)
    op.create_table(
        "wish",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("word", TEXT(), nullable=False),
        sa.CheckConstraint("word IN ('wait', 'go', 'done')", name=op.f("ck_wish_word")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_wish_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_wish_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_wish")),
        sa.UniqueConstraint("phase_id", "seat_id", name=op.f("uq_wish_phase_id_seat_id")),
    )
    op.create_table(
        "later",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("repeated", TEXT(), nullable=True),
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.Column("dated", MOMENT(), nullable=True),
        sa.Column("received", MOMENT(), nullable=False),
        sa.Column("luck", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_later_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_later_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_later")),
        sa.UniqueConstraint("seat_id", "turn", name=op.f("uq_later_seat_id_turn")),
    )
    op.create_table(
        "order_set",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("phase_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("inbox_id", sa.Integer(), nullable=True),
        sa.Column("dated", MOMENT(), nullable=True),
        sa.Column("received", MOMENT(), nullable=False),
        sa.Column("mark", TEXT(), nullable=False),
        sa.Column("origin", TEXT(), nullable=False),
        sa.Column("waits", sa.Boolean(), nullable=False),
        sa.Column("repeated", TEXT(), nullable=True),
        sa.Column("luck", TEXT(), nullable=False),
        sa.CheckConstraint("origin IN ('letter', 'later', 'repeated', 'bot')", name=op.f("ck_order_set_origin")),
        sa.CheckConstraint("state IN ('queued', 'replaced', 'cancelled', 'carried')", name=op.f("ck_order_set_state")),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_order_set_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["phase_id"], ["phase.id"], name=op.f("fk_order_set_phase_id_phase")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_order_set_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_order_set")),
        sa.UniqueConstraint("phase_id", "seat_id", "revision", name=op.f("uq_order_set_phase_id_seat_id_revision")),
    )
    op.create_index(op.f("ix_order_set_inbox_id"), "order_set", ["inbox_id"], unique=False)
    op.create_index(
        "ix_order_set_one_queued",
        "order_set",
        ["phase_id", "seat_id"],
        unique=True,
        sqlite_where=sa.text("state = 'queued'"),
        postgresql_where=sa.text("state = 'queued'"),
    )
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("segment_id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("window", TEXT(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("answer", TEXT(), nullable=True),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_question_seat_id_seat")),
        sa.ForeignKeyConstraint(["segment_id"], ["segment.id"], name=op.f("fk_question_segment_id_segment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
        sa.UniqueConstraint("segment_id", "seat_id", "number", name=op.f("uq_question_segment_id_seat_id_number")),
    )
    op.create_index(op.f("ix_question_seat_id"), "question", ["seat_id"], unique=False)
    op.create_table(
        "standing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("scope", TEXT(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("inbox_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["inbox_id"], ["inbox.id"], name=op.f("fk_standing_inbox_id_inbox")),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_standing_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_standing")),
        sa.UniqueConstraint("seat_id", "scope", name=op.f("uq_standing_seat_id_scope")),
    )
