"""Cancel or replace queued orders (CANCEL, REPLACE) and standing orders."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.letters import outbox
from pbem.letters.commands import NO_ARGUMENT, STANDING_PRESETS, CommandForm, CommandLine, key_of_word
from pbem.letters.content import Mistake
from pbem.play import deadlines
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand
from pbem.play.commands.orders import order_block, standing
from pbem.play.positions import last_moment
from pbem.store import queries

_CANCEL, _REPLACE = "cancel", "replace"


def has_cancel(lines: Iterable[CommandLine]) -> bool:
    """Return whether a letter cancels orders."""
    return any(line.name == _CANCEL for line in lines)


def has_replace(lines: Iterable[CommandLine]) -> bool:
    """Return whether a letter's blocks count although older than the queued orders."""
    return any(line.name == _REPLACE for line in lines)


def cancel_orders(answer: SeatAnswer, command: CommandLine) -> None:
    """Cancel the orders for the open phase."""
    if answer.closed is not None:
        order_block.is_in_time(answer)
        return
    queued = queries.orders.queued_orders(answer.session, answer.phase, answer.seat) if answer.phase else None
    if queued is None or answer.phase is None or answer.here is None:
        answer.say("answer", _nothing_to_cancel(answer))
        return
    if answer.inbox.internaldate > last_moment(answer.game, answer.phase):
        answer.say(
            "closed",
            msg(
                "Your letter came after the deadline; your orders stand (revision {revision}).",
                revision=queued.revision,
            ),
        )
        return
    queued.state = "cancelled"
    answer.session.add(queued)
    answer.session.flush()
    if answer.game.state == "running":
        deadlines.plan_closing(answer, answer.here, answer.phase)
    answer.say(
        "cancelled",
        msg("Your orders (revision {revision}) are cancelled. You have none in now.", revision=queued.revision),
        msg("Orders are due by {when}.", when=answer.when(answer.phase.deadline)),
    )
    if answer.seat.repeats:
        answer.opening.append(msg("That holds for this turn; CANCEL @ ends the repeating."))
    answer.template = True


def _nothing_to_cancel(answer: SeatAnswer) -> Msg:
    """Return why no orders can be cancelled: none sent, or already executed."""
    executed_phase = queries.orders.last_phase_with_orders(answer.session, answer.seat)
    if executed_phase is None or (
        answer.phase and queries.orders.last_revision(answer.session, answer.phase, answer.seat)
    ):
        return msg("You have no orders in; there was nothing to cancel.")
    phase = str(outbox.phase_of(executed_phase))
    return msg("Your orders of {phase} are already carried out; they cannot be cancelled.", phase=phase)


def cancel_standing(answer: SeatAnswer, command: CommandLine) -> None:
    """Drop all standing orders."""
    standing = queries.orders.standing_orders(answer.session, answer.seat)
    for row in standing:
        answer.session.delete(row)
    answer.session.flush()
    if standing:
        many = msg("Your {count} blocks of standing orders are cancelled.", count=len(standing))
        answer.say("cancelled", by_number(len(standing), msg("Your standing orders are cancelled."), many))
    else:
        answer.say("answer", msg("You have no standing orders; there was nothing to cancel."))


def explain_replace(answer: SeatAnswer, command: CommandLine) -> None:
    """Explain REPLACE if the letter has no block; else the block's check uses it."""
    if not (answer.has_block or answer.has_later):
        answer.say("help", msg("REPLACE stands above a block of orders; there was none in your letter."))


# STANDING CAUTIOUS, BALANCED, AGGRESSIVE: standing orders that the game has ready-made.


# In small letters, since what follows a command is compared folded.
_PRESET = re.compile("|".join(word.lower() for words in STANDING_PRESETS.values() for word in words))


def set_preset(answer: SeatAnswer, command: CommandLine) -> None:
    """Replace the standing orders for all by one of the game's ready-made sets."""
    if not order_block.is_in_time(answer, standing_alone=True) or answer.here is None:
        return
    position, seat = answer.here, answer.seat.name
    text = position.rules.rulebook.preset(key_of_word(STANDING_PRESETS, command.rest))
    if text is None:
        raise LookupError(f"{position.rules.name} has no standing orders {command.rest}")
    reading = position.rules.parse(text, position.rules.view(position.state, seat), seat)
    in_force = standing.store_standing_orders(answer, position, reading.orders.standing)
    answer.say("receipt", msg("Your standing orders are now the ready-made ones: {name}.", name=command.said.upper()))
    if not answer.has_block:
        answer.warnings += standing.review_orders(position, seat, (), in_force)
    if not answer.has_block or answer.in_force is not None:
        standing.echo_standing(answer, in_force)


def check_preset(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse a ready-made set that the game lacks, or that does not fit the position."""
    if answer.here is None:
        return None
    rules, seat = answer.here.rules, answer.seat.name
    text = rules.rulebook.preset(key_of_word(STANDING_PRESETS, command.rest))
    if text is not None and not rules.parse(text, rules.view(answer.here.state, seat), seat).rejected:
        return None
    reason = msg("This game has no ready-made standing orders of that name.")
    return command.wrong(reason, word=command.said)


COMMANDS = (
    LetterCommand(
        CommandForm(_CANCEL, ("CANCEL", "CANCELAR", "UNDO", "DESHACER"), NO_ARGUMENT, "CANCEL", "CANCELAR"),
        cancel_orders,
        help=(msg("ORDERS T1 ... END gives orders, VERIFY T1 ... END only checks them. CANCEL takes them back."),),
    ),
    LetterCommand(
        CommandForm(_REPLACE, ("REPLACE", "REEMPLAZAR"), NO_ARGUMENT, "REPLACE", "REEMPLAZAR"),
        explain_replace,
        help=(msg("REPLACE above a block: it counts although it was written before the one I hold."),),
    ),
    LetterCommand(
        CommandForm(
            "cancel-standing",
            ("CANCEL STANDING", "CANCELAR DOCTRINA"),
            NO_ARGUMENT,
            "CANCEL STANDING",
            "CANCELAR DOCTRINA",
        ),
        cancel_standing,
        help=(msg("STANDING ... ENDSTANDING and CANCEL STANDING: your standing orders."),),
    ),
    LetterCommand(
        CommandForm("preset", ("STANDING", "DOCTRINA"), _PRESET, "STANDING CAUTIOUS", "DOCTRINA PRUDENTE"),
        set_preset,
        check=check_preset,
        help=(msg("STANDING CAUTIOUS, BALANCED or AGGRESSIVE: ready-made ones."),),
    ),
)
