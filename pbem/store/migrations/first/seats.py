"""Who plays what: people and their addresses, editions, games and their seats."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT


def tables() -> None:
    """Make them."""
    op.create_table(
        "edition",
        sa.Column("digest", TEXT(), nullable=False),
        sa.Column("system", TEXT(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_edition")),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("language", TEXT(), nullable=False),
        sa.Column("zone", TEXT(), nullable=False),
        sa.Column("rating_public", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
    )
    op.create_table(
        "address",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("email", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_address_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_address")),
        sa.UniqueConstraint("email", name=op.f("uq_address_email")),
    )
    op.create_index(op.f("ix_address_person_id"), "address", ["person_id"], unique=False)
    op.create_table(
        "game",
        sa.Column("id", TEXT(length=20), nullable=False),
        sa.Column("system", TEXT(), nullable=False),
        sa.Column("scenario", TEXT(), nullable=False),
        sa.Column("edition_digest", TEXT(), nullable=False),
        sa.Column("scheme", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("held_why", TEXT(), nullable=False),
        sa.Column("zone", TEXT(), nullable=False),
        sa.Column("weekdays", TEXT(), nullable=False),
        sa.Column("hour", sa.Integer(), nullable=False),
        sa.Column("grace_hours", sa.Integer(), nullable=False),
        sa.Column("undo_minutes", sa.Integer(), nullable=False),
        sa.Column("root", TEXT(), nullable=False),
        sa.Column("created", MOMENT(), nullable=False),
        sa.Column("open_seats", sa.Boolean(), nullable=False),
        sa.Column("terms", TEXT(), nullable=False),
        sa.Column("result", TEXT(), nullable=False),
        sa.Column("asked_by", sa.Integer(), nullable=True),
        sa.Column("emptied", MOMENT(), nullable=True),
        sa.CheckConstraint("state IN ('forming', 'running', 'held', 'over')", name=op.f("ck_game_state")),
        sa.ForeignKeyConstraint(["asked_by"], ["person.id"], name=op.f("fk_game_asked_by_person")),
        sa.ForeignKeyConstraint(["edition_digest"], ["edition.digest"], name=op.f("fk_game_edition_digest_edition")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_game")),
    )
    op.create_index(op.f("ix_game_asked_by"), "game", ["asked_by"], unique=False)
    op.create_index(op.f("ix_game_created"), "game", ["created"], unique=False)
    op.create_index(op.f("ix_game_state"), "game", ["state"], unique=False)
    op.create_table(
        "observer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("language", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_observer_game_id_game")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_observer_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_observer")),
        sa.UniqueConstraint("game_id", "person_id", name=op.f("uq_observer_game_id_person_id")),
    )
    op.create_index(op.f("ix_observer_person_id"), "observer", ["person_id"], unique=False)
    op.create_table(
        "seat",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=False),
        sa.Column("name", TEXT(length=12), nullable=False),
        sa.Column("side", TEXT(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("language", TEXT(), nullable=False),
        sa.Column("zone", TEXT(), nullable=False),
        sa.Column("format", TEXT(), nullable=False),
        sa.Column("map", TEXT(), nullable=False),
        sa.Column("nonce", TEXT(), nullable=False),
        sa.Column("template", TEXT(), nullable=False),
        sa.Column("last_letter", TEXT(), nullable=False),
        sa.Column("strikes", sa.Integer(), nullable=False),
        sa.Column("bounces", sa.Integer(), nullable=False),
        sa.Column("unreachable", MOMENT(), nullable=True),
        sa.Column("missed", sa.Integer(), nullable=False),
        sa.Column("silent", MOMENT(), nullable=True),
        sa.Column("spent", sa.Integer(), nullable=False),
        sa.Column("notify", TEXT(), nullable=False),
        sa.Column("reminded", sa.Boolean(), nullable=False),
        sa.Column("repeats", TEXT(), nullable=False),
        sa.Column("repeats_from", sa.Integer(), nullable=True),
        sa.Column("muted", TEXT(), nullable=False),
        sa.Column("press_forbidden", sa.Boolean(), nullable=False),
        sa.Column("bot", TEXT(), nullable=False),
        sa.Column("published", TEXT(), nullable=False),
        sa.Column("pen_name", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_seat_game_id_game")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_seat_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_seat")),
        sa.UniqueConstraint("game_id", "name", name=op.f("uq_seat_game_id_name")),
    )
    op.create_index(op.f("ix_seat_person_id"), "seat", ["person_id"], unique=False)
    op.create_table(
        "standby",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_standby_game_id_game")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_standby_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_standby")),
        sa.UniqueConstraint("person_id", "game_id", name=op.f("uq_standby_person_id_game_id")),
    )
    op.create_index(op.f("ix_standby_game_id"), "standby", ["game_id"], unique=False)
    op.create_table(
        "absence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("first", TEXT(), nullable=False),
        sa.Column("last", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_absence_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_absence")),
    )
    op.create_index(op.f("ix_absence_seat_id"), "absence", ["seat_id"], unique=False)
    op.create_table(
        "writer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("seat_id", sa.Integer(), nullable=False),
        sa.Column("email", TEXT(), nullable=False),
        sa.Column("first", MOMENT(), nullable=False),
        sa.ForeignKeyConstraint(["seat_id"], ["seat.id"], name=op.f("fk_writer_seat_id_seat")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_writer")),
        sa.UniqueConstraint("seat_id", "email", name=op.f("uq_writer_seat_id_email")),
    )
