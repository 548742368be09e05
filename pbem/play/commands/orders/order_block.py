"""Check blocks of orders; queue, echo or refuse them; preview with VERIFY."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from pbem.engine.data.canon import loads
from pbem.engine.data.languages import available_language, pick_phrase, supported_languages
from pbem.engine.data.memory import IdentityKey
from pbem.engine.data.messages import Msg, by_number, msg
from pbem.engine.orders import luck, speech
from pbem.engine.orders.block import LATER, bare
from pbem.engine.terms import Orders, OrderWarning, ParsedBlock, RejectedLine
from pbem.letters import content
from pbem.letters.command_lines import OrderBlock
from pbem.letters.content import Mistake
from pbem.mail import quoting
from pbem.mail.inbound import IncomingLetter
from pbem.play import deadlines, history, scheduled_orders
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.orders import standing
from pbem.play.commands.questions import forecast, odds
from pbem.play.positions import Position, last_moment
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import READER, Transaction, base_format
from pbem.store import hot_statements, queries, tables

# LUCK: the word that a block gives for the dice, which is sealed with its orders.


def luck_word(block: OrderBlock) -> str:
    """Return the LUCK word of a correct block; empty if it has none."""
    return block.luck[0][1] if block.luck else ""


def luck_mistakes(block: OrderBlock) -> list[Mistake]:
    """Return the mistakes in the LUCK lines of a block."""
    return block.mistakes(_rejected_luck(block))


def _rejected_luck(block: OrderBlock) -> Iterator[RejectedLine]:
    first_line = 0
    for line, word in block.luck:
        reason = _luck_objection(block, word, first_line)
        if reason is not None:
            yield RejectedLine(line, -1, word or block.lines[line - 1].strip(), reason, "")
        first_line = first_line or block.first + line - 1


def _luck_objection(block: OrderBlock, word: str, first_line: int) -> Msg | None:
    if block.standing:
        return msg("LUCK stands between ORDERS and END, not among standing orders alone.")
    if first_line:
        return msg("A block has one LUCK, and it stands in line {line}.", line=first_line)
    return luck.objection(word)


# Quotes in a letter: our own sentences, orders found only there, orders sent before.
#
# Doubtful orders are not executed; the answer explains how to make them clear.


_THREAD = 3
"""Letters of the thread whose sentences are recognised, the last ones: older letters are quoted below these, and each
is rendered again."""


def sentences_we_mailed(tx: Transaction, seat: tables.Seat, letter: IncomingLetter) -> frozenset[str]:
    """Return the sentences of our letters that this letter may answer."""
    names = {letter.in_reply_to, *letter.references[-_THREAD:], *seat.last_letter.split()[:1]} - {""}
    sentences: frozenset[str] = frozenset()
    for row in queries.outbox.letters_by_names(tx.session, names):
        if row.seat_id != seat.id or not row.model:
            continue
        model = loads(row.model)
        # These parts may have orders, which may be sent back on purpose.
        model |= {"blocks": [], "errors": [], "template": []}
        if "form" in model:
            model["closing"] = [*model["closing"], odds.LEFT_OUT.to_json()]
        if model["report"] is not None:
            model["report"] |= {"blocks": []}
        sentences |= quoting.phrases_of(
            tx.server.plugins.renderer.letter(
                model, available_language(row.language), base_format(row.format) == READER
            )
        )
    return sentences


def digest_of(block: OrderBlock) -> str:
    """Return the digest of a block's orders, without comments and layout."""
    return _comparable([block.header, *block.lines, block.end])


def answer_if_resent(answer: SeatAnswer, block: OrderBlock, wanted: Orders) -> bool:
    """Answer a block that repeats old orders of the phase; return whether it did.

    Answers to a player's own letter, or to a whole thread, bring old orders along, and not every mail client
    marks them as quoted. They are not read again unless the letter says REPLACE. The answer names the
    revision.
    """
    if answer.phase is None or block.is_check_only or block.standing:
        return False
    if answer.letter.quoted_block:
        revision = queries.orders.revision_by_mark(answer.session, answer.phase, answer.seat, digest_of(block))
        notice = msg(
            "Your letter quotes orders that you sent before (revision {revision}); I did not read them "
            "again. If you want them now, send them with the line REPLACE above.",
            revision=revision or 0,
        )
    else:
        revision = _dropped_revision(answer, answer.phase, block, wanted)
        notice = msg(
            "You sent these orders before (revision {revision}) and then replaced or cancelled them; I did "
            "not read them again. If you want them now, send them with the line REPLACE above.",
            revision=revision or 0,
        )
    if revision is None:
        return False
    answer.opening.append(notice)
    return True


def _dropped_revision(answer: SeatAnswer, phase: tables.Phase, block: OrderBlock, wanted: Orders) -> int | None:
    """Return the dropped revision that an unquoted block repeats, or None.

    In a letter that answers no other only replaced orders count: a player who cancels his orders and sends
    them again means them.
    """
    if answer.here is None or not wanted.actions:
        return None
    queued, is_reply = answer.queued_orders, answer.letter.in_reply_to or answer.letter.references
    worded = queries.orders.WordedOrders(
        digest_of(block), answer.here.rules.canon(Orders(wanted.actions)), luck_word(block)
    )
    if queued is not None and (
        queued.revision == 1
        or queued.mark == worded.mark
        or (queued.text, queued.luck) == (worded.canonical, worded.luck)
    ):
        return None
    states = ("replaced", "cancelled") if is_reply else ("replaced",)
    return queries.orders.matching_revision(answer.session, phase, answer.seat, worded, states)


def report_quoted_orders(answer: SeatAnswer) -> None:
    """Report orders that are only in a quote, unless they are queued."""
    letter = answer.letter
    if letter.ambiguous:
        answer.opening.append(msg("The quoted part has several different blocks. Send only the one you want."))
    elif letter.orders_only_quoted and letter.left - _shown_orders(answer):
        answer.opening.append(msg("The orders were only in the quoted part. If you want them, send them unquoted."))


def _shown_orders(answer: SeatAnswer) -> set[str]:
    """Return the queued orders and orders for later turns as our letters show them.

    The lines are in every language.
    """
    speak = answer.server.rules_of(answer.game).telling.spoken
    blocks = [
        ["LATER T1", *scheduled_orders.mark_repeated(row.sealed_text, row.repeated or ""), "END"]
        for row in queries.orders.scheduled_orders(answer.session, answer.seat)
    ]
    if answer.queued_orders is not None:
        blocks.append(["ORDERS", *answer.queued_orders.sealed_text.splitlines(), "END"])
    texts = (
        lines if language == "en" else speech.echo_lines(lines, speak, language)
        for lines in blocks
        for language in supported_languages()
    )
    return {"", *map(_comparable, texts)}


def _comparable(lines: Sequence[str]) -> str:
    return quoting.orders_digest("\n".join(lines))


# A line of a condition, perhaps with the @ of a repetition. If it cannot be read, nobody knows when the lines below it
# hold, and their refusals are left out.
_BRANCH = re.compile(r"(?:\W*@)?\s*(?:if|si|else|sino|endif|finsi)\b")


def check_against_game(answer: SeatAnswer, block: OrderBlock, *, replace: bool) -> Orders | None:
    """Check a block against turn, time, game and position; collect its mistakes.

    For another turn only the syntax is checked: the orders were meant for another position.
    """
    if not is_in_time(answer, standing_alone=block.standing) or answer.here is None:
        return None
    if wrong := _check_date(answer, block, replace):
        answer.errors.append(wrong)
        return None
    if block.is_blank:
        answer.errors.append(content.make_mistake(block.line, block.header, block.header, _BLANK))
        return None
    return _parse(answer, answer.here, block, _wrong_header(answer, block))


def is_in_time(answer: SeatAnswer, *, standing_alone: bool = False) -> bool:
    """Return whether orders may be given now; otherwise the answer says why not.

    Standing orders alone may be given while a phase waits for answers; they apply from the next phase on.
    """
    if answer.closed is not None:
        if standing_alone:
            return True
        reason = msg("Orders for turn {turn} are closed, and the phase waits for answers.", turn=answer.closed.turn)
        if queries.phases.open_pause(answer.session, answer.closed) is None:
            reason = content.WAITS_FOR_BEACON
        answer.say("closed", reason, msg("You may give standing orders, which count from the next phase on."))
    elif answer.game.state == "over":
        answer.say("closed", msg("The game is over; no more orders are taken."))
    elif answer.here is None or answer.phase is None:
        answer.say("refusal", msg("The game has not begun; nothing was changed."))
    elif answer.inbox.internaldate > last_moment(answer.game, answer.phase):
        too_late = msg(
            "Your letter came after the deadline, {when}: your orders for turn {turn} cannot be changed any more.",
            when=answer.when(answer.phase.deadline),
            turn=answer.phase.turn,
        )
        answer.say("closed", too_late)
    else:
        return True
    return False


def _wrong_header(answer: SeatAnswer, block: OrderBlock) -> Mistake | None:
    phase = answer.phase
    if phase is None or block.standing:
        return None
    corrected = (f"{block.word} T{phase.turn}",)
    if block.turn is None:
        reason = msg("A block of orders begins with ORDERS and the turn, such as ORDERS T3.")
        return content.make_mistake(block.line, block.header, block.header, reason, corrected)
    if block.turn != phase.turn:
        reason = msg("These orders are for turn {wrong}; it is turn {turn}.", wrong=block.turn, turn=phase.turn)
        return content.make_mistake(block.line, block.header, block.header, reason, corrected)
    if _has_old_token(answer, block):
        reason = msg("This block is from an earlier letter of this turn; use the one in the last report.")
        return content.make_mistake(block.line, block.header, f"#{block.nonce}", reason, corrected)
    return None


def _has_old_token(answer: SeatAnswer, block: OrderBlock) -> bool:
    """Return whether a block of this turn is the form of an earlier letter."""
    is_of_this_turn = answer.phase is not None and block.turn == answer.phase.turn
    return is_of_this_turn and bool(block.nonce) and block.nonce != answer.seat.nonce


def _check_date(answer: SeatAnswer, block: OrderBlock, replace: bool) -> Mistake | None:
    """Return a mistake if a block was written before the queued orders."""
    queued = answer.queued_orders
    if (
        replace
        or block.standing
        or block.is_check_only
        or queued is None
        or queued.dated is None
        or answer.letter.date is None
    ):
        return None
    if answer.letter.date >= queued.dated:
        return None
    reason = msg(
        "This letter was written before your current orders (revision {revision}) and did not replace them. "
        "If you want it to, send it again with the line REPLACE above.",
        revision=queued.revision,
    )
    return content.make_mistake(block.line, block.header, block.header, reason)


_BLANK = msg(
    "Nothing is ordered between ORDERS and END: a line that begins with # is no order yet. "
    "To order nothing, write PASS there."
)

OUT_OF_TURN = msg("It is not your phase. Until the other side has moved you can only send standing orders.")


def was_asked(answer: SeatAnswer, position: Position, current: tables.Phase) -> bool:
    """Return whether the seat was asked for orders in the present turn already."""
    if answer.seat.name in position.active:
        return True
    return any(
        answer.seat.name in position.rules.active(history.state_after(answer, answer.game, phase.number - 1))
        for phase in queries.phases.phases_of_turn(answer.session, answer.game.id, current.turn)
        if phase.id != current.id
    )


def _out_of_turn(answer: SeatAnswer, position: Position, block: OrderBlock) -> Mistake:
    """Return the mistake of actions out of turn; LATER is the way out, if any."""
    phase = answer.phase
    if phase is None or position.letters or block.standing or block.is_check_only:
        return content.make_mistake(block.line, block.header, block.header, OUT_OF_TURN)
    turn = phase.turn + was_asked(answer, position, phase)
    later = f"{pick_phrase(answer.seat.language, *LATER[:2])} T{turn}"
    reason = msg(
        "It is not your phase. Until the other side has moved you can send standing orders, and orders that I keep "
        "for turn {turn}: {later} in place of {header}.",
        turn=turn,
        later=later,
        header=block.header,
    )
    return content.make_mistake(block.line, block.header, block.header, reason, (later,))


def _parse(answer: SeatAnswer, position: Position, block: OrderBlock, header: Mistake | None) -> Orders | None:
    """Parse a block by the game's rules.

    The game counts lines from the block's first, letters from their own first line.
    """
    name = answer.seat.name
    view = position.rules.view(position.state, name)
    reading = position.rules.parse(block.text, view, name)
    reading = reading._replace(orders=position.rules.aids.in_order(reading.orders))
    is_out_of_turn = bool(reading.orders.actions) and not answer.active
    is_for_now = header is None or block.turn is None
    # Objections to actions that are forbidden anyway would only mislead; so would another turn that is not his either.
    refused = () if is_out_of_turn or not is_for_now else _check_legality(position, name, block, reading)
    if is_out_of_turn and not _has_old_token(answer, block):
        header = _out_of_turn(answer, position, block)
    answer.errors += [header] if header is not None else []
    rejected = [*reading.rejected, *refused]
    answer.errors += [*block.mistakes(rejected), *luck_mistakes(block)]
    answer.closing += _unread_notice(block, reading, refused)
    if not rejected:
        standing.repeated_text(answer, position, block)
    if reading.orders.actions and block.standing:
        reason = msg("Only standing orders belong here; actions go between ORDERS and END.")
        answer.errors.append(content.make_mistake(block.line, block.header, block.header, reason))
    answer.warnings += number_in_letter(block, reading.warned)
    answer.respelt += [respelling._replace(line=respelling.line + block.first - 1) for respelling in reading.respelt]
    return None if answer.errors else reading.orders


def legal_orders(position: Position, seat: str, view: object, text: str) -> Orders | None:
    """Return a text's orders as executed; None if a line is refused.

    `view` is the seat's view of the position.
    """
    reading = position.rules.parse(text, view, seat)
    orders = position.rules.aids.in_order(reading.orders)
    refused = reading.rejected or position.rules.check(view, seat, orders, position.begun)
    return None if refused else orders


def _check_legality(position: Position, seat: str, block: OrderBlock, reading: ParsedBlock) -> list[RejectedLine]:
    """Return objections to readable lines, naming unreadable lines above.

    Below an unreadable IF, ELSE or ENDIF it is unknown which lines are executed, so nothing there is checked.
    """
    unread = sorted({rejected.line for rejected in reading.rejected})
    end = len(block.lines) + 1
    for number in unread:
        if 1 <= number <= len(block.lines) and _BRANCH.match(bare(block.lines[number - 1])):
            end = min(end, number)
    refused = position.rules.check(position.rules.view(position.state, seat), seat, reading.orders, position.begun)
    return [rejected for rejected in refused if rejected.line < end and rejected.line not in unread]


def _unread_notice(block: OrderBlock, reading: ParsedBlock, refused: Sequence[RejectedLine]) -> list[Msg]:
    """Return that lines were refused without the unreadable lines above them."""
    last = max((rejected.line for rejected in refused), default=0)
    lines = tuple(sorted({rejected.line + block.first - 1 for rejected in reading.rejected if rejected.line < last}))
    sentences = (
        msg("I could not read line {lines}: those below were checked as if it were not there.", lines=lines),
        msg("I could not read lines {lines}: those below were checked as if they were not there.", lines=lines),
    )
    return [by_number(len(lines), *sentences)] if lines else []


def queue_orders(answer: SeatAnswer, block: OrderBlock, orders: Orders) -> None:
    """Store standing orders, queue actions as the next revision, and report both."""
    position, phase, session = answer.here, answer.phase, answer.session
    if position is None:
        return
    _end_absence(answer)
    answer.in_force = in_force = standing.store_standing_orders(answer, position, orders.standing)
    answer.warnings += number_in_letter(
        block, standing.review_orders(position, answer.seat.name, orders.actions, in_force)
    )
    if phase is None:
        answer.say("receipt", msg("Your standing orders are in; they count from the next phase on."))
        report_quoted_block(answer)
        standing.echo_standing(answer, in_force)
        return
    queued, has_forecast = answer.queued_orders, False
    if answer.active and not block.standing:
        # The queued revision is the last one sent.
        revision = 1 + (
            queued.revision if queued is not None else queries.orders.last_revision(session, phase, answer.seat)
        )
        if queued is not None:
            hot_statements.update_row(session, queued, state="replaced")
            if answer.wish == "go" and not answer.going:
                # New orders cancel an earlier GO, and the undo window begins again.
                answer.set_wish("")
        canonical = position.rules.canon(Orders(orders.actions))
        proven = standing.check_roundtrip(position, answer.seat.name, canonical)
        answer.server.caches.proven.keep((IdentityKey(position.state), answer.seat.name, canonical), proven, 0)
        row = hot_statements.new_row(
            tables.QueuedOrders,
            phase_id=phase.id or 0,
            seat_id=answer.seat.id or 0,
            revision=revision,
            text=canonical,
            inbox_id=answer.inbox.id or 0,
            dated=answer.letter.date,
            received=answer.inbox.internaldate,
            mark=digest_of(block),
            repeated=standing.repeated_text(answer, position, block),
            luck=luck_word(block),
        )
        row.id = hot_statements.insert_object(session, row)
        answer.queue(row)
        answer.say("receipt", msg("Your orders are in: revision {revision}.", revision=revision))
        if answer.inbox.internaldate > phase.deadline:
            answer.opening.append(msg("They came after the deadline; by the terms of this game they still count."))
        if queued is not None:
            answer.opening.append(msg("They replace revision {revision}.", revision=queued.revision))
        queued = row
        has_forecast = bool(orders.actions) and not position.begun
    else:
        answer.say("receipt", msg("Your standing orders are in."))
    report_quoted_block(answer)
    _report_closing(answer, position, phase)
    echo_orders(answer, position, phase, queued, in_force)
    if has_forecast:
        forecast.forecast_orders(answer, position, Orders(orders.actions), in_force, queued=True)


def _end_absence(answer: SeatAnswer) -> None:
    """End a seat's absence if it gives orders and a bot would write for it."""
    bot = Terms.read(answer.game.terms).stand_in
    if bot and deadlines.end_absence(answer.session, answer.seat, answer.now):
        answer.opening.append(msg("You are back: the bot {bot} does not write for you any more.", bot=bot))
        answer.announce(lambda zone: (msg("{seat} is back.", seat=answer.seat.name),), f"back {answer.inbox.id}")


def report_quoted_block(answer: SeatAnswer) -> None:
    """Report if the block was in a quote."""
    if answer.letter.quoted_block:
        answer.opening.append(
            msg("They were read from the quoted part of your letter, because you changed the block there.")
        )


def _nothing_in(answer: SeatAnswer, deadline: datetime) -> Msg:
    return msg("You have no orders in. They are due by {when}.", when=answer.when(deadline))


def number_in_letter(block: OrderBlock, warned: Sequence[OrderWarning]) -> list[OrderWarning]:
    """Return a block's warnings with line numbers of the letter.

    Warnings about no line are unchanged.
    """
    return [
        warning._replace(line=warning.line + block.first - 1) if warning.line > 0 else warning for warning in warned
    ]


def _report_closing(answer: SeatAnswer, position: Position, phase: tables.Phase) -> None:
    """Report when the phase closes, after orders were queued."""
    is_held = answer.game.state == "held"
    missing = answer.missing
    closing = phase.deadline if is_held else deadlines.plan_closing(answer, position, phase, answer.phase_status)
    if is_held:
        answer.opening.append(msg("The game is held; the moderator has been told and you will hear when it goes on."))
    elif position.by_letter:
        answer.opening.append(msg("They are carried out now, and cannot be taken back. The report follows."))
    elif missing == (answer.seat.name,):
        answer.opening.append(_nothing_in(answer, closing))
    elif missing:
        answer.opening.append(
            msg("Still waiting for orders from: {seats}. Deadline: {when}.", seats=missing, when=answer.when(closing))
        )
    elif closing <= answer.now:
        answer.opening.append(msg("All orders are in; they are carried out now."))
    elif position.commanders and (others := _others_undecided(answer, position)):
        answer.opening.append(
            msg(
                "All orders are in. The phase closes when all commanders have said GO; still to say it: {seats}. "
                "Deadline: {when}.",
                seats=others,
                when=answer.when(phase.deadline),
            )
        )
    elif position.commanders:
        latest = answer.when(phase.deadline)
        answer.opening.append(
            msg("All orders are in. The phase closes when you say GO; at the latest on {when}.", when=latest)
        )
    else:
        answer.opening.append(
            msg(
                "All orders are in. You may change yours until {when}; then they are carried out.",
                when=answer.when(closing),
            )
        )


def _others_undecided(answer: SeatAnswer, position: Position) -> tuple[str, ...]:
    """Return the other commanders who have not said GO."""
    return tuple(
        seat
        for seat in deadlines.commanders_who_have_not_said_go(position, answer.phase_status)
        if seat != answer.seat.name
    )


def echo_orders(
    answer: SeatAnswer,
    position: Position,
    phase: tables.Phase,
    queued: tables.QueuedOrders | None,
    in_force: Sequence[str] | None = None,
) -> None:
    """Show all queued orders, repeated orders and standing orders in force.

    The standing orders are looked up if not given.
    """
    if queued is not None:
        lines = answer.echo_lines([f"ORDERS T{phase.turn}", *(queued.sealed_text.splitlines() or ["PASS"]), "END"])
        answer.blocks.append(content.titled_block(msg("Your orders as I understand them"), lines))
    standing.echo_repeats(answer, queued)
    standing.echo_standing(answer, in_force)


def report_queued(answer: SeatAnswer) -> None:
    """Report which orders count after a block that was not queued."""
    queued = answer.queued_orders
    if queued is not None:
        answer.opening.append(
            msg("The orders you sent before still stand (revision {revision}).", revision=queued.revision)
        )
    elif answer.phase is not None and answer.active:
        answer.opening.append(_nothing_in(answer, answer.phase.deadline))


# VERIFY: a block looked at as if it had been sent, what it would do before the first die, and nothing queued.


def report_meaning_of_orders(answer: SeatAnswer, block: OrderBlock, wanted: Orders) -> None:
    """Report what a correct block means, without storing anything."""
    position, phase, seat = answer.here, answer.phase, answer.seat.name
    if position is None or phase is None:
        return
    stored = {row.scope: row.text for row in queries.orders.standing_orders(answer.session, answer.seat)}
    would_be = stored | standing.texts_by_scope(position, seat, wanted.standing)
    texts = [text for _, text in sorted(would_be.items())]
    answer.warnings += number_in_letter(block, standing.review_orders(position, seat, wanted.actions, texts))
    answer.say(
        "verified",
        msg("I only checked these orders; they are not entered. To give them, send the block with ORDERS above it."),
    )
    if wanted.standing:
        answer.opening.append(msg("Its standing orders were only looked at too: those in force stay."))
    report_quoted_block(answer)
    report_queued(answer)
    if answer.active:
        text = luck.above(luck_word(block), position.rules.canon(Orders(wanted.actions)))
        lines = answer.echo_lines([f"ORDERS T{phase.turn}", *(text.splitlines() or ["PASS"]), "END"])
        shown_block, repeated_lines = (
            content.titled_block(msg("Your orders as I understand them"), lines),
            standing.repeated_text(answer, position, block),
        )
        answer.blocks.append(
            shown_block if repeated_lines or wanted.standing else content.with_letter_button(shown_block, lines)
        )
        if repeated_lines:
            title = msg("Repeated each turn, until you change it")
            answer.blocks.append(
                content.titled_block(title, answer.echo_lines(f"@ {line}" for line in repeated_lines.splitlines()))
            )
    if texts:
        title = (
            msg("Your standing orders as they would be") if would_be != stored else msg("Your standing orders in force")
        )
        answer.blocks.append(content.titled_block(title, answer.echo_lines("".join(texts).splitlines())))
    if answer.active and not position.begun:
        forecast.show_shared_orders(answer, position)
        forecast.forecast_orders(answer, position, Orders(wanted.actions), texts, queued=False)
