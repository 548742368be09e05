"""The tables of the first release, and what keeps them: rows that are never changed, and counts of games.

They were made by calls of Alembic when they came out; the files beside this one say the same, statement for statement.
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
    # Nothing but blanks; but it keeps what it is told, and databases that there are were told these.
    ",\n": ", \n",
    "    ": "\t",
}
"""What SQLite has for words of PostgreSQL."""


def _statements() -> Iterator[str]:
    dialect = op.get_context().dialect.name
    for name in ("games", "tournaments", dialect):
        said = Path(__file__).with_name(f"0001_{name}.sql").read_text("utf-8")
        if dialect == "sqlite":
            for word, own in _SQLITE.items():
                said = said.replace(word, own)
        yield from (one.strip() for one in said.partition("\n")[2].split(";\n") if one.strip())


def upgrade() -> None:
    for statement in _statements():
        op.execute(statement)


def downgrade() -> None:
    of_table = " ON {}" if op.get_context().dialect.name == "postgresql" else ""
    made = [re.match(r"CREATE (TABLE|TRIGGER|FUNCTION) (\w+)(?:.*? ON (\w+))?", one) for one in _statements()]
    for kind, name, table in (one.groups() for one in reversed(made) if one is not None and one[1] != "FUNCTION"):
        op.execute(f"DROP {kind} {name}{of_table.format(table) if kind == 'TRIGGER' else ''}")
    for name in (one[2] for one in made if one is not None and one[1] == "FUNCTION"):
        op.execute(f"DROP FUNCTION {name}()")
