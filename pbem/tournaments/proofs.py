"""What a letter of a tournament carries to be checked by: leaves of its chain, with the lists and texts that they name.

    letter = proofs.showing(letter, proofs.window(work, "event/cup60", told))

says in a letter, when it is written, which leaves it is to show: those after the last that its reader was told.
`attached` makes the attachment when it is rendered and the leaves are signed for, on the first tree that holds all of
them; it proves that this goes on from the tree of the letter before. Whoever keeps all his letters has all leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pbem.audit import bundle, leaves
from pbem.audit.bundle import Bundle, Placed
from pbem.audit.bundle_parts import Grown, OpenedText
from pbem.engine.data.canon import Json, loads
from pbem.log import sequencer
from pbem.log.sequencer import Noted, SignedTree
from pbem.runtime.transaction import Work
from pbem.store import hot_statements, queries
from pbem.store.queries.log import LeafRow

MOST = 600
"""Leaves that a letter shows at most of those that are about others; more stand in the archive and on the site."""

_KEY = "proves"
_OF_ONE = ("enter", "member", "leave", "lineup", "pair", "score")
_OPENED = ("found", "standing", "rated", "verdict")


class Window(NamedTuple):
    """Which leaves of a chain a letter shows: from one place to another, both of them too."""

    chain: str
    since: int
    upto: int


def window(work: Work, chain: str, told: int) -> Window | None:
    """All leaves of a chain after the one that somebody was told last, -1 for nothing; None if there are none."""
    last = hot_statements.last_leaf(work.session, chain)
    return Window(chain, told + 1, last.seq) if last is not None and last.seq > told else None


def showing(letter: Json, shown: Window | None) -> Json:
    """The letter, which says what it is to show."""
    return letter if shown is None else {**letter, _KEY: list(shown)}


def proves(model: str) -> Window | None:
    """What a letter, as it is kept, is to show, if it shows anything."""
    return _told(loads(model)) if f'"{_KEY}":[' in model else None


def _told(letter: Json) -> Window | None:
    told = letter.get(_KEY)
    return None if told is None else Window(str(told[0]), int(told[1]), int(told[2]))


class _Base(NamedTuple):
    """What all letters that show the same leaves have in common: keys, leaves, the tree, and how it goes on."""

    keys: Sequence[LeafRow]
    lists: Sequence[LeafRow]
    rows: Sequence[LeafRow]
    placed: Mapping[int, Placed]
    head: SignedTree
    grown: Grown | None


Known = dict[Window, _Base | None]
"""What was looked up for the letters of one rendering."""


def attached(work: Work, letter: Json, known: Known | None = None) -> bytes | None:
    """The attachment of a letter; None if it shows nothing, or not all of that is signed for yet."""
    told, kept = _told(letter), known if known is not None else {}
    if told is None:
        return None
    if told not in kept:
        kept[told] = _base(work, told)
    base = kept[told]
    return None if base is None else _written(base, told.chain, str(letter.get("seat") or "-"))


def shown(work: Work, rows: Sequence[LeafRow], seat: str) -> bytes | None:
    """The attachment that shows an entrant these leaves of a tournament, which follow one another and are signed for.

    None where the tree that it would show is not kept any more.
    """
    base = _laid(work, rows)
    return None if base is None else _written(base, rows[0].game, seat)


def _base(work: Work, told: Window) -> _Base | None:
    head = sequencer.head(work.session)
    rows = (
        hot_statements.leaves_after(work.session, {told.chain: told.since - 1}, head.size).get(told.chain, ())
        if head
        else ()
    )
    mine = [row for row in rows if row.seq <= told.upto]
    return _laid(work, mine) if mine and mine[-1].seq == told.upto else None


def _laid(work: Work, rows: Sequence[LeafRow]) -> _Base | None:
    """Leaves on the first tree that holds all of them."""
    head = _tree_with(work, max(row.number or 0 for row in rows))
    if head is None:
        return None
    keys = hot_statements.leaves_after(work.session, {leaves.SERVER: -1}, head.size).get(leaves.SERVER, ())
    lists = _lists(work, rows)
    every = [*keys, *lists, *rows]
    sequencer.ahead(work.session, [row.number for row in every if row.number is not None], (), head.size)
    placed = {one.at: one for one in sequencer.place(work.session, every, head.size)}
    return _Base(keys, lists, rows, placed, head, _grown(work, rows[0], head))


def _written(base: _Base, chain: str, seat: str) -> bytes:
    """The attachment for one reader."""
    mine = _about(base.rows, seat)
    made = Bundle(
        chain,
        seat,
        "welcome" if base.rows[0].seq == 0 else "tournament",
        "-",
        "-",
        tuple(base.placed[row.number or 0] for row in (*base.keys, *base.lists, *mine)),
        base.head.note,
        grown=base.grown,
        draws=_opened((*base.lists, *mine), "shut"),
        boards=_opened(mine, "bind"),
        opens=tuple(_texts(mine)),
    )
    return bundle.write(made)


def _lists(work: Work, rows: Sequence[LeafRow]) -> list[LeafRow]:
    """The leaves that shut the lists of draws among these, shown again where an earlier letter showed them."""
    drawn = {_draw_of(row) for row in rows if row.kind == "lot"}
    shuts = queries.log.of_kind(work.session, rows[0].game, "shut") if drawn else ()
    return [row for row in shuts if row.seq < rows[0].seq and _draw_of(row) in drawn]


def _draw_of(row: LeafRow) -> tuple[str, str]:
    told = sequencer.read_leaf(row)
    return told("round"), told("attempt")


def _opened(rows: Iterable[LeafRow], kind: str) -> tuple[bytes, ...]:
    return tuple(row.opens.encode("utf-8") for row in rows if row.kind == kind and row.opens)


def _about(rows: Sequence[LeafRow], seat: str) -> list[LeafRow]:
    """The leaves without those of others, where these are too many for a letter."""
    if len(rows) <= MOST:
        return list(rows)
    return [row for row in rows if row.kind not in _OF_ONE or _names(row, seat)]


def _names(row: LeafRow, seat: str) -> bool:
    told: Noted = sequencer.read_leaf(row)
    keys = {"pair": ("first", "second"), "enter": ("entrant",), "member": ("entrant",), "leave": ("entrant",)}.get(
        row.kind, ()
    )
    return any(told(key) == seat for key in keys)


def _tree_with(work: Work, number: int) -> SignedTree | None:
    """The first signed tree that holds a leaf."""
    found = queries.log.checkpoints_after(work.session, number, 1)
    return SignedTree(found[0].size, found[0].note) if found else None


def _grown(work: Work, first: LeafRow, head: SignedTree) -> Grown | None:
    """Proof that a tree goes on from that of the letter before: the first that held all leaves before `first`."""
    rows = hot_statements.leaves_after(work.session, {first.game: first.seq - 2}, head.size).get(first.game, ())
    before = next((row.number for row in rows if row.seq == first.seq - 1), None)
    tree = _tree_with(work, before) if before is not None else None
    return sequencer.grown(work.session, tree.size, head.size) if tree and tree.size < head.size else None


def _texts(rows: Iterable[LeafRow]) -> Iterable[OpenedText]:
    return (OpenedText(row.game, row.seq, row.opens) for row in rows if row.kind in _OPENED and row.opens)
