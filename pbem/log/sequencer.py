"""The log at work: acts noted by the transactions that they happen in, signed for in batches, and proven to readers.

A note is a leaf without a number. `sign` gives numbers to all that wait, in the order in which they were written, and
signs the tree that has them; only one process at a time does that. What is not signed for is shown to
nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlmodel import Session

from pbem.audit import checkpoint, leaves, merkle, sealing
from pbem.audit.bundle import Placed
from pbem.audit.bundle_parts import Grown
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import parse_key
from pbem.audit.signing import Secrets
from pbem.engine.run.odds import Memory
from pbem.runtime import tokens
from pbem.runtime.transaction import Server, Work
from pbem.store import changes, hot_statements, queries
from pbem.store.queries.log import Brief, LeafRow

LEASE = timedelta(seconds=30)
_NAME = "log"


class SignedTree(NamedTuple):
    """The newest signed tree: how many leaves it has, and the note."""

    size: int
    note: bytes

    @property
    def log(self) -> str:
        """The name of the log as the note has it, which differs by epoch (`audit.epochs`)."""
        return self.note.partition(b"\n")[0].decode("utf-8")


class Noted(Brief):
    """A leaf as it was noted, whose values are read from its bytes: they are our own, and are not checked again."""

    __slots__ = ()

    def __call__(self, key: str) -> str:
        """The value of a key that its kind says once; KeyError if it does not."""
        for part in (self.says, self.body):
            _, found, rest = part.partition(f"\n{key} ".encode())
            if found:
                return rest[: rest.index(b"\n")].decode("utf-8")
        raise KeyError(key)

    def number(self, key: str) -> int:
        """The value of a key that is a number."""
        return int(self(key))


def read_leaf(row: LeafRow) -> Noted:
    """A leaf of our own, to be read."""
    return Noted(row.seq, row.kind, row.phase, row.body, row.says)


class Note(NamedTuple):
    """What is to be noted: its kind, what its leaf says, the game whose it is, and the text that it has sealed."""

    kind: str
    says: Iterable[tuple[str, str]]
    game: str
    opens: str = ""


def append(work: Work, act: Note, after: Brief | None = None) -> Noted:
    """Write the next leaf of a game's chain in the caller's transaction; Malformed if it does not say what it must.

    The caller holds the game: nobody else writes to its chain at the same time. `after` is the last leaf of the chain,
    if the caller knows.
    """
    before = after or hot_statements.last_leaf(work.session, act.game)
    seq, prev = (before.seq + 1, leaf_hash(before.body).hex()) if before else (0, leaves.START)
    salt = "" if act.game == leaves.SERVER else _salt(work.server, act.game, seq)
    leaf = leaves.Leaf(act.kind, act.game, seq, prev, tuple(act.says), salt)
    noted = Noted(seq, act.kind, dict(leaf.says).get("phase", ""), *leaves.write(leaf))
    hot_statements.add_leaf(work.session, act.game, noted, act.opens, work.now)
    return noted


def _salt(server: Server, game: str, seq: int) -> str:
    """The salt of what a leaf says, which nobody can guess before he is shown it."""
    return sealing.body_salt(tokens.purpose(server.keys.key, "says"), game, seq).hex()


class AtHand(NamedTuple):
    """What is looked up to note an act of a phase: its leaves and the last of the game, in order, and when it closes.

    `latest` is the second in which the last letter of orders came, of those in the leaves, 0 without any; `closes` is
    None where nothing is planned.
    """

    rows: tuple[Noted, ...] = ()
    latest: int = 0
    closes: datetime | None = None

    def newest(self, *kinds: str, seat: str = "") -> Noted | None:
        """The newest leaf of one of these kinds, of one seat if that is told."""
        line = f"\nseat {seat}\n".encode() if seat else b""
        return next((row for row in reversed(self.rows) if row.kind in kinds and line in row.says), None)

    def and_then(self, *rows: Noted) -> AtHand:
        """Return this with leaves added that were written since."""
        came = [row.number("recv") for row in rows if row.kind == "order"]
        return self._replace(rows=(*self.rows, *rows), latest=max([self.latest, *came]))


def at_hand(session: Session, game: str, phase: str, memory: Memory | None = None) -> AtHand:
    """Look up, by one statement, what the next leaf about a phase follows from.

    With a memory only the leaves are read that came since it was asked last. Whatever another process or a transaction
    that was rolled back did meanwhile: a chain that still has the last leaf that was read has all before it as well.
    """
    found = memory.find((game, phase)) if memory is not None else None
    kept: AtHand = found[0] if found is not None else AtHand()
    new, closes = hot_statements.leaves_since(session, game, kept.rows[-1].seq) if kept.rows else ((), None)
    if new and new[0] == kept.rows[-1]:
        new = new[1:]
    else:
        kept, (new, closes) = AtHand(), hot_statements.leaves_about(session, game, phase)
    kept = kept.and_then(*(Noted(*row) for row in new))._replace(closes=closes)
    if any(row.phase != phase for row in kept.rows[:-1]):
        of_phase = (row for at, row in enumerate(kept.rows, 1) if row.phase == phase or at == len(kept.rows))
        kept = AtHand(closes=closes).and_then(*of_phase)
    if memory is not None:
        memory.keep((game, phase), kept, 0)
    return kept


def _always(work: Work) -> bool:
    return True


def sign(server: Server, may: Callable[[Work], bool] = _always) -> int:
    """Number what waits, sign the tree, and return how many leaves that were; 0 while somebody else has the lease.

    `may` says whether the log of the database may be signed at all.
    """
    with server.reading() as work:
        if not hot_statements.is_any_leaf_waiting(work.session) and head(work.session) is not None:
            return 0
    with server.work() as work:
        # First the turn: what waits, and what was signed last, stand still only then.
        if not take_turn(work) or not may(work):
            return 0
        waiting, newest = queries.log.waiting(work.session), head(work.session)
        if newest and not waiting:
            return 0
        before = newest.size if newest else 0
        return put_in(work, waiting, newest).size - before


def put_in(work: Work, waiting: Sequence[LeafRow], newest: SignedTree | None, by: str = "") -> Checkpoint:
    """Number what waits after the newest tree, and sign the tree that has it: under the log's name, or the one told."""
    keys = work.server.keys.secrets
    if _complete(work, keys, waiting, began=newest is not None):
        waiting = queries.log.waiting(work.session)
    # The keys come first, whatever was noted before them.
    waiting = sorted(waiting, key=lambda row: (row.kind not in ("genesis", "rotate"), row.id))
    size, top = _number(work.session, newest.size if newest else 0, waiting)
    name = by or name_now(work)
    tree = Checkpoint(name, size, top)
    note, kept = checkpoint.sign(tree, keys.log._replace(name=name), keys.sign), work.server.keys.signed is not None
    changes.add_checkpoint(work.session, size, note, work.now, kept)
    return tree


def begin(work: Work) -> None:
    """Write the first leaf, which tells the keys, unless it is there."""
    _complete(work, work.server.keys.secrets, (), began=False)


def rotates(session: Session) -> tuple[tuple[LeafRow, leaves.Leaf], ...]:
    """The leaves by which the log was begun anew, in order."""
    return tuple((row, leaves.parse(row.body)) for row in queries.log.of_kind(session, leaves.SERVER, "rotate"))


def epoch(rotate: leaves.Leaf) -> str:
    """The name under which the log was begun anew by a leaf."""
    return parse_key(rotate("log")).name


def name_now(work: Work) -> str:
    """The name under which the log goes on."""
    told = rotates(work.session)
    return epoch(told[-1][1]) if told else work.server.keys.secrets.log.name


def root(session: Session, size: int) -> bytes:
    """The root over the first leaves; LookupError if there are not so many."""
    return merkle.root(_Nodes.of(session), size)


def _complete(work: Work, keys: Secrets, waiting: Sequence[LeafRow], *, began: bool) -> bool:
    """Note what the log has to say of itself before these are numbered: its keys, and beacons that games begin to use.

    Return whether there was anything.
    """
    said = False
    if not began and hot_statements.last_leaf(work.session, leaves.SERVER) is None:
        genesis = (("log", keys.log.text), ("vrf", keys.dice.public.hex()), ("chain", "none"))
        append(work, Note("genesis", genesis, leaves.SERVER))
        said = True
    opened = {read_leaf(row)("chain") for row in waiting if row.kind in ("open", "beacon-change", "shut")} - {"none"}
    if opened:
        own = queries.log.leaves(work.session, leaves.SERVER)
        told = {dict(leaves.parse(row.body).says).get("chain") for row in own}
        for chain in sorted(opened - told):
            append(work, Note("beacon", (("chain", chain),), leaves.SERVER))
            said = True
    return said


def others(work: Work) -> bool:
    """Whether the database holds a log that was begun, or has gone on, with keys other than those of this server."""
    first = queries.log.first(work.session, leaves.SERVER)
    if first is None:
        return False
    secrets = work.server.keys.secrets
    told = [leaves.parse(first.body), *(leaf for _, leaf in rotates(work.session) if leaf("why") == "keys")]
    own = [(one.log.public, one.dice.public.hex()) for one in (*secrets.former, secrets)]
    named = parse_key(told[0]("log")).name == secrets.log.name
    return not named or [(parse_key(leaf("log")).public, leaf("vrf")) for leaf in told] != own


def take_lease(work: Work) -> bool:
    """Whether this process may sign now, and no other for a while."""
    now = work.now
    return changes.lease(work.session, _NAME, work.server.settings.owner, now, now + LEASE)


def take_turn(work: Work, name: str = _NAME) -> bool:
    """Whether it is this one's turn until its transaction ends, which is waited for; False if another has a lease."""
    return changes.lease(work.session, name, work.server.settings.owner, work.now, work.now - LEASE)


def give_back_lease(server: Server) -> None:
    """Let other processes sign at once, if this one could last: what ends does not hold them up."""
    with server.work() as work:
        changes.give_back(work.session, _NAME, server.settings.owner)


def _number(session: Session, size: int, waiting: Sequence[LeafRow]) -> tuple[int, bytes]:
    """Give leaves the numbers from `size` on, and keep what becomes full; size and root of the tree that has them."""
    node, full = _Nodes.of(session), {}
    node.ahead(merkle.peaks(size))
    for at, row in enumerate(waiting, size):
        for level, place, digest in merkle.grown(node, at, leaf_hash(row.body)):
            node.kept[level, place] = full[level, place] = digest
    hot_statements.add_nodes(session, full)
    hot_statements.number_leaves(session, {row.id: at for at, row in enumerate(waiting, size)})
    after = size + len(waiting)
    return after, merkle.root(node, after)


def head_size(session: Session) -> int:
    """How many leaves have a number."""
    number = queries.log.last_place(session)
    return 0 if number is None else number + 1


class _Nodes:
    """The full nodes of the tree. One never changes, so that a session asks for each of them once."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.kept: dict[tuple[int, int], bytes] = {}

    @classmethod
    def of(cls, session: Session) -> _Nodes:
        """Those that a session has asked for."""
        found: _Nodes = session.info.setdefault(cls, cls(session))
        return found

    def __call__(self, level: int, place: int) -> bytes:
        if (level, place) not in self.kept:
            self.ahead([(level, place)])
        return self.kept[level, place]

    def ahead(self, wanted: Iterable[tuple[int, int]]) -> None:
        """Ask for several by one statement."""
        self.kept |= hot_statements.nodes(self._session, {one for one in wanted if one not in self.kept})


def ahead(session: Session, numbers: Iterable[int], olds: Iterable[int], size: int) -> None:
    """Read by one statement the nodes for proofs that the tree of `size` holds leaves, and goes on from older trees.

    Proofs are made without it too, node by node.
    """
    wanted: set[tuple[int, int]] = set()

    def node(level: int, place: int) -> bytes:
        wanted.add((level, place))
        return b""

    for number in numbers:
        merkle.inclusion(node, number, size)
    for old in olds:
        merkle.root(node, old)
        merkle.consistency(node, old, size)
    _Nodes.of(session).ahead(wanted)


def head(session: Session) -> SignedTree | None:
    """The newest checkpoint; None before the first."""
    found = hot_statements.newest_tree(session)
    return SignedTree(*found) if found else None


def place(session: Session, rows: Iterable[LeafRow], size: int) -> tuple[Placed, ...]:
    """Leaves with the proofs that the tree of `size` holds them; those that it does not hold are left out.

    What a leaf is to withhold the caller has taken out of its row.
    """
    inside = [(row, row.number) for row in rows if row.number is not None and row.number < size]
    node = _Nodes.of(session)
    return tuple(Placed(row.body, at, merkle.inclusion(node, at, size), row.says) for row, at in inside)


def grown(session: Session, old: int, size: int) -> Grown | None:
    """Proof that the tree goes on from that of `old` leaves; None if there was none."""
    if not 1 <= old <= size:
        return None
    node = _Nodes.of(session)
    return Grown(old, merkle.root(node, old), merkle.consistency(node, old, size))
