"""Run ACCEPT and DECLINE of an offered place or seat, or of a challenge.

Nobody has an offer and a challenge: waiting entrants do not play, and only players are challenged.
"""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import moment_in_words
from pbem.store import queries
from pbem.tournaments import challenges, entry, prospects, record
from pbem.tournaments.commands import challenging
from pbem.tournaments.commands.entrant_answer import EntrantAnswer, EntrantCommand


def accept_offer(answer: EntrantAnswer, command: CommandLine) -> None:
    """Accept an offer: a place or challenge at once, a seat at the next check."""
    row, event = answer.row, answer.event
    if (objection := accept_error(answer, command)) is not None:
        # What stands before it in the letter may have changed that.
        answer.say("answer", objection)
        return
    if row.state == "in" and row.team_id is None:
        challenging.accept_challenge(answer, command)
        return
    if row.offered_for is None:
        entry.admit_entrant(answer, event, row, entry.next_open_round(answer, event))
        answer.wake()
        letter = prospects.welcome_entrant(answer, event, row)
        answer.say("joined", *letter.opening)
        return
    for silence in queries.tournaments.silences(answer.session, event.id, "offered"):
        if silence.entrant == row.offered_for:
            silence.state = "accepted"
            answer.session.add(silence)
    answer.session.flush()
    answer.wake()
    answer.say("joined", msg("The seat is yours. Its own letter, with the address to write to, is on its way."))


def decline_offer(answer: EntrantAnswer, command: CommandLine) -> None:
    """Decline a challenge, or an offer, which goes to the next in line."""
    row = answer.row
    if (objection := decline_error(answer, command)) is not None:
        # What stands before it in the letter may have changed that.
        answer.say("answer", objection)
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
    """Return whether he can only be answering a challenge."""
    return answer.row.state == "in" and record.stage_of(answer.event).format == challenges.LADDER


def accept_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why nothing can be accepted now, or None."""
    return challenging.accept_error(answer, command) if _is_challenged(answer) else _offer_objection(answer, command)


def decline_error(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    """Return why nothing can be declined now, or None."""
    if not _is_challenged(answer):
        return _offer_objection(answer, command)
    challenge = challenging.challenge_to_answer(answer, command)
    return challenge if isinstance(challenge, Msg) else None


def _offer_objection(answer: EntrantAnswer, command: CommandLine) -> Msg | None:
    row = answer.row
    if row.offered_until is not None and row.offered_until <= answer.now:
        return msg(
            "What was offered to you in {event} passed on at {when}.",
            event=answer.event.id,
            when=moment_in_words(row.offered_until, row.zone),
        )
    if row.offered_until is None:
        return msg("Nothing is offered to you in {event} now.", event=answer.event.id)
    if command.rest:
        return msg("What is offered to you is no challenge: write the word alone.")
    return None


COMMANDS = (
    EntrantCommand(
        CommandForm("accept", ("ACCEPT", "ACEPTAR"), challenging.NUMBER, "ACCEPT", "ACEPTAR"),
        accept_offer,
        accept_error,
        (msg("ACCEPT, DECLINE: what was offered to you, you take or leave to others."),),
    ),
    EntrantCommand(
        CommandForm("decline", ("DECLINE", "RECHAZAR"), challenging.NUMBER, "DECLINE", "RECHAZAR"),
        decline_offer,
        decline_error,
    ),
)
