"""Query the log occasionally, and its witnesses.

The frequent queries of letters about the log are in `store.hot_statements`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, bindparam, or_
from sqlalchemy import select as columns
from sqlmodel import Session, col, func, select

from pbem.store import tables as t
from pbem.store.session_cache import cached_rows, forget_when_written
from pbem.store.tables import Cosignature, Game, Statement, WebCosignature, Witness

forget_when_written(Witness)

_ACTIVE = select(Witness).where(Witness.game_id == bindparam("game"), Witness.state != "off").order_by(col(Witness.id))


class ChainLeaf(NamedTuple):
    """A leaf's place in its game's chain, kind, phase, bytes and content."""

    seq: int
    kind: str
    phase: str
    body: bytes
    says: bytes = b""


class LeafRow(NamedTuple):
    """A leaf as `store.tables.Leaf`, without its time of writing."""

    id: int
    game: str
    seq: int
    kind: str
    phase: str
    body: bytes
    says: bytes
    opens: str
    number: int | None


class ShownMark(NamedTuple):
    """The extent of the log shown to a seat: tree size, its game's last leaf."""

    size: int
    seq: int


class Addressee(NamedTuple):
    """A seat that gets a letter: id, name and game.

    `shown` is how much of the log its last letter showed, None before the first.
    """

    id: int
    name: str
    game: t.Game
    shown: ShownMark | None


def _leaf_rows(session: Session, *where: ColumnElement[bool]) -> list[LeafRow]:
    query = columns(*(getattr(t.Leaf, name) for name in LeafRow._fields)).where(*where)
    return [LeafRow(*row) for row in session.execute(query.order_by(col(t.Leaf.id)))]


def waiting_leaves(session: Session) -> list[LeafRow]:
    """Return the leaves without a number, in the order of writing."""
    return _leaf_rows(session, col(t.Leaf.number).is_(None))


def leaves_of_kind(session: Session, game: str, kind: str) -> list[LeafRow]:
    """Return all leaves of a game of one kind, in order, signed or not."""
    return _leaf_rows(session, col(t.Leaf.game) == game, col(t.Leaf.kind) == kind)


def leaves_to_repeat(session: Session, game: str, phase: str, since: int, size: int) -> list[LeafRow]:
    """Return a phase's leaves, and all from a place on.

    Only leaves among the first `size` of the log are returned.
    """
    condition = or_(col(t.Leaf.phase) == phase, col(t.Leaf.seq) >= since)
    return _leaf_rows(session, col(t.Leaf.game) == game, col(t.Leaf.number) < size, condition)


def newest_of_kinds(session: Session, game: str, kinds: Collection[str]) -> ChainLeaf | None:
    """Return the last leaf of a game that is of one of these kinds."""
    query = columns(*(getattr(t.Leaf, name) for name in ChainLeaf._fields)).where(col(t.Leaf.game) == game)
    row = session.execute(query.where(col(t.Leaf.kind).in_(kinds)).order_by(col(t.Leaf.seq).desc()).limit(1)).first()
    return None if row is None else ChainLeaf(*row)


def leaves(session: Session, game: str, *kinds: str, phase: str | None = None) -> Sequence[t.Leaf]:
    """Return the leaves of a game in order, of some kinds and one phase if given."""
    query = select(t.Leaf).where(t.Leaf.game == game).order_by(col(t.Leaf.seq))
    if phase is not None:
        query = query.where(t.Leaf.phase == phase)
    return session.exec(query.where(col(t.Leaf.kind).in_(kinds)) if kinds else query).all()


def first_leaf(session: Session, game: str) -> t.Leaf | None:
    """Return the first leaf of a game's chain."""
    return session.exec(select(t.Leaf).where(t.Leaf.game == game, t.Leaf.seq == 0)).first()


def closing_leaves(session: Session, first: int, size: int, limit: int) -> Sequence[t.Leaf]:
    """Return leaves of closed orders from a number on, among the first `size`."""
    query = select(t.Leaf).where(t.Leaf.kind == "close", col(t.Leaf.number) >= first, col(t.Leaf.number) < size)
    return session.exec(query.order_by(col(t.Leaf.number)).limit(limit)).all()


def closings_without_rolls(session: Session, game: str, size: int) -> Sequence[t.Leaf]:
    """Return a game's leaves of closed orders without rolls, among the first `size`."""
    last_roll = select(func.max(t.Leaf.seq)).where(t.Leaf.game == game, t.Leaf.kind == "roll").scalar_subquery()
    query = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.kind == "close", col(t.Leaf.number) < size)
    return session.exec(query.where(t.Leaf.seq > func.coalesce(last_roll, -1)).order_by(col(t.Leaf.seq))).all()


def has_kind_since(session: Session, first: int, *kinds: str) -> bool:
    """Return whether there is a leaf of some kinds from one number on."""
    query = select(t.Leaf.id).where(col(t.Leaf.number) >= first, col(t.Leaf.kind).in_(kinds)).limit(1)
    return session.exec(query).first() is not None


def count_by_game(session: Session) -> Sequence[tuple[str, int]]:
    """Return the number of leaves of each game, by name."""
    return session.exec(select(t.Leaf.game, func.count()).group_by(col(t.Leaf.game)).order_by(col(t.Leaf.game))).all()


def leaf_bodies(session: Session, first: int, count: int) -> Sequence[bytes]:
    """Return the bytes of so many leaves from a number on; fewer where the log ends."""
    query = select(t.Leaf.body).where(col(t.Leaf.number) >= first, col(t.Leaf.number) < first + count)
    return session.exec(query.order_by(col(t.Leaf.number))).all()


def first_opening(session: Session, game: str, phase: str) -> t.Leaf | None:
    """Return the leaf that first opened a phase, named without an attempt."""
    query = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.kind == "open", t.Leaf.phase == f"{phase}~1")
    return session.exec(query.order_by(col(t.Leaf.seq)).limit(1)).first()


def closing_leaf(session: Session, game: str, slate: str) -> t.Leaf | None:
    """Return the leaf of a game that closed the orders with this hex digest."""
    line = f"\nslate {slate}\n".encode()
    query = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.kind == "close").order_by(col(t.Leaf.seq).desc())
    return next((row for row in session.exec(query) if line in row.says), None)


def last_leaf_of_kind(session: Session, game: str, kind: str) -> t.Leaf | None:
    """Return the newest leaf of a game that is of a kind."""
    query = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.kind == kind)
    return session.exec(query.order_by(col(t.Leaf.seq).desc()).limit(1)).first()


def numbered_leaves(session: Session, first: int, count: int) -> Sequence[t.Leaf]:
    """Return so many leaves from a number on, in order; fewer where the log ends."""
    query = select(t.Leaf).where(col(t.Leaf.number) >= first, col(t.Leaf.number) < first + count)
    return session.exec(query.order_by(col(t.Leaf.number))).all()


def later_leaves(session: Session, size: int) -> Sequence[t.Leaf]:
    """Return the leaves beyond the first `size` of the log, in the order of writing."""
    # Two queries, each by the index on the numbers; together they are in no order.
    signed = session.exec(select(t.Leaf).where(col(t.Leaf.number) >= size)).all()
    waiting = session.exec(select(t.Leaf).where(col(t.Leaf.number).is_(None))).all()
    return sorted((*signed, *waiting), key=lambda leaf: leaf.id or 0)


def count_numbered(session: Session) -> tuple[int, int]:
    """Return how many leaves have a number, and how many nodes the tree has."""
    # The index on the numbers has one entry for each leaf, NULL or not: it is counted, and no leaf read.
    leaves = session.exec(select(func.count(col(t.Leaf.number)))).one()
    return leaves, session.exec(select(func.count()).select_from(t.Node)).one()


def checkpoints_after(session: Session, size: int, count: int) -> Sequence[t.Checkpoint]:
    """Return the first `count` checkpoints over more than `size` leaves, in order."""
    query = select(t.Checkpoint).where(t.Checkpoint.size > size)
    return session.exec(query.order_by(col(t.Checkpoint.size)).limit(count)).all()


def node_digests(session: Session, level: int, first: int, count: int) -> Sequence[bytes]:
    """Return neighbouring nodes of a level, in order.

    They are at most `count`, and fewer if the level has fewer full nodes.
    """
    query = select(t.Node.digest).where(t.Node.level == level, t.Node.place >= first, t.Node.place < first + count)
    return session.exec(query.order_by(col(t.Node.place))).all()


def last_number(session: Session) -> int | None:
    """Return the number of the last numbered leaf; None if there is none."""
    # The key of the table finds the last place at once, however long the log is.
    query = select(t.Node.place).where(t.Node.level == 0).order_by(col(t.Node.place).desc()).limit(1)
    return session.exec(query).first()


def newest_checkpoint(session: Session) -> t.Checkpoint | None:
    """Return the newest checkpoint."""
    return session.exec(select(t.Checkpoint).order_by(col(t.Checkpoint.size).desc()).limit(1)).first()


def is_newest_recorded(session: Session) -> bool:
    """Return whether the newest checkpoint is also recorded outside the database."""
    return bool(session.exec(select(t.Checkpoint.kept).order_by(col(t.Checkpoint.size).desc()).limit(1)).first())


# Queries about witnesses, their cosignatures and statements.


def active_witnesses(session: Session, name: str) -> Sequence[Witness]:
    """Return a game's witnesses in the order of asking.

    Those who were asked and have not answered yet are included.
    """
    return cached_rows(session, Witness, name, lambda: session.exec(_ACTIVE, params={"game": name}).all())


def witnesses_by_email(session: Session, email: str) -> Sequence[Witness]:
    """Return the witness rows of a mailbox, one a game."""
    return session.exec(select(Witness).where(Witness.email == email)).all()


def largest_shown_size(session: Session, email: str) -> int:
    """Return the size of the largest tree that a mailbox was shown, for any game."""
    return session.exec(select(func.max(Witness.base)).where(Witness.email == email)).one() or 0


def silent_witnesses(session: Session, asked: datetime, several: int) -> Sequence[Witness]:
    """Return witnesses with an overdue or with several unanswered letters."""
    query = select(Witness).join(Game).where(col(Witness.state).in_(("asked", "sworn")), Game.state != "over")
    is_overdue = and_(col(Witness.unanswered) > 0, col(Witness.asked) < asked)
    return session.exec(
        query.where(or_(is_overdue, col(Witness.unanswered) >= several)).order_by(col(Witness.id))
    ).all()


def cosignatures(session: Session, name: str) -> Sequence[tuple[Cosignature, Witness]]:
    """Return a game's cosignatures with their witnesses, smallest checkpoint first."""
    query = select(Cosignature, Witness).join(Witness).where(Witness.game_id == name)
    return session.exec(query.order_by(col(Cosignature.size), col(Cosignature.id))).all()


def statements(session: Session, name: str) -> Sequence[tuple[Statement, Witness]]:
    """Return witnesses' statements on a game's closed orders, in order."""
    query = select(Statement, Witness).join(Witness).where(Witness.game_id == name)
    return session.exec(query.order_by(col(Statement.id))).all()


def has_statement(session: Session, witness: Witness, block: bytes) -> bool:
    """Return whether this block of a witness is stored."""
    query = select(Statement).where(Statement.witness_id == witness.id, Statement.said == block)
    return session.exec(query).first() is not None


def web_cosignatures(session: Session, since: int, before: int) -> Sequence[WebCosignature]:
    """Return HTTP cosignatures between unix seconds, smallest checkpoint first."""
    query = select(WebCosignature).where(WebCosignature.at >= since, WebCosignature.at < before)
    return session.exec(query.order_by(col(WebCosignature.size), col(WebCosignature.id))).all()


def largest_web_size(session: Session, key: str) -> int:
    """Return the largest tree that a witness's key cosigned by HTTP; 0 for none."""
    return session.exec(select(func.max(WebCosignature.size)).where(WebCosignature.key == key)).one() or 0


def has_cosigned(session: Session, witness: Witness, size: int) -> bool:
    """Return whether a witness's cosignature of this checkpoint is stored."""
    query = select(Cosignature).where(Cosignature.witness_id == witness.id, Cosignature.size == size)
    return session.exec(query).first() is not None


def newest_cosignature(session: Session, witness: Witness) -> Cosignature | None:
    """Return the last cosignature of a witness."""
    query = select(Cosignature).where(Cosignature.witness_id == witness.id)
    return session.exec(query.order_by(col(Cosignature.size).desc()).limit(1)).first()
