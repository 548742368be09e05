"""Log when phases close: at their opening, and whenever the closing time moves.

The last leaf before the close counts. A moment is a unix second; a letter that came within that second was in time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import beacon, blocks, boards, rolls, vrf
from pbem.audit.blocks import sha256_hex
from pbem.audit.boards import BoardBlock, BoardName
from pbem.audit.sealing import Secret
from pbem.audit.tournament_leaves import CHAIN_PREFIX, DEAL_GROUP
from pbem.letters import outbox
from pbem.log import keyring, sequencer, witnesses
from pbem.log.sequencer import Noted, PhaseLeaves
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables

_CAUSES = {
    "held": "moderator",
    "pause": "moderator",
    "mass": "outage",
    "bounces": "bounce",
    "unreachable": "bounce",
}
"""Causes of delays that have another name in the log: the stored name, and the log's."""


class Closing(NamedTuple):
    """The second in which a phase closes from now on, and the cause of the change."""

    phase: str
    to: int
    cause: str


def note(tx: Transaction, game: tables.Game, phase: tables.Phase, to: datetime, cause: str) -> None:
    """Log that a phase closes at another moment, unless the log already says so."""
    name = str(outbox.phase_of(phase))
    known = sequencer.phase_leaves(tx.session, game.id, name)
    write_moved(tx, known, game.id, Closing(name, second(to), cause))


def write_moved(tx: Transaction, known: PhaseLeaves, game: str, closing: Closing) -> None:
    """Log that a phase closes at another moment, after the leaves drafted before.

    `known` are the phase's leaves. Nothing is added if the log already says so.
    """
    sequencer.write_drafts(tx, game, _draft_moved(tx, known, game, closing))


def _draft_moved(tx: Transaction, known: PhaseLeaves, game: str, closing: Closing) -> PhaseLeaves:
    """Return a phase's leaves with one that says when it closes, unless one does."""
    phase, to, cause = closing
    latest = known.newest("open", "deadline")
    if latest is None or latest.number("D") == to:
        return known
    opened = known.newest("open")
    number = round_of(opened("chain"), to + opened.number("delta")) if opened else 0
    says = (("phase", phase), ("D", str(to)), ("round", str(number)), ("cause", _CAUSES.get(cause, cause)))
    last = known.newest("open", "deadline", "roll")
    if number and to > latest.number("D") and last == latest:
        witnesses.show_later_closing(tx, tx.session.get_one(tables.Game, game), f"{phase} closes at {to}")
    return sequencer.draft(tx, sequencer.Note("deadline", says, game), known)


def round_of(chain: str, since: int) -> int:
    """Return a chain's first round at or after a second; 0 without a chain."""
    return 0 if chain == "none" else beacon.first_round_from(beacon.KNOWN_CHAINS[chain], since)


def second(moment: datetime) -> int:
    """Return a moment as a unix second, as the log writes it."""
    return int(moment.timestamp())


# E8 Boards: tables of a round of a tournament that have one luck, which nobody may know before the last has closed.
#
# A table's closed list names its board (``dice board cup60-r2/T3.spain~1/1``) and waits. Whoever closes last binds the
# board: a leaf of the tournament says the hash of all lists, and which round of the beacon they wait for. When that is
# out the board is dealt, and every table rolls by the same secret. A table that is over or held, or plays a phase
# again, is no longer one of the board: it rolls its own dice from then on.


OWN = "own"
# The name of a game of a tournament: event, round, board letter, and a number after a repetition.
_EVENT = re.compile(r"(.+)-r[1-9][0-9]*[a-z]?(?:-[0-9]+)?")


class BoardBinding(NamedTuple):
    """The leaf that binds a board, after which its dice are fixed.

    `block` holds the hashes of all closed lists; `chain` and `round` are the beacon round that the dice wait for,
    or ``none`` and 0.
    """

    block: bytes
    chain: str
    round: int
    leaf: tables.Leaf

    @property
    def number(self) -> int | None:
        """Return the number of its leaf in the log; None before it has one."""
        return self.leaf.number


def _read_row(row: tables.Leaf) -> Noted:
    return Noted(row.seq, row.kind, row.phase, row.body, row.says)


def _tournament_of(name: str) -> str:
    """Return the tournament that a board's tables are named after; raise LookupError."""
    match = _EVENT.fullmatch(name)
    if match is None:
        raise LookupError(f"no table of a tournament is called {name}")
    return match[1]


def chain_of(name: str) -> str:
    """Return the chain of the tournament that a board's tables are named after."""
    return CHAIN_PREFIX + _tournament_of(name)


def board_of_closed_orders(slate: bytes) -> str:
    """Return the board named by a closed list; empty if the table has its own dice."""
    return rolls.parse_closed_orders(slate).dice.partition(" ")[2] if b"\ndice board " in slate else ""


def dice_for(tx: Transaction, game: tables.Game, phase: str) -> str:
    """Return a phase's kind of dice: ``own``, or the table's board."""
    name = Terms.read(game.terms).board
    if not name or _has_left(tx.session, game.id):
        return OWN
    board = boards.write_name(BoardName(name, phase, 1))
    return OWN if find_board_binding(tx.session, board) is not None else f"board {board}"


def _has_left(session: Session, game: str) -> bool:
    """Return whether a table replayed a phase, so that it has dice of its own."""
    return any(not row.phase.endswith("~1") for row in queries.log.leaves(session, game, "open"))


def find_board_binding(session: Session, board: str) -> BoardBinding | None:
    """Return the leaf that binds a board; None while a table has not closed."""
    event = CHAIN_PREFIX + _tournament_of(boards.parse_name(board).tables)
    for row in queries.log.leaves(session, event, "bind"):
        leaf = _read_row(row)
        if leaf("board") == board:
            return BoardBinding(row.opens.encode("utf-8"), leaf("chain"), leaf.number("beacon"), row)
    return None


def tables_of_board(session: Session, name: str) -> list[str]:
    """Return the tables of a board, by the pairs of their round's last draw."""
    newest: dict[str, int] = {}
    pairs: list[tuple[str, int, str]] = []
    for row in queries.log.leaves(session, CHAIN_PREFIX + _tournament_of(name), "pair"):
        leaf = _read_row(row)
        round_, attempt = leaf("round"), leaf.number("attempt")
        newest[round_] = max(attempt, newest.get(round_, 0))
        pairs += [(round_, attempt, table) for table in leaf("table").split(" ") if table != "-"]
    return sorted(
        {table for round_, attempt, table in pairs if newest[round_] == attempt and boards.is_table_of(table, name)}
    )


def bind_board(tx: Transaction, board: str) -> list[str]:
    """Bind a board once each of its tables has closed or left it.

    Returns the tables in it; empty if it is too early.
    """
    name = boards.parse_name(board)
    queries.tournaments.tournament(tx.session, _tournament_of(name.tables))
    bound = find_board_binding(tx.session, board)
    if bound is not None:
        return [table for table, digest in boards.parse_board(bound.block).tables if digest != "-"]
    lists: dict[str, bytes | None] = {}
    for table in tables_of_board(tx.session, name.tables):
        slate = _closed_orders(tx.session, table, name.phase)
        if slate is None and _is_awaited(tx.session, table):
            return []
        lists[table] = slate if slate is not None and board_of_closed_orders(slate) == board else None
    beacon_round = _round_to_wait_for(tx, [slate for slate in lists.values() if slate is not None])
    entries = tuple((table, sha256_hex(slate) if slate else "-") for table, slate in sorted(lists.items()))
    block = boards.board_block(BoardBlock(CHAIN_PREFIX + _tournament_of(name.tables), name, entries, beacon_round))
    chain, _, number = beacon_round.partition(" ")
    says = (("board", board), ("slate", sha256_hex(block)), ("chain", chain), ("beacon", number or "0"))
    sequencer.append(
        tx, sequencer.Note("bind", says, CHAIN_PREFIX + _tournament_of(name.tables), block.decode("utf-8"))
    )
    return [table for table, slate in lists.items() if slate is not None]


def _closed_orders(session: Session, table: str, phase: str) -> bytes | None:
    """Return the closed orders of a table's phase."""
    rows = queries.log.leaves(session, table, "close", phase=phase)
    return rows[0].opens.encode("utf-8") if rows else None


def _is_awaited(session: Session, table: str) -> bool:
    """Return whether a table is still expected to close a phase."""
    game = session.get(tables.Game, table)
    return game is not None and game.state in ("forming", "running") and not _has_left(session, table)


def _round_to_wait_for(tx: Transaction, slates: Sequence[bytes]) -> str:
    """Return the latest round of the tables, or a later one if that is already out."""
    parsed = [rolls.parse_closed_orders(slate) for slate in slates]
    chain, latest = parsed[0].chain, max(orders.beacon_round for orders in parsed)
    if chain == "none":
        return "none"
    if beacon.round_time(beacon.KNOWN_CHAINS[chain], latest) <= second(tx.now):
        game = tx.session.get_one(tables.Game, parsed[0].game)
        latest = round_of(chain, second(tx.now) + Terms.read(game.terms).delta)
    return f"{chain} {latest}"


def deal_board(tx: Transaction, board: str, value: bytes | None) -> bytes:
    """Return the proof of a board's secret from the beacon's signature.

    The first call writes it to the log.
    """
    bound = find_board_binding(tx.session, board)
    if bound is None:
        raise LookupError(f"the board {board} was not bound")
    event = _tournament_of(boards.parse_name(board).tables)
    proof = keyring.in_force(tx, bound.number).prove(blocks.vrf_input(bound.block, value, DEAL_GROUP))
    queries.tournaments.tournament(tx.session, event)
    if all(_read_row(row)("board") != board for row in queries.log.leaves(tx.session, CHAIN_PREFIX + event, "deal")):
        says = (("board", board), ("sig", value.hex() if value else "none"), ("group", f"{DEAL_GROUP} {proof.hex()}"))
        sequencer.append(tx, sequencer.Note("deal", says, CHAIN_PREFIX + event))
    return proof


def secret_with(tx: Transaction, of: Secret, slates: Sequence[bytes], values: Sequence[bytes | None]) -> Secret:
    """Return the secret function for closed orders.

    It is that of the board that they name, or else of the game.
    """
    dealt: dict[bytes, bytes] = {}
    for slate, value in zip(slates, values, strict=False):
        bound = find_board_binding(tx.session, board) if (board := board_of_closed_orders(slate)) else None
        if bound is not None:
            proof = keyring.in_force(tx, bound.number).prove(blocks.vrf_input(bound.block, value, DEAL_GROUP))
            dealt[blocks.vrf_input(slate, value)] = vrf.output_of(proof)
    return (lambda block: dealt.get(block) or of(block)) if dealt else of


def closes_on_board(session: Session, block: bytes) -> Iterator[tables.Leaf]:
    """Yield the leaves that closed the orders of a board's tables."""
    board = boards.parse_board(block)
    for table, digest in board.tables:
        if digest != "-":
            yield from queries.log.leaves(session, table, "close", phase=board.name.phase)[:1]
