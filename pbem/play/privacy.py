"""Export or blank a person's data; empty letters of old games."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.lazy import Logger
from pbem.runtime.transaction import Server, Transaction
from pbem.store import changes, erasure, queries
from pbem.store.erasure import ErasedPerson


class UnknownAddress(LookupError):
    """No person here has the address."""

    def __init__(self, email: str) -> None:
        super().__init__(f"nobody here has the address {email}")


class ActiveRole(NamedTuple):
    """A person's role in a running game: player of a seat, moderator, witness.

    For an entrant of a running tournament its name stands for the game and his number for the seat.
    """

    game: str
    what: str
    seat: str = ""


def find_person(tx: Transaction, email: str, also: Sequence[str] = ()) -> ErasedPerson:
    """Return the person with an address, and all addresses of that person.

    The addresses are the registered ones, those from which he wrote, and `also`. Raises UnknownAddress if there is
    none.
    """
    row = queries.persons.person_by_email(tx.session, email)
    if row is None or row.id is None:
        raise UnknownAddress(email)
    emails = [address_row.email for address_row in queries.persons.addresses(tx.session, row.id)]
    for seat in queries.persons.seats_of(tx.session, row.id):
        emails += [inbox_row.email for inbox_row in queries.persons.writers_of(tx.session, seat)]
    return ErasedPerson(row.id, tuple(dict.fromkeys(email_text.casefold() for email_text in (*emails, *also))))


def active_roles(tx: Transaction, person: ErasedPerson) -> tuple[ActiveRole, ...]:
    """Return a person's roles in games and tournaments that are not over."""
    seats = (
        ActiveRole(seat.game_id, "seat", seat.name) for seat in queries.persons.seats_of(tx.session, person.number)
    )
    moderated = (
        ActiveRole(row.game_id, "moderator") for row in queries.rulings.moderated_by(tx.session, person.number)
    )
    watched = (
        ActiveRole(row.game_id, "witness")
        for email in person.emails
        for row in queries.log.witnesses_by_email(tx.session, email)
        if row.state != "off"
    )
    game_roles = tuple(role for role in (*seats, *moderated, *watched) if _goes_on(tx, role.game))
    return (*game_roles, *_running_tournaments(tx, person))


def _running_tournaments(tx: Transaction, person: ErasedPerson) -> Iterator[ActiveRole]:
    """Yield the running tournaments that he plays in, or waits for."""
    for row in queries.tournaments.entries_of_person(tx.session, person.number):
        event = queries.tournaments.tournament(tx.session, row.tournament_id)
        if (
            row.state in ("asks", "in", "waiting", "offered")
            and event is not None
            and event.state not in ("over", "cancelled")
        ):
            yield ActiveRole(event.id, "entrant", str(row.number))


def _goes_on(tx: Transaction, name: str) -> bool:
    game = queries.games.game(tx.session, name)
    return game is not None and game.state != "over"


def blank_person(tx: Transaction, person: ErasedPerson) -> None:
    """Blank all data of a person, who then gets no more letters.

    Raise ValueError if he still has a role in a game.
    """
    if active_roles(tx, person):
        raise ValueError("he still has a part in a game")
    for email in person.emails:
        for row in queries.outbox.queued_letters_to(tx.session, email):
            row.state, row.last_text = "failed", ""
            tx.session.add(row)
    tx.session.flush()
    erasure.blank_person(tx.session, person)


def export_person(tx: Transaction, person: ErasedPerson) -> str:
    """Return a person's data as JSON: rows by table, and all letters."""
    data = {"addresses": list(person.emails), "kept": erasure.rows_about(tx.session, person)}
    return json.dumps(data, ensure_ascii=False, indent=2, default=_to_json_value) + "\n"


def _to_json_value(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            # Octets that are no text, such as digests; JSON holds nothing but text.
            return {"base64": base64.b64encode(value).decode("ascii")}
    raise TypeError(f"not a value of a table: {value!r}")


# Retention of letters of ended games, and of pictures: after some days only the necessary data are kept.
#
# Of letters it is known that they came and went, and not what they said. A picture is drawn anew where a letter that
# shows it is sent once more.
#
# What was ordered, what happened and the log stay, so that the game replays and its log checks as before. A letter that
# was emptied is not sent again, and one of a player's that comes once more is known as before.


log = Logger(__name__)

_PICTURES_AT_ONCE = 200
"""Pictures deleted in one transaction, so that other writers need not wait long."""


def delete_letter_texts(server: Server, days: int, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Empty letters of games over for `days`; return how many games.

    Each game is a transaction of its own. A game counts as over from its last letter on. Stops once `goes_on`
    returns False.
    """
    limit = server.clock.now() - timedelta(days=days)
    with server.reading() as tx:
        names = queries.games.names_of_ended(tx.session, limit)
    count = 0
    for name in names:
        if not goes_on():
            break
        with server.work() as tx:
            changes.delete_letter_texts(tx.session, name, tx.now)
        log.info("letters emptied", game=name)
        count += 1
    return count


def delete_pictures(server: Server, days: int, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Delete pictures older than `days`, some a transaction; return how many.

    Stops once `goes_on` returns False.
    """
    limit, count = server.clock.now() - timedelta(days=days), 0
    while goes_on():
        with server.work() as tx:
            deleted = changes.forget_pictures(tx.session, limit, _PICTURES_AT_ONCE)
        count += deleted
        if deleted < _PICTURES_AT_ONCE:
            break
    if count:
        log.info("pictures forgotten", count=count)
    return count
