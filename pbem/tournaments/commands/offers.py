"""ACCEPT and DECLINE: what was offered to one who waits, a place or a silent player's seat; or a challenge of a ladder.

Nobody has both: who waits does not play, and only who plays is challenged.
"""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import Form, Line
from pbem.letters.content import when
from pbem.store import queries
from pbem.tournaments import challenges, entry, prospects, record
from pbem.tournaments.commands import challenging
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand


def accept(answer: EntrantAnswer, command: Line) -> None:
    """Take what was offered: a place or a challenge at once, a seat as soon as the tournament has looked."""
    row, event = answer.row, answer.event
    if (why := nothing_to_accept(answer, command)) is not None:
        # What stands before it in the letter may have changed that.
        answer.say("answer", why)
        return
    if row.state == "in" and row.team_id is None:
        challenging.accept_challenge(answer, command)
        return
    if row.offered_for is None:
        entry.admit(answer, event, row, entry.next_round(answer, event))
        answer.wake()
        said = prospects.welcome(answer, event, row)
        answer.say("joined", *said.opening)
        return
    for silence in queries.tournaments.silences(answer.session, event.id, "offered"):
        if silence.entrant == row.offered_for:
            silence.state = "accepted"
            answer.session.add(silence)
    answer.session.flush()
    answer.wake()
    answer.say("joined", msg("The seat is yours. Its own letter, with the address to write to, is on its way."))


def decline(answer: EntrantAnswer, command: Line) -> None:
    """Leave what was offered to the next who waits, or a challenge."""
    row = answer.row
    if (why := nothing_to_decline(answer, command)) is not None:
        # What stands before it in the letter may have changed that.
        answer.say("answer", why)
        return
    if row.state == "in" and row.team_id is None:
        challenging.decline_challenge(answer, command)
        return
    for silence in queries.tournaments.silences(answer.session, answer.event.id, "offered"):
        if silence.entrant == row.offered_for:
            silence.until = answer.now
            answer.session.add(silence)
    row.offered_until = answer.now
    answer.session.add(row)
    answer.session.flush()
    answer.wake()
    if row.team_id is not None:
        answer.say("settings", msg("It passes on to the next of your team."))
        return
    answer.say("settings", msg("It passes on to the next who waits."))


def _is_challenged(answer: EntrantAnswer) -> bool:
    """Whether what he answers can only be a challenge."""
    return answer.row.state == "in" and record.stage_of(answer.event).format == challenges.LADDER


def nothing_to_accept(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Only what is offered now can be taken, and a challenge only if the ladder allows it."""
    return challenging.unanswerable(answer, command) if _is_challenged(answer) else _nothing_offered(answer, command)


def nothing_to_decline(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Only what is offered now can be left, and a challenge that waits."""
    if not _is_challenged(answer):
        return _nothing_offered(answer, command)
    asked = challenging.asked_of(answer, command)
    return asked if isinstance(asked, Msg) else None


def _nothing_offered(answer: EntrantAnswer, command: Line) -> Msg | None:
    row = answer.row
    if row.offered_until is not None and row.offered_until <= answer.now:
        return msg(
            "What was offered to you in {event} passed on at {when}.",
            event=answer.event.id,
            when=when(row.offered_until, row.zone),
        )
    if row.offered_until is None:
        return msg("Nothing is offered to you in {event} now.", event=answer.event.id)
    if command.rest:
        return msg("What is offered to you is no challenge: write the word alone.")
    return None


COMMANDS = (
    EntrantCommand(
        Form("accept", ("ACCEPT", "ACEPTAR"), challenging.NUMBER, "ACCEPT", "ACEPTAR"),
        accept,
        nothing_to_accept,
        (msg("ACCEPT, DECLINE: what was offered to you, you take or leave to others."),),
    ),
    EntrantCommand(
        Form("decline", ("DECLINE", "RECHAZAR"), challenging.NUMBER, "DECLINE", "RECHAZAR"), decline, nothing_to_decline
    ),
)
