"""The tables of the first release, and what keeps them: rows that are never changed, and counts of games."""

from alembic import op

from pbem.store.migrations.first import contests, letters, play, proofs, seats

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TABLES = (
    "edition",
    "person",
    "address",
    "game",
    "observer",
    "seat",
    "standby",
    "absence",
    "writer",
    "picture",
    "poll",
    "raw",
    "tally",
    "gathered",
    "inbox",
    "outbox",
    "press",
    "attempt",
    "content",
    "begun",
    "war",
    "basis",
    "due",
    "moderator",
    "phase",
    "ruling",
    "snapshot",
    "war_game",
    "appeal",
    "delay",
    "draft",
    "event",
    "proposal",
    "segment",
    "use",
    "wish",
    "later",
    "order_set",
    "question",
    "standing",
    "checkpoint",
    "leaf",
    "lease",
    "node",
    "web_cosignature",
    "shown",
    "witness",
    "cosignature",
    "statement",
    "ground",
    "rating",
    "tournament",
    "challenge",
    "docket",
    "follower",
    "round",
    "team",
    "board",
    "entrant",
    "lineup",
    "bid",
    "dispute",
    "silence",
    "vote",
)
"""In the order in which they are made."""
_LEAF = ("game", "seq", "kind", "phase", "body", "written")
"""What never changes of a leaf; its number is given once."""
_ONE = "INSERT INTO tally (about, word, count) VALUES ('game', {row}.state, {by}) "
_ONE += "ON CONFLICT (about, word) DO UPDATE SET count = tally.count + {by};"
_MORE, _LESS = _ONE.format(row="NEW", by="1"), _ONE.format(row="OLD", by="-1")
_COUNTS = {
    "new": ("INSERT", "", _MORE),
    "moved": ("UPDATE OF state", "OLD.state <> NEW.state", f"{_LESS} {_MORE}"),
    "gone": ("DELETE", "", _LESS),
}


def upgrade() -> None:
    for part in (seats, letters, play, proofs, contests):
        part.tables()
    for table in ("event", "basis"):
        _append_only(table)
    _leaves_stay()
    _games_are_counted()


def downgrade() -> None:
    postgresql = op.get_context().dialect.name == "postgresql"
    for name in _COUNTS:
        op.execute(f"DROP TRIGGER game_counted_{name}" + (" ON game" if postgresql else ""))
    for table in reversed(_TABLES):
        op.drop_table(table)
    if postgresql:
        for name in (
            "event_append_only",
            "basis_append_only",
            "leaf_append_only",
            *(f"game_counted_{n}" for n in _COUNTS),
        ):
            op.execute(f"DROP FUNCTION {name}()")


def _append_only(table: str) -> None:
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


def _leaves_stay() -> None:
    """A leaf gets its number once; every other change, and every DELETE, fails with ``leaf is append-only``."""
    if op.get_context().dialect.name == "postgresql":
        same = " AND ".join(f"NEW.{column} = OLD.{column}" for column in _LEAF)
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
    changed = " OR ".join(f"NEW.{column} IS NOT OLD.{column}" for column in _LEAF)
    op.execute(
        f"CREATE TRIGGER leaf_no_update BEFORE UPDATE ON leaf WHEN OLD.number IS NOT NULL OR {changed} "
        "BEGIN SELECT RAISE(ABORT, 'leaf is append-only'); END"
    )
    op.execute(
        "CREATE TRIGGER leaf_no_delete BEFORE DELETE ON leaf BEGIN SELECT RAISE(ABORT, 'leaf is append-only'); END"
    )


def _games_are_counted() -> None:
    """Keep how many games are in each state, as they come and go."""
    for name, (act, when, what) in _COUNTS.items():
        when = f"WHEN ({when}) " if when else ""
        if op.get_context().dialect.name == "postgresql":
            op.execute(
                f"CREATE FUNCTION game_counted_{name}() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN {what} RETURN NULL; END $$"
            )
            op.execute(
                f"CREATE TRIGGER game_counted_{name} AFTER {act} ON game FOR EACH ROW {when}"
                f"EXECUTE FUNCTION game_counted_{name}()"
            )
        else:
            op.execute(f"CREATE TRIGGER game_counted_{name} AFTER {act} ON game {when}BEGIN {what} END")
