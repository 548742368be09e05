"""What a letter quotes: our own words in it, orders that stand only there, orders that were sent before.

Whatever of this is in doubt is not carried out; the answer says so and how to say what is meant.
"""

from __future__ import annotations

from collections.abc import Sequence

from pbem.engine.data.canon import loads
from pbem.engine.data.languages import at_hand, known
from pbem.engine.data.messages import msg
from pbem.engine.orders import speech
from pbem.engine.terms import Orders
from pbem.letters.command_lines import Block
from pbem.mail import quoting
from pbem.mail.inbound import IncomingLetter
from pbem.play import scheduled_orders
from pbem.play.commands.answer import Answer
from pbem.play.commands.orders import word
from pbem.play.commands.questions import odds
from pbem.runtime.transaction import READER, Work, look_of
from pbem.store import queries, tables

_THREAD = 3
"""Letters of the thread, counted from the last, whose words are looked for."""


def our_sentences(work: Work, seat: tables.Seat, letter: IncomingLetter) -> frozenset[str]:
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
            work.server.renderer.letter(ours, at_hand(row.language), look_of(row.format) == READER)
        )
    return known


def digest(block: Block) -> str:
    """What a block orders, comments and layout apart, in a form to be compared."""
    return _of_orders([block.header, *block.lines, block.end])


def was_sent(answer: Answer, block: Block, wanted: Orders) -> bool:
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


def _given_up(answer: Answer, phase: tables.Phase, block: Block, wanted: Orders) -> int | None:
    """The revision that an unquoted block repeats although it counts no more; of a new letter one that was replaced.

    Who takes his orders back and then sends them anew means it, unless his letter is an answer to another.
    """
    if answer.here is None or not wanted.actions:
        return None
    queued, answers = answer.queued, answer.letter.in_reply_to or answer.letter.references
    worded = queries.orders.Worded(digest(block), answer.here.rules.canon(Orders(wanted.actions)), word.of(block))
    if queued is not None and (
        queued.revision == 1
        or queued.mark == worded.mark
        or (queued.text, queued.luck) == (worded.canonical, worded.luck)
    ):
        return None
    states = ("replaced", "cancelled") if answers else ("replaced",)
    return queries.orders.given_up(answer.session, phase, answer.seat, worded, states)


def say_what_was_left(answer: Answer) -> None:
    """Tell of orders that were left out because they stood only in a quote, unless they are those that are queued."""
    letter = answer.letter
    if letter.ambiguous:
        answer.opening.append(msg("In the quoted part are several blocks that differ; send the one that counts alone."))
    elif letter.orders_only_quoted and letter.left - _shown(answer):
        answer.opening.append(msg("Orders stood only in the quoted part; if they are to count, send them unquoted."))


def _shown(answer: Answer) -> set[str]:
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
