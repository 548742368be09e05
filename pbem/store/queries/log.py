"""Questions about the log that are asked now and then, and about its witnesses: what they cosigned, what they saw.

What letters ask of the log by the thousand is in `store.hot_statements`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, or_
from sqlalchemy import select as columns
from sqlmodel import Session, col, func, select

from pbem.store import tables as t
from pbem.store.tables import Cosignature, Game, Statement, WebCosignature, Witness


class Brief(NamedTuple):
    """Of a leaf its place in the chain of its game, its kind, its phase, its bytes and those of what it says."""

    seq: int
    kind: str
    phase: str
    body: bytes
    says: bytes = b""


class LeafRow(NamedTuple):
    """A leaf as `store.tables.Leaf` has it, but for the moment in which it was written."""

    id: int
    game: str
    seq: int
    kind: str
    phase: str
    body: bytes
    says: bytes
    opens: str
    number: int | None


class Mark(NamedTuple):
    """How far a seat was shown the log: the size of the last tree, and the last leaf of its game."""

    size: int
    seq: int


class Addressee(NamedTuple):
    """A seat that is written to: its id and name, its game, and how far it was shown the log, None if not at all."""

    id: int
    name: str
    game: t.Game
    shown: Mark | None


def _leaf_rows(session: Session, *where: ColumnElement[bool]) -> list[LeafRow]:
    found = columns(*(getattr(t.Leaf, name) for name in LeafRow._fields)).where(*where)
    return [LeafRow(*row) for row in session.execute(found.order_by(col(t.Leaf.id)))]


def waiting(session: Session) -> list[LeafRow]:
    """The leaves that have no number yet, in the order in which they were written."""
    return _leaf_rows(session, col(t.Leaf.number).is_(None))


def of_kind(session: Session, game: str, kind: str) -> list[LeafRow]:
    """All leaves of a game that are of one kind, in order, signed for or not."""
    return _leaf_rows(session, col(t.Leaf.game) == game, col(t.Leaf.kind) == kind)


def again(session: Session, game: str, phase: str, since: int, size: int) -> list[LeafRow]:
    """All leaves of a phase, and those from a place in its game's chain on, as far as the first `size` hold them."""
    wanted = or_(col(t.Leaf.phase) == phase, col(t.Leaf.seq) >= since)
    return _leaf_rows(session, col(t.Leaf.game) == game, col(t.Leaf.number) < size, wanted)


def newest_of_kinds(session: Session, game: str, kinds: Collection[str]) -> Brief | None:
    """The last leaf of a game that is of one of these kinds."""
    found = columns(*(getattr(t.Leaf, name) for name in Brief._fields)).where(col(t.Leaf.game) == game)
    row = session.execute(found.where(col(t.Leaf.kind).in_(kinds)).order_by(col(t.Leaf.seq).desc()).limit(1)).first()
    return None if row is None else Brief(*row)


def leaves(session: Session, game: str, *kinds: str, phase: str | None = None) -> Sequence[t.Leaf]:
    """The leaves of a game in order, of some kinds if any are told, of one phase if one is."""
    found = select(t.Leaf).where(t.Leaf.game == game).order_by(col(t.Leaf.seq))
    if phase is not None:
        found = found.where(t.Leaf.phase == phase)
    return session.exec(found.where(col(t.Leaf.kind).in_(kinds)) if kinds else found).all()


def first(session: Session, game: str) -> t.Leaf | None:
    """The leaf that a game's chain begins with."""
    return session.exec(select(t.Leaf).where(t.Leaf.game == game, t.Leaf.seq == 0)).first()


def closes(session: Session, first: int, size: int, most: int) -> Sequence[t.Leaf]:
    """So many leaves of closed lists, from one number on and among the first `size` of the log, the oldest first."""
    found = select(t.Leaf).where(t.Leaf.kind == "close", col(t.Leaf.number) >= first, col(t.Leaf.number) < size)
    return session.exec(found.order_by(col(t.Leaf.number)).limit(most)).all()


def unrolled(session: Session, game: str, size: int) -> Sequence[t.Leaf]:
    """The leaves of closed lists of a game of which nothing is rolled yet, among the first `size` of the log."""
    rolled = select(func.max(t.Leaf.seq)).where(t.Leaf.game == game, t.Leaf.kind == "roll").scalar_subquery()
    found = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.kind == "close", col(t.Leaf.number) < size)
    return session.exec(found.where(t.Leaf.seq > func.coalesce(rolled, -1)).order_by(col(t.Leaf.seq))).all()


def says_since(session: Session, first: int, *kinds: str) -> bool:
    """Whether there is a leaf of some kinds from one number on."""
    found = select(t.Leaf.id).where(col(t.Leaf.number) >= first, col(t.Leaf.kind).in_(kinds)).limit(1)
    return session.exec(found).first() is not None


def count_by_game(session: Session) -> Sequence[tuple[str, int]]:
    """How many leaves each game has, by name."""
    return session.exec(select(t.Leaf.game, func.count()).group_by(col(t.Leaf.game)).order_by(col(t.Leaf.game))).all()


def bodies(session: Session, first: int, count: int) -> Sequence[bytes]:
    """The bytes of so many leaves from one number on, in order; fewer where the log ends."""
    found = select(t.Leaf.body).where(col(t.Leaf.number) >= first, col(t.Leaf.number) < first + count)
    return session.exec(found.order_by(col(t.Leaf.number))).all()


def first_opening(session: Session, game: str, phase: str) -> t.Leaf | None:
    """The leaf that opened a phase of a game, named without an attempt, for the first time."""
    found = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.kind == "open", t.Leaf.phase == f"{phase}~1")
    return session.exec(found.order_by(col(t.Leaf.seq)).limit(1)).first()


def closed_with(session: Session, game: str, slate: str) -> t.Leaf | None:
    """The leaf of a game that closed the list with this hex digest."""
    line = f"\nslate {slate}\n".encode()
    found = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.kind == "close").order_by(col(t.Leaf.seq).desc())
    return next((row for row in session.exec(found) if line in row.says), None)


def last_of(session: Session, game: str, kind: str) -> t.Leaf | None:
    """The newest leaf of a game that is of a kind."""
    found = select(t.Leaf).where(t.Leaf.game == game, t.Leaf.kind == kind)
    return session.exec(found.order_by(col(t.Leaf.seq).desc()).limit(1)).first()


def numbered(session: Session, first: int, count: int) -> Sequence[t.Leaf]:
    """So many leaves from one number on, in order; fewer where the log ends."""
    found = select(t.Leaf).where(col(t.Leaf.number) >= first, col(t.Leaf.number) < first + count)
    return session.exec(found.order_by(col(t.Leaf.number))).all()


def later(session: Session, size: int) -> Sequence[t.Leaf]:
    """The leaves that are not among the first `size` of the log, in the order in which they were written."""
    signed = session.exec(select(t.Leaf).where(col(t.Leaf.number) >= size)).all()
    waiting = session.exec(select(t.Leaf).where(col(t.Leaf.number).is_(None))).all()
    return sorted((*signed, *waiting), key=lambda leaf: leaf.id or 0)


def count_numbered(session: Session) -> tuple[int, int]:
    """How many leaves have a number, and how many nodes the tree has."""
    # The index on the numbers has one entry for each of them, NULL or not: it is counted, and no leaf read.
    leaves = session.exec(select(func.count(col(t.Leaf.number)))).one()
    return leaves, session.exec(select(func.count()).select_from(t.Node)).one()


def checkpoints_after(session: Session, size: int, count: int) -> Sequence[t.Checkpoint]:
    """So many checkpoints over more than `size` leaves, the smallest first."""
    found = select(t.Checkpoint).where(t.Checkpoint.size > size)
    return session.exec(found.order_by(col(t.Checkpoint.size)).limit(count)).all()


def digests(session: Session, level: int, first: int, count: int) -> Sequence[bytes]:
    """So many neighbouring nodes of a level of the tree, from one place on, in order; fewer where they are not full."""
    found = select(t.Node.digest).where(t.Node.level == level, t.Node.place >= first, t.Node.place < first + count)
    return session.exec(found.order_by(col(t.Node.place))).all()


def last_place(session: Session) -> int | None:
    """The place of the last leaf that has a number; None if none has."""
    # The key of the table finds the last of them at once, however long the log is.
    last_one = select(t.Node.place).where(t.Node.level == 0).order_by(col(t.Node.place).desc()).limit(1)
    return session.exec(last_one).first()


def newest(session: Session) -> t.Checkpoint | None:
    """The newest checkpoint."""
    return session.exec(select(t.Checkpoint).order_by(col(t.Checkpoint.size).desc()).limit(1)).first()


def newest_is_kept(session: Session) -> bool:
    """Whether the newest checkpoint is also remembered outside the database."""
    return bool(session.exec(select(t.Checkpoint.kept).order_by(col(t.Checkpoint.size).desc()).limit(1)).first())


# Questions about witnesses, what they have cosigned, and what they say that they saw.


def active(session: Session, name: str) -> Sequence[Witness]:
    """Who is, or was asked to be, a witness of a game, in the order in which they were asked."""
    found = select(Witness).where(Witness.game_id == name, Witness.state != "off")
    return session.exec(found.order_by(col(Witness.id))).all()


def by_email(session: Session, email: str) -> Sequence[Witness]:
    """Who has a mailbox, as the witness of each game."""
    return session.exec(select(Witness).where(Witness.email == email)).all()


def base(session: Session, email: str) -> int:
    """The size of the largest tree that a mailbox was shown, whichever game it was for."""
    return session.exec(select(func.max(Witness.base)).where(Witness.email == email)).one() or 0


def silent(session: Session, asked: datetime, several: int) -> Sequence[Witness]:
    """Witnesses of games that go on who leave a letter unanswered and were asked before a moment, or leave several."""
    found = select(Witness).join(Game).where(col(Witness.state).in_(("asked", "sworn")), Game.state != "over")
    waits = and_(col(Witness.unanswered) > 0, col(Witness.asked) < asked)
    return session.exec(found.where(or_(waits, col(Witness.unanswered) >= several)).order_by(col(Witness.id))).all()


def cosignatures(session: Session, name: str) -> Sequence[tuple[Cosignature, Witness]]:
    """What was cosigned of a game and by whom, the smallest checkpoint first."""
    found = select(Cosignature, Witness).join(Witness).where(Witness.game_id == name)
    return session.exec(found.order_by(col(Cosignature.size), col(Cosignature.id))).all()


def statements(session: Session, name: str) -> Sequence[tuple[Statement, Witness]]:
    """What was said of closed lists by the witnesses of a game, in the order in which it came."""
    found = select(Statement, Witness).join(Witness).where(Witness.game_id == name)
    return session.exec(found.order_by(col(Statement.id))).all()


def has_said(session: Session, witness: Witness, said: bytes) -> bool:
    """Whether this block of a witness is here."""
    found = select(Statement).where(Statement.witness_id == witness.id, Statement.said == said)
    return session.exec(found).first() is not None


def web_cosignatures(session: Session, since: int, before: int) -> Sequence[WebCosignature]:
    """What was cosigned by HTTP from one unix second on and before another, the smallest checkpoint first."""
    found = select(WebCosignature).where(WebCosignature.at >= since, WebCosignature.at < before)
    return session.exec(found.order_by(col(WebCosignature.size), col(WebCosignature.id))).all()


def web_size(session: Session, key: str) -> int:
    """The size of the largest tree that a witness with this key has cosigned by HTTP; 0 for none."""
    return session.exec(select(func.max(WebCosignature.size)).where(WebCosignature.key == key)).one() or 0


def has_cosigned(session: Session, witness: Witness, size: int) -> bool:
    """Whether a witness's cosignature of the checkpoint of so many leaves is here."""
    found = select(Cosignature).where(Cosignature.witness_id == witness.id, Cosignature.size == size)
    return session.exec(found).first() is not None


def newest_statement(session: Session, witness: Witness) -> Cosignature | None:
    """The last cosignature of a witness."""
    found = select(Cosignature).where(Cosignature.witness_id == witness.id)
    return session.exec(found.order_by(col(Cosignature.size).desc()).limit(1)).first()
