"""The log at work: acts noted by the transactions that they happen in, signed for in batches, and proven to readers.

A note is a leaf without a number. `sign` gives numbers to all that wait, in the order in which they were written, and
signs the tree that has them; only one process at a time does that, by a lease. What is not signed for is shown to
nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sqlalchemy import bindparam
from sqlmodel import Session, col, func, or_, select

from pbem.audit import checkpoint, leaves, merkle
from pbem.audit.bundle import Grown, Placed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.merkle import leaf_hash
from pbem.campaign.office import Office
from pbem.store import logbook as t
from pbem.store.tables import Due

__all__ = [
    "LEASE",
    "AtHand",
    "Head",
    "append",
    "at_hand",
    "grown",
    "head",
    "last",
    "of_game",
    "others",
    "placed",
    "sign",
]

LEASE = timedelta(seconds=30)
_NAME = "log"


class Head(NamedTuple):
    """The newest signed tree: how many leaves it has, and the note."""

    size: int
    note: bytes


def append(
    session: Session,
    now: datetime,
    kind: str,
    says: Iterable[tuple[str, str]],
    game: str,
    opens: str = "",
    *,
    after: t.Leaf | None = None,
) -> t.Leaf:
    """Write the next leaf of a game's chain in the caller's transaction; Malformed if it does not say what it must.

    The caller holds the game: nobody else writes to its chain at the same time. `after` is the last leaf of the chain,
    if the caller knows; the row is written with the next statement.
    """
    before = after or last(session, game)
    seq, prev = (before.seq + 1, leaf_hash(before.body).hex()) if before else (0, leaves.START)
    leaf = leaves.Leaf(kind, game, seq, prev, tuple(says))
    phase = dict(leaf.says).get("phase", "")
    row = t.Leaf(game=game, seq=seq, kind=kind, phase=phase, body=leaves.write(leaf), opens=opens, written=now)
    session.add(row)
    return row


def last(session: Session, game: str) -> t.Leaf | None:
    """The last leaf of a game's chain, signed for or not."""
    return session.exec(select(t.Leaf).where(t.Leaf.game == game).order_by(col(t.Leaf.seq).desc()).limit(1)).first()


def of_game(session: Session, game: str, phase: str, kind: str = "") -> tuple[leaves.Leaf, ...]:
    """The leaves of a phase of a game in order, of one kind if that is told."""
    found = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.phase == phase).order_by(col(t.Leaf.seq))
    rows = session.exec(found.where(t.Leaf.kind == kind) if kind else found).all()
    return tuple(leaves.parse(row.body) for row in rows)


class AtHand(NamedTuple):
    """What is looked up to note an act of a phase: its leaves and the last of the game, in order, and when it closes.

    `closes` is None where nothing is planned.
    """

    rows: tuple[t.Leaf, ...]
    closes: datetime | None

    def newest(self, *kinds: str, seat: str = "") -> leaves.Leaf | None:
        """The newest leaf of one of these kinds, of one seat if that is told."""
        line = f"\nseat {seat}\n".encode() if seat else b""
        found = (row for row in reversed(self.rows) if row.kind in kinds and line in row.body)
        return next((leaves.parse(row.body) for row in found), None)

    def with_row(self, row: t.Leaf) -> AtHand:
        """The same after one leaf more."""
        return self._replace(rows=(*self.rows, row))


_NEWEST = select(func.max(t.Leaf.seq)).where(t.Leaf.game == bindparam("of")).scalar_subquery()
_CLOSES = select(func.min(Due.at)).where(Due.game_id == bindparam("of"), Due.kind == "close").scalar_subquery()
_AT_HAND = (
    select(t.Leaf, _CLOSES)
    .where(t.Leaf.game == bindparam("of"), or_(t.Leaf.phase == bindparam("in"), t.Leaf.seq == _NEWEST))
    .order_by(col(t.Leaf.seq))
)


def at_hand(session: Session, game: str, phase: str) -> AtHand:
    """Look up, by one statement, what the next leaf about a phase follows from."""
    rows = session.exec(_AT_HAND, params={"of": game, "in": phase}).all()
    return AtHand(tuple(row for row, _ in rows), rows[0][1] if rows else None)


def sign(office: Office) -> int:
    """Number what waits, sign the tree, and return how many leaves that were; 0 while somebody else has the lease."""
    keys = office.secrets
    if keys is None:
        return 0
    with office.session() as session:
        waiting = session.exec(select(t.Leaf).where(col(t.Leaf.number).is_(None)).order_by(col(t.Leaf.id))).all()
        began = head_size(session) > 0
        if (began and not waiting) or not _leased(session, office):
            return 0
        if not began and last(session, leaves.SERVER) is None:
            said = (("log", keys.log.text), ("vrf", keys.dice.public.hex()), ("chain", "none"))
            append(session, office.clock.now(), "genesis", said, leaves.SERVER)
            waiting = session.exec(select(t.Leaf).where(col(t.Leaf.number).is_(None))).all()
            # The keys come first, whatever was noted before them.
            waiting = sorted(waiting, key=lambda row: (row.game != leaves.SERVER, row.id or 0))
        _number(session, [*waiting, *_chains(session, office, waiting)])
        size = head_size(session)
        tree = Checkpoint(keys.log.name, size, merkle.root(_nodes(session), size))
        note = checkpoint.sign(tree, keys.log, keys.sign)
        session.add(t.Checkpoint(size=size, note=note, signed=office.clock.now()))
        return len(waiting)


def _chains(session: Session, office: Office, waiting: Sequence[t.Leaf]) -> list[t.Leaf]:
    """Leaves that tell of beacons which games have begun to use, and of which the log has not said so."""
    opened = {leaves.parse(row.body)("chain") for row in waiting if row.kind == "open"} - {"none"}
    if not opened:
        return []
    server = session.exec(select(t.Leaf).where(t.Leaf.game == leaves.SERVER).order_by(col(t.Leaf.seq))).all()
    told = {dict(leaves.parse(row.body).says).get("chain") for row in server}
    now = office.clock.now()
    made = [append(session, now, "beacon-change", (("chain", one),), leaves.SERVER) for one in sorted(opened - told)]
    session.flush()
    return made


def others(session: Session, office: Office) -> bool:
    """Whether the log in the database was begun with other keys than the office has."""
    first = session.exec(select(t.Leaf).where(t.Leaf.game == leaves.SERVER, t.Leaf.seq == 0)).first()
    if first is None or office.secrets is None:
        return False
    told = leaves.parse(first.body)
    return (told("log"), told("vrf")) != (office.secrets.log.text, office.secrets.dice.public.hex())


def _leased(session: Session, office: Office) -> bool:
    now = office.clock.now()
    lease = session.get(t.Lease, _NAME, with_for_update=True)
    if lease is None:
        lease = t.Lease(name=_NAME, owner=office.owner, until=now)
    elif lease.owner != office.owner and lease.until > now:
        return False
    lease.owner, lease.until = office.owner, now + LEASE
    session.add(lease)
    session.flush()
    return True


def _number(session: Session, waiting: Sequence[t.Leaf]) -> None:
    number = head_size(session)
    node = _nodes(session)
    for row in waiting:
        full = merkle.grown(node, number, leaf_hash(row.body))
        session.add_all([t.Node(level=level, place=place, digest=digest) for level, place, digest in full])
        row.number = number
        session.add(row)
        session.flush()
        number += 1


def head_size(session: Session) -> int:
    """How many leaves have a number."""
    # The key of the table finds the last of them at once, however long the log is.
    last_one = select(t.Node.place).where(t.Node.level == 0).order_by(col(t.Node.place).desc()).limit(1)
    number = session.exec(last_one).first()
    return 0 if number is None else number + 1


def _nodes(session: Session) -> merkle.Node:
    """The full nodes of the tree. One never changes, so that a session asks for each of them once."""
    kept: dict[tuple[int, int], bytes] = session.info.setdefault(_nodes, {})

    def node(level: int, place: int) -> bytes:
        digest = kept.get((level, place))
        if digest is None:
            digest = kept[level, place] = session.get_one(t.Node, (level, place)).digest
        return digest

    return node


def head(session: Session) -> Head | None:
    """The newest checkpoint; None before the first."""
    row = session.exec(select(t.Checkpoint).order_by(col(t.Checkpoint.size).desc()).limit(1)).first()
    return Head(row.size, row.note) if row else None


def placed(session: Session, rows: Iterable[t.Leaf], size: int) -> tuple[Placed, ...]:
    """Leaves with the proofs that the tree of `size` holds them; those that it does not hold are left out."""
    node = _nodes(session)
    return tuple(
        Placed(row.body, row.number, merkle.inclusion(node, row.number, size))
        for row in rows
        if row.number is not None and row.number < size
    )


def grown(session: Session, old: int, size: int) -> Grown | None:
    """Proof that the tree goes on from that of `old` leaves; None if there was none."""
    node = _nodes(session)
    return Grown(old, merkle.root(node, old), merkle.consistency(node, old, size)) if 1 <= old <= size else None
