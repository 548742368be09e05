"""Keep standing orders by scope until replaced; echo and review them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import Orders, OrderWarning, ParsedBlock, RejectedLine
from pbem.letters import content
from pbem.letters.command_lines import OrderBlock
from pbem.letters.commands import NO_ARGUMENT, CommandForm, CommandLine
from pbem.letters.content import Mistake
from pbem.play import adjudication, deadlines
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand
from pbem.play.positions import Position
from pbem.store import hot_statements, queries, tables


def store_standing_orders(answer: SeatAnswer, position: Position, standing: tuple[object, ...]) -> list[str]:
    """Replace standing orders of every scope in a letter.

    Returns the texts of all in force.
    """
    new_texts = texts_by_scope(position, answer.seat.name, standing)
    if not new_texts:
        return queries.orders.standing_texts(answer.session, answer.seat)
    in_force = {row.scope: row for row in queries.orders.standing_orders(answer.session, answer.seat)}
    for scope, text in new_texts.items():
        row = in_force.setdefault(
            scope,
            tables.StandingOrders(seat_id=answer.seat.id or 0, scope=scope, text=text, inbox_id=answer.inbox.id or 0),
        )
        row.text, row.inbox_id = text, answer.inbox.id or 0
        answer.session.add(row)
    answer.session.flush()
    return [row.text for _, row in sorted(in_force.items())]


def texts_by_scope(position: Position, seat: str, standing: tuple[object, ...]) -> dict[str, str]:
    """Return standing orders as stored: canonical texts by scope line."""
    if not standing:
        return {}
    text = position.rules.canon(Orders((), standing))
    check_roundtrip(position, seat, text)
    return dict(_blocks(text))


def _blocks(canonical: str) -> Iterator[tuple[str, str]]:
    """Yield the first line and the whole text of each standing block."""
    lines: list[str] = []
    for line in canonical.splitlines():
        lines.append(line)
        if line == "ENDSTANDING":
            yield lines[0], "".join(f"{block_line}\n" for block_line in lines)
            lines = []


def review_orders(
    position: Position, seat: str, actions: tuple[object, ...], standing: Iterable[str]
) -> list[OrderWarning]:
    """Return the game's warnings on actions and on all standing orders in force."""
    view = position.rules.view(position.state, seat)
    rules: list[object] = []
    warnings: list[OrderWarning] = []
    for text in standing:
        reading = position.rules.parse(text, view, seat)
        rules += reading.orders.standing
        if reading.rejected:
            first_line = text.split("\n")[0]
            reason = msg("This standing order cannot be read any more and will be left out: {order}", order=first_line)
            warnings.append(OrderWarning(0, reason, reading.rejected[0].rule))
    return [*position.rules.aids.review(view, seat, Orders(actions, tuple(rules)), position.begun), *warnings]


def echo_standing(answer: SeatAnswer, in_force: Sequence[str] | None = None) -> None:
    """Show the standing orders in force, if any; they are looked up if not given."""
    if in_force is None:
        in_force = queries.orders.standing_texts(answer.session, answer.seat)
    lines = answer.echo_lines("".join(in_force).splitlines())
    new_block = content.titled_block(_IN_FORCE, lines)
    indexes = [index for index, block in enumerate(answer.blocks) if block["title"] == new_block["title"]]
    if indexes:
        # Only the orders in force after the whole letter count.
        answer.blocks[indexes[0]] = new_block
        for block in answer.blocks:
            if "standing" in block.get("weigh", ()):
                block["weigh"]["standing"] = list(in_force)
    elif lines:
        answer.blocks.append(new_block)


_IN_FORCE = msg("Your standing orders in force")


def check_roundtrip(position: Position, seat: str, canonical: str) -> Orders:
    """Return orders read back from canonical text.

    Raises InvalidResult if they write another text.
    """
    orders = adjudication.parse_closed_orders(position.rules, position.state, seat, canonical)
    rewritten = position.rules.canon(orders)
    if rewritten != canonical:
        raise adjudication.InvalidResult(f"canonical orders of {seat} read back as others:\n{canonical}\n{rewritten}")
    return orders


# Lines of orders marked with @, as they come by letter: repeated each turn until replaced or taken back.
#
# What is repeated follows the orders that were carried out: the marked lines of the last block are repeated from the
# next phase on, and none if it has none (`scheduled_orders.settle`).


def repeated_text(answer: SeatAnswer, position: Position, block: OrderBlock) -> str:
    """Return the canonical text of a block's repeated lines; collect mistakes.

    They are repeated without the other lines, so that they must be valid orders alone.
    """
    if not block.repeated_text:
        return ""
    if (fault := _objection(block, position)) is not None:
        answer.errors.append(fault)
        return ""
    seat = answer.seat.name
    reading = position.rules.parse(block.repeated_text, position.rules.view(position.state, seat), seat)
    rejected = (*reading.rejected, *reject_lines_clear_only_now(reading))
    for refused in rejected:
        reason = msg(
            "Lines with @ are repeated without the others and must be whole by themselves: {why}", why=refused.why
        )
        answer.errors += block.mistakes([refused._replace(why=reason)])
    if rejected:
        return ""
    text: str = position.rules.canon(Orders(position.rules.aids.in_order(reading.orders).actions))
    check_roundtrip(position, seat, text)
    return text


def reject_lines_clear_only_now(reading: ParsedBlock) -> tuple[RejectedLine, ...]:
    """Refuse lines that are clear only by where units are now.

    In another turn the units may be elsewhere.
    """
    reason = msg("ACTIVATE is missing above this line, and for another turn it cannot be supplied")
    return tuple(RejectedLine(warning.line, 0, "", reason, warning.rule) for warning in reading.warned if warning.now)


def _objection(block: OrderBlock, position: Position) -> Mistake | None:
    """Return a mistake if no line of a block can be marked to be repeated."""
    reason: Msg | None = None
    if block.standing:
        reason = msg("Standing orders are in force until you replace them: take the @ away.")
    elif position.letters:
        reason = msg("In this game each letter is carried out at once: no line is repeated. Take the @ away.")
    return None if reason is None else content.make_mistake(block.line, block.header, block.header, reason)


def echo_repeats(answer: SeatAnswer, queued: tables.QueuedOrders | None) -> None:
    """Show the lines of orders that are repeated each turn.

    If the queued orders have ended the repetition the lines that are no longer repeated are shown.
    """
    repeats_before = answer.seat.repeats
    repeats_after = repeats_before if queued is None or queued.repeated is None else queued.repeated
    if repeats_after:
        lines = answer.echo_lines(f"@ {line}" for line in repeats_after.splitlines())
        answer.blocks.append(content.titled_block(msg("Repeated each turn, until you change it"), lines))
    elif repeats_before:
        lines = answer.echo_lines(f"# @ {line}" for line in repeats_before.splitlines())
        answer.blocks.append(
            content.titled_block(msg("Not repeated any more, for your last block of orders has no @"), lines)
        )


def cancel_repeated(answer: SeatAnswer, command: CommandLine) -> None:
    """Stop repeating lines.

    They are also dropped from the open phase, unless they were sent in a block.
    """
    session, queued = answer.session, answer.queued_orders
    if not answer.seat.repeats and not (queued is not None and queued.repeated):
        answer.say("answer", msg("You have no lines repeated; there was nothing to cancel."))
        return
    hot_statements.update_row(session, answer.seat, repeats="")
    answer.say("cancelled", msg("Your lines are not repeated any more."))
    if queued is not None and queued.repeated:
        hot_statements.update_row(session, queued, repeated="")
        answer.opening.append(
            msg("The orders that you sent for this turn stand (revision {revision}).", revision=queued.revision)
        )
    elif queued is not None and queued.origin == "repeated":
        hot_statements.update_row(session, queued, state="cancelled")
        if answer.here is not None and answer.phase is not None and answer.game.state == "running":
            deadlines.plan_closing(answer, answer.here, answer.phase, answer.phase_status)
        answer.opening.append(msg("You have no orders in for this turn now."))


COMMANDS = (
    LetterCommand(
        CommandForm(
            "cancel-repeated",
            ("CANCEL @", "CANCEL REPEATED", "CANCELAR @", "CANCELAR REPETIDAS"),
            NO_ARGUMENT,
            "CANCEL @",
            "CANCELAR @",
        ),
        cancel_repeated,
    ),
)
