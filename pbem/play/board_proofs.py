"""What letters of a table show besides its own leaves where it has one luck with others: that all of them had closed.

That is the chain of the tournament, which says which tables a board has, that it was bound before its round, and how it
was dealt; and of the other tables the leaf alone by which each closed its list.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import boards as written
from pbem.log import boards, sequencer
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Work
from pbem.store import logrows, tables
from pbem.store.logrows import LeafRow, Mark

_OF_BOARD = ("bind", "deal")


class Besides(NamedTuple):
    """Leaves of other chains, and the boards and lists of draws that they name."""

    leaves: Sequence[LeafRow] = ()
    boards: tuple[bytes, ...] = ()
    draws: tuple[bytes, ...] = ()


def besides(work: Work, game: tables.Game, before: Mark | None, size: int, phase: str = "") -> Besides:
    """What a letter on the tree of `size` shows that the one before, whose mark is told, did not.

    What belongs to the board of a `phase` is shown again, so that a report can be checked alone.
    """
    name = Terms.read(game.terms).board
    if not name:
        return Besides()
    chain = boards.chain_of(name)
    seen = before.size if before is not None else 0
    rows = logrows.after(work.session, {chain: -1}, size).get(chain, ())
    mine = [row for row in rows if (row.number or 0) >= seen or (phase and _is_of(row, name, phase))]
    binds = [row.opens.encode("utf-8") for row in mine if row.kind == "bind" and _has(row, game.id)]
    others = [close for block in binds for close in boards.closes(work.session, block) if close.game != game.id]
    closed = [LeafRow(**close.model_dump(exclude={"written"})) for close in others]
    return Besides(
        [*mine, *(row for row in closed if row.number is not None and row.number < size)],
        tuple(dict.fromkeys(row.opens.encode("utf-8") for row in mine if row.kind == "bind")),
        tuple(row.opens.encode("utf-8") for row in mine if row.kind == "shut"),
    )


def _is_of(row: LeafRow, name: str, phase: str) -> bool:
    """Whether a leaf binds or deals the board of a phase."""
    if row.kind not in _OF_BOARD:
        return False
    called = written.parse_name(sequencer.read_leaf(row)("board"))
    return (called.tables, called.phase) == (name, phase)


def _has(row: LeafRow, table: str) -> bool:
    """Whether a table is one of the board that was bound."""
    return any(one == table for one, _ in written.parse_board(row.opens.encode("utf-8")).tables)
