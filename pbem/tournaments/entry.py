"""E1 Manage entrants: admission, waiting list, departure and return.

Each step has its leaf in the log. Codes and replies are handled elsewhere. The caller holds the lock of
the tournament.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.mail.address import base_address
from pbem.play import seating
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, ratings, record, teams
from pbem.tournaments.arithmetic.entering import (
    FULL,
    IN,
    admission_of_next_entry,
    half_points_for_missed_rounds,
    may_enter,
)
from pbem.tournaments.arithmetic.ratings import display_points
from pbem.tournaments.arithmetic.rules.records import TournamentRules

STRENGTH = 1500
"""The strength of an entrant without a rating (Glicko-2: a new player's points)."""


class EntryRequest(NamedTuple):
    """A request to enter a tournament.

    `language` is the first of the player's languages in which letters exist. `team` is the name of the requested
    team, empty in individual tournaments.
    """

    email: str
    name: str = ""
    language: str = "en"
    zone: str = "UTC"
    pace: int = 24
    tables: int = 1
    languages: str = ""
    team: str = ""


def conduct_digest(event: tables.Tournament) -> str:
    """Return the digest of the code of conduct.

    JOIN accepts at least its first four digits.
    """
    return leaves.sha256_of(event.conduct)


def next_open_round(tx: Transaction, event: tables.Tournament) -> int:
    """Return the number of the first round whose list is open."""
    rounds = queries.tournaments.rounds(tx.session, event.id)
    closed_numbers = [row.number for row in rounds if row.state != "planned"]
    return max(closed_numbers, default=0) + 1


def entry_objection(tx: Transaction, event: tables.Tournament, email: str) -> Msg | None:
    """Return why this person cannot enter, or None; free places are not checked."""
    if event.state in ("over", "cancelled", "draft"):
        return msg("Nobody can enter {event} now.", event=event.id)
    address = base_address(email)
    person = queries.persons.person_by_email(tx.session, email)
    for row in queries.tournaments.entrants(tx.session, event.id):
        is_same = (person is not None and row.person_id == person.id) or address in _addresses(
            tx.session, row.person_id
        )
        if is_same and not teams.was_never_admitted(row):
            return _already_entered_text(tx, event, row)
    if person is not None and record.is_director(tx, event, person.id):
        return msg("Whoever directs {event} cannot enter it.", event=event.id)
    rules = record.rules_of(event).entry
    if (closed := _door_objection(tx, event, person)) is not None:
        return closed
    finished, missed, phases = queries.tournaments.playing_record(tx.session, person.id if person else None)
    if finished < rules.games:
        return msg(
            "{event} asks for {count} games that you have finished; you have {mine}.",
            event=event.id,
            count=rules.games,
            mine=finished,
        )
    if phases and 100 * missed > rules.misses * phases:
        return msg(
            "{event} asks that you missed at most {percent} of a hundred deadlines.",
            event=event.id,
            percent=rules.misses,
        )
    return None


def _door_objection(tx: Transaction, event: tables.Tournament, person: tables.Person | None) -> Msg | None:
    """E1 Return why the rules bar somebody: not invited, or rating out of bounds."""
    rules = record.rules_of(event)
    guests = queries.tournaments.appointments(tx.session, event.id, "guest")
    if rules.entry.by == "invitation" and (person is None or person.id not in {row.person_id for row in guests}):
        return msg(
            "{event} is for those whom its director invites: ask him to INVITE the address that you write from.",
            event=event.id,
        )
    strength = _strength(tx, rules, person) if person is not None else STRENGTH
    if strength < rules.entry.least:
        return msg(
            "{event} asks for a rating of {least} or more; yours is {mine}.",
            event=event.id,
            least=rules.entry.least,
            mine=strength,
        )
    if rules.entry.most and strength > rules.entry.most:
        return msg(
            "{event} asks for a rating of {most} or less; yours is {mine}.",
            event=event.id,
            most=rules.entry.most,
            mine=strength,
        )
    return None


def _addresses(session: Session, person: int) -> frozenset[str]:
    return frozenset(base_address(row.email) for row in queries.persons.addresses(session, person))


def _already_entered_text(tx: Transaction, event: tables.Tournament, row: tables.Entrant) -> Msg:
    if row.state in record.OUT:
        return msg(
            "You left {event}: RETURN, written to the address that you have there, brings you back.", event=event.id
        )
    return msg("You are in {event} already, as e{number}.", event=event.id, number=row.number)


def enter_person(tx: Transaction, event: tables.Tournament, request: EntryRequest) -> tables.Entrant | None:
    """Enter a person, or put him on the waiting list; None if that is full too.

    The caller has checked `entry_objection`.
    """
    rules, first = record.rules_of(event), next_open_round(tx, event)
    team = teams.team_by_name(tx, event, request.team)
    state = admission_by_places(tx, event) if team is None else teams.ASKS
    if state == FULL:
        return None
    person = seating.find_or_create_person(tx.session, request.email, request.name, request.language, request.zone)
    row = queries.tournaments.entrant_of(tx.session, event.id, person.id) or tables.Entrant(
        tournament_id=event.id, number=contenders.next_number(tx, event), person_id=person.id or 0, entered=tx.now
    )
    row.state, row.since, row.accepted = state, first, conduct_digest(event)
    row.name, row.language, row.zone = request.name, request.language, request.zone
    row.pace, row.tables, row.languages = request.pace, request.tables, request.languages
    row.strength = _strength(tx, rules, person)
    row.team_id = team.id if team is not None else None
    tx.session.add(row)
    tx.session.flush()
    if request.team and team is None:
        teams.create_team(tx, event, row, request.team)
    if state == IN:
        _activate(tx, event, row, first)
    return row


def admission_by_places(tx: Transaction, event: tables.Tournament) -> str:
    """E1 Return what an entry would lead to now: ``in``, ``waiting`` or ``full``."""
    rows, rules = queries.tournaments.entrants(tx.session, event.id), record.rules_of(event)
    waiting = sum(row.state in ("waiting", "offered") for row in rows)
    return admission_of_next_entry(
        rules, taken_places(tx, event) if may_begin(tx, event) else rules.entry.places, waiting
    )


def taken_places(tx: Transaction, event: tables.Tournament) -> int:
    """Return the number of places taken, by teams in team tournaments.

    A place offered to the waiting list is taken until it is declined.
    """
    if record.boards_per_match(event):
        return sum(team.state == "in" for team in queries.tournaments.teams(tx.session, event.id))
    rows = queries.tournaments.entrants(tx.session, event.id)
    return sum(row.state == "in" or (row.state == "offered" and row.offered_for is None) for row in rows)


def may_begin(tx: Transaction, event: tables.Tournament) -> bool:
    """E1.1 Return whether a new entrant may still begin with the next round."""
    first = next_open_round(tx, event)
    return event.state == "open" or (event.stage <= 1 and may_enter(record.rules_of(event), first))


def _strength(tx: Transaction, rules: TournamentRules, person: tables.Person) -> int:
    row = queries.tournaments.rating(tx.session, person.id or 0, rules.rating.pool) if rules.rating.pool else None
    return display_points(ratings.rating_of_row(row))[0] if row is not None else STRENGTH


def _activate(tx: Transaction, event: tables.Tournament, row: tables.Entrant, first: int) -> None:
    """Let an entrant play from a round on.

    The first time the entrant gets points for missed rounds (E1.1).
    """
    row.state, row.since = "in", first
    row.offered_until = row.offered_for = None
    if not row.left_once and row.team_id is None:
        row.start = half_points_for_missed_rounds(record.rules_of(event), first)
    tx.session.add(row)
    tx.session.flush()
    team = contenders.team_of(tx, row)
    if team is not None:
        teams.activate_team(tx, event, team, row)
    email = queries.persons.email_of(tx.session, row.person_id) or ""
    leaves.record_entry(tx, event, row, email)
    if team is not None:
        leaves.record_member(tx, event, row.number, team.number)


def admit_entrant(tx: Transaction, event: tables.Tournament, row: tables.Entrant, first: int) -> None:
    """Admit an entrant who waited, applied or had left, from a round on."""
    _activate(tx, event, row, first)


def remove_entrant(tx: Transaction, event: tables.Tournament, row: tables.Entrant, state: str, reason: str) -> None:
    """Remove an entrant from all lists closed from now on.

    His team goes on, with another captain.
    """
    state_before, row.state = row.state, state
    row.left_once = row.left_once or state_before == "in"
    row.offered_until = row.offered_for = None
    tx.session.add(row)
    tx.session.flush()
    if state_before == "in":
        leaves.record_departure(tx, event, row.number, next_open_round(tx, event), reason)
        teams.handle_departure(tx, event, row, (state, reason, next_open_round(tx, event)))
