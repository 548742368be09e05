"""What a seat's letter does: one handler a command, and the orders.

A letter is all or nothing: its effects are made only when no line of it is wrong. Handlers write rows and gather
what the answer says; the one answer is made at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbem.campaign import letters, orders, phases
from pbem.campaign.desk import Desk
from pbem.campaign.phases import Position
from pbem.campaign.reading import COMMANDS, Command, Understood
from pbem.core.messages import msg
from pbem.store import queries, tables

__all__ = ["carry_out"]


def carry_out(desk: Desk, said: Understood) -> None:
    """Do what the letter says, or nothing of it, and fill in the answer.

    Commands stand above the block and are carried out first: CANCEL and new orders in one letter leave the new ones.
    """
    if said.too_long:
        desk.say("refusal", msg("Your letter has more lines than I read; nothing in it was carried out."))
        return
    desk.has_block = said.block is not None
    desk.errors += said.wrong
    wanted = None
    if said.block is not None and not said.wrong:
        replace = any(command.name == "replace" for command in said.commands)
        wanted = orders.hold_against_game(desk, said.block, replace=replace)
    if desk.kind:
        return
    if desk.errors:
        orders.refuse(desk, said.block)
        return
    for command in said.commands:
        _HANDLERS[command.name](desk, command)
    if said.block is not None and wanted is not None:
        orders.queue(desk, said.block, wanted)
    if said.empty:
        _nothing(desk)


def _status(desk: Desk, command: Command) -> None:
    if desk.game.state == "over":
        desk.say("status", msg("The game is over."))
        return
    if desk.here is None or desk.phase is None:
        desk.say("status", msg("The game has not begun."))
        return
    _say_status(desk, desk.here, desk.phase)


def _say_status(desk: Desk, here: Position, phase: tables.Phase) -> None:
    missing = phases.waiting(desk.session, here, phase)
    turn, when = phase.turn, desk.when(phase.deadline)
    if missing:
        sentence = msg(
            "Turn {turn}. Orders are awaited from: {seats}. Deadline: {when}.", turn=turn, seats=missing, when=when
        )
    else:
        sentence = msg("Turn {turn}. All orders are in. Deadline: {when}.", turn=turn, when=when)
    desk.say("status", sentence)
    if desk.game.state == "held":
        desk.opening.append(msg("The game is held; the moderator has been told and you will hear when it goes on."))
    if not desk.has_block:
        held = queries.queued_set(desk.session, phase, desk.seat)
        if held is not None:
            desk.opening.append(msg("I hold revision {revision} of your orders.", revision=held.revision))
        elif desk.active:
            desk.opening.append(msg("I hold no orders of yours."))
        orders.echo(desk, here, phase, held)


def _cancel(desk: Desk, command: Command) -> None:
    held = queries.queued_set(desk.session, desk.phase, desk.seat) if desk.phase else None
    if held is None or desk.phase is None or desk.here is None:
        desk.say("cancelled", msg("I hold no orders of yours; there was nothing to cancel."))
        return
    if desk.inbox.internaldate > desk.phase.deadline:
        desk.say(
            "closed",
            msg(
                "Your letter came after the deadline; your orders stand (revision {revision}).", revision=held.revision
            ),
        )
        return
    held.state = "cancelled"
    desk.session.add(held)
    desk.session.flush()
    if desk.game.state == "running":
        phases.await_close(desk.session, desk.here, desk.phase, desk.now)
    desk.say(
        "cancelled",
        msg("Your orders (revision {revision}) are cancelled. I hold none of yours now.", revision=held.revision),
        msg("Orders are wanted by {when}.", when=desk.when(desk.phase.deadline)),
    )
    desk.template = True


def _cancel_standing(desk: Desk, command: Command) -> None:
    held = queries.standing(desk.session, desk.seat)
    for row in held:
        desk.session.delete(row)
    desk.session.flush()
    if held:
        desk.say("cancelled", msg("Your standing orders are cancelled: {count} of them.", count=len(held)))
    else:
        desk.say("cancelled", msg("I hold no standing orders of yours; there was nothing to cancel."))


def _language(desk: Desk, command: Command) -> None:
    language = "es" if command.rest.startswith(("es", "spanish", "castellano")) else "en"
    desk.seat.language = language
    desk.session.add(desk.seat)
    desk.say("settings", msg("From now on I write to you in this language."))


def _replace(desk: Desk, command: Command) -> None:
    if not desk.has_block:
        desk.say("help", msg("REPLACE stands above a block of orders; there was none in your letter."))


def _nothing(desk: Desk) -> None:
    desk.say("help", msg("I found nothing to do in your letter, and nothing was changed."))
    if desk.letter.untouched:
        desk.opening.append(msg("The block of orders in it was the one I sent you, without a change."))
    if desk.letter.ambiguous:
        desk.opening.append(msg("In the quoted part are several blocks that differ; send the one that counts alone."))
    elif desk.letter.orders_only_quoted:
        desk.opening.append(msg("Orders stood only in the quoted part; if they are to count, send them unquoted."))
    _help(desk, None)


def _help(desk: Desk, command: Command | None) -> None:
    turn = desk.phase.turn if desk.phase else 1
    lines = [f"ORDERS T{turn} ... END", f"ORDENES T{turn} ... FIN"]
    lines += [f"{form.example:<18}{form.spanish}" for form in COMMANDS]
    desk.say("help", msg("One command a line; case and accents do not matter. Orders stand in a block of their own."))
    desk.blocks.append(letters.block(msg("What you can write"), lines))
    if desk.phase is not None and desk.seat.template:
        desk.closing.append(msg("The template of your orders, to be edited and sent back:"))
        desk.template = True


_HANDLERS: Mapping[str, Callable[[Desk, Command], None]] = {
    "status": _status,
    "help": _help,
    "cancel": _cancel,
    "cancel-standing": _cancel_standing,
    "replace": _replace,
    "language": _language,
}
