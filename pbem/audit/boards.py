"""The board of duplicate dice: tables that have one luck, none of which knows it before all of them have closed::

    pbemdice/v1/board
    game event/cup60
    board cup60-r2-03/T3.spain~1/1
    table cup60-r2-03a 5f0e...
    table cup60-r2-03b 91c2...
    beacon 52db... 123

A board is named by its tables, their phase and segment; a line for each table, in the order of bytes, has the hash of
its closed list, or ``-`` for one that is no longer at this phase: it is over, or fell behind. The secret of
``alpha(group dup, this block, the beacon's signature)`` is that of all of them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import ID, Malformed
from pbem.audit.tournament_leaves import is_chain

_NAME = re.compile(r"([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+~[1-9][0-9]{0,8})/([1-9][0-9]{0,8})")
_TABLE = re.compile(rf"({ID}) (-|[0-9a-f]{{64}})")
_BEACON = re.compile(r"none|[0-9a-f]{64} [1-9][0-9]{0,17}")


class Name(NamedTuple):
    """What a board is called by: its tables' common name, and the phase and segment of all of them."""

    tables: str
    phase: str
    segment: int


class Board(NamedTuple):
    """The closed lists of all tables: `tables` has of each the hash of its slate, or ``-``; `beacon` as in a slate."""

    game: str
    name: Name
    tables: tuple[tuple[str, str], ...]
    beacon: str


def name_of(name: Name) -> str:
    """The name as it is written; Malformed if it cannot be one."""
    text = f"{name.tables}/{name.phase}/{name.segment}"
    if parse_name(text) != name:
        raise Malformed(f"a board is called by tables, phase and segment: {text[:80]!r}")
    return text


def parse_name(text: str) -> Name:
    """Read the name of a board; Malformed if it is none."""
    found = _NAME.fullmatch(text)
    if found is None or re.fullmatch(ID, text) is None:
        raise Malformed(f"a board is called by tables, phase and segment: {text[:80]!r}")
    return Name(found[1], found[2], int(found[3]))


def belongs(table: str, tables: str) -> bool:
    """Whether a table is one of a board: it has the board's name, with a letter or, after a dash, more behind it."""
    rest = table.removeprefix(tables)
    return table.startswith(tables) and re.fullmatch("|[a-z]|-.+", rest) is not None


def board(closed: Board) -> bytes:
    """The block of a board; Malformed for what `parse_board` would not read back."""
    lines = [
        ("game", closed.game),
        ("board", name_of(closed.name)),
        *(("table", f"{table} {slate}") for table, slate in closed.tables),
        ("beacon", closed.beacon),
    ]
    try:
        data = blocks.block("board", lines)
    except ValueError as wrong:
        raise Malformed(f"no board: {wrong}") from None
    if _read(lines) != closed:
        raise Malformed("a board says more than its lines do")
    return data


def parse_board(data: bytes) -> Board:
    """Read a board; Malformed unless it is written exactly as `board` does."""
    kind, pairs = blocks.parse(data)
    if kind != "board":
        raise Malformed(f"this is a block of {kind}, and no board")
    return _read(pairs)


def _read(pairs: Sequence[tuple[str, str]]) -> Board:
    head, listed, last = pairs[:2], pairs[2:-1], pairs[-1:]
    if [key for key, _ in (*head, *last)] != ["game", "board", "beacon"] or {key for key, _ in listed} != {"table"}:
        raise Malformed("a board says game, board, a table or more, and beacon")
    (_, game), (_, name), (_, beacon) = (*head, *last)
    if not is_chain(game) or _BEACON.fullmatch(beacon) is None:
        raise Malformed("a board is of a tournament, and has a beacon with its round, or none")
    called, tables = parse_name(name), tuple(_table(value) for _, value in listed)
    names = [table for table, _ in tables]
    if names != sorted(set(names)) or not all(belongs(table, called.tables) for table in names):
        raise Malformed("the tables of a board have its name, in the order of their bytes, each once")
    if all(slate == "-" for _, slate in tables):
        raise Malformed("a board has a table that plays")
    return Board(game, called, tables, beacon)


def _table(value: str) -> tuple[str, str]:
    found = _TABLE.fullmatch(value)
    if found is None:
        raise Malformed(f"a table of a board has a name and the hash of its list, or -: {value[:80]!r}")
    return found[1], found[2]
