"""OBSERVE of a tournament: a letter a week of how it goes, confirmed by a code as the watching of a game is."""

from __future__ import annotations

from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.letters import codes
from pbem.letters.codes import Asker, Said
from pbem.play import seating
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import round_states

MOST = 200
"""Observers of one tournament: each costs a letter a week."""


def follow(work: Work, asker: Asker, name: str, code: str | None) -> Said:
    """Ask to watch a tournament, or confirm that with the code."""
    event = queries.tournaments.tournament(work.session, name)
    if event is None:
        raise ValueError(f"no tournament: {name!r}")
    if refused := _objection(work, event, asker):
        return Said("answer", (refused,))
    request = ("follow", event.id, asker.email.casefold())
    if code is None:
        mailed = codes.codes(work.server, *request)[0]
        line = chosen(asker.language, f"OBSERVE {event.id} CODE {mailed}", f"OBSERVAR {event.id} CODIGO {mailed}")
        asked = msg("Your address was given to watch {title} ({event}).", title=event.title, event=event.id)
        return codes.please([asked], msg("The line that lets you watch"), line)
    if not codes.good(work.server, code, *request):
        return Said("answer", (codes.stale(f"OBSERVE {event.id}"),))
    person = seating.person_of(work.session, asker.email, language=asker.language, zone=asker.zone)
    row = tables.Follower(tournament_id=event.id, person_id=person.id or 0, language=asker.language, told=work.now)
    work.session.add(row)
    if event.state in round_states.LIVE:
        event.wake = work.now
        work.session.add(event)
    work.session.flush()
    done = msg("From now on you get a letter a week of {event}. OBSERVE STOP {event} ends it.", event=event.id)
    return Said("answer", (done, msg("STANDINGS {event} tells at once how it stands.", event=event.id)))


def _objection(work: Work, event: tables.Tournament, asker: Asker) -> Msg | None:
    """Why nobody, or not this one, can watch the tournament."""
    if event.state in ("draft", "over", "cancelled"):
        return msg("Nobody can watch {event} now.", event=event.id)
    person = queries.people.person_by_email(work.session, asker.email)
    watching = queries.tournaments.followers(work.session, event.id)
    if person is not None and any(one.person_id == person.id for one in watching):
        return msg("You watch {event} already; OBSERVE STOP {event} ends it.", event=event.id)
    if len(watching) >= MOST:
        return msg("{event} has as many observers as it can have: {count}.", event=event.id, count=MOST)
    return None


def leave(work: Work, person: int | None, name: str | None) -> tuple[str, ...]:
    """End what somebody watches of tournaments, one or all, and return their names."""
    rows = [row for row in queries.tournaments.followed_by(work.session, person) if name in (None, row.tournament_id)]
    for row in rows:
        work.session.delete(row)
    work.session.flush()
    return tuple(sorted(row.tournament_id for row in rows))
