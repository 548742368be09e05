"""Attach proofs to letters of a tournament: leaves with their lists and texts.

    letter = proofs.add_window(letter, proofs.window_after(tx, "event/cup60", last_shown))

notes in a new letter which leaves it shows: those after the last one that its reader has. `attachment_of_letter`
makes the attachment when the letter is rendered and the leaves are signed, on the first tree that holds all of them; it
proves that this tree continues the one of the letter before. A reader who keeps all his letters has all leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.audit import bundle, leaves
from pbem.audit.bundle import Bundle, IncludedLeaf
from pbem.audit.bundle_parts import OpenedText, TreeExtension
from pbem.engine.data.canon import Json, loads
from pbem.log import sequencer
from pbem.log.sequencer import Noted, SignedTree
from pbem.runtime.transaction import Transaction
from pbem.store import hot_statements, queries
from pbem.store.queries.log import LeafRow

MOST_LEAVES = 600
"""Leaves about others in a letter, each with its proof: providers refuse large letters. More are in the archive and
on the site."""

_KEY = "proves"
_OF_ONE = ("enter", "member", "leave", "lineup", "pair", "score")
_OPENED = ("found", "standing", "rated", "verdict")


class LeafWindow(NamedTuple):
    """The leaves that a letter shows, from `since` up to and including `upto`."""

    chain: str
    since: int
    upto: int


def window_after(tx: Transaction, chain: str, last_shown: int) -> LeafWindow | None:
    """Return a log's leaves after `last_shown` (-1: from the start); None if none."""
    last = hot_statements.last_leaf(tx.session, chain)
    return LeafWindow(chain, last_shown + 1, last.seq) if last is not None and last.seq > last_shown else None


def add_window(letter: Json, leaf_window: LeafWindow | None, reader: str = "") -> Json:
    """Return the letter with a note of the leaves to show its seat or `reader`."""
    note = [] if leaf_window is None else [*leaf_window, *([reader] if reader else [])]
    return {**letter, _KEY: note} if note else letter


def window_in_letter(model: str) -> LeafWindow | None:
    """Return the leaves that a stored letter is to show, or None."""
    return _read_window(loads(model)) if f'"{_KEY}":[' in model else None


def _read_window(letter: Json) -> LeafWindow | None:
    values = letter.get(_KEY)
    return None if values is None else LeafWindow(str(values[0]), int(values[1]), int(values[2]))


class _SharedParts(NamedTuple):
    """The common parts of all letters with the same leaves.

    They are keys, leaves, the tree, and the proof of its growth.
    """

    keys: Sequence[LeafRow]
    lists: Sequence[LeafRow]
    rows: Sequence[LeafRow]
    placed: Mapping[int, IncludedLeaf]
    head: SignedTree
    grown: TreeExtension | None


PartsCache = dict[LeafWindow, _SharedParts | None]
"""The shared parts found so far for the letters of one rendering."""


def attachment_of_letter(tx: Transaction, letter: Json, cache: PartsCache | None = None) -> bytes | None:
    """Return the attachment of a letter.

    Return None if the letter shows no leaves, or while some are unsigned.
    """
    leaf_window, parts_cache = _read_window(letter), cache if cache is not None else {}
    if leaf_window is None:
        return None
    if leaf_window not in parts_cache:
        parts_cache[leaf_window] = _shared_parts(tx, leaf_window)
    parts = parts_cache[leaf_window]
    reader = next(iter(letter[_KEY][3:]), letter.get("seat") or "-")
    return None if parts is None else _attachment_bytes(parts, leaf_window.chain, str(reader))


def _shared_parts(tx: Transaction, leaf_window: LeafWindow) -> _SharedParts | None:
    head = sequencer.head(tx.session)
    rows = (
        hot_statements.leaves_after(tx.session, {leaf_window.chain: leaf_window.since - 1}, head.size).get(
            leaf_window.chain, ()
        )
        if head
        else ()
    )
    window_rows = [row for row in rows if row.seq <= leaf_window.upto]
    return _place_leaves(tx, window_rows) if window_rows and window_rows[-1].seq == leaf_window.upto else None


def _place_leaves(tx: Transaction, rows: Sequence[LeafRow]) -> _SharedParts | None:
    """Return leaves on the first tree that holds all of them; None without a tree."""
    head = _first_tree_with(tx, max(row.number or 0 for row in rows))
    if head is None:
        return None
    keys = hot_statements.leaves_after(tx.session, {leaves.SERVER_CHAIN: -1}, head.size).get(leaves.SERVER_CHAIN, ())
    lists = _lists(tx, rows)
    all_rows = [*keys, *lists, *rows]
    sequencer.prefetch_proofs(tx.session, [row.number for row in all_rows if row.number is not None], (), head.size)
    placed = {position.at: position for position in sequencer.place(tx.session, all_rows, head.size)}
    return _SharedParts(keys, lists, rows, placed, head, _growth_proof(tx, rows[0], head))


def _attachment_bytes(parts: _SharedParts, chain: str, seat: str) -> bytes:
    """Return the attachment for one reader."""
    reader_rows = _leaves_for(parts.rows, seat)
    reader_bundle = Bundle(
        chain,
        seat,
        "welcome" if parts.rows[0].seq == 0 else "tournament",
        "-",
        "-",
        tuple(parts.placed[row.number or 0] for row in (*parts.keys, *parts.lists, *reader_rows)),
        parts.head.note,
        grown=parts.grown,
        draws=_opened_blocks((*parts.lists, *reader_rows), "shut"),
        boards=_opened_blocks(reader_rows, "bind"),
        opens=tuple(_texts(reader_rows)),
    )
    return bundle.write(reader_bundle)


def _lists(tx: Transaction, rows: Sequence[LeafRow]) -> list[LeafRow]:
    """Return earlier leaves that closed the lists of these draws, to show again."""
    draw_keys = {_draw_of(row) for row in rows if row.kind == "lot"}
    closing_leaves = queries.log.leaves_of_kind(tx.session, rows[0].game, "shut") if draw_keys else ()
    return [row for row in closing_leaves if row.seq < rows[0].seq and _draw_of(row) in draw_keys]


def _draw_of(row: LeafRow) -> tuple[str, str]:
    entry = sequencer.read_leaf(row)
    return entry("round"), entry("attempt")


def _opened_blocks(rows: Iterable[LeafRow], kind: str) -> tuple[bytes, ...]:
    return tuple(row.opens.encode("utf-8") for row in rows if row.kind == kind and row.opens)


def _leaves_for(rows: Sequence[LeafRow], seat: str) -> list[LeafRow]:
    """Return the leaves for a letter; if too many, without those about others."""
    if len(rows) <= MOST_LEAVES:
        return list(rows)
    return [row for row in rows if row.kind not in _OF_ONE or _mentions(row, seat)]


def _mentions(row: LeafRow, seat: str) -> bool:
    entry: Noted = sequencer.read_leaf(row)
    keys = {"pair": ("first", "second"), "enter": ("entrant",), "member": ("entrant",), "leave": ("entrant",)}.get(
        row.kind, ()
    )
    return any(entry(key) == seat for key in keys)


def _first_tree_with(tx: Transaction, number: int) -> SignedTree | None:
    """Return the first signed tree that holds a leaf."""
    checkpoints = queries.log.checkpoints_after(tx.session, number, 1)
    return SignedTree(checkpoints[0].size, checkpoints[0].note) if checkpoints else None


def _growth_proof(tx: Transaction, first: LeafRow, head: SignedTree) -> TreeExtension | None:
    """Return the proof that a tree continues the tree of the letter before.

    That letter had the first tree with all leaves before `first`. Return None without such a tree.
    """
    rows = hot_statements.leaves_after(tx.session, {first.game: first.seq - 2}, head.size).get(first.game, ())
    last_number = next((row.number for row in rows if row.seq == first.seq - 1), None)
    tree = _first_tree_with(tx, last_number) if last_number is not None else None
    return sequencer.consistency_with(tx.session, tree.size, head.size) if tree and tree.size < head.size else None


def _texts(rows: Iterable[LeafRow]) -> Iterable[OpenedText]:
    # Rulings of 1.0.0 were not escaped: attachments, which are plain ASCII, leave out those texts that have accents.
    shown = (row for row in rows if row.kind in _OPENED and row.opens and row.opens.isascii())
    return (OpenedText(row.game, row.seq, row.opens) for row in shown)
