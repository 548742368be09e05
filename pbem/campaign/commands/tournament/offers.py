"""ACCEPT and DECLINE: what was offered to one who waits, a place or the seat of somebody who is silent."""

from __future__ import annotations

from pbem.campaign.base.command_lines import Line
from pbem.campaign.base.command_words import NOTHING, Form
from pbem.campaign.base.letters import when
from pbem.campaign.commands.tournament.entrant_answer import EntrantAnswer, EntrantCommand
from pbem.campaign.contest import entry, prospects
from pbem.core.data.messages import Msg, msg
from pbem.store import queries

__all__ = ["COMMANDS"]


def accept(answer: EntrantAnswer, command: Line) -> None:
    """Take what was offered: a place at once, a seat as soon as the tournament has looked."""
    row, event = answer.row, answer.event
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
    """Leave what was offered to the next who waits."""
    row = answer.row
    row.offered_until = answer.now
    answer.session.add(row)
    answer.session.flush()
    answer.wake()
    answer.say("settings", msg("It passes on to the next who waits."))


def nothing_offered(answer: EntrantAnswer, command: Line) -> Msg | None:
    """Only what is offered now can be taken or left."""
    row = answer.row
    if row.state == "offered" and row.offered_until is not None and row.offered_until <= answer.now:
        return msg("What was offered to you in {event} passed on at {when}.", event=answer.event.id,
                   when=when(row.offered_until, row.zone))  # fmt: skip
    if row.state != "offered" or row.offered_until is None:
        return msg("Nothing is offered to you in {event} now.", event=answer.event.id)
    return None


COMMANDS = (
    EntrantCommand(
        Form("accept", ("ACCEPT", "ACEPTAR"), NOTHING, "ACCEPT", "ACEPTAR"),
        accept,
        nothing_offered,
        (msg("ACCEPT, DECLINE: what was offered to you, you take or leave to others."),),
    ),
    EntrantCommand(Form("decline", ("DECLINE", "RECHAZAR"), NOTHING, "DECLINE", "RECHAZAR"), decline, nothing_offered),
)
