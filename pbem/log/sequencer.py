"""Sequence the log: note acts in transactions, number, sign and prove leaves.

A note is a leaf without a number. `sign` numbers the waiting leaves in the order in which they were written, and signs
the new tree; only one process at a time may do that. Nothing unsigned is shown to anybody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, leaves, merkle, sealing
from pbem.audit.bundle import IncludedLeaf
from pbem.audit.bundle_parts import TreeExtension
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import parse_key
from pbem.audit.signing import LogSecrets
from pbem.engine.run.odds import Memory
from pbem.runtime import tokens
from pbem.runtime.transaction import Server, Transaction
from pbem.store import changes, hot_statements, queries
from pbem.store.queries.log import ChainLeaf, LeafRow

LEASE = timedelta(seconds=30)
"""How long only this process may sign: longer than a batch takes, and after a crash other processes wait so long."""
_NAME = "log"


class SignedTree(NamedTuple):
    """The newest signed tree: number of leaves, and the note."""

    size: int
    note: bytes

    @property
    def log(self) -> str:
        """Return the log's name in the note.

        Each epoch has another name (`audit.epoch_names`).
        """
        return self.note.partition(b"\n")[0].decode("utf-8")


class Noted(ChainLeaf):
    """A leaf that was noted; its values are read from its bytes without new checks."""

    __slots__ = ()

    def __call__(self, key: str) -> str:
        """Return the value of a key that its kind has once; raise KeyError if absent."""
        for part in (self.says, self.body):
            _, separator, rest = part.partition(f"\n{key} ".encode())
            if separator:
                return rest[: rest.index(b"\n")].decode("utf-8")
        raise KeyError(key)

    def number(self, key: str) -> int:
        """Return the value of a key as a number."""
        return int(self(key))


def read_leaf(row: LeafRow) -> Noted:
    """Return a leaf of our own for reading."""
    return Noted(row.seq, row.kind, row.phase, row.body, row.says)


class Note(NamedTuple):
    """A note: kind, content of its leaf, game, and the text that it seals."""

    kind: str
    says: Iterable[tuple[str, str]]
    game: str
    opens: str = ""


def append(tx: Transaction, act: Note, after: ChainLeaf | None = None) -> Noted:
    """Write the next leaf of a game's chain in the caller's transaction.

    The caller holds the lock of the game, so that nobody else writes to its chain. `after` is the last leaf of the
    chain, if the caller knows it. Raise Malformed if the content is not that of the kind.
    """
    noted = _next_leaf(tx, act, after or hot_statements.last_leaf(tx.session, act.game))
    hot_statements.add_leaves(tx.session, act.game, ((noted, act.opens),), tx.now)
    return noted


def _next_leaf(tx: Transaction, act: Note, before: ChainLeaf | None) -> Noted:
    """Return the leaf after another, not written yet."""
    seq, prev = (before.seq + 1, leaf_hash(before.body).hex()) if before else (0, leaves.NO_LEAF_BEFORE)
    salt = "" if act.game == leaves.SERVER_CHAIN else _salt(tx.server, act.game, seq)
    leaf = leaves.Leaf(act.kind, act.game, seq, prev, tuple(act.says), salt)
    return Noted(seq, act.kind, dict(leaf.says).get("phase", ""), *leaves.write(leaf))


def _salt(server: Server, game: str, seq: int) -> str:
    """Return the salt of a leaf's body, secret until the body is shown."""
    return sealing.body_salt(tokens.derive_key(server.keys.key, "says"), game, seq).hex()


class PhaseLeaves(NamedTuple):
    """The facts needed to note an act of a phase.

    They are its leaves and the game's last one, in order. `latest` is the second of the last letter of orders among
    them, 0 without any; `closes` is when the phase closes, None if nothing is planned. `drafts` are the last of the
    leaves if they are still to be written, each with the text that it seals.
    """

    rows: tuple[Noted, ...] = ()
    latest: int = 0
    closes: datetime | None = None
    drafts: tuple[tuple[Noted, str], ...] = ()

    def newest(self, *kinds: str, seat: str = "") -> Noted | None:
        """Return the newest leaf of these kinds, of one seat if given."""
        line = f"\nseat {seat}\n".encode() if seat else b""
        return next((row for row in reversed(self.rows) if row.kind in kinds and line in row.says), None)

    def with_rows(self, *rows: Noted) -> PhaseLeaves:
        """Return these facts with leaves added that were written since."""
        received = [row.number("recv") for row in rows if row.kind == "order"]
        return self._replace(rows=(*self.rows, *rows), latest=max([self.latest, *received]))


def draft(tx: Transaction, act: Note, known: PhaseLeaves) -> PhaseLeaves:
    """Add the next leaf to those of a phase; `write_drafts` writes it."""
    row = _next_leaf(tx, act, known.rows[-1])
    return known.with_rows(row)._replace(drafts=(*known.drafts, (row, act.opens)))


def write_drafts(tx: Transaction, game: str, known: PhaseLeaves) -> None:
    """Write a phase's drafted leaves by one statement, in the caller's transaction."""
    if known.drafts:
        hot_statements.add_leaves(tx.session, game, known.drafts, tx.now)


def phase_leaves(session: Session, game: str, phase: str, memory: Memory | None = None) -> PhaseLeaves:
    """Look up, by one statement, what the next leaf about a phase follows from.

    With a `memory`, only leaves newer than the last look are read. That is safe even if another process wrote or a
    transaction was rolled back meanwhile: a chain that still has the leaf read last has all leaves before it.
    """
    remembered = memory.find((game, phase)) if memory is not None else None
    kept: PhaseLeaves = remembered[0] if remembered is not None else PhaseLeaves()
    new, closes = hot_statements.leaves_since(session, game, kept.rows[-1].seq) if kept.rows else ((), None)
    if new and new[0] == kept.rows[-1]:
        new = new[1:]
    else:
        kept, (new, closes) = PhaseLeaves(), hot_statements.leaves_about(session, game, phase)
    kept = kept.with_rows(*(Noted(*row) for row in new))._replace(closes=closes)
    if any(row.phase != phase for row in kept.rows[:-1]):
        of_phase = (row for index, row in enumerate(kept.rows, 1) if row.phase == phase or index == len(kept.rows))
        kept = PhaseLeaves(closes=closes).with_rows(*of_phase)
    if memory is not None:
        memory.keep((game, phase), kept, 0)
    return kept


def _always(tx: Transaction) -> bool:
    return True


def sign(server: Server, may: Callable[[Transaction], bool] = _always) -> int:
    """Number what waits and sign the tree; return the number of leaves.

    It is 0 while another process has the lease. `may` returns whether the log may be signed at all.
    """
    with server.reading() as tx:
        if not hot_statements.is_any_leaf_waiting(tx.session) and head(tx.session) is not None:
            return 0
    with server.work() as tx:
        # First the turn: what waits, and what was signed last, stand still only then.
        if not take_turn(tx) or not may(tx):
            return 0
        waiting, newest = queries.log.waiting_leaves(tx.session), head(tx.session)
        if newest and not waiting:
            return 0
        before = newest.size if newest else 0
        return sign_waiting(tx, waiting, newest).size - before


def sign_waiting(tx: Transaction, waiting: Sequence[LeafRow], newest: SignedTree | None, by: str = "") -> Checkpoint:
    """Number the waiting leaves after the newest tree, and sign the new tree.

    It is signed with the log's key, or with `by`.
    """
    keys = tx.server.keys.secrets
    if _add_server_leaves(tx, keys, waiting, began=newest is not None):
        waiting = queries.log.waiting_leaves(tx.session)
    # The keys come first, whatever was noted before them: whoever reads the log from its beginning checks by them.
    waiting = sorted(waiting, key=lambda row: (row.kind not in ("genesis", "rotate"), row.id))
    size, top = _number(tx.session, newest.size if newest else 0, waiting)
    name = by or current_name(tx)
    tree = Checkpoint(name, size, top)
    note, recorded = checkpoint.sign(tree, keys.log._replace(name=name), keys.sign), tx.server.keys.signed is not None
    changes.add_checkpoint(tx.session, size, note, tx.now, recorded)
    return tree


def begin(tx: Transaction) -> None:
    """Write the first leaf, which states the keys, unless it exists."""
    _add_server_leaves(tx, tx.server.keys.secrets, (), began=False)


def rotates(session: Session) -> tuple[tuple[LeafRow, leaves.Leaf], ...]:
    """Return the leaves that began the log anew, in order."""
    return tuple(
        (row, leaves.parse(row.body)) for row in queries.log.leaves_of_kind(session, leaves.SERVER_CHAIN, "rotate")
    )


def epoch(rotate: leaves.Leaf) -> str:
    """Return the name that a `rotate` leaf gives the log."""
    return parse_key(rotate("log")).name


def current_name(tx: Transaction) -> str:
    """Return the log's present name."""
    rotations = rotates(tx.session)
    return epoch(rotations[-1][1]) if rotations else tx.server.keys.secrets.log.name


def root(session: Session, size: int) -> bytes:
    """Return the root over the first leaves; raise LookupError if there are fewer."""
    return merkle.tree_root(_Nodes.of(session), size)


def _add_server_leaves(tx: Transaction, keys: LogSecrets, waiting: Sequence[LeafRow], *, began: bool) -> bool:
    """Note the server's leaves before these are numbered.

    They state keys, and beacons at their first use. Returns whether there were any.
    """
    added = False
    if not began and hot_statements.last_leaf(tx.session, leaves.SERVER_CHAIN) is None:
        genesis = (("log", keys.log.text), ("vrf", keys.dice.public.hex()), ("chain", "none"))
        append(tx, Note("genesis", genesis, leaves.SERVER_CHAIN))
        added = True
    opened = {read_leaf(row)("chain") for row in waiting if row.kind in ("open", "beacon-change", "shut")} - {"none"}
    if opened:
        own = queries.log.leaves(tx.session, leaves.SERVER_CHAIN)
        stated = {dict(leaves.parse(row.body).says).get("chain") for row in own}
        for chain in sorted(opened - stated):
            append(tx, Note("beacon", (("chain", chain),), leaves.SERVER_CHAIN))
            added = True
    return added


def has_foreign_keys(tx: Transaction) -> bool:
    """Return whether the database holds a log with keys other than this server's."""
    first = queries.log.first_leaf(tx.session, leaves.SERVER_CHAIN)
    if first is None:
        return False
    secrets = tx.server.keys.secrets
    stated = [leaves.parse(first.body), *(leaf for _, leaf in rotates(tx.session) if leaf("why") == "keys")]
    own_keys = [(pair.log.public, pair.dice.public.hex()) for pair in (*secrets.former, secrets)]
    has_name = parse_key(stated[0]("log")).name == secrets.log.name
    return not has_name or [(parse_key(leaf("log")).public, leaf("vrf")) for leaf in stated] != own_keys


def take_lease(tx: Transaction) -> bool:
    """Take the lease for signing; return False if another process has it."""
    now = tx.now
    return changes.take_lease(tx.session, _NAME, tx.server.settings.owner, now, now + LEASE)


def take_turn(tx: Transaction, name: str = _NAME) -> bool:
    """Lock signing until the transaction ends; False if another has the lease."""
    return changes.take_lease(tx.session, name, tx.server.settings.owner, tx.now, tx.now - LEASE)


def give_back_lease(server: Server) -> None:
    """Let other processes sign at once instead of after the lease."""
    with server.work() as tx:
        changes.release_lease(tx.session, _NAME, server.settings.owner)


def _number(session: Session, size: int, waiting: Sequence[LeafRow]) -> tuple[int, bytes]:
    """Number leaves from `size` on, store full nodes; return size and root."""
    node, full = _Nodes.of(session), {}
    node.ahead(merkle.peaks(size))
    for index, row in enumerate(waiting, size):
        for level, place, digest in merkle.full_nodes(node, index, leaf_hash(row.body)):
            node.kept[level, place] = full[level, place] = digest
    hot_statements.add_nodes(session, full)
    hot_statements.number_leaves(session, {row.id: number for number, row in enumerate(waiting, size)})
    after = size + len(waiting)
    return after, merkle.tree_root(node, after)


class _Nodes:
    """The full nodes of the tree; they never change, so a session reads each once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.kept: dict[tuple[int, int], bytes] = {}

    @classmethod
    def of(cls, session: Session) -> _Nodes:
        """Return the nodes that a session has read."""
        nodes: _Nodes = session.info.setdefault(cls, cls(session))
        return nodes

    def __call__(self, level: int, place: int) -> bytes:
        if (level, place) not in self.kept:
            self.ahead([(level, place)])
        return self.kept[level, place]

    def ahead(self, wanted: Iterable[tuple[int, int]]) -> None:
        """Read several nodes by one statement."""
        self.kept |= hot_statements.read_nodes(self._session, {node for node in wanted if node not in self.kept})


def prefetch_proofs(session: Session, numbers: Iterable[int], olds: Iterable[int], size: int) -> None:
    """Read by one statement the nodes for proofs in the tree of `size`.

    They are for proofs of inclusion of leaves, and of consistency with older trees. Without this, proofs read their
    nodes one by one.
    """
    wanted: set[tuple[int, int]] = set()

    def node(level: int, place: int) -> bytes:
        wanted.add((level, place))
        return b""

    for number in numbers:
        merkle.prove_inclusion(node, number, size)
    for old in olds:
        merkle.tree_root(node, old)
        merkle.prove_consistency(node, old, size)
    _Nodes.of(session).ahead(wanted)


def head(session: Session) -> SignedTree | None:
    """Return the newest signed tree; None before the first."""
    row = hot_statements.newest_tree(session)
    return SignedTree(*row) if row else None


def place(session: Session, rows: Iterable[LeafRow], size: int) -> tuple[IncludedLeaf, ...]:
    """Return leaves with their proofs in the tree of `size`, if it has them.

    The caller has removed from a row what must be withheld.
    """
    inside = [(row, row.number) for row in rows if row.number is not None and row.number < size]
    node = _Nodes.of(session)
    return tuple(
        IncludedLeaf(row.body, number, merkle.prove_inclusion(node, number, size), row.says) for row, number in inside
    )


def consistency_with(session: Session, old: int, size: int) -> TreeExtension | None:
    """Prove that the tree continues that of `old` leaves; None if there was none."""
    if not 1 <= old <= size:
        return None
    node = _Nodes.of(session)
    return TreeExtension(old, merkle.tree_root(node, old), merkle.prove_consistency(node, old, size))
