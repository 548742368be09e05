"""A block of orders: checked, then queued and echoed, or refused with what can be mended."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pbem.engine.data.memory import Itself
from pbem.engine.data.messages import msg
from pbem.engine.orders.block import bare
from pbem.engine.terms import Orders, Reading, Rejected, Warned
from pbem.letters import content
from pbem.letters.command_lines import Block
from pbem.letters.content import Mistake
from pbem.play import deadlines
from pbem.play.commands.answer import Answer
from pbem.play.commands.orders import quotes, repeats, standing, word
from pbem.play.commands.questions import forecast
from pbem.play.positions import Position, last_moment
from pbem.runtime.terms import Terms
from pbem.store import queries, tables, writes

_BRANCH = re.compile(r"(?:\W*@)?\s*(?:if|si|else|sino|endif|finsi)\b")


def hold_against_game(answer: Answer, block: Block, *, replace: bool) -> Orders | None:
    """Check a block against turn, time, game and position; all that is wrong goes into the answer's errors.

    Of a block for another turn only the words are looked at: what it orders was meant for another position.
    """
    if not in_time(answer, standing_alone=block.standing) or answer.here is None:
        return None
    if wrong := _older(answer, block, replace):
        answer.errors.append(wrong)
        return None
    header = _wrong_header(answer, block)
    answer.errors += [header] if header is not None else []
    return _parse(answer, answer.here, block, here_and_now=header is None or block.turn is None)


def in_time(answer: Answer, *, standing_alone: bool = False) -> bool:
    """Whether orders may be given at all now; if not, the answer says why.

    Standing orders may be given while a phase waits for answers; they count from the next one on.
    """
    if answer.closed is not None:
        if standing_alone:
            return True
        why = msg("Orders for turn {turn} are closed, and the phase waits for answers.", turn=answer.closed.turn)
        if queries.phases.asking(answer.session, answer.closed) is None:
            why = content.SHUT
        answer.say("closed", why, msg("You may give standing orders, which count from the next phase on."))
    elif answer.game.state == "over":
        answer.say("closed", msg("The game is over; no more orders are taken."))
    elif answer.here is None or answer.phase is None:
        answer.say("refusal", msg("The game has not begun; nothing was changed."))
    elif answer.inbox.internaldate > last_moment(answer.game, answer.phase):
        late = msg(
            "Your letter came after the deadline, {when}: your orders for turn {turn} cannot be changed any more.",
            when=answer.when(answer.phase.deadline),
            turn=answer.phase.turn,
        )
        answer.say("closed", late)
    else:
        return True
    return False


def _wrong_header(answer: Answer, block: Block) -> Mistake | None:
    phase = answer.phase
    if phase is None or block.standing:
        return None
    right = (f"{block.word} T{phase.turn}",)
    if block.turn is None:
        why = msg("A block of orders begins with ORDERS and the turn, such as ORDERS T3.")
        return content.mistake(block.line, block.header, block.header, why, right)
    if block.turn != phase.turn:
        why = msg("These orders are for turn {wrong}; it is turn {turn}.", wrong=block.turn, turn=phase.turn)
        return content.mistake(block.line, block.header, block.header, why, right)
    if block.nonce and block.nonce != answer.seat.nonce:
        why = msg("This block belongs to an earlier letter of this turn; use that of the last report.")
        return content.mistake(block.line, block.header, f"#{block.nonce}", why, right)
    return None


def _older(answer: Answer, block: Block, replace: bool) -> Mistake | None:
    """Orders written before those that are queued may have overtaken each other on the way."""
    queued = answer.queued
    if (
        replace
        or block.standing
        or block.verify
        or queued is None
        or queued.dated is None
        or answer.letter.date is None
    ):
        return None
    if answer.letter.date >= queued.dated:
        return None
    why = msg(
        "This letter was written before the orders I hold (revision {revision}) and did not replace them. "
        "If it is the one that counts, send it again with the line REPLACE above it.",
        revision=queued.revision,
    )
    return content.mistake(block.line, block.header, block.header, why)


def _parse(answer: Answer, here: Position, block: Block, *, here_and_now: bool) -> Orders | None:
    """Let the game read the block; its lines are counted from the block's first, ours from the letter's."""
    name = answer.seat.name
    view = here.rules.view(here.state, name)
    reading = here.rules.parse(block.text, view, name)
    reading = reading._replace(orders=here.rules.aids.in_order(reading.orders))
    out_of_turn = bool(reading.orders.actions) and not answer.active
    # What the position says of actions that may not be given at all would only lead astray.
    good = () if out_of_turn or not here_and_now else _against_position(here, name, block, reading)
    if out_of_turn:
        why = msg("It is not your phase: until the other side has moved you may only give standing orders.")
        answer.errors.append(content.mistake(block.line, block.header, block.header, why))
    rejected = [*reading.rejected, *good]
    answer.errors += [*block.mistakes(rejected), *word.mistakes(block)]
    if not rejected:
        repeats.marks_of(answer, here, block)
    if reading.orders.actions and block.standing:
        why = msg("Only standing orders may stand here; actions belong between ORDERS and END.")
        answer.errors.append(content.mistake(block.line, block.header, block.header, why))
    answer.warnings += in_letter(block, reading.warned)
    answer.respelt += [one._replace(line=one.line + block.first - 1) for one in reading.respelt]
    return None if answer.errors else reading.orders


def legal_orders(here: Position, seat: str, view: Any, text: str) -> Orders | None:
    """Return the orders of a text as they would be carried out; None if a line of it cannot be read or is refused.

    `view` is what the seat sees of the position.
    """
    reading = here.rules.parse(text, view, seat)
    orders = here.rules.aids.in_order(reading.orders)
    refused = reading.rejected or here.rules.check(view, seat, orders, here.begun)
    return None if refused else orders


def _against_position(here: Position, seat: str, block: Block, reading: Reading) -> list[Rejected]:
    """What the position has against the lines that can be read; those above it that cannot are named with it.

    Where one of IF, ELSE and ENDIF cannot be read it is not known which lines from there on are to be carried out.
    """
    unread = sorted({bad.line for bad in reading.rejected})
    known = len(block.lines) + 1
    for at in unread:
        if 1 <= at <= len(block.lines) and _BRANCH.match(bare(block.lines[at - 1])):
            known = min(known, at)
    refused = here.rules.check(here.rules.view(here.state, seat), seat, reading.orders, here.begun)
    return [_without(bad, block, unread) for bad in refused if bad.line < known and bad.line not in unread]


def _without(bad: Rejected, block: Block, unread: Sequence[int]) -> Rejected:
    """A line that the position is against, with the lines above it that may have been to change the position."""
    above = tuple(at + block.first - 1 for at in unread if at < bad.line)
    if not above:
        return bad
    why = msg("{why} (as things stand without lines {lines}, which cannot be read)", why=bad.why, lines=above)
    if len(above) == 1:
        why = msg("{why} (as things stand without line {lines}, which cannot be read)", why=bad.why, lines=above)
    return bad._replace(why=why)


def queue(answer: Answer, block: Block, orders: Orders) -> None:
    """Store standing orders at once and actions as the next revision, and answer with what is now queued."""
    here, phase, session = answer.here, answer.phase, answer.session
    if here is None:
        return
    _come_back(answer)
    answer.in_force = in_force = standing.keep(answer, here, orders.standing)
    answer.warnings += in_letter(block, standing.second_thoughts(here, answer.seat.name, orders.actions, in_force))
    if phase is None:
        answer.say("receipt", msg("Your standing orders are in; they count from the next phase on."))
        reread(answer)
        standing.echo(answer, in_force)
        return
    queued, foretold = answer.queued, False
    if answer.active and not block.standing:
        # What is queued is the last that was sent.
        revision = 1 + (
            queued.revision if queued is not None else queries.orders.last_revision(session, phase, answer.seat)
        )
        if queued is not None:
            writes.change(session, queued, state="replaced")
            if answer.wished == "go" and not answer.going:
                # Other orders than those that the seat was content with: it has its time to change them again.
                answer.wish("")
        canonical = here.rules.canon(Orders(orders.actions))
        proven = standing.prove(here, answer.seat.name, canonical)
        answer.server.proven.keep((Itself(here.state), answer.seat.name, canonical), proven, 0)
        row = writes.new(
            tables.QueuedOrders,
            phase_id=phase.id or 0,
            seat_id=answer.seat.id or 0,
            revision=revision,
            text=canonical,
            inbox_id=answer.inbox.id or 0,
            dated=answer.letter.date,
            received=answer.inbox.internaldate,
            mark=quotes.digest(block),
            repeated=repeats.marks_of(answer, here, block),
            luck=word.of(block),
        )
        row.id = writes.add_row(session, row)
        answer.queue(row)
        answer.say("receipt", msg("Your orders are in: revision {revision}.", revision=revision))
        if answer.inbox.internaldate > phase.deadline:
            answer.opening.append(msg("They came after the deadline; by the terms of this game they still count."))
        if queued is not None:
            answer.opening.append(msg("They replace revision {revision}.", revision=queued.revision))
        queued = row
        foretold = bool(orders.actions) and not here.begun
    else:
        answer.say("receipt", msg("Your standing orders are in."))
    reread(answer)
    _say_when(answer, here, phase)
    echo(answer, here, phase, queued, in_force)
    if foretold:
        forecast.foretell(answer, here, Orders(orders.actions), in_force, queued=True)


def _come_back(answer: Answer) -> None:
    """Whoever gives orders is away no more, where a bot would write for him."""
    bot = Terms.read(answer.game.terms).stand_in
    if bot and deadlines.come_back(answer.session, answer.seat, answer.now):
        answer.opening.append(msg("You are back: the bot {bot} does not write for you any more.", bot=bot))
        answer.announce(lambda zone: (msg("{seat} is back.", seat=answer.seat.name),), f"back {answer.inbox.id}")


def reread(answer: Answer) -> None:
    """Say so if the block stood in a quote."""
    if answer.letter.quoted_block:
        answer.opening.append(
            msg("They were read from the quoted part of your letter, because you changed the block there.")
        )


def in_letter(block: Block, warned: Sequence[Warned]) -> list[Warned]:
    """Warnings about lines of a block, counted in the letter; those about no line stay so."""
    return [w._replace(line=w.line + block.first - 1) if w.line > 0 else w for w in warned]


def _say_when(answer: Answer, here: Position, phase: tables.Phase) -> None:
    """When the phase closes, after what was just queued."""
    held = answer.game.state == "held"
    missing = answer.missing
    at = phase.deadline if held else deadlines.await_close(answer, here, phase, answer.heard)
    if held:
        answer.opening.append(msg("The game is held; the moderator has been told and you will hear when it goes on."))
    elif here.by_letter:
        answer.opening.append(msg("They are carried out now, and cannot be taken back. The report follows."))
    elif missing:
        answer.opening.append(
            msg("Orders are still awaited from: {seats}. Deadline: {when}.", seats=missing, when=answer.when(at))
        )
    elif at <= answer.now:
        answer.opening.append(msg("All orders are in; they are carried out now."))
    elif here.commanders and (others := _others_undecided(answer, here)):
        answer.opening.append(
            msg(
                "All orders are in. The phase closes when all commanders have said GO; still to say it: {seats}. "
                "Deadline: {when}.",
                seats=others,
                when=answer.when(phase.deadline),
            )
        )
    elif here.commanders:
        by = answer.when(phase.deadline)
        answer.opening.append(
            msg("All orders are in. The phase closes when you say GO; at the latest on {when}.", when=by)
        )
    else:
        answer.opening.append(
            msg(
                "All orders are in. You may change yours until {when}; then they are carried out.", when=answer.when(at)
            )
        )


def _others_undecided(answer: Answer, here: Position) -> tuple[str, ...]:
    """The other commanders who have not said GO; this letter may say it yet."""
    return tuple(seat for seat in deadlines.undecided(here, answer.heard) if seat != answer.seat.name)


def echo(
    answer: Answer,
    here: Position,
    phase: tables.Phase,
    queued: tables.QueuedOrders | None,
    in_force: Sequence[str] | None = None,
) -> None:
    """All the orders as they are queued, what is repeated, and the standing orders in force, looked up if not given."""
    if queued is not None:
        lines = answer.echoed([f"ORDERS T{phase.turn}", *queued.sealed.splitlines(), "END"])
        answer.blocks.append(content.block(msg("Your orders as I understand them"), lines))
    repeats.echo(answer, queued)
    standing.echo(answer, in_force)


def say_what_is_queued(answer: Answer) -> None:
    """What counts, after a block that was not queued."""
    queued = answer.queued
    if queued is not None:
        answer.opening.append(
            msg("The orders you sent before still stand (revision {revision}).", revision=queued.revision)
        )
    elif answer.phase is not None and answer.active:
        answer.opening.append(
            msg("I hold no orders of yours; they are wanted by {when}.", when=answer.when(answer.phase.deadline))
        )
