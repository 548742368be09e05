"""Whoever looks at the numbers counts neither the games nor the letters that were overtaken."""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None

_GIVEN_UP = "state = 'failed' AND last_text NOT LIKE 'overtaken by %'"
_ONE = "INSERT INTO tally (about, word, count) VALUES ('game', {row}.state, {by}) "
_ONE += "ON CONFLICT (about, word) DO UPDATE SET count = tally.count + {by};"
_MORE, _LESS = _ONE.format(row="NEW", by="1"), _ONE.format(row="OLD", by="-1")
_ACTS = {
    "new": ("INSERT", "", _MORE),
    "moved": ("UPDATE OF state", "OLD.state <> NEW.state", f"{_LESS} {_MORE}"),
    "gone": ("DELETE", "", _LESS),
}


def upgrade() -> None:
    op.create_index(op.f("ix_game_created"), "game", ["created"])
    where = sa.text(_GIVEN_UP)
    op.create_index("ix_outbox_given_up", "outbox", ["id"], sqlite_where=where, postgresql_where=where)
    op.execute("INSERT INTO tally (about, word, count) SELECT 'game', state, count(*) FROM game GROUP BY state")
    for name, (act, when, what) in _ACTS.items():
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


def downgrade() -> None:
    for name in _ACTS:
        if op.get_context().dialect.name == "postgresql":
            op.execute(f"DROP TRIGGER game_counted_{name} ON game")
            op.execute(f"DROP FUNCTION game_counted_{name}()")
        else:
            op.execute(f"DROP TRIGGER game_counted_{name}")
    op.execute("DELETE FROM tally WHERE about = 'game'")
    op.drop_index("ix_outbox_given_up", "outbox")
    op.drop_index(op.f("ix_game_created"), "game")
