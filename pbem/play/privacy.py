"""What is kept about a person and of letters: shown to him, blanked when his games are over, or emptied in time."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from pbem.lazy import Logger
from pbem.runtime.transaction import Server, Transaction
from pbem.store import changes, erasure, queries
from pbem.store.erasure import Somebody


class Nobody(LookupError):
    """No person here has the address."""

    def __init__(self, email: str) -> None:
        super().__init__(f"nobody here has the address {email}")


class Tie(NamedTuple):
    """What somebody still is in a game that goes on: a seat's player, its moderator or a witness; or an entrant of a
    tournament that does, whose name stands for the game's and his number for the seat."""

    game: str
    what: str
    seat: str = ""


def person_with(work: Transaction, email: str, also: Sequence[str] = ()) -> Somebody:
    """The person with an address, with all his addresses: those registered, those that he wrote from, and `also`.

    Nobody if there is none.
    """
    row = queries.persons.person_by_email(work.session, email)
    if row is None or row.id is None:
        raise Nobody(email)
    known = [one.email for one in queries.persons.addresses(work.session, row.id)]
    for seat in queries.persons.seats_of(work.session, row.id):
        known += [one.email for one in queries.persons.written_from(work.session, seat)]
    return Somebody(row.id, tuple(dict.fromkeys(one.casefold() for one in (*known, *also))))


def parts(work: Transaction, person: Somebody) -> tuple[Tie, ...]:
    """What a person still is in games that are not over."""
    seats = (Tie(seat.game_id, "seat", seat.name) for seat in queries.persons.seats_of(work.session, person.number))
    moderated = (Tie(row.game_id, "moderator") for row in queries.rulings.moderated_by(work.session, person.number))
    watched = (
        Tie(row.game_id, "witness")
        for email in person.emails
        for row in queries.log.by_email(work.session, email)
        if row.state != "off"
    )
    played = tuple(one for one in (*seats, *moderated, *watched) if _goes_on(work, one.game))
    return (*played, *_entered(work, person))


def _entered(work: Transaction, person: Somebody) -> Iterator[Tie]:
    """The tournaments that he plays in, or waits for, and that go on."""
    for row in queries.tournaments.of_person(work.session, person.number):
        event = queries.tournaments.tournament(work.session, row.tournament_id)
        if (
            row.state in ("asks", "in", "waiting", "offered")
            and event is not None
            and event.state not in ("over", "cancelled")
        ):
            yield Tie(event.id, "entrant", str(row.number))


def _goes_on(work: Transaction, name: str) -> bool:
    game = queries.games.game(work.session, name)
    return game is not None and game.state != "over"


def erase(work: Transaction, person: Somebody) -> None:
    """Blank all that is kept about a person; ValueError if he still has a part in a game. Nothing more goes to him."""
    if parts(work, person):
        raise ValueError("he still has a part in a game")
    for email in person.emails:
        for row in queries.outbox.waiting_to(work.session, email):
            row.state, row.last_text = "failed", ""
            work.session.add(row)
    work.session.flush()
    erasure.blank(work.session, person)


def exported(work: Transaction, person: Somebody) -> str:
    """All that is kept about a person, as JSON: rows by table, and the letters as they came and went."""
    found = {"addresses": list(person.emails), "kept": erasure.records(work.session, person)}
    return json.dumps(found, ensure_ascii=False, indent=2, default=_plain) + "\n"


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode("ascii")}
    raise TypeError(f"not a value of a table: {value!r}")


# What is kept of letters once a game is over, and of pictures: after so many days no more than is needed.
#
# Of letters it is known that they came and went, and not what they said. A picture is drawn anew where a letter that
# shows it is sent once more.
#
# What was ordered, what happened and the log stay, so that the game replays and its log checks as before. A letter that
# was emptied is not sent again, and one of a player's that comes once more is known as before.


log = Logger(__name__)

_AT_ONCE = 200
"""Pictures that are deleted together: nobody who writes has to wait long."""


def empty_letters(server: Server, days: int, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Empty the letters about games that have been over for so many days, a game a transaction; how many games.

    A game counts as over from its last letter on. It breaks off once `goes_on` says no.
    """
    before = server.clock.now() - timedelta(days=days)
    with server.reading() as work:
        names = queries.games.ended(work.session, before)
    done = 0
    for name in names:
        if not goes_on():
            break
        with server.work() as work:
            changes.empty_letters(work.session, name, work.now)
        log.info("letters emptied", game=name)
        done += 1
    return done


def forget_pictures(server: Server, days: int, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Delete pictures that were drawn more than so many days ago, some a transaction; how many.

    It breaks off once `goes_on` says no.
    """
    before, done = server.clock.now() - timedelta(days=days), 0
    while goes_on():
        with server.work() as work:
            gone = changes.forget_pictures(work.session, before, _AT_ONCE)
        done += gone
        if gone < _AT_ONCE:
            break
    if done:
        log.info("pictures forgotten", count=done)
    return done
