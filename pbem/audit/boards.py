"""Write and read boards of duplicate dice: tables that share their dice.

No table knows the dice before all tables have closed::

    pbemdice/v1/board
    game event/cup60
    board cup60-r2-03/T3.spain~1/1
    table cup60-r2-03a 5f0e...
    table cup60-r2-03b 91c2...
    beacon 52db... 123

A board is named by its tables, their phase and segment. Each table has a line, sorted by bytes, with the hash of
its closed orders, or ``-`` for a table that is no longer at this phase: its game is over, or it replays a phase.
All tables use the secret of ``alpha(group dup, this block, the beacon's signature)``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import ID_PATTERN, Malformed
from pbem.audit.tournament_leaves import is_chain

# A board's name: three parts, of which the second ends with the number of an epoch. Numbers have at most nine digits.
_NAME = re.compile(r"([A-Za-z0-9._-]+)/([A-Za-z0-9._-]+~[1-9][0-9]{0,8})/([1-9][0-9]{0,8})")
_TABLE = re.compile(rf"({ID_PATTERN}) (-|[0-9a-f]{{64}})")
_BEACON = re.compile(rf"none|[0-9a-f]{{64}} {blocks.COUNT_PATTERN}")


class BoardName(NamedTuple):
    """The name of a board: its tables' common name, their phase and segment."""

    tables: str
    phase: str
    segment: int


class BoardBlock(NamedTuple):
    """The tables of a board, each with the hash of its closed orders, or ``-``.

    `beacon` is as in the block of closed orders.
    """

    game: str
    name: BoardName
    tables: tuple[tuple[str, str], ...]
    beacon: str


def write_name(name: BoardName) -> str:
    """Return the name as written; raise Malformed if no board can have it."""
    text = f"{name.tables}/{name.phase}/{name.segment}"
    if parse_name(text) != name:
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"a board is called by tables, phase and segment: {text[:80]!r}")
    return text


def parse_name(text: str) -> BoardName:
    """Parse the name of a board; raise Malformed for anything else."""
    match = _NAME.fullmatch(text)
    if match is None or re.fullmatch(ID_PATTERN, text) is None:
        raise Malformed(f"a board is called by tables, phase and segment: {text[:80]!r}")
    return BoardName(match[1], match[2], int(match[3]))


def is_table_of(table: str, tables: str) -> bool:
    """Return whether a table is one of a board.

    Its name is the board's, then a letter or "-" and more.
    """
    suffix = table.removeprefix(tables)
    return table.startswith(tables) and re.fullmatch("|[a-z]|-.+", suffix) is not None


def board_block(record: BoardBlock) -> bytes:
    """Return the block of a board; raise Malformed if it would not be read back."""
    lines = [
        ("game", record.game),
        ("board", write_name(record.name)),
        *(("table", f"{table} {slate}") for table, slate in record.tables),
        ("beacon", record.beacon),
    ]
    try:
        data = blocks.block("board", lines)
    # A name or a table with a line end in it: `block` refuses it.
    except ValueError as wrong:
        raise Malformed(f"no board: {wrong}") from None
    if _read(lines) != record:
        raise Malformed("a board says more than its lines do")
    return data


def parse_board(data: bytes) -> BoardBlock:
    """Parse the block of a board; raise Malformed unless it is canonical."""
    kind, pairs = blocks.parse(data)
    if kind != "board":
        raise Malformed(f"this is a block of {kind}, and no board")
    return _read(pairs)


def _read(pairs: Sequence[tuple[str, str]]) -> BoardBlock:
    head, table_lines, last = pairs[:2], pairs[2:-1], pairs[-1:]
    if [key for key, _ in (*head, *last)] != ["game", "board", "beacon"] or {key for key, _ in table_lines} != {
        "table"
    }:
        raise Malformed("a board says game, board, a table or more, and beacon")
    (_, game), (_, name), (_, beacon) = (*head, *last)
    if not is_chain(game) or _BEACON.fullmatch(beacon) is None:
        raise Malformed("a board is of a tournament, and has a beacon with its round, or none")
    name_parts, tables = parse_name(name), tuple(_table(value) for _, value in table_lines)
    names = [table for table, _ in tables]
    if names != sorted(set(names)) or not all(is_table_of(table, name_parts.tables) for table in names):
        raise Malformed("the tables of a board have its name, in the order of their bytes, each once")
    if all(slate == "-" for _, slate in tables):
        raise Malformed("a board has a table that plays")
    return BoardBlock(game, name_parts, tables, beacon)


def _table(value: str) -> tuple[str, str]:
    match = _TABLE.fullmatch(value)
    if match is None:
        raise Malformed(f"a table of a board has a name and the hash of its list, or -: {value[:80]!r}")
    return match[1], match[2]
