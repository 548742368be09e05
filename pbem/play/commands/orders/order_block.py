"""A block of orders: checked, then queued and echoed, or refused with what can be mended; VERIFY looks at it alone."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pbem.engine.data.canon import loads
from pbem.engine.data.languages import at_hand, known
from pbem.engine.data.memory import Itself
from pbem.engine.data.messages import Msg, msg
from pbem.engine.orders import luck, speech
from pbem.engine.orders.block import bare
from pbem.engine.terms import Orders, Reading, Rejected, Warned
from pbem.letters import content
from pbem.letters.command_lines import Block
from pbem.letters.content import Mistake
from pbem.mail import quoting
from pbem.mail.inbound import IncomingLetter
from pbem.play import deadlines, scheduled_orders
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.orders import standing
from pbem.play.commands.questions import forecast, odds
from pbem.play.positions import Position, last_moment
from pbem.runtime.terms import Terms
from pbem.runtime.transaction import READER, Transaction, look_of
from pbem.store import hot_statements, queries, tables

# LUCK: the word that a block gives for the dice, which is sealed with its orders.


def of(block: Block) -> str:
    """The word of a block that has no mistakes of words; empty if it gives none."""
    return block.luck[0][1] if block.luck else ""


def mistakes(block: Block) -> list[Mistake]:
    """What is wrong with the words of a block."""
    return block.mistakes(_rejected(block))


def _rejected(block: Block) -> Iterator[Rejected]:
    before = 0
    for line, word in block.luck:
        why = _objection(block, word, before)
        if why is not None:
            yield Rejected(line, -1, word or block.lines[line - 1].strip(), why, "")
        before = before or block.first + line - 1


def _objection(block: Block, word: str, before: int) -> Msg | None:
    if block.standing:
        return msg("LUCK stands between ORDERS and END, not among standing orders alone.")
    if before:
        return msg("A block has one LUCK, and it stands in line {line}.", line=before)
    return luck.objection(word)


# What a letter quotes: our own words in it, orders that stand only there, orders that were sent before.
#
# Whatever of this is in doubt is not carried out; the answer says so and how to say what is meant.


_THREAD = 3
"""Letters of the thread, counted from the last, whose words are looked for."""


def our_sentences(work: Transaction, seat: tables.Seat, letter: IncomingLetter) -> frozenset[str]:
    """The sentences of those letters of ours that this one may be an answer to."""
    names = {letter.in_reply_to, *letter.references[-_THREAD:], *seat.last_letter.split()[:1]} - {""}
    known: frozenset[str] = frozenset()
    for row in queries.outbox.by_names(work.session, names):
        if row.seat_id != seat.id or not row.model:
            continue
        ours = loads(row.model)
        # Whatever could be an order stands in these, and may be sent back on purpose.
        ours |= {"blocks": [], "errors": [], "template": []}
        if "form" in ours:
            ours["closing"] = [*ours["closing"], odds.LEFT_OUT.to_json()]
        if ours["report"] is not None:
            ours["report"] |= {"blocks": []}
        known |= quoting.sentences(
            work.server.plugins.renderer.letter(ours, at_hand(row.language), look_of(row.format) == READER)
        )
    return known


def digest(block: Block) -> str:
    """What a block orders, comments and layout apart, in a form to be compared."""
    return _of_orders([block.header, *block.lines, block.end])


def was_sent(answer: SeatAnswer, block: Block, wanted: Orders) -> bool:
    """Whether a block is one that this seat sent for the open phase already, and has given up since or only quotes.

    Somebody who answers a letter of his own, or a whole thread, sends the orders of then along with it, and not every
    client shows that they are quoted. They are not taken again unless the letter says REPLACE; the answer says which
    they were.
    """
    if answer.phase is None or block.verify or block.standing:
        return False
    if answer.letter.quoted_block:
        revision = queries.orders.revision_marked(answer.session, answer.phase, answer.seat, digest(block))
        why = msg(
            "The block quoted in your letter is the one you sent before (revision {revision}), and was not read "
            "again. If it is the one that counts now, send it again with the line REPLACE above it.",
            revision=revision or 0,
        )
    else:
        revision = _given_up(answer, answer.phase, block, wanted)
        why = msg(
            "The block in your letter is the one you sent before (revision {revision}), which you replaced or took "
            "back since; it was not read again. If it is the one that counts now, send it again with the line REPLACE "
            "above it.",
            revision=revision or 0,
        )
    if revision is None:
        return False
    answer.opening.append(why)
    return True


def _given_up(answer: SeatAnswer, phase: tables.Phase, block: Block, wanted: Orders) -> int | None:
    """The revision that an unquoted block repeats although it counts no more; of a new letter one that was replaced.

    Who takes his orders back and then sends them anew means it, unless his letter is an answer to another.
    """
    if answer.here is None or not wanted.actions:
        return None
    queued, answers = answer.queued, answer.letter.in_reply_to or answer.letter.references
    worded = queries.orders.Worded(digest(block), answer.here.rules.canon(Orders(wanted.actions)), of(block))
    if queued is not None and (
        queued.revision == 1
        or queued.mark == worded.mark
        or (queued.text, queued.luck) == (worded.canonical, worded.luck)
    ):
        return None
    states = ("replaced", "cancelled") if answers else ("replaced",)
    return queries.orders.given_up(answer.session, phase, answer.seat, worded, states)


def say_what_was_left(answer: SeatAnswer) -> None:
    """Tell of orders that were left out because they stood only in a quote, unless they are those that are queued."""
    letter = answer.letter
    if letter.ambiguous:
        answer.opening.append(msg("In the quoted part are several blocks that differ; send the one that counts alone."))
    elif letter.orders_only_quoted and letter.left - _shown(answer):
        answer.opening.append(msg("Orders stood only in the quoted part; if they are to count, send them unquoted."))


def _shown(answer: SeatAnswer) -> set[str]:
    """What our letters show of the orders that are queued and of those for turns to come, in whatever language."""
    speak = answer.server.rules_of(answer.game).telling.spoken
    blocks = [
        ["LATER T1", *scheduled_orders.mark_repeated(row.sealed, row.repeated or ""), "END"]
        for row in queries.orders.later(answer.session, answer.seat)
    ]
    if answer.queued is not None:
        blocks.append(["ORDERS", *answer.queued.sealed.splitlines(), "END"])
    texts = (
        lines if language == "en" else speech.echoed(lines, speak, language) for lines in blocks for language in known()
    )
    return {"", *map(_of_orders, texts)}


def _of_orders(lines: Sequence[str]) -> str:
    return quoting.orders_of("\n".join(lines))


_BRANCH = re.compile(r"(?:\W*@)?\s*(?:if|si|else|sino|endif|finsi)\b")


def hold_against_game(answer: SeatAnswer, block: Block, *, replace: bool) -> Orders | None:
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


def in_time(answer: SeatAnswer, *, standing_alone: bool = False) -> bool:
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


def _wrong_header(answer: SeatAnswer, block: Block) -> Mistake | None:
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


def _older(answer: SeatAnswer, block: Block, replace: bool) -> Mistake | None:
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


def _parse(answer: SeatAnswer, here: Position, block: Block, *, here_and_now: bool) -> Orders | None:
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
    answer.errors += [*block.mistakes(rejected), *mistakes(block)]
    if not rejected:
        standing.marks_of(answer, here, block)
    if reading.orders.actions and block.standing:
        why = msg("Only standing orders may stand here; actions belong between ORDERS and END.")
        answer.errors.append(content.mistake(block.line, block.header, block.header, why))
    answer.warnings += in_letter(block, reading.warned)
    answer.respelt += [one._replace(line=one.line + block.first - 1) for one in reading.respelt]
    return None if answer.errors else reading.orders


def legal_orders(here: Position, seat: str, view: object, text: str) -> Orders | None:
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


def queue(answer: SeatAnswer, block: Block, orders: Orders) -> None:
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
        standing.echo_standing(answer, in_force)
        return
    queued, foretold = answer.queued, False
    if answer.active and not block.standing:
        # What is queued is the last that was sent.
        revision = 1 + (
            queued.revision if queued is not None else queries.orders.last_revision(session, phase, answer.seat)
        )
        if queued is not None:
            hot_statements.change(session, queued, state="replaced")
            if answer.wished == "go" and not answer.going:
                # Other orders than those that the seat was content with: it has its time to change them again.
                answer.wish("")
        canonical = here.rules.canon(Orders(orders.actions))
        proven = standing.prove(here, answer.seat.name, canonical)
        answer.server.caches.proven.keep((Itself(here.state), answer.seat.name, canonical), proven, 0)
        row = hot_statements.new(
            tables.QueuedOrders,
            phase_id=phase.id or 0,
            seat_id=answer.seat.id or 0,
            revision=revision,
            text=canonical,
            inbox_id=answer.inbox.id or 0,
            dated=answer.letter.date,
            received=answer.inbox.internaldate,
            mark=digest(block),
            repeated=standing.marks_of(answer, here, block),
            luck=of(block),
        )
        row.id = hot_statements.add_row(session, row)
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


def _come_back(answer: SeatAnswer) -> None:
    """Whoever gives orders is away no more, where a bot would write for him."""
    bot = Terms.read(answer.game.terms).stand_in
    if bot and deadlines.come_back(answer.session, answer.seat, answer.now):
        answer.opening.append(msg("You are back: the bot {bot} does not write for you any more.", bot=bot))
        answer.announce(lambda zone: (msg("{seat} is back.", seat=answer.seat.name),), f"back {answer.inbox.id}")


def reread(answer: SeatAnswer) -> None:
    """Say so if the block stood in a quote."""
    if answer.letter.quoted_block:
        answer.opening.append(
            msg("They were read from the quoted part of your letter, because you changed the block there.")
        )


def in_letter(block: Block, warned: Sequence[Warned]) -> list[Warned]:
    """Warnings about lines of a block, counted in the letter; those about no line stay so."""
    return [w._replace(line=w.line + block.first - 1) if w.line > 0 else w for w in warned]


def _say_when(answer: SeatAnswer, here: Position, phase: tables.Phase) -> None:
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


def _others_undecided(answer: SeatAnswer, here: Position) -> tuple[str, ...]:
    """The other commanders who have not said GO; this letter may say it yet."""
    return tuple(seat for seat in deadlines.undecided(here, answer.heard) if seat != answer.seat.name)


def echo(
    answer: SeatAnswer,
    here: Position,
    phase: tables.Phase,
    queued: tables.QueuedOrders | None,
    in_force: Sequence[str] | None = None,
) -> None:
    """All the orders as they are queued, what is repeated, and the standing orders in force, looked up if not given."""
    if queued is not None:
        lines = answer.echoed([f"ORDERS T{phase.turn}", *queued.sealed.splitlines(), "END"])
        answer.blocks.append(content.block(msg("Your orders as I understand them"), lines))
    standing.echo_repeats(answer, queued)
    standing.echo_standing(answer, in_force)


def say_what_is_queued(answer: SeatAnswer) -> None:
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


# VERIFY: a block looked at as if it had been sent, what it would do before the first die, and nothing queued.


def verify(answer: SeatAnswer, block: Block, wanted: Orders) -> None:
    """Answer a block that was found good with what it means, without keeping any of it."""
    here, phase, seat = answer.here, answer.phase, answer.seat.name
    if here is None or phase is None:
        return
    kept = {row.scope: row.text for row in queries.orders.standing(answer.session, answer.seat)}
    would_be = kept | standing.scopes(here, seat, wanted.standing)
    texts = [text for _, text in sorted(would_be.items())]
    answer.warnings += in_letter(block, standing.second_thoughts(here, seat, wanted.actions, texts))
    answer.say(
        "verified",
        msg("I have checked your block and queued nothing of it. To give these orders, send it with ORDERS above it."),
    )
    if wanted.standing:
        answer.opening.append(msg("Its standing orders were only looked at too: those in force stay."))
    reread(answer)
    say_what_is_queued(answer)
    if answer.active:
        text = luck.above(of(block), here.rules.canon(Orders(wanted.actions)))
        lines = answer.echoed([f"ORDERS T{phase.turn}", *text.splitlines(), "END"])
        shown, again = (
            content.block(msg("Your orders as I understand them"), lines),
            standing.marks_of(answer, here, block),
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
        forecast.show(answer, here)
        forecast.foretell(answer, here, Orders(wanted.actions), texts, queued=False)
