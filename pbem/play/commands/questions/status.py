"""STATUS: how things stand, and which orders of the seat that asks are queued."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NOTHING, Form, Line
from pbem.letters.content import SHUT
from pbem.mail.address import strike
from pbem.mail.inbound import read_header
from pbem.play import brief, game_standing, history, pauses
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command
from pbem.play.commands.orders import later, order_block, respond, standing
from pbem.play.commands.questions import forecast
from pbem.play.positions import Position, before
from pbem.store import queries, tables


def status(answer: SeatAnswer, command: Line) -> None:
    """The phase, who is awaited until when, and the orders that are queued."""
    if answer.closed is not None:
        _say_waits(answer, answer.closed)
        return
    now = game_standing.standing_of(answer, answer.game, answer.here)
    answer.say("status", *game_standing.told(now, answer.now, answer.seat.zone))
    if answer.here is not None and answer.phase is not None:
        _say_own(answer, answer.here, answer.phase)


def _say_waits(answer: SeatAnswer, phase: tables.Phase) -> None:
    """How things stand while a phase waits for answers: the questions to whoever asks, and nothing of any other."""
    segment = queries.phases.asking(answer.session, phase)
    asked = pauses.put_to(answer.session, segment, answer.seat) if segment is not None else []
    if segment is None:
        told = [SHUT]
    else:
        told = [msg("Turn {turn}. Orders are closed, and the dice have begun to roll.", turn=phase.turn)]
        told.append(_MAY_COME)
        if any(put.row.answer is None for put in asked):
            when = answer.when(segment.deadline or answer.now)
            told[1] = msg("The phase waits for you: you are asked. Answer by {when}.", when=when)
    answer.say("status", *told, *game_standing.of_seat(answer.game, answer.seat))
    answer.opening += history.voided_by(answer.session, phase)
    if segment is not None and asked:
        respond.echo(answer, segment)
    if not answer.has_block:
        standing.echo_repeats(answer, None)
        standing.echo_standing(answer)
    if not answer.has_later:
        later.echo(answer)


_MAY_COME = msg(
    "The phase waits for another player's answer. You need not answer now; a question to you may still come."
)


def _say_own(answer: SeatAnswer, here: Position, phase: tables.Phase) -> None:
    """What a seat is told of itself and of its orders while a phase is open."""
    answer.opening += [*game_standing.of_seat(answer.game, answer.seat), *_unread(answer)]
    answer.opening += history.voided_by(answer.session, phase)
    if not answer.has_block:
        queued = queries.orders.queued(answer.session, phase, answer.seat)
        if queued is not None:
            answer.opening.append(msg("I hold revision {revision} of your orders.", revision=queued.revision))
        elif answer.active and not here.by_letter:
            answer.opening.append(msg("I hold no orders of yours."))
        _say_where_from(answer, queued)
        forecast.show(answer, here)
        order_block.echo(answer, here, phase, queued)
    if not answer.has_later:
        later.echo(answer)


def _unread(answer: SeatAnswer) -> Iterator[Msg]:
    """Name the letters of the last week that were left unread, by their reason, and when the last of each came."""
    rows = queries.inbox.unread_since(answer.session, answer.seat, answer.now - timedelta(days=7))
    for outcome, why in _WHY_UNREAD.items():
        came = [(taken, raw) for one, taken, raw in rows if one == outcome]
        if not came:
            continue
        taken, raw = came[0]
        if outcome == "automatic" and (sign := read_header(raw, answer.server.own).reason):
            why = msg("they look automatic, the last by {sign}", sign=strike(sign))
        yield msg(
            "Letters not carried out in the last week because {why}: {count}. The last came on {when}.",
            why=why,
            count=len(came),
            when=answer.when(taken),
        )


_WHY_UNREAD = {
    "automatic": msg("they look automatic"),
    "repeated": msg("they said the same again and again"),
    "over-budget": msg("they were too many"),
    "fault": msg("of a fault of this server"),
    "unread": msg("reading them ended this server"),
}


def _say_where_from(answer: SeatAnswer, queued: tables.QueuedOrders | None) -> None:
    """Orders that came of themselves are told from those that came in a letter of this turn."""
    if queued is None or queued.origin == "letter":
        return
    if queued.origin == "later":
        answer.opening.append(msg("They are those that you kept for this turn with LATER, and count as sent."))
    elif queued.waits:
        answer.opening.append(msg("They are the lines that you repeat. GO says that they are all you want."))
    if queued.origin == "later" and queued.waits:
        answer.opening.append(
            msg("As the phase opened, not all of them could be: it waits for you. GO leaves it at them.")
        )


# BRIEF: what the first letter told, as things are now: the battle, what counts, how one wins, what is agreed.


def brief_again(answer: SeatAnswer, command: Line) -> None:
    """The matter of the first letter."""
    if answer.game.state == "forming":
        answer.say("answer", msg("The game has not begun."))
        return
    answer.say("answer")
    here = answer.here or before(answer, answer.game)
    answer.blocks += [content.sentences(block.title, block.lines) for block in brief.blocks(here, answer.seat)]


COMMANDS = (
    Command(
        Form("status", ("STATUS", "ESTADO"), NOTHING, "STATUS", "ESTADO"),
        status,
        help=(msg("STATUS: who is awaited, until when, what I hold of yours."),),
    ),
    Command(
        Form("brief", ("BRIEF", "SITUACION"), NOTHING, "BRIEF", "SITUACION"),
        brief_again,
        help=(msg("BRIEF: the battle, what counts, how one wins, what is agreed, the abbreviations, as at first."),),
    ),
)
