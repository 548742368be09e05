"""Recompute the stored log: hash every leaf, compare nodes and signed roots.

It is read a piece at a time, each by a transaction of its own, so that it takes no more memory for a log of years,
and keeps no letter waiting. Only the edge of the tree and the last leaf of each game are kept in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, leaves
from pbem.audit.blocks import Malformed
from pbem.audit.leaves import NO_LEAF_BEFORE, SERVER_CHAIN
from pbem.audit.merkle import CompactTree, leaf_hash
from pbem.audit.note import Key, parse_key
from pbem.audit.signing import verify
from pbem.log import sequencer
from pbem.mail.inbound import read_header
from pbem.runtime.transaction import Server
from pbem.store import hot_statements, queries
from pbem.store.tables import log as t

PIECE = 1024
"""Leaves that are read at a time: some hundred kilobytes of memory, and few queries."""

MOST_FINDINGS = 1000
"""Findings that are listed one by one: a log with wrong keys has one for every leaf."""


class Result(NamedTuple):
    """How much was checked, and the differences from what was signed."""

    leaves: int
    nodes: int
    trees: int
    games: int
    wrong: tuple[str, ...]


def leaves_of(session: Session, game: str) -> tuple[tuple[str, ...], ...]:
    """Return a game's leaves in order: number or "-", place, kind, phase, time."""
    rows = queries.log.leaves(session, game)
    return tuple(
        (
            "-" if row.number is None else str(row.number),
            str(row.seq),
            row.kind,
            row.phase or "-",
            f"{row.written:%Y-%m-%d %H:%M} UTC",
        )
        for row in rows
    )


def check(server: Server) -> Result:
    """Recompute everything; change nothing."""
    with server.reading() as tx:
        keys = (
            tx.server.keys.secrets.first.log,
            *(parse_key(leaf("log")) for _, leaf in sequencer.rotates(tx.session)),
        )
        head = sequencer.head(tx.session)
    state = _Check(server, keys, head.size if head else 0)
    for row in _numbered_leaves(server, state.size):
        state.take(row)
    waiting = state.end()
    wrong = state.wrong
    if state.more:
        wrong.append(f"and {state.more} more")
    games = len(state.heads.keys() - {SERVER_CHAIN})
    return Result(state.tree.size + waiting, state.nodes, state.trees, games, tuple(wrong))


def _numbered_leaves(server: Server, size: int) -> Iterator[t.Leaf]:
    """Yield every leaf with a number below `size`, in the order of the log."""
    for first in range(0, size, PIECE):
        with server.reading() as tx:
            rows = queries.log.numbered_leaves(tx.session, first, min(PIECE, size - first))
            tx.session.expunge_all()
        yield from rows


class _Check:
    """The state of a check: the log up to a leaf, and faults.

    `size` leaves were signed.
    """

    def __init__(self, server: Server, keys: Sequence[Key], size: int) -> None:
        self.server, self.keys, self.size, self.tree = server, keys, size, CompactTree()
        self.heads: dict[str, tuple[int, str]] = {}
        self.wrong: list[str] = []
        self.more = self.nodes = self.trees = 0
        self._full: list[tuple[int, int, bytes]] = []
        self._signed = _pieces(self._checkpoints)
        self._next = next(self._signed, None)

    def say(self, wrong: str) -> None:
        if len(self.wrong) < MOST_FINDINGS:
            self.wrong.append(wrong)
        else:
            self.more += 1

    def take(self, row: t.Leaf) -> None:
        """Add the next leaf, and compare what is stored about it."""
        if row.number != self.tree.size:
            self.say("the leaves are not numbered from 0 on without a gap")
        self.follow(row)
        self._full += self.tree.append(leaf_hash(row.body))
        if len(self._full) >= PIECE:
            self._compare()
        self._check_trees(self.tree.size)

    def follow(self, row: t.Leaf) -> None:
        """Check a leaf against the game's leaf before it, if that was read."""
        seq, head = self.heads.get(row.game, (-1, NO_LEAF_BEFORE))
        try:
            leaf = leaves.parse(row.body, row.says)
            if leaf.game != row.game:
                raise Malformed(f"this leaf belongs to {leaf.game}")
            if (leaf.seq, leaf.prev) != (seq + 1, head) or leaf.seq != row.seq:
                raise Malformed(f"it does not follow leaf {seq}")
            if leaf.withheld:
                raise Malformed("what it says is gone")
        # Every fault is a finding, and the check goes on with the next leaf.
        except Malformed as fault:
            self.say(f"leaf {row.seq} of {row.game}: {fault}")
        self.heads[row.game] = row.seq, leaf_hash(row.body).hex()

    def end(self) -> int:
        """Check what is stored after the last signed leaf; return the number of leaves."""
        self._compare()
        self._check_trees(self.size)
        if self.tree.size != self.size:
            self.say(f"{self.size} leaves were signed, and {self.tree.size} of them are there")
        with self.server.reading() as tx:
            head = sequencer.head(tx.session)
            size = head.size if head else 0
            counted = (size, sum(size >> level for level in range(size.bit_length())))
            stored = queries.log.count_numbered(tx.session)
            later = queries.log.later_leaves(tx.session, self.size)
            tx.session.expunge_all()
        if stored != counted:
            self.say(f"{stored[0]} leaves and {stored[1]} nodes are in the tree, not {counted[0]} and {counted[1]}")
        for row in later:
            self.follow(row)
        return len(later)

    def _check_trees(self, size: int) -> None:
        """Check the trees that were signed, up to a size, against the leaves."""
        while self._next is not None and self._next.size <= size:
            self._check_tree(self._next)
            self._next = next(self._signed, None)

    def _compare(self) -> None:
        """Compare the nodes that became full with those that are stored."""
        with self.server.reading() as tx:
            stored = hot_statements.read_nodes(tx.session, [(level, place) for level, place, _ in self._full])
        for level, place, digest in self._full:
            if stored.get((level, place)) != digest:
                self.say(f"node {level} {place} is not what its leaves give")
        self.nodes += len(self._full)
        self._full = []

    def _checkpoints(self, after: int) -> Sequence[t.Checkpoint]:
        with self.server.reading() as tx:
            rows = queries.log.checkpoints_after(tx.session, after, PIECE)
            tx.session.expunge_all()
        return rows

    def _check_tree(self, row: t.Checkpoint) -> None:
        self.trees += 1
        name = row.note.split(b"\n", 1)[0].decode("utf-8", "replace")
        key = next((known for known in self.keys if known.name == name), None)
        if key is None:
            return self.say(f"the tree of {row.size} leaves is signed as {name}, which is no name of this log")
        try:
            tree = checkpoint.read_signed(row.note, key, verify)
        # A finding as well.
        except Malformed as fault:
            return self.say(f"the tree of {row.size} leaves: {fault}")
        if (tree.size, row.size) != (self.tree.size, self.tree.size):
            return self.say(f"a tree of {tree.size} leaves is signed, and there are {self.tree.size}")
        if tree.root != self.tree.root():
            self.say(f"the tree of {tree.size} leaves was signed with another root")
        return None


def _pieces(ask: Callable[[int], Sequence[t.Checkpoint]]) -> Iterator[t.Checkpoint]:
    """Yield every checkpoint, the smallest first."""
    after = -1
    while rows := ask(after):
        yield from rows
        after = rows[-1].size


# The letters that brought orders, as they came, held against the digests by which the log and the tables name them.


class CheckedLetters(NamedTuple):
    """The number of unchanged and of erased letters, and the wrong ones."""

    whole: int
    erased: int
    wrong: tuple[str, ...]


def check_letters(server: Server) -> CheckedLetters:
    """Compare every stored letter of orders with its digest; change nothing."""
    with server.reading() as tx:
        games = queries.games.names_of_begun(tx.session)
    whole = erased = 0
    wrong: list[str] = []
    for game in games:
        with server.reading() as tx:
            letters = [(row.id, row.sha256, raw) for row, raw in queries.inbox.letters_with_orders(tx.session, game)]
        for number, digest, raw in letters:
            if not raw:
                erased += 1
            elif read_header(raw, server.own).content == digest:
                whole += 1
            else:
                wrong.append(f"letter {number}, with orders for {game}, is not as it came")
    return CheckedLetters(whole, erased, tuple(wrong))
