"""Query letters that go out: outbox, tries, collected news, and press."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, bindparam, literal_column
from sqlalchemy.orm import raiseload
from sqlmodel import Session, and_, col, func, not_, or_, select

from pbem.store import tables as t
from pbem.store.queries.games import READING
from pbem.store.session_cache import cached_rows, forget_when_written

forget_when_written(t.Press)

YIELDING = "of a game against a bot"
"""The value of `except_kind` in `due_letters` for letters of yielding games."""
_BY_ID = select(t.Outbox).order_by(col(t.Outbox.id))
# Queries for the row only do not read the content, which is a hundred times as large.
_BARE = raiseload(t.Outbox.content)  # type: ignore[arg-type]
_WAITING_PRESS = (
    select(t.Press)
    .where(t.Press.game_id == bindparam("game"), col(t.Press.delivered).is_(False))
    .order_by(col(t.Press.id))
)
_OF_IDS = _BY_ID.where(col(t.Outbox.id).in_(bindparam("ids", expanding=True)))
# The index is made with these very words.
WAS_TAKEN = col(t.Attempt.code).between(literal_column("200"), literal_column("299"))
# Likewise. Superseded letters are no failures, and in a year become many rows.
OVERTAKEN = "overtaken by "
"""The beginning of the stored reason of a letter that a newer one replaced."""
IS_GIVEN_UP = and_(
    col(t.Outbox.state) == literal_column("'failed'"),
    col(t.Outbox.last_text).not_like(literal_column(f"'{OVERTAKEN}%'")),
)
_OF_IDS_ALONE = _OF_IDS.with_for_update(of=t.Outbox)
_OF_NAMES = _BY_ID.where(col(t.Outbox.message_id).in_(bindparam("names", expanding=True)))


def _is_free(now: datetime) -> tuple[ColumnElement[bool], ...]:
    free = or_(col(t.Outbox.until).is_(None), col(t.Outbox.until) <= now)
    return col(t.Outbox.state) == "queued", col(t.Outbox.next_try) <= now, free


def due_letters(
    session: Session, now: datetime, limit: int, provable: Collection[str] = (), except_kind: str = ""
) -> Sequence[t.Outbox]:
    """Return the letters to send by now, up to a limit.

    Left out are letters of `provable` kinds to seats that are not rendered yet, letters of `except_kind`, and those
    that another worker has reserved. `YIELDING` as `except_kind` means letters of games against a bot that somebody
    asked for by letter.
    """
    query = _BY_ID.where(*_is_free(now)).with_for_update(skip_locked=True, of=t.Outbox)
    if except_kind == YIELDING:
        yielding = select(t.Game.id).where(col(t.Game.asked_by).is_not(None))
        query = query.where(or_(col(t.Outbox.game_id).is_(None), col(t.Outbox.game_id).not_in(yielding)))
    else:
        query = query.where(t.Outbox.kind != except_kind)
    if provable:
        with_body = select(t.Content.outbox_id).where(
            t.Content.outbox_id == t.Outbox.id, col(t.Content.body).is_not(None)
        )
        is_bare = and_(not_(with_body.exists()), col(t.Outbox.seat_id).is_not(None))
        query = query.where(not_(and_(is_bare, col(t.Outbox.kind).in_(provable))))
    return session.exec(query.limit(limit)).all()


def is_due(session: Session, now: datetime) -> bool:
    """Return whether any letter is to be sent by now."""
    query = select(t.Outbox.id).where(*_is_free(now))
    return session.exec(query.limit(1)).first() is not None


def unwritten_reports(session: Session, seats: Collection[int]) -> dict[int, int]:
    """Return the row of the last unrendered report to each of these seats."""
    query = select(t.Outbox.seat_id, func.max(t.Outbox.id)).group_by(col(t.Outbox.seat_id))
    query = query.where(t.Outbox.kind == "report", t.Outbox.state != "failed")
    query = query.join_from(t.Outbox, t.Content).where(col(t.Content.body).is_(None))
    result = session.exec(query.where(col(t.Outbox.seat_id).in_(seats)))
    return {seat: row for seat, row in result if seat is not None and row is not None}


def letters_by_ids(session: Session, ids: Collection[int | None]) -> Sequence[t.Outbox]:
    """Return letters by the ids of their rows, in order; locked unless reading only."""
    query = _OF_IDS if session.info.get(READING) else _OF_IDS_ALONE
    return session.exec(query, params={"ids": list(ids)}).all()


def reserved_letters(session: Session, owner: str, ids: Collection[int | None]) -> Sequence[int]:
    """Return the letters, among some, that a worker has reserved."""
    result = session.exec(select(t.Outbox.id).where(t.Outbox.owner == owner, col(t.Outbox.id).in_(ids)))
    return [row for row in result if row is not None]


def letters_by_names(session: Session, names: Collection[str]) -> Sequence[t.Outbox]:
    """Return letters by their Message-IDs, in the order of writing."""
    return session.exec(_OF_NAMES, params={"names": list(names)}).all()


def pictures(session: Session, digests: Collection[str]) -> dict[str, bytes]:
    """Return the stored pictures among some digests, as PNG, by digest."""
    query = select(t.Picture.digest, t.Picture.png).where(col(t.Picture.digest).in_(digests))
    return dict(session.exec(query).all()) if digests else {}


def letter_by_envelope(session: Session, sender: str) -> t.Outbox | None:
    """Return the letter with an envelope sender, to which its bounces come."""
    return session.exec(select(t.Outbox).where(t.Outbox.envelope_sender == sender).options(_BARE)).first()


def last_confirmation(session: Session, recipient: str, since: datetime) -> t.Outbox | None:
    """Return the last letter about no game that asked for or noted a confirmation."""
    query = select(t.Outbox).where(t.Outbox.recipient == recipient, t.Outbox.created > since)
    query = query.where(col(t.Outbox.game_id).is_(None), col(t.Outbox.kind).in_(("confirm", "joined")))
    return session.exec(query.order_by(col(t.Outbox.id).desc()).limit(1)).first()


def answers(session: Session, inbox_id: int) -> Sequence[t.Outbox]:
    """Return the answers to a letter, in order."""
    return session.exec(_BY_ID.where(t.Outbox.inbox_id == inbox_id)).all()


def answer_names(session: Session, inbox_id: int | None) -> Sequence[str]:
    """Return the Message-IDs of the answers to a letter, in order."""
    query = select(t.Outbox.message_id).where(t.Outbox.inbox_id == inbox_id)
    return session.exec(query.order_by(col(t.Outbox.id))).all()


def sent_names(session: Session, names: Collection[str]) -> frozenset[str]:
    """Return the Message-IDs, among some, whose letters were sent."""
    query = select(t.Outbox.message_id).where(col(t.Outbox.message_id).in_(names), t.Outbox.state == "sent")
    return frozenset(session.exec(query))


def newer_letter(session: Session, letter: t.Outbox, kinds: Sequence[str]) -> str | None:
    """Return the Message-ID of a newer letter of these kinds to the same seat."""
    query = select(t.Outbox.message_id).where(
        t.Outbox.seat_id == letter.seat_id,
        col(t.Outbox.kind).in_(kinds),
        col(t.Outbox.id) > letter.id,
        col(t.Outbox.state).in_(("queued", "sent")),
    )
    return session.exec(query.limit(1)).first()


def undelivered_letters(session: Session) -> Sequence[t.Outbox]:
    """Return the queued and failed letters in order.

    Letters that a newer one replaced are left out.
    """
    # Two queries, each by an index of its own; together they are in no order.
    waiting = session.exec(_BY_ID.where(t.Outbox.state == "queued")).all()
    failed = session.exec(_BY_ID.where(IS_GIVEN_UP)).all()
    return sorted((*waiting, *failed), key=lambda row: row.id or 0)


def last_failure_text(session: Session) -> str:
    """Return the last reply to the last failed letter.

    Letters that a newer one replaced are left out.
    """
    query = select(t.Outbox.last_text).where(IS_GIVEN_UP)
    return session.exec(query.order_by(col(t.Outbox.id).desc()).limit(1)).first() or ""


def reports(session: Session, seat: t.Seat, address: str, prefix: str = "") -> Sequence[t.Outbox]:
    """Return a seat's reports with a reply address, in order.

    `prefix` limits their Message-IDs. Reports whose content is no longer stored are left out.
    """
    query = _BY_ID.where(t.Outbox.seat_id == seat.id, t.Outbox.kind == "report", t.Outbox.reply_to == address)
    query = query.join(t.Content).where(t.Content.model != "")
    return session.exec(query.where(col(t.Outbox.message_id).startswith(prefix)) if prefix else query).all()


def queued_to(session: Session, name: str, recipient: str, kinds: Sequence[str]) -> Sequence[t.Outbox]:
    """Return the queued letters of these kinds about a game to a recipient."""
    query = _BY_ID.where(t.Outbox.game_id == name, t.Outbox.recipient == recipient, t.Outbox.state == "queued")
    return session.exec(query.where(col(t.Outbox.kind).in_(kinds))).all()


def unsent_letter(session: Session, name: str, recipient: str, kinds: Sequence[str], now: datetime) -> t.Outbox | None:
    """Return the last letter of these kinds about a game to a seat's player, locked.

    None if it was sent or rendered, or another worker sends it now.
    """
    query = _BY_ID.where(*_is_free(now), t.Outbox.game_id == name, t.Outbox.recipient == recipient)
    query = query.where(col(t.Outbox.seat_id).is_not(None), col(t.Outbox.kind).in_(kinds))
    rows = session.exec(query.with_for_update(skip_locked=True, of=t.Outbox)).all()
    return rows[-1] if rows and rows[-1].body is None else None


def queued_letters_to(session: Session, recipient: str) -> Sequence[t.Outbox]:
    """Return the queued letters to an address."""
    return session.exec(_BY_ID.where(t.Outbox.recipient == recipient, t.Outbox.state == "queued")).all()


def has_letter_of_kinds(session: Session, seat: t.Seat, kinds: Sequence[str], since: datetime) -> bool:
    """Return whether a letter of these kinds was written to a seat since a moment."""
    query = select(t.Outbox.id).where(t.Outbox.seat_id == seat.id, col(t.Outbox.kind).in_(kinds))
    return session.exec(query.where(t.Outbox.created >= since)).first() is not None


def count_written_after(session: Session, name: str, kind: str, moment: datetime) -> int:
    """Count the letters of a kind written about a game after a moment."""
    query = select(func.count()).select_from(t.Outbox).where(t.Outbox.game_id == name, t.Outbox.kind == kind)
    return session.exec(query.where(col(t.Outbox.created) > moment)).one()


def has_other_bounced(session: Session, letter: t.Outbox, since: datetime) -> bool:
    """Return whether another letter about the game to the recipient bounced."""
    query = select(t.Outbox.id).where(
        t.Outbox.game_id == letter.game_id,
        t.Outbox.recipient == letter.recipient,
        t.Outbox.id != letter.id,
        col(t.Outbox.bounced).startswith("5"),
        col(t.Outbox.created) > since,
    )
    return session.exec(query).first() is not None


def last_to_seat(session: Session, seat: t.Seat) -> t.Outbox | None:
    """Return the last letter to a seat."""
    query = select(t.Outbox).where(t.Outbox.seat_id == seat.id).order_by(col(t.Outbox.id).desc()).options(_BARE)
    return session.exec(query.limit(1)).first()


def last_letters_to_seat(session: Session, seat: t.Seat, kind: str, limit: int = 20) -> Sequence[t.Outbox]:
    """Return the last letters of a kind to a seat, the newest first."""
    query = select(t.Outbox).where(t.Outbox.seat_id == seat.id, t.Outbox.kind == kind)
    return session.exec(query.order_by(col(t.Outbox.id).desc()).limit(limit)).all()


def last_letters(session: Session, name: str, kind: str, game: str, limit: int) -> Sequence[t.Outbox]:
    """Return the last letters, newest first.

    They may be limited by Message-ID, kind and game.
    """
    query = select(t.Outbox).order_by(col(t.Outbox.id).desc()).limit(limit)
    filters = ((t.Outbox.message_id, name), (t.Outbox.kind, kind), (t.Outbox.game_id, game))
    return session.exec(query.where(*(column == value for column, value in filters if value))).all()


def names_of_letters_to(session: Session, recipient: str) -> Sequence[str]:
    """Return the Message-IDs of all letters to a lower-case address, in order."""
    query = select(t.Outbox.message_id).where(t.Outbox.recipient == recipient).order_by(col(t.Outbox.id))
    return session.exec(query).all()


def last_tries(session: Session, limit: int) -> Sequence[t.Attempt]:
    """Return the last tries at sending, the newest first."""
    return session.exec(select(t.Attempt).order_by(col(t.Attempt.id).desc()).limit(limit)).all()


def last_accepted_try(session: Session) -> int:
    """Return the number of the last try at which a server took a letter, or 0."""
    return session.exec(select(func.max(t.Attempt.id)).where(WAS_TAKEN)).one() or 0


def refused_tries(session: Session, number: int) -> Sequence[t.Attempt]:
    """Return the permanently refused tries after one, at most a thousand.

    A thousand are enough to recognise that a mail server refuses all letters.
    """
    query = select(t.Attempt).where(col(t.Attempt.id) > number, col(t.Attempt.code).between(500, 599))
    return session.exec(query.order_by(col(t.Attempt.id)).limit(1_000)).all()


def first_try(session: Session, letter: t.Outbox) -> int | None:
    """Return the number of the first try at sending a letter."""
    return session.exec(select(func.min(t.Attempt.id)).where(t.Attempt.outbox_id == letter.id)).one()


def delayed_letters(session: Session) -> Sequence[t.Outbox]:
    """Return the letters still queued after a permanent refusal."""
    query = _BY_ID.where(t.Outbox.state == "queued", col(t.Outbox.last_code).between(500, 599))
    return session.exec(query.options(_BARE)).all()


def seats_written_to(session: Session) -> Sequence[str]:
    """Return the seat's name for each letter to a seat."""
    return session.exec(select(t.Seat.name).join(t.Outbox, col(t.Outbox.seat_id) == col(t.Seat.id))).all()


def collected_news(session: Session, seat: t.Seat) -> Sequence[t.Gathered]:
    """Return the news collected for a seat, in order.

    News that are already in a letter are included.
    """
    return session.exec(select(t.Gathered).where(t.Gathered.seat_id == seat.id).order_by(col(t.Gathered.id))).all()


# Queries about press letters.


def waiting_press(session: Session, name: str) -> Sequence[t.Press]:
    """Return the press letters of a game that wait for the next report, in order."""
    return cached_rows(session, t.Press, name, lambda: session.exec(_WAITING_PRESS, params={"game": name}).all())


def press_of_turns(session: Session, name: str, first: int, last: int) -> Sequence[t.Press]:
    """Return the press letters written in a game on these turns, in order."""
    query = select(t.Press).where(t.Press.game_id == name, t.Press.turn >= first, t.Press.turn <= last)
    return session.exec(query.order_by(col(t.Press.id))).all()


def press_of_writers(session: Session, name: str, writers: Sequence[str]) -> Sequence[t.Press]:
    """Return the delivered press letters of seats with these names, in order."""
    query = select(t.Press).join(t.Seat, col(t.Seat.id) == t.Press.seat_id)
    query = query.where(t.Press.game_id == name, col(t.Seat.name).in_(writers), col(t.Press.delivered).is_(True))
    return session.exec(query.order_by(col(t.Press.id))).all()


def count_press(session: Session, seat: t.Seat, since: datetime) -> int:
    """Count the press letters of a seat since a moment."""
    return session.exec(select(func.count()).where(t.Press.seat_id == seat.id, col(t.Press.at) > since)).one()
