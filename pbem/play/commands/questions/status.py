"""Show a game's state and the asking seat's queued orders (STATUS, BRIEF)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import WAITS_FOR_BEACON
from pbem.mail.address import strike_tokens
from pbem.mail.inbound import read_header
from pbem.play import brief, game_standing, history, pauses
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand
from pbem.play.commands.orders import later, order_block, respond, standing
from pbem.play.commands.questions import forecast
from pbem.play.positions import Position, position_before_phase
from pbem.store import queries, tables


def show_status(answer: SeatAnswer, command: CommandLine) -> None:
    """Show the phase, the awaited seats, the deadline, and the queued orders."""
    if answer.closed is not None:
        _show_waiting(answer, answer.closed)
        return
    game_state = game_standing.standing_of(answer, answer.game, answer.here)
    answer.say("status", *game_standing.standing_sentences(game_state, answer.now, answer.seat.zone))
    if answer.here is not None and answer.phase is not None:
        _show_own(answer, answer.here, answer.phase)


def _show_waiting(answer: SeatAnswer, phase: tables.Phase) -> None:
    """Show the state of a waiting phase: the asking seat's own questions, no other's."""
    segment = queries.phases.open_pause(answer.session, phase)
    questions = pauses.questions_of_pause(answer.session, segment, answer.seat) if segment is not None else []
    if segment is None:
        sentences = [WAITS_FOR_BEACON]
    else:
        sentences = [msg("Turn {turn}. Orders are closed, and the dice have begun to roll.", turn=phase.turn)]
        sentences.append(_MAY_COME)
        if any(question.row.answer is None for question in questions):
            limit = answer.when(segment.deadline or answer.now)
            sentences[1] = msg("The phase waits for your answer. Send it by {when}.", when=limit)
    answer.say("status", *sentences, *game_standing.seat_sentences(answer.game, answer.seat))
    answer.opening += history.voiding_sentences(answer.session, phase)
    if segment is not None and questions:
        respond.echo_answers(answer, segment)
    if not answer.has_block:
        standing.echo_repeats(answer, None)
        standing.echo_standing(answer)
    if not answer.has_later:
        later.echo_later_orders(answer)


_MAY_COME = msg(
    "The phase waits for another player's answer. You need not answer now; a question to you may still come."
)


def _show_own(answer: SeatAnswer, position: Position, phase: tables.Phase) -> None:
    """Show a seat's own state and orders while a phase is open."""
    answer.opening += [*game_standing.seat_sentences(answer.game, answer.seat), *_unread_letters(answer)]
    answer.opening += history.voiding_sentences(answer.session, phase)
    if not answer.has_block:
        queued = queries.orders.queued_orders(answer.session, phase, answer.seat)
        if queued is not None:
            answer.opening.append(msg("Your orders are in (revision {revision}).", revision=queued.revision))
        elif answer.active and not position.by_letter:
            answer.opening.append(msg("You have no orders in."))
        _show_origin(answer, queued)
        forecast.show_shared_orders(answer, position)
        order_block.echo_orders(answer, position, phase, queued)
    if not answer.has_later:
        later.echo_later_orders(answer)


def _unread_letters(answer: SeatAnswer) -> Iterator[Msg]:
    """Yield last week's unread letters by reason, and when the last of each came."""
    rows = queries.inbox.unread_letters(answer.session, answer.seat, answer.now - timedelta(days=7))
    for outcome, reason in _WHY_UNREAD.items():
        letters = [(received, raw) for letter_outcome, received, raw in rows if letter_outcome == outcome]
        if not letters:
            continue
        received, raw = letters[0]
        if outcome == "automatic" and (sign := read_header(raw, answer.server.own).reason):
            reason = msg("they look automatic, the last by {sign}", sign=strike_tokens(sign))
        yield msg(
            "Letters not carried out in the last week because {why}: {count}. The last came on {when}.",
            why=reason,
            count=len(letters),
            when=answer.when(received),
        )


_WHY_UNREAD = {
    "automatic": msg("they look automatic"),
    "repeated": msg("they said the same again and again"),
    "over-budget": msg("they were too many"),
    "fault": msg("of a fault of this server"),
    "unread": msg("reading them ended this server"),
}


def _show_origin(answer: SeatAnswer, queued: tables.QueuedOrders | None) -> None:
    """Show whether orders were scheduled, unless they came in a letter of this turn."""
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


def show_brief(answer: SeatAnswer, command: CommandLine) -> None:
    """Show the content of the first letter again."""
    if answer.game.state == "forming":
        answer.say("answer", msg("The game has not begun."))
        return
    answer.say("answer")
    position = answer.here or position_before_phase(answer, answer.game)
    answer.blocks += [
        content.sentence_block(block.title, block.lines) for block in brief.brief_blocks(position, answer.seat)
    ]


COMMANDS = (
    LetterCommand(
        CommandForm("status", ("STATUS", "ESTADO"), NO_ARGUMENT, "STATUS", "ESTADO"),
        show_status,
        help=(msg("STATUS: who is awaited, until when, what I hold of yours."),),
    ),
    LetterCommand(
        CommandForm("brief", ("BRIEF", "SITUACION"), NO_ARGUMENT, "BRIEF", "SITUACION"),
        show_brief,
        help=(msg("BRIEF: the battle, what counts, how one wins, what is agreed, the abbreviations, as at first."),),
    ),
)
