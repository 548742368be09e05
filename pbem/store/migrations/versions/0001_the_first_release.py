"""Create the tables of the first release, with triggers and tallies.

Calls of Alembic made them at that time; the files beside this one say the same, statement for statement.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_SQLITE = {
    "BIGSERIAL": "BIGINT",
    "SERIAL": "INTEGER",
    "BYTEA": "BLOB",
    "TIMESTAMP WITH TIME ZONE": "DATETIME",
    '"window"': "window",
    # Only blanks; but SQLite stores its statements verbatim, and existing databases have these.
    ",\n": ", \n",
    "    ": "\t",
}
"""SQLite's words for those of PostgreSQL."""


def _statements() -> Iterator[str]:
    dialect = op.get_context().dialect.name
    for name in ("games", "tournaments", dialect):
        sql = Path(__file__).with_name(f"0001_{name}.sql").read_text("utf-8")
        if dialect == "sqlite":
            for word, replacement in _SQLITE.items():
                sql = sql.replace(word, replacement)
        yield from (statement.strip() for statement in sql.partition("\n")[2].split(";\n") if statement.strip())


def upgrade() -> None:
    for statement in _statements():
        op.execute(statement)


def downgrade() -> None:
    of_table = " ON {}" if op.get_context().dialect.name == "postgresql" else ""
    matches = [
        re.match(r"CREATE (TABLE|TRIGGER|FUNCTION) (\w+)(?:.*? ON (\w+))?", statement) for statement in _statements()
    ]
    for kind, name, table in (
        match.groups() for match in reversed(matches) if match is not None and match[1] != "FUNCTION"
    ):
        op.execute(f"DROP {kind} {name}{of_table.format(table) if kind == 'TRIGGER' else ''}")
    for name in (match[2] for match in matches if match is not None and match[1] == "FUNCTION"):
        op.execute(f"DROP FUNCTION {name}()")
