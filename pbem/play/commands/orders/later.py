"""Keep orders for a later turn (LATER T5 ... END): store, show and cancel them.

No other seat is notified before their phase opens (`scheduled_orders`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders.block import ORDERS
from pbem.engine.orders.lex import tokens
from pbem.engine.terms import Orders
from pbem.letters import content
from pbem.letters.command_lines import OrderBlock, ParsedLetter
from pbem.letters.commands import TURN_ARGUMENT, CommandForm, CommandLine
from pbem.play import scheduled_orders
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.play.commands.orders import order_block, standing
from pbem.play.positions import Position
from pbem.store import queries, tables

MOST_LATER_TURNS = 20
"""Later turns with orders kept for a seat: more than any scenario's plan foresees, and each is checked when its turn
begins."""


class LaterOrders(NamedTuple):
    """A valid block for a later turn: canonical text, and repeated lines.

    `luck` is the player's own word, mixed into the dice.
    """

    turn: int
    text: str
    repeated: str | None
    luck: str = ""


def promote_due_block(answer: SeatAnswer, parsed: ParsedLetter) -> ParsedLetter:
    """Read a block as orders if its phase has opened by now, and mention that."""
    turn = answer.phase.turn if answer.phase is not None and answer.active else None
    due_blocks = [block for block in parsed.later if block.turn == turn]
    if not due_blocks or parsed.block is not None:
        return parsed
    answer.opening.append(msg("Turn {turn} is open by now: what you wrote for later are its orders.", turn=turn or 0))
    block = due_blocks[0]._replace(word=ORDERS[0])
    return parsed._replace(
        block=block, later=tuple(later_block for later_block in parsed.later if later_block is not due_blocks[0])
    )


def check_blocks(answer: SeatAnswer, blocks: Sequence[OrderBlock], *, replace: bool) -> list[LaterOrders]:
    """Check blocks for later turns against time and game; collect mistakes."""
    valid: list[LaterOrders] = []
    position, current = answer.here, answer.current
    if not blocks:
        return valid
    if answer.game.state == "over":
        answer.say("closed", msg("The game is over; no more orders are taken."))
        return valid
    if position is None or current is None:
        answer.say("refusal", msg("The game has not begun; nothing was changed."))
        return valid
    kept = {row.turn: row for row in queries.orders.scheduled_orders(answer.session, answer.seat)}
    free_count = MOST_LATER_TURNS - len(kept)
    for block in blocks:
        turn = block.turn or 0
        free_count -= turn not in kept
        fault = _wrong_turn(answer, position, current, turn) or _check_date(answer, block, kept.get(turn), replace)
        if fault is None and free_count < 0:
            fault = msg("I keep orders for {count} turns to come at most.", count=MOST_LATER_TURNS)
        if fault is not None:
            answer.errors.append(content.make_mistake(block.line, block.header, block.header, fault))
        elif (orders := _parse_block(answer, position, block)) is not None:
            repeats = standing.repeated_text(answer, position, block)
            valid.append(LaterOrders(turn, position.rules.canon(orders), repeats or None, order_block.luck_word(block)))
    return valid


def _wrong_turn(answer: SeatAnswer, position: Position, current: tables.Phase, turn: int) -> Msg | None:
    """Return why orders cannot be kept for a turn.

    Either letters are executed at once here, or the phase of that turn is over or open.
    """
    if position.letters:
        return msg("In this game each letter is carried out at once: no orders are kept for later.")
    if turn > current.turn:
        return None
    if turn == current.turn and answer.active:
        return msg(
            "Turn {turn} is open: the letter holds other orders for it too. Send the one that counts.", turn=turn
        )
    if turn == current.turn and not order_block.was_asked(answer, position, current):
        return None
    return msg(
        "Your phase of turn {turn} is over; orders can be kept from turn {next} on.", turn=turn, next=current.turn + 1
    )


def _check_date(answer: SeatAnswer, block: OrderBlock, kept: tables.Later | None, replace: bool) -> Msg | None:
    if replace or kept is None or kept.dated is None or answer.letter.date is None or answer.letter.date >= kept.dated:
        return None
    return msg(
        "This letter was written before the orders that I keep for turn {turn} and did not replace them. "
        "If it is the one that counts, send it again with the line REPLACE above it.",
        turn=block.turn or 0,
    )


def _parse_block(answer: SeatAnswer, position: Position, block: OrderBlock) -> Orders | None:
    """Return a block's orders, not checked against the present position."""
    name = answer.seat.name
    reading = position.rules.parse(block.text, position.rules.view(position.state, name), name)
    reason: Msg | None = None
    if block_mistakes := [
        *block.mistakes((*reading.rejected, *standing.reject_lines_clear_only_now(reading))),
        *order_block.luck_mistakes(block),
    ]:
        answer.errors += block_mistakes
        return None
    if reading.orders.standing:
        reason = msg("Standing orders are in force at once and are not kept for later: send them by themselves.")
    elif not any(tokens(line) for line in block.orders_alone.lines):
        reason = msg("There is no order in this block; to do nothing on purpose, write PASS.")
    if reason is not None:
        answer.errors.append(content.make_mistake(block.line, block.header, block.header, reason))
        return None
    answer.warnings += order_block.number_in_letter(block, reading.warned)
    return Orders(position.rules.aids.in_order(reading.orders).actions)


def store_later_orders(answer: SeatAnswer, later_orders: Sequence[LaterOrders]) -> None:
    """Store orders for later turns, and report what is now kept."""
    if not later_orders:
        return
    kept = {row.turn: row for row in queries.orders.scheduled_orders(answer.session, answer.seat)}
    for turn, text, repeats, luck in later_orders:
        if answer.here is not None:
            standing.check_roundtrip(answer.here, answer.seat.name, text)
        row = kept.get(turn) or tables.Later(
            seat_id=answer.seat.id or 0, turn=turn, text="", inbox_id=0, received=answer.now
        )
        row.text, row.repeated, row.luck, row.inbox_id = text, repeats, luck, answer.inbox.id or 0
        row.dated, row.received = answer.letter.date, answer.inbox.internaldate
        answer.session.add(row)
        answer.say("receipt", msg("Your orders for turn {turn} are kept; nobody else hears of them.", turn=turn))
        if turn in kept:
            answer.opening.append(msg("They replace those that you kept for it before."))
        answer.blocks.append(_kept_block(answer, row))
    answer.session.flush()
    answer.opening.append(
        msg(
            "When your phase of that turn begins I check them and enter them as your orders. The report says "
            "so, and names each line that is no longer possible."
        )
    )


def _kept_block(answer: SeatAnswer, row: tables.Later) -> Json:
    lines = [f"LATER T{row.turn}", *scheduled_orders.mark_repeated(row.sealed_text, row.repeated or ""), "END"]
    return content.titled_block(msg("Kept for turn {turn}", turn=row.turn), answer.echo_lines(lines))


def echo_later_orders(answer: SeatAnswer) -> None:
    """Show the orders kept for later turns."""
    answer.blocks += [_kept_block(answer, row) for row in queries.orders.scheduled_orders(answer.session, answer.seat)]


def cancel_later(answer: SeatAnswer, command: CommandLine) -> None:
    """Drop the orders kept for a turn, or for all."""
    turn = int("".join(character for character in command.rest if character.isdigit()) or 0)
    rows = [row for row in queries.orders.scheduled_orders(answer.session, answer.seat) if turn in (0, row.turn)]
    for row in rows:
        answer.session.delete(row)
        answer.say("cancelled", msg("The orders that you kept for turn {turn} are cancelled.", turn=row.turn))
    answer.session.flush()
    if not rows:
        answer.say("answer", msg("I keep no such orders for turns to come; there was nothing to cancel."))


COMMANDS = (
    LetterCommand(
        CommandForm(
            "cancel-later",
            ("CANCEL LATER", "CANCELAR DESPUES", "CANCELAR MAS TARDE"),
            TURN_ARGUMENT,
            "CANCEL LATER T3",
            "CANCELAR DESPUES T3",
        ),
        cancel_later,
        help=(msg("LATER T2 ... END keeps orders for a turn to come; CANCEL LATER, CANCEL LATER T2 drop them."),),
        often=RateLimit(letter=20),
    ),
)
