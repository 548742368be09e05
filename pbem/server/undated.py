"""Letters with neither Message-ID nor Date, as somebody writes into a file and hands in.

Nothing in such a letter tells when it was written: a second one of the same words may be the first once more, or may be
meant anew. What only asks is answered anew, for that does nothing. What only answers is read anew if its writer was
asked something after the first had come, and this one came after that: then it can be no answer of before. All else is
done once, and whoever sends it twice is told so.
"""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, outbox
from pbem.letters.command_lines import Understood
from pbem.letters.senders import Writer
from pbem.runtime.transaction import Work
from pbem.server.catalogue import ANSWERS, QUESTIONS
from pbem.store import queries, tables
from pbem.store.queries.inbox import Earlier

_ANEW = msg("The same words came from you before, to an older question; now they count for this one.")


def opening_anew(work: Work, writer: Writer, said: Understood, row: tables.Inbox, first: int) -> tuple[Msg, ...] | None:
    """What the answer to a letter in the words of the `first` opens with; None if it is that one come again."""
    if said.block or said.later or said.wrong or said.excess or not said.commands:
        return None
    names = {command.name for command in said.commands}
    if names <= QUESTIONS:
        return ()
    return (_ANEW,) if names <= ANSWERS and _is_asked_since(work, writer, row, first) else None


def _is_asked_since(work: Work, writer: Writer, row: tables.Inbox, first: int) -> bool:
    phase = queries.phases.closed_phase(work.session, writer.game.id)
    segment = queries.phases.asking(work.session, phase) if phase is not None else None
    if segment is None or not queries.phases.questions_to(work.session, segment, writer.seat):
        return False
    return work.session.get_one(tables.Inbox, first).internaldate < segment.opened <= row.internaldate


def say_it_came_before(work: Work, row: tables.Inbox, seat: tables.Seat, first: Earlier) -> tuple[str, ...]:
    """Tell the writer that he sent this before, word for word, and what to do; the Message-ID of what he is told."""
    game = work.session.get_one(tables.Game, seat.game_id)
    to = outbox.envelope_for(work, seat, game)
    if to is None:
        return ()
    came = content.when(work.session.get_one(tables.Inbox, first.id).taken, seat.zone)
    told = (
        msg(
            "I have had this letter before, word for word: it came on {when}. What it said is not done a second time; "
            "the answer of then comes once more.",
            when=came,
        ),
        msg("If you mean it anew, write anything more in it, such as a line that begins with #, and send that."),
    )
    head = outbox.head_of(work.server, game, seat, queries.phases.played_phase(work.session, game.id))
    letter = content.Letter("refusal", head, opening=told, what=content.NOT_DONE).to_json()
    return (outbox.queue(work, letter, to, f"{row.message_id} {row.id}", row),)
