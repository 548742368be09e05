"""The letter a week to those who watch a tournament: what came of the week, how all stand, what comes next.

It goes out on Sunday evening by the tournament's own clock; when the tournament has ended there is one more at once,
and that is the last.
"""

from __future__ import annotations

from datetime import datetime

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.letters.content import Head, when
from pbem.letters.outbox import Rhythm
from pbem.runtime.transaction import Work
from pbem.store import queries, tables
from pbem.tournaments import closing, record, standings, teams
from pbem.tournaments.commands.questions import round_blocks
from pbem.tournaments.round_states import ENDED

_AT_ONCE = 50
"""Letters that are written in one transaction."""
_WEEKLY = Rhythm("weekly")
_STANDS = {
    "open": msg("{title} ({event}) takes entries until {when}."),
    "playing": msg("{title} ({event}) is being played."),
    "over": msg("{title} ({event}) is over. Thank you for watching."),
    "cancelled": msg("{title} ({event}) is not held."),
}


def digest_moment(work: Work, event: tables.Tournament) -> datetime | None:
    """When the next letter to somebody who watches is due; None if nobody does."""
    told = [row.told or event.created for row in queries.tournaments.followers(work.session, event.id)]
    if not told:
        return None
    return work.now if event.state in ENDED else _WEEKLY.next(min(told), event.zone)


def tell_followers(work: Work, event: tables.Tournament) -> bool:
    """Write to the next of those whose letter is due; whether there were any."""
    ended = event.state in ENDED
    due = [
        row
        for row in queries.tournaments.followers(work.session, event.id)
        if ended or _WEEKLY.next(row.told or event.created, event.zone) <= work.now
    ][:_AT_ONCE]
    for row in due:
        _write(work, event, row)
        if ended:
            work.session.delete(row)
        else:
            row.told = work.now
            work.session.add(row)
    work.session.flush()
    return bool(due)


def _write(work: Work, event: tables.Tournament, row: tables.Follower) -> None:
    email = queries.persons.email_of(work.session, row.person_id)
    if email is None:
        return
    head = Head(game=event.id, rules=event.system, address=work.server.address)
    about = msg("the week") if event.state not in ENDED else msg("the last letter")
    ending = msg("If you want no more of these letters, write OBSERVE STOP {event} to me.", event=event.id)
    closing_ = () if event.state in ENDED else (ending,)
    letter = content.Letter(
        "digest",
        head,
        opening=_opening(work, event),
        blocks=_blocks(work, event, row.told or event.created, row.language),
        closing=closing_,
        what=about,
    ).to_json()
    to = outbox.Envelope(email, row.language, format="html")
    outbox.queue(work, letter, to, f"{event.id} digest {row.id} {work.now.isoformat()}")


def _opening(work: Work, event: tables.Tournament) -> list[Msg]:
    """How it stands, and what comes next with its moment."""
    named = {"title": event.title, "event": event.id}
    closes = record.closing_of(record.rules_of(event))
    if event.state == "open" and closes is not None:
        return [msg(_STANDS["open"].text, **named, when=when(closes, event.zone))]
    told = [msg(_STANDS.get(event.state, _STANDS["playing"]).text, **named)]
    rounds = queries.tournaments.rounds(work.session, event.id)
    if event.state == "playing" and rounds and record.next_moment(rounds[-1]) is not None:
        told.append(record.round_told(rounds[-1], event.zone))
    return told


def _blocks(work: Work, event: tables.Tournament, since: datetime, language: str) -> list[Json]:
    """The results of rounds that closed meanwhile, the boards of the one that is played, and the table."""
    rounds = queries.tournaments.rounds(work.session, event.id)
    if not any(one.state not in ("planned", "shut") for one in rounds):
        return []
    found: list[Json] = []
    seen = standings.seen(work, event)
    for one in rounds:
        if one.closed is not None and one.closed > since:
            found.append(closing.results_block(work, one, seen.names, language))
    if rounds[-1].state == "playing":
        boards = round_blocks(work, event, rounds[-1].number, language)
        found += [] if isinstance(boards, Msg) else boards
    return [*found, closing.table_block(seen, language), *teams.members_block(work, event, language)]
