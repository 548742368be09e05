"""What is changed of several rows at once, or anew by its key, without the rows being read: through the session."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, UpdateBase, and_, bindparam, delete, insert, or_, union, update
from sqlmodel import Session, SQLModel, col, select

from pbem.store import hot_statements
from pbem.store import tables as t


def _run(session: Session, statement: UpdateBase, values: Any = None) -> CursorResult[Any]:
    """Carry a statement out; objects that the session has of these rows stay as they are."""
    done: CursorResult[Any] = session.exec(statement, params=values, execution_options={"synchronize_session": False})
    return done


def add_all(session: Session, kind: type[SQLModel], rows: Sequence[Mapping[str, object]]) -> None:
    """Write rows of a table at once, in their order; each has the same columns."""
    if rows:
        _run(session, insert(kind), rows)


def put_tally(session: Session, about: str, counts: Mapping[str, int]) -> None:
    """Write how many there are of each word."""
    for word, count in counts.items():
        hot_statements.put(session, t.Tally, {"about": about, "word": word}, count=count)


def forget_begun(session: Session, account: str, folder: str) -> None:
    """Delete the rows of a mailbox's begun letters, when the poll that began them is over."""
    _run(session, delete(t.Begun).where(col(t.Begun.account) == account, col(t.Begun.folder) == folder))


def forget_drafts(session: Session, before: datetime) -> None:
    """Strike out the drafts of rulings, of all games, that were asked for before a moment."""
    _run(session, delete(t.Draft).where(col(t.Draft.asked) < before))


def forget_pictures(session: Session, before: datetime, most: int) -> int:
    """Delete pictures that were drawn before a moment, the oldest first and so many at most; how many there were."""
    made = col(t.Picture.made)
    oldest = select(col(t.Picture.digest)).where(made < before).order_by(made).limit(most)
    return int(_run(session, delete(t.Picture).where(col(t.Picture.digest).in_(oldest))).rowcount)


def wish(session: Session, phase: t.Phase, seat: t.Seat, word: str) -> None:
    """Write what a seat wants of a phase's closing, in the place of what it said before; nothing if `word` is empty."""
    if word:
        hot_statements.put(session, t.Wish, {"phase_id": phase.id, "seat_id": seat.id}, word=word)
    else:
        _run(session, delete(t.Wish).where(col(t.Wish.phase_id) == phase.id, col(t.Wish.seat_id) == seat.id))


def judge(session: Session, dues: Collection[int], word: str) -> None:
    """Write what was thought of rows that are due."""
    _run(session, update(t.Due).where(col(t.Due.id).in_(list(dues))).values(judged=word))


def take_on(session: Session, letters: Collection[int], owner: str, until: datetime | None) -> None:
    """Write who sends these letters of the outbox, and until when nobody else does."""
    _run(session, update(t.Outbox).where(col(t.Outbox.id).in_(list(letters))).values(owner=owner, until=until))


def take_back(session: Session, but: str) -> None:
    """Let go of the letters that are taken on and not sent, but for those whose owner's name begins so."""
    owner = col(t.Outbox.owner)
    taken = and_(col(t.Outbox.state) == "queued", owner != "", owner.not_like(f"{but}%"))
    _run(session, update(t.Outbox).where(taken).values(owner="", until=None))


def keep_bodies(session: Session, bodies: Mapping[int, bytes]) -> None:
    """Store the bytes of letters of the outbox by id, unless some are there: those may be on their way already."""
    if bodies:
        content = hot_statements.table_of(t.Content)
        bare = update(content).where(content.c.outbox_id == bindparam("row"), content.c.body.is_(None))
        values = [{"row": row, "bytes": body} for row, body in bodies.items()]
        session.flush()
        session.execute(bare.values(body=bindparam("bytes")), values)


def empty_letters(session: Session, game: str, now: datetime) -> None:
    """Empty all letters about a game, those that came and those that went, and note when that was."""
    went = col(t.Outbox.game_id) == game
    gone = select(col(t.Outbox.id)).where(went, col(t.Outbox.state) != "queued")
    came = union(
        select(col(t.Inbox.sha256)).join(t.Seat).where(col(t.Seat.game_id) == game),
        select(col(t.Inbox.sha256)).join(t.Outbox, col(t.Outbox.inbox_id) == col(t.Inbox.id)).where(went),
    )
    _run(session, update(t.Content).where(col(t.Content.outbox_id).in_(gone)).values(model="", body=None))
    _run(session, update(t.Raw).where(col(t.Raw.sha256).in_(came)).values(body=b""))
    _run(session, update(t.Game).where(col(t.Game.id) == game).values(emptied=now))


# The log.


def add_checkpoint(session: Session, size: int, note: bytes, signed: datetime, kept: bool) -> None:
    """Write a checkpoint as `tables.Checkpoint` has it."""
    session.add(t.Checkpoint(size=size, note=note, signed=signed, kept=kept))


def lease(session: Session, name: str, owner: str, now: datetime, until: datetime) -> bool:
    """Take or prolong a lease, unless somebody else holds it at this moment; return whether it is held now."""
    held = update(t.Lease).where(col(t.Lease.name) == name, or_(col(t.Lease.owner) == owner, col(t.Lease.until) <= now))
    if _run(session, held.values(owner=owner, until=until)).rowcount:
        return True
    return hot_statements.add_new(session, t.Lease, name=name, owner=owner, until=until)


def give_back(session: Session, name: str, owner: str) -> None:
    """Give up a lease, if this one holds it."""
    held = and_(col(t.Lease.name) == name, col(t.Lease.owner) == owner)
    if session.exec(select(t.Lease).where(held)).first() is not None:
        _run(session, delete(t.Lease).where(held))
