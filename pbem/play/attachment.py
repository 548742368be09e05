"""Make the attachment `pbemdice.txt`, which proves a letter, at rendering.

It has the leaves that the seat has not been shown yet, and proves that the log continues the tree shown last.
A report shows its whole phase and the log's keys again, so that it can be checked alone; the letter that says
that the game is over shows and opens everything.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import boards as written
from pbem.audit import bundle, checkpoint, leaves, note, sealing
from pbem.audit.bundle import Bundle
from pbem.audit.bundle_parts import OpenedOrders, Ruling
from pbem.audit.checkpoint import CosignedLeaf
from pbem.log import closing_times, grades, keyring, log_health, sequencer
from pbem.log.keyring import Prove
from pbem.mail.seen import ShownTree
from pbem.play import log_entries, revealed_orders
from pbem.play.adjudication import ClosedOrders
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import Server, Transaction
from pbem.store import hot_statements, queries, tables
from pbem.store.queries.log import Addressee, LeafRow, ShownMark

# Leaves that a seat may not know yet: their heads are shown now, their bodies in a later letter.
#
# What others have sent is told once the list is closed that holds it. While a phase waits for answers nobody learns who
# was asked, or until when: he is told when the list of answers is closed.


_SENT = ("order", "answer")


def hide_secret_bodies(session: Session, rows: Sequence[LeafRow], seat: str) -> list[LeafRow]:
    """Return the leaves for a letter, without bodies still secret to the seat."""
    closed, waits = _closed_segments(rows), _waiting_roll(session, rows)
    return [row._replace(says=b"") if _is_hidden(row, seat, closed, waits) else row for row in rows]


def newly_visible_leaves(session: Session, fresh: Sequence[LeafRow], seat: str, size: int) -> list[LeafRow]:
    """Return earlier leaves whose bodies the seat sees now, by orders closed here."""
    rows_to_show = []
    for phase, segment in sorted(_closed_segments(fresh)):
        rows = queries.log.leaves_to_repeat(session, fresh[0].game, phase, fresh[0].seq, size)
        earlier = [row for row in rows if row.phase == phase and row.seq < fresh[0].seq]
        rolls = [row.seq for row in earlier if row.kind == "roll"]
        rows_to_show += [
            row
            for row in earlier
            if (_is_sent(row, segment) and not _is_own(row, seat))
            or (row.kind == "deadline" and rolls and row.seq > rolls[-1])
        ]
    return rows_to_show


def _closed_segments(rows: Sequence[LeafRow]) -> set[tuple[str, int]]:
    """Return the phases and segments whose orders are closed in these leaves."""
    return {(row.phase, sequencer.read_leaf(row).number("segment")) for row in rows if row.kind == "close"}


def _waiting_roll(session: Session, rows: Sequence[LeafRow]) -> int | None:
    """Return the sequence number of the roll after which a phase waits for answers.

    None if no phase waits, or no leaf tells until when.
    """
    deadline_rows = [row for row in rows if row.kind == "deadline"]
    newest = (
        queries.log.newest_of_kinds(session, deadline_rows[0].game, ("open", "close", "roll", "result"))
        if deadline_rows
        else None
    )
    return newest.seq if newest is not None and newest.kind == "roll" else None


def _is_hidden(row: LeafRow, seat: str, closed: set[tuple[str, int]], waits: int | None) -> bool:
    if row.kind == "deadline":
        return waits is not None and row.seq > waits
    if row.kind not in _SENT or _is_own(row, seat):
        return False
    return (row.phase, _segment(row)) not in closed


def _is_sent(row: LeafRow, segment: int) -> bool:
    return row.kind in _SENT and _segment(row) == segment


def _segment(row: LeafRow) -> int:
    return sequencer.read_leaf(row).number("segment") if row.kind == "answer" else 1


def _is_own(row: LeafRow, seat: str) -> bool:
    return f"\nseat {seat}\n".encode() in row.says


# Further leaves in letters of a table that shares its dice with others: they prove that all had closed.
#
# That is the chain of the tournament, which says which tables a board has, that it was bound before its round, and how
# it was dealt; and of the other tables the leaf alone by which each closed its list.


_OF_BOARD = ("bind", "deal")


class BoardProofs(NamedTuple):
    """Leaves of other chains, and the boards and draw lists that they name."""

    leaves: Sequence[LeafRow] = ()
    boards: tuple[bytes, ...] = ()
    draws: tuple[bytes, ...] = ()


def board_proofs(
    tx: Transaction, game: tables.Game, before: ShownMark | None, size: int, phase: str = ""
) -> BoardProofs:
    """Return the board proofs on the tree of `size` that are new to the seat.

    `before` is the mark of that letter. Proofs of a `phase`'s board are shown again, so that a report can be
    checked alone.
    """
    name = Terms.read(game.terms).board
    if not name:
        return BoardProofs()
    chain = closing_times.chain_of(name)
    seen_size = before.size if before is not None else 0
    rows = hot_statements.leaves_after(tx.session, {chain: -1}, size).get(chain, ())
    new_rows = [row for row in rows if (row.number or 0) >= seen_size or (phase and _is_about_board(row, name, phase))]
    binds = [row.opens.encode("utf-8") for row in new_rows if row.kind == "bind" and _has_table(row, game.id)]
    other_closes = [
        close for block in binds for close in closing_times.closes_on_board(tx.session, block) if close.game != game.id
    ]
    close_rows = [LeafRow(**close.model_dump(exclude={"written"})) for close in other_closes]
    return BoardProofs(
        [*new_rows, *(row for row in close_rows if row.number is not None and row.number < size)],
        tuple(dict.fromkeys(row.opens.encode("utf-8") for row in new_rows if row.kind == "bind")),
        tuple(row.opens.encode("utf-8") for row in new_rows if row.kind == "shut"),
    )


def _is_about_board(row: LeafRow, name: str, phase: str) -> bool:
    """Return whether a leaf binds or deals the board of a phase."""
    if row.kind not in _OF_BOARD:
        return False
    board = written.parse_name(sequencer.read_leaf(row)("board"))
    return (board.tables, board.phase) == (name, phase)


def _has_table(row: LeafRow, table: str) -> bool:
    """Return whether a table is in a bound board."""
    return any(name == table for name, _ in written.parse_board(row.opens.encode("utf-8")).tables)


_KINDS = (
    *("report", "receipt", "cancelled", "question", "waiting", "answered", "settings", "announcement", "over"),
    *("sealed", "disclosure"),
)
PROVABLE = _KINDS
"""Kinds of letters that may carry proofs; the outbox holds them while the log is stopped."""


_BY_ITSELF = ("sealed", "disclosure")
"""Kinds of letters that carry their own proofs: a `sealed` letter proves a moment, and a `disclosure` opens
everything."""


class Attachment(NamedTuple):
    """An attachment's text, its seat, the seat's mark once stored, and the tree."""

    text: bytes
    seat: int
    shown: ShownMark
    tree: sequencer.SignedTree


def is_provable(row: tables.Outbox) -> bool:
    """Return whether letters of this kind carry proofs."""
    return row.seat_id is not None and row.kind in _KINDS


class AttachmentBatch:
    """The letters of one rendering, whose proofs are looked up together.

    `put_off` are the letters whose proofs a later report carries.
    """

    def __init__(self, tx: Transaction, rows: Iterable[tables.Outbox]) -> None:
        self._work = tx
        self._head = sequencer.head(tx.session)
        self._to: dict[int, Addressee] = {}
        self._fresh: dict[str, tuple[LeafRow, ...]] = {}
        self.put_off: set[int | None] = set()
        rows = list(rows)
        seats = {row.seat_id for row in rows if row.seat_id is not None and row.kind in _KINDS}
        self._reports = queries.outbox.unwritten_reports(tx.session, seats) if seats else {}
        if self._head is not None and seats:
            self._look_up(tx.session, self._head.size, seats)

    def _look_up(self, session: Session, size: int, seats: Collection[int]) -> None:
        self._to = hot_statements.addressees(session, seats)
        newest_shown: dict[str, int] = {}
        for addressee in self._to.values():
            seq = addressee.shown.seq if addressee.shown else -1
            newest_shown[addressee.game.id] = min(seq, newest_shown.get(addressee.game.id, seq))
        self._fresh = hot_statements.leaves_after(session, newest_shown, size)
        numbers = [row.number for rows in self._fresh.values() for row in rows if row.number is not None]
        sequencer.prefetch_proofs(
            session, numbers, {reader.shown.size for reader in self._to.values() if reader.shown}, size
        )

    def make(self, row: tables.Outbox) -> Attachment | None:
        """Return the proofs that the next letter carries; None if it carries none.

        They continue those that its seat has. While a later report to the seat is still to be rendered, that report
        carries them, since its text mentions them. This also holds if letters are rendered one at a time.
        """
        addressee = self._to.get(row.seat_id or 0)
        if addressee is None or self._head is None or row.kind not in _KINDS:
            return None
        if row.kind not in _BY_ITSELF and (row.id or 0) < self._reports.get(row.seat_id or 0, 0):
            self.put_off.add(row.id)
            return None
        attachment = _proofs(self._work, row.kind, addressee, self._head, self._fresh.get(addressee.game.id, ()))
        if attachment is not None:
            self._to[row.seat_id or 0] = addressee._replace(shown=attachment.shown)
        return attachment


def _proofs(
    tx: Transaction, kind: str, addressee: Addressee, head: sequencer.SignedTree, newest: Sequence[LeafRow]
) -> Attachment | None:
    """Return the proofs of a letter of some kind.

    `newest` are the last leaves of its game, including all that its seat was not shown.
    """
    game, before = addressee.game, addressee.shown
    prove = keyring.prove_of(tx, game.id)
    fresh = [row for row in newest if before is None or row.seq > before.seq]
    if kind == "disclosure" or any(row.kind == "disclose" for row in fresh):
        return _disclosure(tx, prove, addressee, head, fresh)
    new_beginnings = _new_beginnings(tx, head, before)
    if not fresh and not new_beginnings:
        return None
    results = [row.phase for row in fresh if row.kind == "result"]
    letter = "report" if results else "welcome" if before is None else _letter_kind(fresh)
    phase = results[-1] if results else (fresh and fresh[-1].phase) or "-"
    rows: Sequence[LeafRow] = [
        *new_beginnings,
        *newly_visible_leaves(tx.session, fresh, addressee.name, head.size),
        *fresh,
    ]
    if results:
        rows = [
            *_key_leaves(tx.session, head.size),
            *queries.log.leaves_to_repeat(tx.session, game.id, phase, fresh[0].seq, head.size),
        ]
    if letter == "welcome":
        rows = [*_key_leaves(tx.session, head.size), *rows]
    evidence = _evidence(tx.session, game, phase, head.size) if results else _Evidence()
    rows = hide_secret_bodies(tx.session, rows, addressee.name)
    if len(rows) > len(fresh):
        sequencer.prefetch_proofs(tx.session, [row.number for row in rows if row.number is not None], (), head.size)
    result_rows = [row for row in rows if row.kind == "result"]
    board = board_proofs(tx, game, before, head.size, phase if results else "")
    content = Bundle(
        game.id,
        addressee.name,
        letter,
        phase,
        evidence.grade,
        sequencer.place(tx.session, [*rows, *board.leaves], head.size),
        head.note,
        slates=tuple(row_closed.opens.encode("utf-8") for row_closed in rows if row_closed.kind == "close"),
        draws=board.draws,
        boards=board.boards,
        manifests=revealed_orders.roll_manifests([row_rolled for row_rolled in rows if _is_open(row_rolled)]),
        orders=_own_orders(prove, game, addressee.name, rows),
        played=tuple(revealed_orders.opened_sets(tx, game, result_rows)),
        fired=tuple(revealed_orders.opened_rules(tx, game, result_rows)),
        rulings=_rulings(rows),
        grown=sequencer.consistency_with(tx.session, before.size, head.size) if before else None,
        witnessed=evidence.cosigned,
        sees=evidence.sees,
    )
    last_seq = max([before.seq if before else -1, *(row.seq for row in fresh)])
    return Attachment(bundle.write(content), addressee.id, ShownMark(head.size, last_seq), head)


class _Evidence(NamedTuple):
    """The grade claimed for a phase's dice, and what witnesses say of it."""

    grade: str = "-"
    cosigned: tuple[CosignedLeaf, ...] = ()
    sees: tuple[bytes, ...] = ()


def _evidence(session: Session, game: tables.Game, phase: str, size: int) -> _Evidence:
    """Return the grade of a resolved phase's dice with its evidence.

    Proofs are on the tree of `size`.
    """
    grading = grades.grade(session, game, phase)
    if grading.later not in ("A", "B"):
        return _Evidence(grading.claim)
    closes = grades.closed_lists(session, game.id, phase)
    moves = grades.closing_moves(session, game.id, phase) if closes else ()
    cosigned = grades.cosigned_for(session, [*closes, *moves], size)
    return _Evidence(grading.claim, cosigned, grades.witness_statements(closes, size))


def _disclosure(
    tx: Transaction, prove: Prove, addressee: Addressee, head: sequencer.SignedTree, fresh: Sequence[LeafRow]
) -> Attachment:
    """Return the whole record of an ended game, all of it opened.

    If a phase was resolved in the `fresh` leaves, this is in place of its report's proofs, with the same evidence.
    """
    game, before = addressee.game, addressee.shown
    results = [row.phase for row in fresh if row.kind == "result"]
    evidence = _evidence(tx.session, game, results[-1], head.size) if results else _Evidence()
    chain_rows = _chain(tx.session, game.id, head.size)
    closes, rolled = ([row for row in chain_rows if row.kind == kind] for kind in ("close", "roll"))
    rows = [*_key_leaves(tx.session, head.size), *chain_rows]
    board = board_proofs(tx, game, None, head.size)
    sequencer.prefetch_proofs(tx.session, [row.number for row in rows if row.number is not None], (), head.size)
    content = Bundle(
        game.id,
        addressee.name,
        "disclosure",
        "-",
        "-",
        sequencer.place(tx.session, [*rows, *board.leaves], head.size),
        head.note,
        slates=tuple(row.opens.encode("utf-8") for row in closes),
        draws=board.draws,
        boards=board.boards,
        manifests=revealed_orders.roll_manifests(chain_rows),
        orders=revealed_orders.orders_in_clear(tx.session, prove, game, closes),
        groups=revealed_orders.dice_groups(prove, closes, rolled),
        reveals=revealed_orders.state_reveals(prove, chain_rows),
        rulings=(*_rulings(chain_rows), *revealed_orders.rulings_in_full(tx.session, chain_rows)),
        edition=revealed_orders.played_edition(tx, prove, game),
        grown=sequencer.consistency_with(tx.session, before.size, head.size) if before else None,
        witnessed=evidence.cosigned,
        sees=evidence.sees,
    )
    return Attachment(bundle.write(content), addressee.id, ShownMark(head.size, chain_rows[-1].seq), head)


def shown_tree_of(server: Server, signed: sequencer.SignedTree) -> ShownTree:
    """Return the line of an order form that tells which tree its player was shown."""
    tree = checkpoint.parse_checkpoint(note.parse(signed.note))
    return ShownTree(tree.size, tree.root, log_health.mark(server, tree))


def _new_beginnings(tx: Transaction, head: sequencer.SignedTree, before: ShownMark | None) -> list[LeafRow]:
    """Return the leaves that began the log anew since the seat saw it last."""
    if before is None or head.log == tx.server.keys.secrets.first.log.name:
        return []
    rotations = (row for row in _key_leaves(tx.session, head.size) if row.kind == "rotate")
    return [row for row in rotations if row.number is not None and row.number >= before.size]


def store_shown_marks(session: Session, attachments: Iterable[Attachment]) -> None:
    """Store up to which leaf the seats of stored letters were shown the log."""
    hot_statements.store_shown_marks(session, [(attachment.seat, attachment.shown) for attachment in attachments])


def _chain(session: Session, game: str, size: int) -> tuple[LeafRow, ...]:
    """Return all signed leaves of a game."""
    return hot_statements.leaves_after(session, {game: -1}, size).get(game, ())


def _key_leaves(session: Session, size: int) -> tuple[LeafRow, ...]:
    return _chain(session, leaves.SERVER_CHAIN, size)


def _letter_kind(rows: Sequence[LeafRow]) -> str:
    return "closed" if any(row.kind == "close" for row in rows) else "receipt"


def _is_open(row: LeafRow) -> bool:
    """Return whether the rolls of a leaf may be shown to everybody."""
    if row.kind not in ("roll", "again"):
        return False
    leaf = leaves.parse(row.body, row.says)
    if row.kind == "again":
        return leaf("manifest").startswith("sha256:")
    return all(len(proof) == 80 for _, proof in leaf.groups)


def _rulings(rows: Sequence[LeafRow]) -> tuple[Ruling, ...]:
    return tuple(Ruling(sequencer.read_leaf(row).number("number"), row.opens) for row in rows if row.kind == "ruling")


def _own_orders(prove: Prove, game: tables.Game, seat: str, rows: Sequence[LeafRow]) -> tuple[OpenedOrders, ...]:
    """Return the seat's own orders in clear, with proofs of their salts."""
    opened = []
    for row in rows:
        if row.kind not in ("order", "answer") or not row.says or (leaf := sequencer.read_leaf(row))("seat") != seat:
            continue
        segment = 1 if row.kind == "order" else leaf.number("segment")
        revision = leaf.number("rev")
        orders = (
            log_entries.closed_orders_from_opening(revision, row.opens)
            if row.kind == "order"
            else ClosedOrders(revision, row.opens)
        )
        place = row.phase if segment == 1 else f"{row.phase}/{segment}"
        proof = prove(sealing.salt_block(game=game.id, phase=place, seat=seat))
        opened.append(OpenedOrders(row.phase, segment, seat, revision, proof, orders.text, orders.standing))
    return tuple(dict.fromkeys(opened))
