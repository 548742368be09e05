"""What is kept of letters once a game is over, and of pictures: after so many days no more than is needed.

Of letters it is known that they came and went, and not what they said. A picture is drawn anew where a letter that
shows it is sent once more.

What was ordered, what happened and the log stay, so that the game replays and its log checks as before. A letter that
was emptied is not sent again, and one of a player's that comes once more is known as before.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import structlog

from pbem.runtime.transaction import Server
from pbem.store import queries, writes

log = structlog.get_logger(__name__)

_AT_ONCE = 200
"""Pictures that are deleted together: nobody who writes has to wait long."""


def empty(server: Server, days: int, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Empty the letters about games that have been over for so many days, a game a transaction; how many games.

    A game counts as over from its last letter on. It breaks off once `goes_on` says no.
    """
    before = server.clock.now() - timedelta(days=days)
    with server.reading() as work:
        names = queries.games.ended(work.session, before)
    done = 0
    for name in names:
        if not goes_on():
            break
        with server.work() as work:
            writes.empty_letters(work.session, name, work.now)
        log.info("letters emptied", game=name)
        done += 1
    return done


def forget_pictures(server: Server, days: int, goes_on: Callable[[], bool] = lambda: True) -> int:
    """Delete pictures that were drawn more than so many days ago, some a transaction; how many.

    It breaks off once `goes_on` says no.
    """
    before, done = server.clock.now() - timedelta(days=days), 0
    while goes_on():
        with server.work() as work:
            gone = writes.forget_pictures(work.session, before, _AT_ONCE)
        done += gone
        if gone < _AT_ONCE:
            break
    if done:
        log.info("pictures forgotten", count=done)
    return done
