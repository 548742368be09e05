"""Erase what the tables hold: a game with every row that is about it, or what is told of one person.

What is about a game is found by the references between the tables: whatever refers to it, or to what does; the leaves
of the log alone remain. A person is told by his number and his addresses. What he ordered, what happened and the leaves
of the log name seats, and stay; so do the rows of letters, with nothing in them that was said, nor by whom.
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

_APPEND_ONLY = ("event", "basis")
_TABLES = t.metadata()
_OF = _TABLES.tables


def remove_game(session: Session, name: str) -> None:
    """Delete a game and all that is about it; letters of which nothing else is left are deleted with their bytes."""
    session.flush()
    about = _rows_of_game(name)
    # The log is one tree over all games: a leaf less, and it could never again be shown to be what was signed.
    with _writable(session.connection()):
        for table in reversed(_TABLES.sorted_tables):
            if table in about:
                session.execute(delete(table).where(about[table]))
    kept = select(_OF["inbox"].c.sha256).where(_OF["inbox"].c.sha256 == _OF["raw"].c.sha256)
    session.execute(delete(_OF["raw"]).where(~kept.exists()))


def _rows_of_game(name: str) -> dict[Table, ColumnElement[bool]]:
    """For each table that can hold something about a game, which rows do; tables referred to come first."""
    found: dict[Table, ColumnElement[bool]] = {_OF["game"]: _OF["game"].c.id == name}
    for table in _TABLES.sorted_tables:
        ways = [
            key.parent.in_(select(key.column).where(found[key.column.table]))
            for key in table.foreign_keys
            if key.column.table in found and key.column.table is not table
        ]
        if ways and table is not _OF["game"]:
            found[table] = or_(*ways)
    return found


@contextmanager
def _writable(connection: Connection) -> Iterator[None]:
    """Let rows be deleted that nothing may change: in this transaction alone, and refused again at its end."""
    if connection.dialect.name == "postgresql":
        for table in _APPEND_ONLY:
            connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER {table}_append_only"))
        yield
        for table in _APPEND_ONLY:
            connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER {table}_append_only"))
        return
    listed = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN ('event', 'basis')"
    triggers = connection.execute(text(listed)).all()
    for name, _ in triggers:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for _, made in triggers:
        connection.exec_driver_sql(made)


_FOR_EVER = ("event", "basis", "leaf")
"""Tables whose rows nothing may change: their leaves are signed, or name nobody."""
_WORDS = (String, AutoString)
_SHORTEST = 12
"""Characters of a line of press that is looked for in others' letters; shorter ones stand everywhere."""


class Somebody(NamedTuple):
    """Whose rows are meant: his number, and all his addresses, lower-case."""

    number: int
    emails: tuple[str, ...]

    @property
    def pseudonym(self) -> str:
        """What stands where an address stood."""
        return f"erased-{self.number}@invalid"


def records(session: Session, person: Somebody) -> dict[str, list[dict[str, Any]]]:
    """Every row about a person, by table, in the order of their numbers, each as columns with their values."""
    found = {}
    for name, which in _rows_of_person(person).items():
        table = _OF[name]
        rows = session.execute(select(table).where(which).order_by(*table.primary_key.columns))
        found[name] = [dict(row) for row in rows.mappings()]
    return found


def blank(session: Session, person: Somebody) -> None:
    """Blank what was said, and by whom, in every row about a person; delete those that only tell of him."""
    session.flush()
    about = _rows_of_person(person)
    for name, which in _quoting(_press(session, about["press"]), about["press"]):
        _empty(session, name, which)
    # Rows about rows come first: what they are found by is blanked last.
    for name in ("attempt", "content", "raw", "press", "appeal", "gathered"):
        _empty(session, name, about[name])
    for name, values in _values(person).items():
        session.execute(update(_OF[name]).where(about[name]).values(**values))
    for name in ("writer", "observer", "standby", "seek", "follower", "absence", "address"):
        session.execute(delete(_OF[name]).where(about[name]))
    _sweep(session, person)
    session.expire_all()


def compact(engine: Engine) -> bool:
    """Write the database anew without what was deleted from it; False if somebody kept that from being done whole."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        if engine.dialect.name != "sqlite":
            for name in (*_BLANKED, *_values(Somebody(0, ()))):
                connection.exec_driver_sql(f'VACUUM FULL "{name}"')
            return True
        driver: Any = connection.connection.driver_connection
        driver.execute("VACUUM")
        # What was there before still stands in the file beside it (-wal) until that is begun anew.
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
"""What is left of rows by which something was said; None where the row goes."""


def _values(person: Somebody) -> dict[str, dict[str, Any]]:
    """What other rows about a person say from now on."""
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
        "person": {"name": "", "rating_public": False},
    }


def _rows_of_person(person: Somebody) -> dict[str, ColumnElement[bool]]:
    """Which rows of which tables are about a person; the orders and the games stay as they are, and are told."""
    seat, inbox, outbox = _OF["seat"].c, _OF["inbox"].c, _OF["outbox"].c
    seats = select(seat.id).where(seat.person_id == person.number)
    came = select(inbox.id).where(inbox.sender.in_(person.emails))
    went = or_(outbox.recipient.in_(person.emails), outbox.inbox_id.in_(came))
    found: dict[str, ColumnElement[bool]] = {"person": _OF["person"].c.id == person.number}
    for name in ("address", "observer", "standby", "seek", "moderator", "seat", "entrant", "follower", "rating"):
        found[name] = _OF[name].c.person_id == person.number
    for name in ("absence", "gathered", "appeal"):
        found[name] = _OF[name].c.seat_id.in_(seats)
    for name in ("order_set", "later", "standing", "press"):
        found[name] = _OF[name].c.inbox_id.in_(came)
    return {
        **found,
        "game": or_(_OF["game"].c.asked_by == person.number, _OF["game"].c.id.in_(_games(person))),
        "writer": or_(_OF["writer"].c.seat_id.in_(seats), _OF["writer"].c.email.in_(person.emails)),
        "use": or_(_OF["use"].c.person_id == person.number, _OF["use"].c.about.in_(person.emails)),
        "witness": _OF["witness"].c.email.in_(person.emails),
        "inbox": inbox.sender.in_(person.emails),
        "raw": _OF["raw"].c.sha256.in_(select(inbox.sha256).where(inbox.sender.in_(person.emails))),
        "outbox": went,
        "content": _OF["content"].c.outbox_id.in_(select(outbox.id).where(went)),
        "attempt": _OF["attempt"].c.outbox_id.in_(select(outbox.id).where(went)),
    }


def _games(person: Somebody) -> Any:
    return select(_OF["seat"].c.game_id).where(_OF["seat"].c.person_id == person.number)


def _empty(session: Session, name: str, which: ColumnElement[bool]) -> None:
    values = _BLANKED[name]
    session.execute(
        delete(_OF[name]).where(which) if values is None else update(_OF[name]).where(which).values(**values)
    )


def _press(session: Session, which: ColumnElement[bool]) -> Sequence[str]:
    """The lines that he wrote to others, as they stand in JSON."""
    texts = session.execute(select(_OF["press"].c.text).where(which)).scalars()
    lines = {line.strip() for text in texts for line in text.splitlines()}
    return [json.dumps(line)[1:-1] for line in sorted(lines) if len(line) >= _SHORTEST]


def _quoting(lines: Collection[str], press: ColumnElement[bool]) -> Iterator[tuple[str, ColumnElement[bool]]]:
    """Which letters to others, and news gathered for others, tell what he wrote."""
    games = select(_OF["press"].c.game_id).where(press)
    letters = select(_OF["outbox"].c.id).where(_OF["outbox"].c.game_id.in_(games))
    seats = select(_OF["seat"].c.id).where(_OF["seat"].c.game_id.in_(games))
    content, gathered = _OF["content"].c, _OF["gathered"].c
    for line in lines:
        yield "content", content.outbox_id.in_(letters) & content.model.contains(line, autoescape=True)
        yield "gathered", gathered.seat_id.in_(seats) & gathered.body.contains(line, autoescape=True)


def _sweep(session: Session, person: Somebody) -> None:
    """Blank his addresses wherever else they are written: in letters of and to others, in what servers said of them."""
    for table in _OF.values():
        if table.name in _FOR_EVER:
            continue
        for column in table.columns:
            if not isinstance(column.type, _WORDS) or column.primary_key:
                continue
            if table.name in _BLANKED:
                _empty(session, table.name, _holds(column, person.emails))
            else:
                _replace(session, column, person)
    raw = _OF["raw"].c
    names = session.execute(select(raw.sha256).where(func.length(raw.body) > 0)).scalars().all()
    for name in names:
        body = session.execute(select(raw.body).where(raw.sha256 == name)).scalar_one()
        if _says(body, person.emails):
            _empty(session, "raw", raw.sha256 == name)


def _says(raw: bytes, emails: Collection[str]) -> bool:
    """Whether a letter has one of these addresses in it, be it in a part that is encoded."""
    wanted = [email.encode("utf-8") for email in emails]
    parts = [raw]
    if b"base64" in raw.lower() or b"quoted-printable" in raw.lower():
        told = (part.get_payload(decode=True) for part in message_from_bytes(raw).walk())
        parts += [one for one in told if isinstance(one, bytes)]
    return any(one in part.lower() for part in parts for one in wanted)


def _replace(session: Session, column: Any, person: Somebody) -> None:
    """Put the pseudonym in the place of addresses in a column of text, however they are capitalised."""
    table = column.table
    own = list(table.primary_key.columns)
    for *key, said in session.execute(select(*own, column).where(_holds(column, person.emails))).all():
        without = said
        for email in person.emails:
            without = _without(without, email, person.pseudonym)
        where = [one == value for one, value in zip(own, key, strict=True)]
        session.execute(update(table).where(*where).values({column.name: without}))


def _without(said: str, email: str, instead: str) -> str:
    low, at = said.lower(), 0
    while (at := low.find(email, at)) >= 0:
        said = said[:at] + instead + said[at + len(email) :]
        low, at = said.lower(), at + len(instead)
    return said


def _holds(column: object, emails: Collection[str]) -> ColumnElement[bool]:
    return or_(*(func.lower(column).contains(one, autoescape=True) for one in emails))
