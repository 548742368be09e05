"""E1 Entrants: who may enter, in, waiting, resting, out, and back; each with its leaf of the log.

Nothing here asks for codes or answers letters. The caller holds the tournament.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlmodel import Session

from pbem.engine.data.messages import Msg, msg
from pbem.mail.address import base_address
from pbem.play import seating
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import contenders, leaves, ratings, record, teams
from pbem.tournaments.arithmetic.entering import FULL, IN, admitted, halves_for_missed, may_enter
from pbem.tournaments.arithmetic.ratings import shown
from pbem.tournaments.arithmetic.rules.records import Rules

STRENGTH = 1500
"""The strength of who has no rating."""


class Wish(NamedTuple):
    """What somebody asks for who enters; the language of his letters is the first of those that are spoken here.

    `team` is what he calls the team that he plays for, empty where everybody plays for himself.
    """

    email: str
    name: str = ""
    language: str = "en"
    zone: str = "UTC"
    pace: int = 24
    tables: int = 1
    languages: str = ""
    team: str = ""


def conduct_of(event: tables.Tournament) -> str:
    """The digest of the code of conduct, whose first four signs JOIN accepts at least."""
    return leaves.sha256_of(event.conduct)


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
    person = queries.persons.person_by_email(work.session, email)
    for row in queries.tournaments.entrants(work.session, event.id):
        his = (person is not None and row.person_id == person.id) or own in _addresses(work.session, row.person_id)
        if his and not teams.asked_in_vain(row):
            return _already(work, event, row)
    if person is not None and person.id == event.director_id:
        return msg("Whoever directs {event} cannot enter it.", event=event.id)
    rules = record.rules_of(event).entry
    finished, missed, phases = queries.tournaments.games_finished(work.session, person.id if person else None)
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


def _addresses(session: Session, person: int) -> frozenset[str]:
    return frozenset(base_address(row.email) for row in queries.persons.addresses(session, person))


def _already(work: Work, event: tables.Tournament, row: tables.Entrant) -> Msg:
    if row.state in record.OUT:
        return msg(
            "You left {event}: RETURN, written to the address that you have there, brings you back.", event=event.id
        )
    return msg("You are in {event} already, as e{number}.", event=event.id, number=row.number)


def enter(work: Work, event: tables.Tournament, wish: Wish) -> tables.Entrant | None:
    """Let somebody in, or onto the waiting list; None if that is full too. `objection` was asked."""
    rows, rules = queries.tournaments.entrants(work.session, event.id), record.rules_of(event)
    first = next_round(work, event)
    waiting = sum(row.state in ("waiting", "offered") for row in rows)
    team = teams.named(work, event, wish.team)
    if team is None:
        state = admitted(rules, taken_places(work, event) if may_begin(work, event) else rules.entry.places, waiting)
    else:
        state = teams.ASKS
    if state == FULL:
        return None
    who = seating.person_of(work.session, wish.email, wish.name, wish.language, wish.zone)
    row = queries.tournaments.entrant_of(work.session, event.id, who.id) or tables.Entrant(
        tournament_id=event.id, number=contenders.next_number(work, event), person_id=who.id or 0, entered=work.now
    )
    row.state, row.since, row.accepted = state, first, conduct_of(event)
    row.name, row.language, row.zone = wish.name, wish.language, wish.zone
    row.pace, row.tables, row.languages = wish.pace, wish.tables, wish.languages
    row.strength = _strength(work, rules, who)
    row.team_id = team.id if team is not None else None
    work.session.add(row)
    work.session.flush()
    if wish.team and team is None:
        teams.form(work, event, row, wish.team)
    if state == IN:
        _begin(work, event, row, first)
    return row


def taken_places(work: Work, event: tables.Tournament) -> int:
    """How many places are taken, of teams where they play; one that was offered to who waited is his till he
    declines."""
    if record.boards_a_match(event):
        return sum(team.state == "in" for team in queries.tournaments.teams(work.session, event.id))
    rows = queries.tournaments.entrants(work.session, event.id)
    return sum(row.state == "in" or (row.state == "offered" and row.offered_for is None) for row in rows)


def may_begin(work: Work, event: tables.Tournament) -> bool:
    """E1.1 Whether somebody may begin with the next round: of the first stage, and no later one than the rules say."""
    first = next_round(work, event)
    return event.state == "open" or (event.stage <= 1 and may_enter(record.rules_of(event), first))


def _strength(work: Work, rules: Rules, who: tables.Person) -> int:
    found = queries.tournaments.rating(work.session, who.id or 0, rules.rating.pool) if rules.rating.pool else None
    return shown(ratings.rating_of_row(found))[0] if found is not None else STRENGTH


def _begin(work: Work, event: tables.Tournament, row: tables.Entrant, first: int) -> None:
    """He plays from a round on: with what rounds that he missed are worth, unless he was here before (E1.1)."""
    row.state, row.since = "in", first
    row.offered_until = row.offered_for = None
    if not row.left_once and row.team_id is None:
        row.start = halves_for_missed(record.rules_of(event), first)
    work.session.add(row)
    work.session.flush()
    team = contenders.team_of(work, row)
    if team is not None:
        teams.bring_in(work, event, team, row)
    email = queries.persons.email_of(work.session, row.person_id) or ""
    leaves.note_entered(work, event, row, email)
    if team is not None:
        leaves.note_member(work, event, row.number, team.number)


def admit(work: Work, event: tables.Tournament, row: tables.Entrant, first: int) -> None:
    """Let in who waited, asked or had left, from a round on."""
    _begin(work, event, row, first)


def leave(work: Work, event: tables.Tournament, row: tables.Entrant, state: str, why: str) -> None:
    """Take an entrant out: he is in no list that is shut from now on. His team goes on, with another captain."""
    was, row.state = row.state, state
    row.left_once = row.left_once or was == "in"
    row.offered_until = row.offered_for = None
    work.session.add(row)
    work.session.flush()
    if was == "in":
        leaves.note_left(work, event, row.number, next_round(work, event), why)
        teams.left(work, event, row, (state, why, next_round(work, event)))
