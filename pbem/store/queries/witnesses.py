"""Questions about witnesses, what they have cosigned, and what they say that they saw."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import and_, or_
from sqlmodel import Session, col, func, select

from pbem.store.tables import Cosignature, Game, Statement, WebCosignature, Witness


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


def newest(session: Session, witness: Witness) -> Cosignature | None:
    """The last cosignature of a witness."""
    found = select(Cosignature).where(Cosignature.witness_id == witness.id)
    return session.exec(found.order_by(col(Cosignature.size).desc()).limit(1)).first()
