"""Change several rows at once, or one by its key, without reading them first."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import CursorResult, UpdateBase, and_, bindparam, delete, or_, union, update
from sqlmodel import Session, col, select

from pbem.store import hot_statements
from pbem.store import tables as t
from pbem.store.session_cache import forget_rows


def _run(session: Session, statement: UpdateBase, values: Any = None) -> CursorResult[Any]:
    """Execute a statement; objects that the session has of these rows stay unchanged."""
    forget_rows(session, statement.table)  # type: ignore[arg-type]
    result: CursorResult[Any] = session.exec(statement, params=values, execution_options={"synchronize_session": False})
    return result


def store_tally(session: Session, about: str, counts: Mapping[str, int]) -> None:
    """Store the count of each word in a tally."""
    for word, count in counts.items():
        hot_statements.insert_or_update(session, t.Tally, {"about": about, "word": word}, count=count)


def record_poll(session: Session, account: str, folder: str, begun: datetime) -> None:
    """Record when a complete poll began, and forget those of former mailboxes."""
    _run(session, delete(t.Poll).where(or_(col(t.Poll.account) != account, col(t.Poll.folder) != folder)))
    session.merge(t.Poll(account=account, folder=folder, begun=begun))


def finish_poll(session: Session, account: str, folder: str, begun: datetime) -> None:
    """Record a complete poll, and forget which letters it began."""
    record_poll(session, account, folder, begun)
    _run(session, delete(t.Begun).where(col(t.Begun.account) == account, col(t.Begun.folder) == folder))


def forget_drafts(session: Session, before: datetime) -> None:
    """Delete drafts of rulings that were asked for before a moment."""
    _run(session, delete(t.Draft).where(col(t.Draft.asked) < before))


def forget_pictures(session: Session, before: datetime, limit: int) -> int:
    """Delete at most so many old pictures, the oldest first; return their number."""
    drawn = col(t.Picture.made)
    oldest = select(col(t.Picture.digest)).where(drawn < before).order_by(drawn).limit(limit)
    return int(_run(session, delete(t.Picture).where(col(t.Picture.digest).in_(oldest))).rowcount)


def set_wish(session: Session, phase: t.Phase, seat: t.Seat, word: str) -> None:
    """Store a seat's wish about closing a phase; an empty `word` deletes it."""
    if word:
        hot_statements.insert_or_update(session, t.Wish, {"phase_id": phase.id, "seat_id": seat.id}, word=word)
    else:
        _run(session, delete(t.Wish).where(col(t.Wish.phase_id) == phase.id, col(t.Wish.seat_id) == seat.id))


def store_outage_check(session: Session, dues: Collection[int], word: str) -> None:
    """Store the result of the outage check of due rows."""
    _run(session, update(t.Due).where(col(t.Due.id).in_(list(dues))).values(judged=word))


def reserve_letters(session: Session, letters: Collection[int], owner: str, until: datetime | None) -> None:
    """Reserve letters of the outbox for a sender until a moment."""
    _run(session, update(t.Outbox).where(col(t.Outbox.id).in_(list(letters))).values(owner=owner, until=until))


def release_letters(session: Session, except_prefix: str) -> None:
    """Release reserved letters, except those reserved by owners with a name prefix."""
    owner = col(t.Outbox.owner)
    reserved = and_(col(t.Outbox.state) == "queued", owner != "", owner.not_like(f"{except_prefix}%"))
    _run(session, update(t.Outbox).where(reserved).values(owner="", until=None))


def store_bodies(session: Session, bodies: Mapping[int, bytes], models: Mapping[int, str]) -> None:
    """Store bytes of letters by id, unless a letter has bytes already.

    Another worker may have stored them first, and sent the letter. Bytes that were not made from the present `models`
    are not stored: another letter was joined to this one meanwhile, and it is rendered again.
    """
    if bodies:
        content = hot_statements.table_of(t.Content)
        without_body = update(content).where(
            content.c.outbox_id == bindparam("row"), content.c.body.is_(None), content.c.model == bindparam("rendered")
        )
        values = [{"row": row, "bytes": body, "rendered": models[row]} for row, body in bodies.items()]
        session.flush()
        session.execute(without_body.values(body=bindparam("bytes")), values)


def delete_letter_texts(session: Session, game: str, now: datetime) -> None:
    """Empty a game's letters but those still queued, and store the time."""
    is_outgoing = col(t.Outbox.game_id) == game
    sent_ids = select(col(t.Outbox.id)).where(is_outgoing, col(t.Outbox.state) != "queued")
    digests = union(
        select(col(t.Inbox.sha256)).join(t.Seat).where(col(t.Seat.game_id) == game),
        select(col(t.Inbox.sha256)).join(t.Outbox, col(t.Outbox.inbox_id) == col(t.Inbox.id)).where(is_outgoing),
    )
    _run(session, update(t.Content).where(col(t.Content.outbox_id).in_(sent_ids)).values(model="", body=None))
    _run(session, update(t.Raw).where(col(t.Raw.sha256).in_(digests)).values(body=b""))
    _run(session, update(t.Game).where(col(t.Game.id) == game).values(emptied=now))


# The log.


def add_checkpoint(session: Session, size: int, note: bytes, signed: datetime, kept: bool) -> None:
    """Insert a row of `tables.Checkpoint`."""
    session.add(t.Checkpoint(size=size, note=note, signed=signed, kept=kept))


def take_lease(session: Session, name: str, owner: str, now: datetime, until: datetime) -> bool:
    """Take or extend a lease; return False if another owner has it."""
    extension = update(t.Lease).where(
        col(t.Lease.name) == name, or_(col(t.Lease.owner) == owner, col(t.Lease.until) <= now)
    )
    if _run(session, extension.values(owner=owner, until=until)).rowcount:
        return True
    return hot_statements.insert_if_new(session, t.Lease, name=name, owner=owner, until=until)


def release_lease(session: Session, name: str, owner: str) -> None:
    """Release a lease, if this owner has it."""
    is_ours = and_(col(t.Lease.name) == name, col(t.Lease.owner) == owner)
    if session.exec(select(t.Lease).where(is_ours)).first() is not None:
        _run(session, delete(t.Lease).where(is_ours))
