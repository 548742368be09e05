"""The tables. Text with a check stands where a closed set of words is meant; every moment is aware and in UTC.

`event` and `basis` are append-only, and so are the bytes of `leaf`: the migrations that make them add triggers that
refuse UPDATE and DELETE. `snapshot` is a cache; the rest is what a game, its log and its post are made of.

A file is read when one of its tables is first asked for: to make the classes of all takes as long as to import SQLModel
itself, and most commands need a few. A file imports those that its own refer to; `metadata` reads all.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from sqlalchemy import CheckConstraint, Index, MetaData, literal_column
from sqlmodel import SQLModel

if TYPE_CHECKING:
    from pbem.store.tables.games import *  # noqa: F403
    from pbem.store.tables.log import *  # noqa: F403
    from pbem.store.tables.orders import *  # noqa: F403
    from pbem.store.tables.persons import *  # noqa: F403
    from pbem.store.tables.phases import *  # noqa: F403
    from pbem.store.tables.post import *  # noqa: F403
    from pbem.store.tables.rulings import *  # noqa: F403
    from pbem.store.tables.tournaments import *  # noqa: F403

_FILES = {
    "games": "Edition Person Address Game Seat War WarGame Tournament",
    "log": "Leaf Node Checkpoint Lease Shown Witness Cosignature Statement WebCosignature",
    "orders": "QueuedOrders Later Standing Wish Proposal",
    "persons": "Writer Observer Standby Seek Absence",
    "phases": "Phase Event Snapshot Basis Segment Question Due Delay",
    "post": "Raw Inbox Poll Content Outbox Picture Attempt Gathered Press Tally Use Begun",
    "rulings": "Moderator Draft Ruling Appeal",
    "tournaments": "Team Entrant Round Board Silence Bid Challenge Lineup Dispute Lot Vote Docket Follower "
    "Rating Ground",
}
"""The tables by the files that they are in."""

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


def some(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """An index over the rows for which `where` is true; a question finds it that says the same in these very words."""
    # What is meant for a dialect would import that dialect, and the other one: `metadata` says it where it is wanted.
    return Index(name, *columns, unique=unique, info={"where": where})


def only_one(name: str, *columns: str, where: str) -> Index:
    """Of the rows for which `where` is true at most one with these values."""
    return some(name, *columns, where=where, unique=True)


def metadata() -> MetaData:
    """Return all tables, with all that migrations are compared with."""
    for name in _FILES:
        import_module(f"{__name__}.{name}")
    for table in SQLModel.metadata.tables.values():
        for index in table.indexes:
            if where := index.info.get("where"):
                for dialect in ("sqlite", "postgresql"):
                    index.dialect_options[dialect]["where"] = literal_column(where)
    return SQLModel.metadata


if not TYPE_CHECKING:  # which would take any name for one of a table

    def __getattr__(name):
        """Read the file of a table."""
        for file, names in _FILES.items():
            if name in names.split():
                found = import_module(f"{__name__}.{file}")
                globals().update({one: getattr(found, one) for one in names.split()})
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
