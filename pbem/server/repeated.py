# Small because it is a rule of its own, and letters of one place alone go by it.
"""Letters that come again and again and change nothing, as those of vacation programs that do not say what they are.

Without a sign of a machine each is answered. Where nothing was understood a third answer to the same words says that
it is the last for a week. However the words differ, a seat gets no more answers a day to letters that changed nothing
than it may get in an hour.
"""

from __future__ import annotations

from datetime import timedelta

from pbem.engine.data.messages import msg
from pbem.mail import inbound
from pbem.play.commands.answer import Answer
from pbem.store import queries

CHANGED_NOTHING = ("help", "refusal", "closed")
"""Kinds of answers to letters in which nothing was understood, that were refused, or too late."""
_SAME = 3
_LOOKED_AT = 5
_WEEK, _DAY = timedelta(days=7), timedelta(days=1)
_LAST = msg("Letters with these words have come several times. For a week I answer no more of them.")


def is_enough(answer: Answer) -> bool:
    """Tell whether the answer to a letter stays away; the last one that goes out says so."""
    if answer.kind not in CHANGED_NOTHING:
        return False
    session, seat, now = answer.session, answer.seat, answer.now
    if queries.inbox.came_of_since(session, seat, CHANGED_NOTHING, now - _DAY) >= 3 * answer.server.letters_an_hour:
        return True
    if not answer.unread:
        return False
    words = _words(answer.letter.text)
    texts = queries.inbox.texts_of(session, seat, CHANGED_NOTHING[:1], now - _WEEK, _LOOKED_AT)
    same = sum(_words(inbound.read(raw, answer.server.own).text) == words for raw in texts)
    if same == _SAME - 1:
        answer.closing.append(_LAST)
    return same >= _SAME


def _words(text: str) -> list[str]:
    return text.casefold().split()
