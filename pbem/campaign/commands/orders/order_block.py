"""A block of orders: held against turn, time and game, then queued and echoed, or refused with what can be mended."""

from __future__ import annotations

from collections.abc import Sequence

from pbem.campaign.base import letters
from pbem.campaign.base.command_lines import Block
from pbem.campaign.base.letters import Mistake
from pbem.campaign.base.positions import Position
from pbem.campaign.commands.answer import Desk
from pbem.campaign.commands.orders import quotes, repeats, standing
from pbem.campaign.commands.questions import forecast
from pbem.campaign.turn import deadlines
from pbem.core.data.memory import Itself
from pbem.core.data.messages import msg
from pbem.core.game import Orders, Warned
from pbem.core.orders.block import without_nonce
from pbem.store import queries, tables, writes

__all__ = [
    "echo",
    "hold_against_game",
    "in_letter",
    "in_time",
    "queue",
    "refuse",
    "reread",
    "say_what_is_held",
]


def hold_against_game(desk: Desk, block: Block, *, replace: bool) -> Orders | None:
    """Check a block against turn, time, game and position; what is wrong goes into the answer's errors."""
    if not in_time(desk, standing_alone=block.standing) or desk.here is None:
        return None
    if wrong := _wrong_header(desk, block) or _older(desk, block, replace):
        desk.errors.append(wrong)
        return None
    return _parse(desk, desk.here, block)


def in_time(desk: Desk, *, standing_alone: bool = False) -> bool:
    """Whether orders may be given at all now; if not, the answer says why.

    Standing orders may be given while a phase waits for answers; they count from the next one on.
    """
    if desk.closed is not None:
        if standing_alone:
            return True
        why = msg("Orders for turn {turn} are closed, and the phase waits for answers.", turn=desk.closed.turn)
        if queries.pauses.asking(desk.session, desk.closed) is None:
            why = letters.SHUT
        desk.say("closed", why, msg("You may give standing orders, which count from the next phase on."))
    elif desk.game.state == "over":
        desk.say("over", msg("The game is over; no more orders are taken."))
    elif desk.here is None or desk.phase is None:
        desk.say("refusal", msg("The game has not begun; nothing was changed."))
    elif desk.inbox.internaldate > deadlines.last_moment(desk.game, desk.phase):
        late = msg(
            "Your letter came after the deadline, {when}: your orders for turn {turn} cannot be changed any more.",
            when=desk.when(desk.phase.deadline),
            turn=desk.phase.turn,
        )
        desk.say("closed", late)
    else:
        return True
    return False


def _wrong_header(desk: Desk, block: Block) -> Mistake | None:
    phase = desk.phase
    if phase is None or block.standing:
        return None
    right = (f"{block.word} T{phase.turn}",)
    if block.turn is None:
        why = msg("A block of orders begins with ORDERS and the turn, such as ORDERS T3.")
        return letters.mistake(block.line, block.header, block.header, why, right)
    if block.turn != phase.turn:
        why = msg("These orders are for turn {wrong}; it is turn {turn}.", wrong=block.turn, turn=phase.turn)
        return letters.mistake(block.line, block.header, block.header, why, right)
    if block.nonce and block.nonce != desk.seat.nonce:
        why = msg("This block belongs to an earlier letter of this turn; use that of the last report.")
        return letters.mistake(block.line, block.header, f"#{block.nonce}", why, right)
    return None


def _older(desk: Desk, block: Block, replace: bool) -> Mistake | None:
    """Orders written before those that are queued may have overtaken each other on the way."""
    queued = desk.held
    if replace or block.standing or block.verify or queued is None or queued.dated is None or desk.letter.date is None:
        return None
    if desk.letter.date >= queued.dated:
        return None
    why = msg(
        "This letter was written before the orders I hold (revision {revision}) and did not replace them. "
        "If it is the one that counts, send it again with the line REPLACE above it.",
        revision=queued.revision,
    )
    return letters.mistake(block.line, block.header, block.header, why)


def _parse(desk: Desk, here: Position, block: Block) -> Orders | None:
    """Let the game read the block; its lines are counted from the block's first, ours from the letter's."""
    name = desk.seat.name
    view = here.rules.view(here.state, name)
    reading = here.rules.parse(block.text, view, name)
    out_of_turn = bool(reading.orders.actions) and not desk.active
    # What the position says of actions that may not be given at all would only lead astray.
    rejected = reading.rejected or (() if out_of_turn else here.rules.check(view, name, reading.orders, here.begun))
    if out_of_turn:
        why = msg("It is not your phase: until the other side has moved you may only give standing orders.")
        desk.errors.append(letters.mistake(block.line, block.header, block.header, why))
    desk.errors += block.mistakes(rejected)
    if not rejected:
        repeats.marked_in(desk, here, block)
    if not rejected and reading.orders.actions and block.standing:
        why = msg("Only standing orders may stand here; actions belong between ORDERS and END.")
        desk.errors.append(letters.mistake(block.line, block.header, block.header, why))
    desk.warnings += in_letter(block, reading.warned)
    return None if desk.errors else reading.orders


def queue(desk: Desk, block: Block, orders: Orders) -> None:
    """Store standing orders at once and actions as the next revision, and answer with what is now held."""
    here, phase, session = desk.here, desk.phase, desk.session
    if here is None:
        return
    desk.in_force = in_force = standing.keep(desk, here, orders.standing)
    desk.warnings += in_letter(block, standing.second_thoughts(here, desk.seat.name, orders.actions, in_force))
    if phase is None:
        desk.say("receipt", msg("Your standing orders are in; they count from the next phase on."))
        reread(desk)
        standing.echo(desk, in_force)
        return
    held, foretold = desk.held, False
    if desk.active and not block.standing:
        # What is queued is the last that was sent.
        revision = 1 + (held.revision if held is not None else queries.orders.last_revision(session, phase, desk.seat))
        if held is not None:
            writes.change(session, held, state="replaced")
            if desk.wished == "go" and not desk.going:
                # Other orders than those that the seat was content with: it has its time to change them again.
                desk.wish("")
        canonical = here.rules.canon(Orders(orders.actions))
        proven = standing.prove(here, desk.seat.name, canonical)
        desk.server.proven.keep((Itself(here.state), desk.seat.name, canonical), proven, 0)
        row = writes.new(
            tables.OrderSet,
            phase_id=phase.id or 0,
            seat_id=desk.seat.id or 0,
            revision=revision,
            text=canonical,
            inbox_id=desk.inbox.id or 0,
            dated=desk.letter.date,
            received=desk.inbox.internaldate,
            mark=quotes.digest(block),
            repeated=repeats.marked_in(desk, here, block),
        )
        row.id = writes.add_row(session, row)
        desk.hold(row)
        desk.say("receipt", msg("Your orders are in: revision {revision}.", revision=revision))
        if desk.inbox.internaldate > phase.deadline:
            desk.opening.append(msg("They came after the deadline; by the terms of this game they still count."))
        if held is not None:
            desk.opening.append(msg("They replace revision {revision}.", revision=held.revision))
        held = row
        foretold = bool(orders.actions) and not here.begun
    else:
        desk.say("receipt", msg("Your standing orders are in."))
    reread(desk)
    _say_when(desk, here, phase)
    echo(desk, here, phase, held, in_force)
    if foretold:
        forecast.foretell(desk, here, Orders(orders.actions), in_force, queued=True)


def reread(desk: Desk) -> None:
    """Say so if the block stood in a quote."""
    if desk.letter.quoted_block:
        desk.opening.append(
            msg("They were read from the quoted part of your letter, because you changed the block there.")
        )


def in_letter(block: Block, warned: Sequence[Warned]) -> list[Warned]:
    """Warnings about lines of a block, counted in the letter; those about no line stay so."""
    return [w._replace(line=w.line + block.first - 1) if w.line > 0 else w for w in warned]


def _say_when(desk: Desk, here: Position, phase: tables.Phase) -> None:
    """When the phase closes, after what was just queued."""
    held = desk.game.state == "held"
    missing = desk.missing
    at = phase.deadline if held else deadlines.await_close(desk, here, phase, desk.heard)
    if held:
        desk.opening.append(msg("The game is held; the moderator has been told and you will hear when it goes on."))
    elif here.by_letter:
        desk.opening.append(msg("They are carried out now, and cannot be taken back. The report follows."))
    elif missing:
        desk.opening.append(
            msg("Orders are still awaited from: {seats}. Deadline: {when}.", seats=missing, when=desk.when(at))
        )
    elif at <= desk.now:
        desk.opening.append(msg("All orders are in; the dice are rolled now."))
    else:
        desk.opening.append(
            msg("All orders are in. You may change yours until {when}; then the dice are rolled.", when=desk.when(at))
        )


def echo(
    desk: Desk,
    here: Position,
    phase: tables.Phase,
    held: tables.OrderSet | None,
    in_force: Sequence[str] | None = None,
) -> None:
    """The whole order set as it is held, what is repeated, and the standing orders in force, looked up if not given."""
    if held is not None:
        lines = [f"ORDERS T{phase.turn}", *held.text.splitlines(), "END"]
        desk.blocks.append(letters.block(msg("Your orders as I understand them"), lines))
    repeats.echo(desk, held)
    standing.echo(desk, in_force)


def refuse(desk: Desk, blocks: Sequence[Block]) -> None:
    """Answer a letter with mistakes: which, and its blocks with what could be mended."""
    count = len(desk.errors)
    desk.say("refusal", msg("Nothing in your letter was carried out: {count} of its lines cannot be.", count=count))
    say_what_is_held(desk)
    desk.warnings.clear()
    for block in blocks:
        if block.end:
            title = msg("Your block, corrected as far as I can; mend the rest and send it back")
            desk.blocks.append(letters.block(title, _mended(desk, block)))


def say_what_is_held(desk: Desk) -> None:
    """What counts, after a block that was not queued."""
    held = desk.held
    if held is not None:
        desk.opening.append(
            msg("The orders you sent before still stand (revision {revision}).", revision=held.revision)
        )
    elif desk.phase is not None and desk.active:
        desk.opening.append(
            msg("I hold no orders of yours; they are wanted by {when}.", when=desk.when(desk.phase.deadline))
        )


def _mended(desk: Desk, block: Block) -> list[str]:
    """The block with the single suggestions put in and what cannot be mended made a comment.

    It bears no nonce: that would make it count when an answer to this letter merely quotes it.
    """
    lines = list(block.lines)
    header = without_nonce(block.header)
    for error in desk.errors:
        bad = error.rejected
        at = bad.line - block.first
        if error.text == block.header and bad.line == block.line:
            header = bad.suggestions[0] if len(bad.suggestions) == 1 else header
        elif 0 <= at < len(lines) and not lines[at].startswith("# "):
            fits = len(bad.suggestions) == 1 and error.text[bad.column : bad.column + len(bad.word)] == bad.word
            start, stop = bad.column, bad.column + len(bad.word)
            one_error = sum(other.rejected.line == bad.line for other in desk.errors) == 1
            mended = f"{error.text[:start]}{bad.suggestions[0]}{error.text[stop:]}" if fits and one_error else ""
            lines[at] = mended or f"# {lines[at]}"
    return lines if block.standing else [header, *lines, block.end]
