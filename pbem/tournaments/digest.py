"""Send observers of a tournament a weekly letter: results, standings, next steps.

It goes out on Sunday evening by the tournament's own clock; when the tournament has ended a last one
follows at once.
"""

from __future__ import annotations

from datetime import datetime

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.letters.content import Head, when
from pbem.letters.outbox import Rhythm
from pbem.runtime.transaction import Transaction
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


def next_digest_time(work: Transaction, event: tables.Tournament) -> datetime | None:
    """Return when the next letter to an observer is due; None without observers."""
    last_times = [row.told or event.created for row in queries.tournaments.followers(work.session, event.id)]
    if not last_times:
        return None
    return work.now if event.state in ENDED else _WEEKLY.next(min(last_times), event.zone)


def send_digests(work: Transaction, event: tables.Tournament) -> bool:
    """Write to the next observers whose letter is due; return whether there were any."""
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


def _write(work: Transaction, event: tables.Tournament, row: tables.Follower) -> None:
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


def _opening(work: Transaction, event: tables.Tournament) -> list[Msg]:
    """Return the state of the tournament, and its next step with the time."""
    values = {"title": event.title, "event": event.id}
    closes = record.closing_time(record.rules_of(event))
    if event.state == "open" and closes is not None:
        return [msg(_STANDS["open"].text, **values, when=when(closes, event.zone))]
    sentences = [msg(_STANDS.get(event.state, _STANDS["playing"]).text, **values)]
    rounds = queries.tournaments.rounds(work.session, event.id)
    if event.state == "playing" and rounds and record.next_time(rounds[-1]) is not None:
        sentences.append(record.round_text(rounds[-1], event.zone))
    return sentences


def _blocks(work: Transaction, event: tables.Tournament, since: datetime, language: str) -> list[Json]:
    """Return the results of newly closed rounds, the present boards, and the table."""
    rounds = queries.tournaments.rounds(work.session, event.id)
    if not any(row.state not in ("planned", "shut") for row in rounds):
        return []
    blocks: list[Json] = []
    standing = standings.named_table(work, event)
    for row in rounds:
        if row.closed is not None and row.closed > since:
            blocks.append(closing.results_block(work, row, standing.names, language))
    if rounds[-1].state == "playing":
        boards = round_blocks(work, event, rounds[-1].number, language)
        blocks += [] if isinstance(boards, Msg) else boards
    return [*blocks, closing.table_block(standing, language), *teams.members_block(work, event, language)]
