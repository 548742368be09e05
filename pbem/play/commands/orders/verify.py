"""VERIFY: a block looked at as if it had been sent, what it would do before the first die, and nothing queued."""

from __future__ import annotations

from pbem.engine.data.messages import msg
from pbem.engine.orders import luck
from pbem.engine.terms import Orders
from pbem.letters import content
from pbem.letters.command_lines import Block
from pbem.play.commands.answer import Answer
from pbem.play.commands.orders import order_block, repeats, standing, word
from pbem.play.commands.questions import commanders, forecast
from pbem.store import queries


def verify(answer: Answer, block: Block, wanted: Orders) -> None:
    """Answer a block that was found good with what it means, without keeping any of it."""
    here, phase, seat = answer.here, answer.phase, answer.seat.name
    if here is None or phase is None:
        return
    kept = {row.scope: row.text for row in queries.orders.standing(answer.session, answer.seat)}
    would_be = kept | standing.scopes(here, seat, wanted.standing)
    texts = [text for _, text in sorted(would_be.items())]
    answer.warnings += order_block.in_letter(block, standing.second_thoughts(here, seat, wanted.actions, texts))
    answer.say(
        "verified",
        msg("I have checked your block and queued nothing of it. To give these orders, send it with ORDERS above it."),
    )
    if wanted.standing:
        answer.opening.append(msg("Its standing orders were only looked at too: those in force stay."))
    order_block.reread(answer)
    order_block.say_what_is_queued(answer)
    if answer.active:
        text = luck.above(word.of(block), here.rules.canon(Orders(wanted.actions)))
        lines = answer.echoed([f"ORDERS T{phase.turn}", *text.splitlines(), "END"])
        shown, again = (
            content.block(msg("Your orders as I understand them"), lines),
            repeats.marks_of(answer, here, block),
        )
        answer.blocks.append(shown if again or wanted.standing else content.as_letter(shown, lines))
        if again:
            title = msg("Repeated each turn, until you change it")
            answer.blocks.append(content.block(title, answer.echoed(f"@ {line}" for line in again.splitlines())))
    if texts:
        title = (
            msg("Your standing orders as they would be") if would_be != kept else msg("Your standing orders in force")
        )
        answer.blocks.append(content.block(title, answer.echoed("".join(texts).splitlines())))
    if answer.active and not here.begun:
        commanders.show(answer, here)
        forecast.foretell(answer, here, Orders(wanted.actions), texts, queued=False)
