"""Standing orders of a seat: kept a scope at a time until replaced, echoed, looked at again with every letter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.engine.terms import Orders, Reading, Rejected, Warned
from pbem.letters import content
from pbem.letters.command_lines import Block
from pbem.letters.commands import NOTHING, Form, Line
from pbem.letters.content import Mistake
from pbem.play import adjudication, deadlines
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command
from pbem.play.positions import Position
from pbem.store import hot_statements, queries, tables


def keep(answer: SeatAnswer, here: Position, standing: tuple[object, ...]) -> list[str]:
    """Replace the standing orders of every scope that was written about, and return the texts of all in force."""
    written = scopes(here, answer.seat.name, standing)
    if not written:
        return queries.orders.standing_texts(answer.session, answer.seat)
    in_force = {row.scope: row for row in queries.orders.standing(answer.session, answer.seat)}
    for scope, text in written.items():
        row = in_force.setdefault(
            scope,
            tables.Standing(seat_id=answer.seat.id or 0, scope=scope, text=text, inbox_id=answer.inbox.id or 0),
        )
        row.text, row.inbox_id = text, answer.inbox.id or 0
        answer.session.add(row)
    answer.session.flush()
    return [row.text for _, row in sorted(in_force.items())]


def scopes(here: Position, seat: str, standing: tuple[object, ...]) -> dict[str, str]:
    """Standing orders as they are kept: the canonical text of each scope by its first line, which names it."""
    if not standing:
        return {}
    text = here.rules.canon(Orders((), standing))
    prove(here, seat, text)
    return dict(_blocks(text))


def _blocks(canonical: str) -> Iterator[tuple[str, str]]:
    """The first line and the whole text of each standing block."""
    lines: list[str] = []
    for line in canonical.splitlines():
        lines.append(line)
        if line == "ENDSTANDING":
            yield lines[0], "".join(f"{one}\n" for one in lines)
            lines = []


def second_thoughts(here: Position, seat: str, actions: tuple[object, ...], standing: Iterable[str]) -> list[Warned]:
    """What the game would have a player look at again, in his actions and in all standing orders in force."""
    view = here.rules.view(here.state, seat)
    rules: list[object] = []
    told: list[Warned] = []
    for text in standing:
        reading = here.rules.parse(text, view, seat)
        rules += reading.orders.standing
        if reading.rejected:
            first = text.split("\n")[0]
            why = msg("This standing order cannot be read any more and will be left out: {order}", order=first)
            told.append(Warned(0, why, reading.rejected[0].rule))
    return [*here.rules.aids.review(view, seat, Orders(actions, tuple(rules)), here.begun), *told]


def echo_standing(answer: SeatAnswer, in_force: Sequence[str] | None = None) -> None:
    """The standing orders in force, if there are any; they are looked up if not given."""
    if in_force is None:
        in_force = queries.orders.standing_texts(answer.session, answer.seat)
    lines = answer.echoed("".join(in_force).splitlines())
    told = content.block(_IN_FORCE, lines)
    before = [at for at, block in enumerate(answer.blocks) if block["title"] == told["title"]]
    if before:
        # What counts is what is in force after the whole letter.
        answer.blocks[before[0]] = told
        for block in answer.blocks:
            if "standing" in block.get("weigh", ()):
                block["weigh"]["standing"] = list(in_force)
    elif lines:
        answer.blocks.append(told)


_IN_FORCE = msg("Your standing orders in force")


def prove(here: Position, seat: str, canonical: str) -> Orders:
    """Canonical text must read back to itself, or a replay would not be this game; what it was read as."""
    read = adjudication.parse_closed(here.rules, here.state, seat, canonical)
    again = here.rules.canon(read)
    if again != canonical:
        raise adjudication.Unsound(f"canonical orders of {seat} read back as others:\n{canonical}\n{again}")
    return read


# Lines of orders marked with @, as they come by letter: repeated each turn until replaced or taken back.
#
# What is repeated follows the orders that were carried out: the marked lines of the last block are repeated from the
# next phase on, and none if it has none (`scheduled_orders.settle`).


def marks_of(answer: SeatAnswer, here: Position, block: Block) -> str:
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
    prove(here, seat, text)
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


def echo_repeats(answer: SeatAnswer, queued: tables.QueuedOrders | None) -> None:
    """What is repeated after the orders that are queued; what is not any more by them."""
    before = answer.seat.repeats
    after = before if queued is None or queued.repeated is None else queued.repeated
    if after:
        lines = answer.echoed(f"@ {line}" for line in after.splitlines())
        answer.blocks.append(content.block(msg("Repeated each turn, until you change it"), lines))
    elif before:
        lines = answer.echoed(f"# @ {line}" for line in before.splitlines())
        answer.blocks.append(content.block(msg("Not repeated any more, for your last block of orders has no @"), lines))


def cancel_repeated(answer: SeatAnswer, command: Line) -> None:
    """Repeat nothing any more: what is queued of it for the open phase goes, unless it came in a block of orders."""
    session, queued = answer.session, answer.queued
    if not answer.seat.repeats and not (queued is not None and queued.repeated):
        answer.say("answer", msg("You have no lines repeated; there was nothing to cancel."))
        return
    hot_statements.change(session, answer.seat, repeats="")
    answer.say("cancelled", msg("Your lines are not repeated any more."))
    if queued is not None and queued.repeated:
        hot_statements.change(session, queued, repeated="")
        answer.opening.append(
            msg("The orders that you sent for this turn stand (revision {revision}).", revision=queued.revision)
        )
    elif queued is not None and queued.origin == "repeated":
        hot_statements.change(session, queued, state="cancelled")
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
