"""How constraints are called, so that a migration can name one, and those that several tables have."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Index, text
from sqlmodel import SQLModel

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
# Rows are made as they come, and never validated: what pydantic needs for that takes a fifth of the time.
SQLModel.model_config["defer_build"] = True


def one_of(column: str, *words: str) -> CheckConstraint:
    """The constraint that a column holds one of the words."""
    listed = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({listed})", name=column)


def some(name: str, *columns: str, where: str) -> Index:
    """An index over the rows for which `where` is true; a question finds it that says the same in these very words."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


def only_one(name: str, *columns: str, where: str) -> Index:
    """Of the rows for which `where` is true at most one with these values."""
    return Index(name, *columns, unique=True, sqlite_where=text(where), postgresql_where=text(where))
