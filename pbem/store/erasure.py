"""Erase a game with every row about it, or the data of one person.

The rows of a game are found by the references between the tables: all rows that refer to it, directly or through
others, are deleted; only the leaves of the log remain. A person is found by his number and his addresses. His
orders, events and the leaves of the log name seats, and stay; so do the rows of letters, without their words and
sender.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from email import message_from_bytes
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    String,
    Table,
    cast,
    delete,
    func,
    literal,
    or_,
    select,
    text,
    update,
)
from sqlmodel import AutoString, Session

from pbem.store import tables as t
from pbem.store.session_cache import drop_caches

_APPEND_ONLY = ("event", "basis")
_TABLES = t.metadata()
_OF = _TABLES.tables


def remove_game(session: Session, name: str) -> None:
    """Delete a game and all its rows; delete the bytes of letters without rows."""
    session.flush()
    conditions = _rows_of_game(name)
    # The log is one tree over all games: without one leaf its signatures could never be verified again.
    with _writable(session.connection()):
        for table in reversed(_TABLES.sorted_tables):
            if table in conditions:
                session.execute(delete(table).where(conditions[table]))
    still_used = select(_OF["inbox"].c.sha256).where(_OF["inbox"].c.sha256 == _OF["raw"].c.sha256)
    session.execute(delete(_OF["raw"]).where(~still_used.exists()))
    drop_caches(session)


def _rows_of_game(name: str) -> dict[Table, ColumnElement[bool]]:
    """Return the condition for rows of a game for each table, referred tables first."""
    conditions: dict[Table, ColumnElement[bool]] = {_OF["game"]: _OF["game"].c.id == name}
    for table in _TABLES.sorted_tables:
        references = [
            key.parent.in_(select(key.column).where(conditions[key.column.table]))
            for key in table.foreign_keys
            if key.column.table in conditions and key.column.table is not table
        ]
        if references and table is not _OF["game"]:
            conditions[table] = or_(*references)
    return conditions


@contextmanager
def _writable(connection: Connection) -> Iterator[None]:
    """Allow deletions from append-only tables, only in this transaction."""
    if connection.dialect.name == "postgresql":
        for table in _APPEND_ONLY:
            connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only"))
        yield
        for table in _APPEND_ONLY:
            connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER {table}_append_only"))
        return
    query = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('event', 'basis')"
    triggers = connection.execute(text(query)).all()
    for name, _ in triggers:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for _, statement in triggers:
        connection.exec_driver_sql(statement)


_FOR_EVER = ("event", "basis", "leaf")
"""Tables that are never changed: `leaf` is signed, and the others hold no names."""
_WORDS = (String, AutoString)
_SHORTEST = 12
"""The least length of a press line that is searched in others' letters: shorter ones (`thank you`) occur everywhere."""


class ErasedPerson(NamedTuple):
    """The person to be erased: the number, and all addresses, lower-case."""

    number: int
    emails: tuple[str, ...]

    @property
    def pseudonym(self) -> str:
        """Return the text that replaces an address."""
        return f"erased-{self.number}@invalid"


def rows_about(session: Session, person: ErasedPerson) -> dict[str, list[dict[str, Any]]]:
    """Return every row about a person, by table and in order, as columns with values."""
    rows_by_table = {}
    for name, condition in _rows_of_person(person).items():
        table = _OF[name]
        rows = session.execute(select(table).where(condition).order_by(*table.primary_key.columns))
        rows_by_table[name] = [dict(row) for row in rows.mappings()]
    return rows_by_table


def blank_person(session: Session, person: ErasedPerson) -> None:
    """Blank words and author in every row about a person.

    Rows that are about nobody else are deleted.
    """
    session.flush()
    conditions = _rows_of_person(person)
    for name, condition in _rows_with_lines(_press_lines(session, conditions["press"]), conditions["press"]):
        _blank_rows(session, name, condition)
    # Rows about rows come first: the values that identify them are blanked last.
    for name in ("attempt", "content", "raw", "press", "appeal", "gathered"):
        _blank_rows(session, name, conditions[name])
    for name, values in _replacement_values(person).items():
        session.execute(update(_OF[name]).where(conditions[name]).values(**values))
    for name in ("writer", "observer", "standby", "seek", "follower", "absence", "address"):
        session.execute(delete(_OF[name]).where(conditions[name]))
    _blank_addresses(session, person)
    session.expire_all()
    drop_caches(session)


def compact_database(engine: Engine) -> bool:
    """Rewrite the database without deleted data.

    Return False if another connection prevented that.
    """
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.dialect.name != "sqlite":
            for name in (*_BLANKED, *_replacement_values(ErasedPerson(0, ()))):
                connection.exec_driver_sql(f'VACUUM FULL "{name}"')
            return True
        driver: Any = connection.connection.driver_connection
        driver.execute("VACUUM")
        # The old content stays in the file beside it (-wal) until that is rewritten.
        busy = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        return not busy


_BLANKED: dict[str, dict[str, Any] | None] = {
    "attempt": {"text": ""},
    "content": {"model": "", "body": None},
    "raw": {"body": b""},
    "press": {"text": ""},
    "appeal": {"text": "", "answer": None},
    "gathered": None,
    "writer": None,
    "observer": None,
    "standby": None,
    "seek": None,
    "follower": None,
    "absence": None,
    "address": None,
}
"""The blank values of the columns with words, by table; None if the row is deleted."""


def _replacement_values(person: ErasedPerson) -> dict[str, dict[str, Any]]:
    """Return the new values of other rows about a person."""
    return {
        "outbox": {"recipient": person.pseudonym, "in_reply_to": "", "references": "", "last_text": ""},
        "inbox": {
            "sender": person.pseudonym,
            "message_id": literal("<erased.") + cast(_OF["inbox"].c.id, String) + literal("@invalid>"),
        },
        "use": {"about": ""},
        "witness": {"email": person.pseudonym},
        "moderator": {"person_id": None},
        "seat": {"pen_name": "", "published": ""},
        "entrant": {"name": ""},
        "appointment": {"name": "", "role": "past"},
        "person": {"name": "", "rating_public": False},
    }


def _rows_of_person(person: ErasedPerson) -> dict[str, ColumnElement[bool]]:
    """Return the condition for rows about a person for each table; games are kept."""
    seat, inbox, outbox = _OF["seat"].c, _OF["inbox"].c, _OF["outbox"].c
    seats = select(seat.id).where(seat.person_id == person.number)
    received_ids = select(inbox.id).where(inbox.sender.in_(person.emails))
    is_outgoing = or_(outbox.recipient.in_(person.emails), outbox.inbox_id.in_(received_ids))
    conditions: dict[str, ColumnElement[bool]] = {"person": _OF["person"].c.id == person.number}
    owned = ("address", "observer", "standby", "seek", "moderator", "seat", "entrant", "follower", "rating")
    for name in (*owned, "appointment"):
        conditions[name] = _OF[name].c.person_id == person.number
    for name in ("absence", "gathered", "appeal"):
        conditions[name] = _OF[name].c.seat_id.in_(seats)
    for name in ("order_set", "later", "standing", "press"):
        conditions[name] = _OF[name].c.inbox_id.in_(received_ids)
    return {
        **conditions,
        "game": or_(_OF["game"].c.asked_by == person.number, _OF["game"].c.id.in_(_games_of_person(person))),
        "writer": or_(_OF["writer"].c.seat_id.in_(seats), _OF["writer"].c.email.in_(person.emails)),
        "use": or_(_OF["use"].c.person_id == person.number, _OF["use"].c.about.in_(person.emails)),
        "witness": _OF["witness"].c.email.in_(person.emails),
        "inbox": inbox.sender.in_(person.emails),
        "raw": _OF["raw"].c.sha256.in_(select(inbox.sha256).where(inbox.sender.in_(person.emails))),
        "outbox": is_outgoing,
        "content": _OF["content"].c.outbox_id.in_(select(outbox.id).where(is_outgoing)),
        "attempt": _OF["attempt"].c.outbox_id.in_(select(outbox.id).where(is_outgoing)),
    }


def _games_of_person(person: ErasedPerson) -> Any:
    return select(_OF["seat"].c.game_id).where(_OF["seat"].c.person_id == person.number)


def _blank_rows(session: Session, name: str, condition: ColumnElement[bool]) -> None:
    values = _BLANKED[name]
    session.execute(
        delete(_OF[name]).where(condition) if values is None else update(_OF[name]).where(condition).values(**values)
    )


def _press_lines(session: Session, condition: ColumnElement[bool]) -> Sequence[str]:
    """Return the lines that a person wrote to others, as in JSON."""
    texts = session.execute(select(_OF["press"].c.text).where(condition)).scalars()
    lines = {line.strip() for text in texts for line in text.splitlines()}
    return [json.dumps(line)[1:-1] for line in sorted(lines) if len(line) >= _SHORTEST]


def _rows_with_lines(lines: Collection[str], press: ColumnElement[bool]) -> Iterator[tuple[str, ColumnElement[bool]]]:
    """Yield conditions for letters and news to others with the person's lines."""
    games = select(_OF["press"].c.game_id).where(press)
    letters = select(_OF["outbox"].c.id).where(_OF["outbox"].c.game_id.in_(games))
    seats = select(_OF["seat"].c.id).where(_OF["seat"].c.game_id.in_(games))
    content, gathered = _OF["content"].c, _OF["gathered"].c
    for line in lines:
        yield "content", content.outbox_id.in_(letters) & content.model.contains(line, autoescape=True)
        yield "gathered", gathered.seat_id.in_(seats) & gathered.body.contains(line, autoescape=True)


def _blank_addresses(session: Session, person: ErasedPerson) -> None:
    """Blank the person's addresses in all other columns and letters."""
    for table in _OF.values():
        if table.name in _FOR_EVER:
            continue
        for column in table.columns:
            if not isinstance(column.type, _WORDS) or column.primary_key:
                continue
            if table.name in _BLANKED:
                _blank_rows(session, table.name, _contains_any(column, person.emails))
            else:
                _replace_addresses(session, column, person)
    raw = _OF["raw"].c
    names = session.execute(select(raw.sha256).where(func.length(raw.body) > 0)).scalars().all()
    for name in names:
        body = session.execute(select(raw.body).where(raw.sha256 == name)).scalar_one()
        if _has_address(body, person.emails):
            _blank_rows(session, "raw", raw.sha256 == name)


def _has_address(raw: bytes, emails: Collection[str]) -> bool:
    """Return whether a letter has one of these addresses, even in an encoded part."""
    wanted = [email.encode("utf-8") for email in emails]
    parts = [raw]
    if b"base64" in raw.lower() or b"quoted-printable" in raw.lower():
        payloads = (part.get_payload(decode=True) for part in message_from_bytes(raw).walk())
        parts += [payload for payload in payloads if isinstance(payload, bytes)]
    return any(address in part.lower() for part in parts for address in wanted)


def _replace_addresses(session: Session, column: Any, person: ErasedPerson) -> None:
    """Replace addresses in a text column by the pseudonym, in any capitalisation."""
    table = column.table
    own = list(table.primary_key.columns)
    for *key, old_text in session.execute(select(*own, column).where(_contains_any(column, person.emails))).all():
        replaced = old_text
        for email in person.emails:
            replaced = _replace_in(replaced, email, person.pseudonym)
        condition = [column == key_value for column, key_value in zip(own, key, strict=True)]
        session.execute(update(table).where(*condition).values({column.name: replaced}))


def _replace_in(value: str, email: str, replacement: str) -> str:
    lowered, offset = value.lower(), 0
    while (offset := lowered.find(email, offset)) >= 0:
        value = value[:offset] + replacement + value[offset + len(email) :]
        lowered, offset = value.lower(), offset + len(replacement)
    return value


def _contains_any(column: object, emails: Collection[str]) -> ColumnElement[bool]:
    return or_(*(func.lower(column).contains(email, autoescape=True) for email in emails))
