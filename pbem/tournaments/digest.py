"""Send observers of a tournament a weekly letter: results, standings, next steps.

It goes out on Sunday evening in the tournament's time zone; when the tournament ends, a last one follows at once.
"""

from __future__ import annotations

from datetime import datetime

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.letters.content import LetterHead, moment_in_words
from pbem.letters.outbox import Rhythm
from pbem.runtime.transaction import Transaction
from pbem.store import queries, tables
from pbem.tournaments import closing, record, standings, teams
from pbem.tournaments.commands.questions import round_blocks
from pbem.tournaments.round_states import ENDED

_LETTERS_AT_ONCE = 50
"""Letters that are written in one transaction, so that other writers need not wait long."""
_WEEKLY = Rhythm("weekly")
_STANDS = {
    "open": msg("{title} ({event}) takes entries until {when}."),
    "playing": msg("{title} ({event}) is being played."),
    "over": msg("{title} ({event}) is over. Thank you for watching."),
    "cancelled": msg("{title} ({event}) is not held."),
}


def next_digest_time(tx: Transaction, event: tables.Tournament) -> datetime | None:
    """Return when the next letter to an observer is due; None without observers."""
    last_times = [row.told or event.created for row in queries.tournaments.followers(tx.session, event.id)]
    if not last_times:
        return None
    return tx.now if event.state in ENDED else _WEEKLY.next(min(last_times), event.zone)


def send_digests(tx: Transaction, event: tables.Tournament) -> bool:
    """Write to the next observers whose letter is due; return whether there were any."""
    ended = event.state in ENDED
    due = [
        row
        for row in queries.tournaments.followers(tx.session, event.id)
        if ended or _WEEKLY.next(row.told or event.created, event.zone) <= tx.now
    ][:_LETTERS_AT_ONCE]
    for row in due:
        _write(tx, event, row)
        if ended:
            tx.session.delete(row)
        else:
            row.told = tx.now
            tx.session.add(row)
    tx.session.flush()
    return bool(due)


def _write(tx: Transaction, event: tables.Tournament, row: tables.Follower) -> None:
    email = queries.persons.email_of(tx.session, row.person_id)
    if email is None:
        return
    head = LetterHead(game=event.id, rules=event.system, address=tx.server.address)
    about = msg("the week") if event.state not in ENDED else msg("the last letter")
    ending = msg("If you want no more of these letters, write OBSERVE STOP {event} to me.", event=event.id)
    closing_ = () if event.state in ENDED else (ending,)
    letter = content.Letter(
        "digest",
        head,
        opening=_opening(tx, event),
        blocks=_blocks(tx, event, row.told or event.created, row.language),
        closing=closing_,
        what=about,
    ).to_json()
    to = outbox.Recipient(email, row.language, format="html")
    outbox.queue_letter(tx, letter, to, f"{event.id} digest {row.id} {tx.now.isoformat()}")


def _opening(tx: Transaction, event: tables.Tournament) -> list[Msg]:
    """Return the state of the tournament, and its next step with the time."""
    values = {"title": event.title, "event": event.id}
    closes = record.closing_time(event)
    if event.state == "open" and closes is not None:
        return [msg(_STANDS["open"].text, **values, when=moment_in_words(closes, event.zone))]
    sentences = [msg(_STANDS.get(event.state, _STANDS["playing"]).text, **values)]
    rounds = queries.tournaments.rounds(tx.session, event.id)
    if event.state == "playing" and rounds and record.next_round_time(rounds[-1]) is not None:
        sentences.append(record.round_text(rounds[-1], event.zone))
    return sentences


def _blocks(tx: Transaction, event: tables.Tournament, since: datetime, language: str) -> list[Json]:
    """Return the results of newly closed rounds, the present boards, and the table."""
    rounds = queries.tournaments.rounds(tx.session, event.id)
    if not any(row.state not in ("planned", "shut") for row in rounds):
        return []
    blocks: list[Json] = []
    standing = standings.named_table(tx, event)
    for row in rounds:
        if row.closed is not None and row.closed > since:
            blocks.append(closing.results_block(tx, row, standing.names, language))
    if rounds[-1].state == "playing":
        boards = round_blocks(tx, event, rounds[-1].number, language)
        blocks += [] if isinstance(boards, Msg) else boards
    return [*blocks, closing.standings_block_with_report(standing, language), *teams.members_block(tx, event, language)]
