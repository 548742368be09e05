"""Lines of orders marked with @, as they come by letter: repeated each turn until replaced or taken back.

What is repeated follows the orders that were carried out: the marked lines of the last block are repeated from the next
phase on, and none if it has none (`early_orders.settle`).
"""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import Orders, Reading, Rejected
from pbem.letters import content
from pbem.letters.command_lines import Block
from pbem.letters.command_words import NOTHING, Form
from pbem.letters.content import Mistake
from pbem.letters.unparsed_lines import Line
from pbem.play import deadlines
from pbem.play.commands.answer import Answer
from pbem.play.commands.command import Command
from pbem.play.commands.orders import standing
from pbem.play.positions import Position
from pbem.store import tables, writes


def marks_of(answer: Answer, here: Position, block: Block) -> str:
    """The canonical text of the lines of a block that are to be repeated; what is wrong goes into the answer's errors.

    They are repeated without the others, so they must be orders without them.
    """
    if not block.repeated:
        return ""
    if (wrong := _objection(block, here)) is not None:
        answer.errors.append(wrong)
        return ""
    seat = answer.seat.name
    reading = here.rules.parse(block.repeated, here.rules.view(here.state, seat), seat)
    rejected = (*reading.rejected, *only_now(reading))
    for bad in rejected:
        why = msg("Lines with @ are repeated without the others and must be whole by themselves: {why}", why=bad.why)
        answer.errors += block.mistakes([bad._replace(why=why)])
    if rejected:
        return ""
    text: str = here.rules.canon(Orders(here.rules.aids.in_order(reading.orders).actions))
    standing.prove(here, seat, text)
    return text


def only_now(reading: Reading) -> tuple[Rejected, ...]:
    """Refuse lines that were only understood by where units stand now, for a turn in which they may stand elsewhere."""
    why = msg("ACTIVATE is missing above this line, and for another turn it cannot be supplied")
    return tuple(Rejected(one.line, 0, "", why, one.rule) for one in reading.warned if one.now)


def _objection(block: Block, here: Position) -> Mistake | None:
    """Why no line of a block can be marked to be repeated."""
    why: Msg | None = None
    if block.standing:
        why = msg("Standing orders are in force until you replace them: take the @ away.")
    elif here.letters:
        why = msg("In this game each letter is carried out at once: no line is repeated. Take the @ away.")
    return None if why is None else content.mistake(block.line, block.header, block.header, why)


def echo(answer: Answer, queued: tables.QueuedOrders | None) -> None:
    """What is repeated after the orders that are queued; what is not any more by them."""
    before = answer.seat.repeats
    after = before if queued is None or queued.repeated is None else queued.repeated
    if after:
        lines = answer.echoed(f"@ {line}" for line in after.splitlines())
        answer.blocks.append(content.block(msg("Repeated each turn, until you change it"), lines))
    elif before:
        lines = answer.echoed(f"# @ {line}" for line in before.splitlines())
        answer.blocks.append(content.block(msg("Not repeated any more, for your last block of orders has no @"), lines))


def cancel_repeated(answer: Answer, command: Line) -> None:
    """Repeat nothing any more: what is queued of it for the open phase goes, unless it came in a block of orders."""
    session, queued = answer.session, answer.queued
    if not answer.seat.repeats and not (queued is not None and queued.repeated):
        answer.say("answer", msg("You have no lines repeated; there was nothing to cancel."))
        return
    writes.change(session, answer.seat, repeats="")
    answer.say("cancelled", msg("Your lines are not repeated any more."))
    if queued is not None and queued.repeated:
        writes.change(session, queued, repeated="")
        answer.opening.append(
            msg("The orders that you sent for this turn stand (revision {revision}).", revision=queued.revision)
        )
    elif queued is not None and queued.origin == "repeated":
        writes.change(session, queued, state="cancelled")
        if answer.here is not None and answer.phase is not None and answer.game.state == "running":
            deadlines.await_close(answer, answer.here, answer.phase, answer.heard)
        answer.opening.append(msg("I hold no orders of yours for this turn now."))


COMMANDS = (
    Command(
        Form(
            "cancel-repeated",
            ("CANCEL @", "CANCEL REPEATED", "CANCELAR @", "CANCELAR REPETIDAS"),
            NOTHING,
            "CANCEL @",
            "CANCELAR @",
        ),
        cancel_repeated,
    ),
)
