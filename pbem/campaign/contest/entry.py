"""E1 Entrants: who may enter, in, waiting, resting, out, and back; each with its leaf of the log.

Nothing here asks for codes or answers letters. The caller holds the tournament.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sqlmodel import Session

from pbem.campaign.base.server import Work
from pbem.campaign.contest import event_leaves, pools, record
from pbem.campaign.people import seating
from pbem.core.data.messages import Msg, msg
from pbem.mail.address import base_address
from pbem.store import queries, tables
from pbem.tournament.entering import FULL, IN, admitted, halves_for_missed, may_enter
from pbem.tournament.ratings.book import shown
from pbem.tournament.rules.records import Rules

__all__ = ["Wish", "admit", "conduct_of", "enter", "leave", "may_begin", "next_round", "objection", "rests"]

STRENGTH = 1500
"""The strength of who has no rating."""


class Wish(NamedTuple):
    """What somebody asks for who enters; the language of his letters is the first of those that are spoken here."""

    email: str
    name: str = ""
    language: str = "en"
    zone: str = "UTC"
    pace: int = 24
    tables: int = 1
    languages: str = ""


def conduct_of(event: tables.Tournament) -> str:
    """The digest of the code of conduct, whose first four signs JOIN accepts at least."""
    return event_leaves.sha256_of(event.conduct)


def next_round(work: Work, event: tables.Tournament) -> int:
    """The number of the first round whose list is not shut."""
    rounds = queries.tournaments.rounds(work.session, event.id)
    shut = [one.number for one in rounds if one.state != "planned"]
    return max(shut, default=0) + 1


def objection(work: Work, event: tables.Tournament, email: str) -> Msg | None:
    """Why nobody, or not this one, can enter the tournament; whether it has a place is not asked."""
    if event.state in ("over", "cancelled", "draft"):
        return msg("Nobody can enter {event} now.", event=event.id)
    own = base_address(email)
    person = queries.people.person_by_email(work.session, email)
    for row in queries.tournaments.entrants(work.session, event.id):
        if (person is not None and row.person_id == person.id) or own in _addresses(work.session, row.person_id):
            return _already(work, event, row)
    if person is not None and person.id == event.director_id:
        return msg("Whoever directs {event} cannot enter it.", event=event.id)
    rules = record.rules_of(event).entry
    finished, missed, phases = queries.tournaments.games_finished(work.session, person.id if person else None)
    if finished < rules.games:
        return msg("{event} asks for {count} games that you have finished; you have {mine}.", event=event.id,
                   count=rules.games, mine=finished)  # fmt: skip
    if phases and 100 * missed > rules.misses * phases:
        return msg("{event} asks that you missed at most {percent} of a hundred deadlines.", event=event.id,
                   percent=rules.misses)  # fmt: skip
    return None


def _addresses(session: Session, person: int) -> frozenset[str]:
    return frozenset(base_address(row.email) for row in queries.people.addresses(session, person))


def _already(work: Work, event: tables.Tournament, row: tables.Entrant) -> Msg:
    if row.state in record.OUT:
        return msg("You left {event}: RETURN, written to the address that you have there, brings you back.",
                   event=event.id)  # fmt: skip
    return msg("You are in {event} already, as e{number}.", event=event.id, number=row.number)


def enter(work: Work, event: tables.Tournament, wish: Wish) -> tables.Entrant | None:
    """Let somebody in, or onto the waiting list; None if that is full too. `objection` was asked."""
    rows, rules = queries.tournaments.entrants(work.session, event.id), record.rules_of(event)
    first = next_round(work, event)
    waiting = sum(row.state in ("waiting", "offered") for row in rows)
    state = admitted(rules, _taken(rows) if may_begin(work, event) else rules.entry.places, waiting)
    if state == FULL:
        return None
    who = seating.person_of(work.session, wish.email, wish.name, wish.language, wish.zone)
    row = tables.Entrant(
        tournament_id=event.id,
        number=max((one.number for one in rows), default=0) + 1,
        person_id=who.id or 0,
        state=state,
        name=wish.name,
        language=wish.language,
        zone=wish.zone,
        pace=wish.pace,
        tables=wish.tables,
        languages=wish.languages,
        strength=_strength(work, rules, who),
        accepted=conduct_of(event),
        since=first,
        entered=work.now,
    )
    work.session.add(row)
    work.session.flush()
    if state == IN:
        _begin(work, event, row, first)
    return row


def _taken(rows: Sequence[tables.Entrant]) -> int:
    """How many places are taken; one that was offered to somebody who waited is his until he declines."""
    return sum(row.state == "in" or (row.state == "offered" and row.offered_for is None) for row in rows)


def may_begin(work: Work, event: tables.Tournament) -> bool:
    """E1.1 Whether somebody may begin with the next round: of the first stage, and no later one than the rules say."""
    first = next_round(work, event)
    return event.state == "open" or (event.stage <= 1 and may_enter(record.rules_of(event), first))


def _strength(work: Work, rules: Rules, who: tables.Person) -> int:
    found = queries.tournaments.rating(work.session, who.id or 0, rules.rating.pool) if rules.rating.pool else None
    return shown(pools.rating_of_row(found))[0] if found is not None else STRENGTH


def _begin(work: Work, event: tables.Tournament, row: tables.Entrant, first: int) -> None:
    """He plays from a round on: with what rounds that he missed are worth, unless he was here before (E1.1)."""
    row.state, row.since = "in", first
    row.offered_until = row.offered_for = None
    if not row.left_once:
        row.start = halves_for_missed(record.rules_of(event), first)
    work.session.add(row)
    work.session.flush()
    email = queries.people.email_of(work.session, row.person_id) or ""
    event_leaves.note_entered(work, event, row, email)


def admit(work: Work, event: tables.Tournament, row: tables.Entrant, first: int) -> None:
    """Let in who waited or had left, from a round on."""
    _begin(work, event, row, first)


def leave(work: Work, event: tables.Tournament, row: tables.Entrant, state: str, why: str) -> None:
    """Take an entrant out: he is in no list that is shut from now on."""
    was, row.state, row.left_once = row.state, state, True
    row.offered_until = row.offered_for = None
    work.session.add(row)
    work.session.flush()
    if was == "in":
        event_leaves.note_left(work, event, row.number, next_round(work, event), why)


def rests(row: tables.Entrant, number: int) -> bool:
    """Whether an entrant rests a round."""
    return number in record.numbers_in(row.resting)
