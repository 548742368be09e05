"""Define the tables.

Columns with a fixed set of words are text with a constraint; moments are in UTC.

`event` and `basis` are append-only, and so are the bytes of `leaf`: the migrations that make them add triggers that
refuse UPDATE and DELETE. `snapshot` is a cache; the rest are the games, their log and their letters.

A file is imported when one of its tables is first used: making all classes takes as long as importing SQLModel
itself, and most commands need a few. A file imports the files of the tables to which its own refer; `metadata`
imports all.
"""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import TYPE_CHECKING

from sqlalchemy import CheckConstraint, Dialect, Index, LargeBinary, MetaData, TypeDecorator, literal_column
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
    "orders": "QueuedOrders Later StandingOrders Wish Proposal",
    "persons": "UnknownWriter Observer Standby Seek Absence",
    "phases": "Phase Event Snapshot Basis Segment Question Due Delay",
    "post": "Raw Inbox Poll Content Outbox Picture Attempt Gathered Press Tally Use Begun",
    "rulings": "Moderator Draft Ruling Appeal",
    "tournaments": "Team Entrant Round Board Silence Bid Challenge Lineup Dispute Lot Vote Docket Appointment Follower "
    "Rating EditionRating",
}
"""The tables by file."""

SQLModel.metadata.naming_convention = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
# Rows are never validated: what pydantic needs for that takes a fifth of the time.
SQLModel.model_config["defer_build"] = True


class Compressed(TypeDecorator[bytes]):
    """The type of bytes that are stored compressed.

    Letters that were stored before as they are begin with a header line, and never with the first bytes of zlib.
    """

    impl, cache_ok = LargeBinary, True
    LEVEL = 1
    """The fastest level: a letter becomes a quarter of its size, and a tenth less by the next in twice the time."""
    BEGINNING = b"\x78\x01"

    def process_bind_param(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """Return the bytes to store."""
        return None if value is None else zlib.compress(value, self.LEVEL)

    def process_result_value(self, value: bytes | None, dialect: Dialect) -> bytes | None:
        """Return the bytes that were stored."""
        return zlib.decompress(value) if value is not None and value.startswith(self.BEGINNING) else value


def one_of(column: str, *words: str) -> CheckConstraint:
    """Return the constraint that a column has one of some words."""
    quoted = ", ".join(f"'{word}'" for word in words)
    return CheckConstraint(f"{column} IN ({quoted})", name=column)


def partial_index(name: str, *columns: str, where: str, unique: bool = False) -> Index:
    """Return an index over the rows for which `where` is true.

    A database uses it only for queries with these very words.
    """
    # An option for a dialect would import that dialect, and the other one: `metadata` adds it where it is needed.
    return Index(name, *columns, unique=unique, info={"where": where})


def partial_unique_index(name: str, *columns: str, where: str) -> Index:
    """Return a unique index over the rows for which `where` is true."""
    return partial_index(name, *columns, where=where, unique=True)


def metadata() -> MetaData:
    """Return all tables, for migrations to be compared with.

    Partial indexes have their condition for both databases.
    """
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
                module = import_module(f"{__name__}.{file}")
                globals().update({table_name: getattr(module, table_name) for table_name in names.split()})
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
