"""LATER T5 ... END: orders for a turn to come, as they come by letter: kept, shown, taken back.

No other seat is told of them before their phase opens (`scheduled_orders`).
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
from pbem.letters.command_lines import Block, Understood
from pbem.letters.commands import TURN, Form, Line
from pbem.play import history, scheduled_orders
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.play.commands.orders import order_block, standing
from pbem.play.positions import Position
from pbem.store import queries, tables

MOST = 20
"""Turns to come that a seat may have orders kept for."""


class LaterOrders(NamedTuple):
    """A block for a turn to come that may be kept: its canonical text, its word, and what is repeated from then on."""

    turn: int
    text: str
    repeated: str | None
    luck: str = ""


def now_due(answer: SeatAnswer, said: Understood) -> Understood:
    """A block for a turn whose phase has opened by now is one of orders; the answer says that it was read so."""
    turn = answer.phase.turn if answer.phase is not None and answer.active else None
    due = [block for block in said.later if block.turn == turn]
    if not due or said.block is not None:
        return said
    answer.opening.append(msg("Turn {turn} is open by now: what you wrote for later are its orders.", turn=turn or 0))
    block = due[0]._replace(word=ORDERS[0])
    return said._replace(block=block, later=tuple(one for one in said.later if one is not due[0]))


def check_blocks(answer: SeatAnswer, blocks: Sequence[Block], *, replace: bool) -> list[LaterOrders]:
    """Check blocks for turns to come against time and game; what is wrong goes into the answer's errors."""
    found: list[LaterOrders] = []
    here, current = answer.here, answer.current
    if not blocks:
        return found
    if answer.game.state == "over":
        answer.say("closed", msg("The game is over; no more orders are taken."))
        return found
    if here is None or current is None:
        answer.say("refusal", msg("The game has not begun; nothing was changed."))
        return found
    known = {row.turn: row for row in queries.orders.later(answer.session, answer.seat)}
    room = MOST - len(known)
    for block in blocks:
        turn = block.turn or 0
        room -= turn not in known
        wrong = _wrong_turn(answer, here, current, turn) or _older(answer, block, known.get(turn), replace)
        if wrong is None and room < 0:
            wrong = msg("I keep orders for {count} turns to come at most.", count=MOST)
        if wrong is not None:
            answer.errors.append(content.mistake(block.line, block.header, block.header, wrong))
        elif (read := _read(answer, here, block)) is not None:
            again = standing.marks_of(answer, here, block)
            found.append(LaterOrders(turn, here.rules.canon(read), again or None, order_block.of(block)))
    return found


def _wrong_turn(answer: SeatAnswer, here: Position, current: tables.Phase, turn: int) -> Msg | None:
    """Why orders cannot be kept for a turn: letters are carried out at once here, or its phase is over or open."""
    if here.letters:
        return msg("In this game each letter is carried out at once: no orders are kept for later.")
    if turn > current.turn:
        return None
    if turn == current.turn and answer.active:
        return msg(
            "Turn {turn} is open: the letter holds other orders for it too. Send the one that counts.", turn=turn
        )
    if turn == current.turn and not _had(answer, here, current, turn):
        return None
    return msg(
        "Your phase of turn {turn} is over; orders can be kept from turn {next} on.", turn=turn, next=current.turn + 1
    )


def _had(answer: SeatAnswer, here: Position, current: tables.Phase, turn: int) -> bool:
    """Whether the seat was asked for orders in this turn already."""
    if answer.seat.name in here.active:
        return True
    return any(
        answer.seat.name in here.rules.active(history.state_after(answer, answer.game, phase.number - 1))
        for phase in queries.phases.of_turn(answer.session, answer.game.id, turn)
        if phase.id != current.id
    )


def _older(answer: SeatAnswer, block: Block, known: tables.Later | None, replace: bool) -> Msg | None:
    if (
        replace
        or known is None
        or known.dated is None
        or answer.letter.date is None
        or answer.letter.date >= known.dated
    ):
        return None
    return msg(
        "This letter was written before the orders that I keep for turn {turn} and did not replace them. "
        "If it is the one that counts, send it again with the line REPLACE above it.",
        turn=block.turn or 0,
    )


def _read(answer: SeatAnswer, here: Position, block: Block) -> Orders | None:
    """What a block orders; the position is not looked at, for it will be another one."""
    name = answer.seat.name
    reading = here.rules.parse(block.text, here.rules.view(here.state, name), name)
    why: Msg | None = None
    if wrong := [*block.mistakes((*reading.rejected, *standing.only_now(reading))), *order_block.mistakes(block)]:
        answer.errors += wrong
        return None
    if reading.orders.standing:
        why = msg("Standing orders are in force at once and are not kept for later: send them by themselves.")
    elif not any(tokens(line) for line in block.orders_alone.lines):
        why = msg("There is no order in this block; to do nothing on purpose, write PASS.")
    if why is not None:
        answer.errors.append(content.mistake(block.line, block.header, block.header, why))
        return None
    answer.warnings += order_block.in_letter(block, reading.warned)
    return Orders(here.rules.aids.in_order(reading.orders).actions)


def keep(answer: SeatAnswer, found: Sequence[LaterOrders]) -> None:
    """Store orders for turns to come, and answer with what is now kept."""
    if not found:
        return
    known = {row.turn: row for row in queries.orders.later(answer.session, answer.seat)}
    for turn, text, again, luck in found:
        if answer.here is not None:
            standing.prove(answer.here, answer.seat.name, text)
        row = known.get(turn) or tables.Later(
            seat_id=answer.seat.id or 0, turn=turn, text="", inbox_id=0, received=answer.now
        )
        row.text, row.repeated, row.luck, row.inbox_id = text, again, luck, answer.inbox.id or 0
        row.dated, row.received = answer.letter.date, answer.inbox.internaldate
        answer.session.add(row)
        answer.say("receipt", msg("Your orders for turn {turn} are kept; nobody else hears of them.", turn=turn))
        if turn in known:
            answer.opening.append(msg("They replace those that you kept for it before."))
        answer.blocks.append(_block(answer, row))
    answer.session.flush()
    answer.opening.append(
        msg(
            "When your phase of that turn opens they are held against the position of then, become your orders, "
            "and count as sent. The report says so, and names each line that cannot be."
        )
    )


def _block(answer: SeatAnswer, row: tables.Later) -> Json:
    lines = [f"LATER T{row.turn}", *scheduled_orders.mark_repeated(row.sealed, row.repeated or ""), "END"]
    return content.block(msg("Kept for turn {turn}", turn=row.turn), answer.echoed(lines))


def echo(answer: SeatAnswer) -> None:
    """What is kept for turns to come."""
    answer.blocks += [_block(answer, row) for row in queries.orders.later(answer.session, answer.seat)]


def cancel_later(answer: SeatAnswer, command: Line) -> None:
    """Drop the orders that are kept for a turn, or for all."""
    turn = int("".join(c for c in command.rest if c.isdigit()) or 0)
    rows = [row for row in queries.orders.later(answer.session, answer.seat) if turn in (0, row.turn)]
    for row in rows:
        answer.session.delete(row)
        answer.say("cancelled", msg("The orders that you kept for turn {turn} are cancelled.", turn=row.turn))
    answer.session.flush()
    if not rows:
        answer.say("answer", msg("I keep no such orders for turns to come; there was nothing to cancel."))


COMMANDS = (
    Command(
        Form(
            "cancel-later",
            ("CANCEL LATER", "CANCELAR DESPUES", "CANCELAR MAS TARDE"),
            TURN,
            "CANCEL LATER T3",
            "CANCELAR DESPUES T3",
        ),
        cancel_later,
        help=(msg("LATER T2 ... END keeps orders for a turn to come; CANCEL LATER, CANCEL LATER T2 drop them."),),
        often=Often(letter=20),
    ),
)
