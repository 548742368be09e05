"""Tournaments: entrants, rounds and boards, disputes, ratings."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlmodel.sql.sqltypes import AutoString as TEXT
from sqlmodel.sql.sqltypes import UTCDateTime as MOMENT

__all__ = ["tables"]


def tables() -> None:
    """Make them."""
    op.create_table(
        "ground",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("edition", TEXT(), nullable=False),
        sa.Column("pool", TEXT(), nullable=False),
        sa.Column("period", TEXT(), nullable=False),
        sa.Column("mu", TEXT(), nullable=False),
        sa.Column("phi", TEXT(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ground")),
        sa.UniqueConstraint("pool", "period", "edition", name=op.f("uq_ground_pool_period_edition")),
    )
    op.create_table(
        "rating",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("pool", TEXT(), nullable=False),
        sa.Column("period", TEXT(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("mu", TEXT(), nullable=False),
        sa.Column("phi", TEXT(), nullable=False),
        sa.Column("vol", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_rating_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rating")),
        sa.UniqueConstraint("person_id", "pool", "period", name=op.f("uq_rating_person_id_pool_period")),
    )
    op.create_index("ix_rating_pool_period", "rating", ["pool", "period"], unique=False)
    op.create_table(
        "tournament",
        sa.Column("id", TEXT(length=11), nullable=False),
        sa.Column("title", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("rules", TEXT(), nullable=False),
        sa.Column("digest", TEXT(), nullable=False),
        sa.Column("conduct", TEXT(), nullable=False),
        sa.Column("system", TEXT(), nullable=False),
        sa.Column("edition", TEXT(), nullable=False),
        sa.Column("phases", sa.Integer(), nullable=False),
        sa.Column("fields", TEXT(), nullable=False),
        sa.Column("zone", TEXT(), nullable=False),
        sa.Column("held_why", TEXT(), nullable=False),
        sa.Column("wake", MOMENT(), nullable=True),
        sa.Column("director_id", sa.Integer(), nullable=True),
        sa.Column("director_generation", sa.Integer(), nullable=False),
        sa.Column("director_language", TEXT(), nullable=False),
        sa.Column("desk_at", MOMENT(), nullable=True),
        sa.Column("facts", TEXT(), nullable=False),
        sa.Column("root", TEXT(), nullable=False),
        sa.Column("created", MOMENT(), nullable=False),
        sa.CheckConstraint(
            "state IN ('draft', 'open', 'shut', 'playing', 'held', 'over', 'cancelled')",
            name=op.f("ck_tournament_state"),
        ),
        sa.ForeignKeyConstraint(["director_id"], ["person.id"], name=op.f("fk_tournament_director_id_person")),
        sa.ForeignKeyConstraint(["edition"], ["edition.digest"], name=op.f("fk_tournament_edition_edition")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournament")),
    )
    op.create_index(op.f("ix_tournament_wake"), "tournament", ["wake"], unique=False)
    op.create_table(
        "challenge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("challenger", sa.Integer(), nullable=False),
        sa.Column("challenged", sa.Integer(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("accepted", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "state IN ('open', 'accepted', 'declined', 'withdrawn', 'lapsed', 'fallen')",
            name=op.f("ck_challenge_state"),
        ),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_challenge_tournament_id_tournament")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_challenge")),
        sa.UniqueConstraint(
            "tournament_id",
            "number",
            "challenger",
            "challenged",
            name=op.f("uq_challenge_tournament_id_number_challenger_challenged"),
        ),
    )
    op.create_table(
        "docket",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("at", MOMENT(), nullable=False),
        sa.Column("line", TEXT(), nullable=False),
        sa.Column("reason", TEXT(), nullable=False),
        sa.Column("code", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_docket_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_docket")),
        sa.UniqueConstraint("tournament_id", "number", name=op.f("uq_docket_tournament_id_number")),
    )
    op.create_table(
        "follower",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("language", TEXT(), nullable=False),
        sa.Column("told", MOMENT(), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_follower_person_id_person")),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_follower_tournament_id_tournament")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_follower")),
        sa.UniqueConstraint("tournament_id", "person_id", name=op.f("uq_follower_tournament_id_person_id")),
    )
    op.create_index(op.f("ix_follower_person_id"), "follower", ["person_id"], unique=False)
    op.create_table(
        "round",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("stage", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("within", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("opens", MOMENT(), nullable=False),
        sa.Column("draws", MOMENT(), nullable=True),
        sa.Column("starts", MOMENT(), nullable=True),
        sa.Column("ends", MOMENT(), nullable=True),
        sa.Column("closed", MOMENT(), nullable=True),
        sa.Column("slate", TEXT(), nullable=False),
        sa.Column("beacon", TEXT(), nullable=False),
        sa.Column("sig", TEXT(), nullable=False),
        sa.Column("lots", TEXT(), nullable=False),
        sa.Column("drawn", TEXT(), nullable=False),
        sa.Column("asked", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "state IN ('planned', 'shut', 'drawn', 'playing', 'closed', 'void')", name=op.f("ck_round_state")
        ),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_round_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_round")),
        sa.UniqueConstraint("tournament_id", "number", "attempt", name=op.f("uq_round_tournament_id_number_attempt")),
    )
    op.create_index("ix_round_state_draws", "round", ["state", "draws"], unique=False)
    op.create_table(
        "team",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("captain", sa.Integer(), nullable=True),
        sa.Column("since", sa.Integer(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("barred", TEXT(), nullable=False),
        sa.Column("entered", MOMENT(), nullable=False),
        sa.CheckConstraint("state IN ('in', 'withdrawn', 'expelled', 'left')", name=op.f("ck_team_state")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_team_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_team")),
        sa.UniqueConstraint("tournament_id", "name", name=op.f("uq_team_tournament_id_name")),
        sa.UniqueConstraint("tournament_id", "number", name=op.f("uq_team_tournament_id_number")),
    )
    op.create_table(
        "board",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("round_id", sa.Integer(), nullable=False),
        sa.Column("board", sa.Integer(), nullable=False),
        sa.Column("leg", TEXT(), nullable=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer(), nullable=False),
        sa.Column("game_id", TEXT(), nullable=True),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("how", TEXT(), nullable=False),
        sa.Column("first_halves", sa.Integer(), nullable=False),
        sa.Column("second_halves", sa.Integer(), nullable=False),
        sa.Column("margin", sa.Integer(), nullable=False),
        sa.Column("turns", sa.Integer(), nullable=False),
        sa.Column("ended", TEXT(), nullable=False),
        sa.Column("price", sa.Integer(), nullable=False),
        sa.Column("adjudged", TEXT(), nullable=False),
        sa.Column("rated", TEXT(), nullable=False),
        sa.CheckConstraint("state IN ('due', 'playing', 'scored', 'disputed', 'final')", name=op.f("ck_board_state")),
        sa.ForeignKeyConstraint(["game_id"], ["game.id"], name=op.f("fk_board_game_id_game")),
        sa.ForeignKeyConstraint(["round_id"], ["round.id"], name=op.f("fk_board_round_id_round")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_board")),
        sa.UniqueConstraint("game_id", name=op.f("uq_board_game_id")),
        sa.UniqueConstraint("round_id", "board", "leg", name=op.f("uq_board_round_id_board_leg")),
    )
    op.create_table(
        "entrant",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("name", TEXT(), nullable=False),
        sa.Column("language", TEXT(), nullable=False),
        sa.Column("format", TEXT(), nullable=False),
        sa.Column("zone", TEXT(), nullable=False),
        sa.Column("pace", sa.Integer(), nullable=False),
        sa.Column("tables", sa.Integer(), nullable=False),
        sa.Column("languages", TEXT(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=True),
        sa.Column("strength", sa.Integer(), nullable=False),
        sa.Column("accepted", TEXT(), nullable=False),
        sa.Column("since", sa.Integer(), nullable=False),
        sa.Column("out_after", sa.Integer(), nullable=True),
        sa.Column("resting", TEXT(), nullable=False),
        sa.Column("left_once", sa.Boolean(), nullable=False),
        sa.Column("offered_until", MOMENT(), nullable=True),
        sa.Column("offered_for", sa.Integer(), nullable=True),
        sa.Column("declined", TEXT(), nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("barred", TEXT(), nullable=False),
        sa.Column("told", sa.Integer(), server_default="-1", nullable=False),
        sa.Column("entered", MOMENT(), nullable=False),
        sa.CheckConstraint(
            "state IN ('asks', 'waiting', 'offered', 'in', 'withdrawn', 'expelled', 'left')",
            name=op.f("ck_entrant_state"),
        ),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_entrant_person_id_person")),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_entrant_team_id_team")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_entrant_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entrant")),
        sa.UniqueConstraint("tournament_id", "number", name=op.f("uq_entrant_tournament_id_number")),
        sa.UniqueConstraint("tournament_id", "person_id", name=op.f("uq_entrant_tournament_id_person_id")),
    )
    op.create_index(op.f("ix_entrant_person_id"), "entrant", ["person_id"], unique=False)
    op.create_table(
        "lineup",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("team_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("boards", TEXT(), nullable=False),
        sa.ForeignKeyConstraint(["team_id"], ["team.id"], name=op.f("fk_lineup_team_id_team")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lineup")),
        sa.UniqueConstraint("team_id", "number", name=op.f("uq_lineup_team_id_number")),
    )
    op.create_table(
        "bid",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("side", TEXT(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_bid_board_id_board")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bid")),
        sa.UniqueConstraint("board_id", "entrant", name=op.f("uq_bid_board_id_entrant")),
    )
    op.create_table(
        "dispute",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("tournament_id", TEXT(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("by", sa.Integer(), nullable=False),
        sa.Column("text", TEXT(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("until", MOMENT(), nullable=False),
        sa.Column("appealed", sa.Boolean(), nullable=False),
        sa.Column("ruling", TEXT(), nullable=False),
        sa.CheckConstraint("state IN ('director', 'jury', 'ruled', 'final')", name=op.f("ck_dispute_state")),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_dispute_board_id_board")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_dispute_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dispute")),
        sa.UniqueConstraint("tournament_id", "number", name=op.f("uq_dispute_tournament_id_number")),
    )
    op.create_table(
        "silence",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("board_id", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("state", TEXT(), nullable=False),
        sa.Column("asked", MOMENT(), nullable=False),
        sa.Column("until", MOMENT(), nullable=False),
        sa.Column("gave_up", sa.Boolean(), nullable=False),
        sa.Column("never", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "state IN ('asked', 'director', 'offered', 'accepted', 'open', 'closed')", name=op.f("ck_silence_state")
        ),
        sa.ForeignKeyConstraint(["board_id"], ["board.id"], name=op.f("fk_silence_board_id_board")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_silence")),
    )
    op.create_index(op.f("ix_silence_board_id"), "silence", ["board_id"], unique=False)
    op.create_table(
        "vote",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dispute_id", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("until", MOMENT(), nullable=False),
        sa.Column("word", TEXT(), nullable=False),
        sa.Column("reason", TEXT(), nullable=False),
        sa.Column("appeal", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["dispute_id"], ["dispute.id"], name=op.f("fk_vote_dispute_id_dispute")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vote")),
        sa.UniqueConstraint("dispute_id", "entrant", name=op.f("uq_vote_dispute_id_entrant")),
    )
