"""What is kept about a person: told to him, or blanked once he has no part in any game that goes on.

Orders, happenings and the leaves of the log name seats and no people; they stay, so that the games of others replay and
their log checks. A letter that was blanked cannot be held against its digest any more.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from pbem.runtime.transaction import Work
from pbem.store import erasure, queries
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


def person_with(work: Work, email: str, also: Sequence[str] = ()) -> Somebody:
    """The person with an address, with all his addresses: those registered, those that he wrote from, and `also`.

    Nobody if there is none.
    """
    row = queries.people.person_by_email(work.session, email)
    if row is None or row.id is None:
        raise Nobody(email)
    known = [one.email for one in queries.people.addresses(work.session, row.id)]
    for seat in queries.people.seats_of(work.session, row.id):
        known += [one.email for one in queries.people.written_from(work.session, seat)]
    return Somebody(row.id, tuple(dict.fromkeys(one.casefold() for one in (*known, *also))))


def parts(work: Work, person: Somebody) -> tuple[Tie, ...]:
    """What a person still is in games that are not over."""
    seats = (Tie(seat.game_id, "seat", seat.name) for seat in queries.people.seats_of(work.session, person.number))
    moderated = (Tie(row.game_id, "moderator") for row in queries.rulings.moderated_by(work.session, person.number))
    watched = (
        Tie(row.game_id, "witness")
        for email in person.emails
        for row in queries.log.by_email(work.session, email)
        if row.state != "off"
    )
    played = tuple(one for one in (*seats, *moderated, *watched) if _goes_on(work, one.game))
    return (*played, *_entered(work, person))


def _entered(work: Work, person: Somebody) -> Iterator[Tie]:
    """The tournaments that he plays in, or waits for, and that go on."""
    for row in queries.tournaments.of_person(work.session, person.number):
        event = queries.tournaments.tournament(work.session, row.tournament_id)
        if (
            row.state in ("asks", "in", "waiting", "offered")
            and event is not None
            and event.state not in ("over", "cancelled")
        ):
            yield Tie(event.id, "entrant", str(row.number))


def _goes_on(work: Work, name: str) -> bool:
    game = queries.games.game(work.session, name)
    return game is not None and game.state != "over"


def erase(work: Work, person: Somebody) -> None:
    """Blank all that is kept about a person; ValueError if he still has a part in a game. Nothing more goes to him."""
    if parts(work, person):
        raise ValueError("he still has a part in a game")
    for email in person.emails:
        for row in queries.outbox.waiting_to(work.session, email):
            row.state, row.last_text = "failed", ""
            work.session.add(row)
    work.session.flush()
    erasure.blank(work.session, person)


def exported(work: Work, person: Somebody) -> str:
    """All that is kept about a person, as JSON: rows by table, and the letters as they came and went."""
    found = {"addresses": list(person.emails), "kept": erasure.records(work.session, person)}
    return json.dumps(found, ensure_ascii=False, indent=2, default=_plain) + "\n"


def _plain(value: object) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, bytes):
        try:
            return value.decode("utf-8")
        except UnicodeDecodeError:
            return {"base64": base64.b64encode(value).decode("ascii")}
    raise TypeError(f"not a value of a table: {value!r}")
