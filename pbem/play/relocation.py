"""All addresses made anew at once: the server has moved to another one, or has another key for its tokens.

Whoever has a part in a game that is not over is written to; the address in such a letter is his own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pbem.engine.data.messages import Msg, msg
from pbem.letters import content, moderators, outbox
from pbem.play.seating import REPLACED
from pbem.runtime.transaction import Work
from pbem.store import queries

Told = Callable[[str], Sequence[Msg]]
"""(the address that somebody writes to from now on) -> what he is told."""


def moved(work: Work, before: str) -> int:
    """Tell everybody that the server has moved here from another address; how many letters that makes."""

    def told(address: str) -> Sequence[Msg]:
        return (
            msg("This server has moved from {before} to {address}.", before=before, address=work.server.address),
            msg("Write to {address} from now on; answering this letter is enough.", address=address),
            msg("The game goes on as it was: orders that you have sent still count, and so does the log."),
        )

    cause = f"moved {work.server.address}"
    return _tell(work, told, cause) + _tell_observers(work, told, cause)


def rekeyed(work: Work) -> int:
    """Tell everybody his new address after the key of all tokens was replaced; how many letters that makes."""

    def told(address: str) -> Sequence[Msg]:
        return (
            msg("The key of this server was replaced: all who play here have other addresses to write to."),
            msg("Write to {address} from now on; answering this letter is enough.", address=address),
            REPLACED,
            msg("Orders that you have sent still count. Codes that I have mailed you are not good any more."),
        )

    return _tell(work, told, f"rekeyed {work.now.isoformat()}")


def _tell(work: Work, told: Told, cause: str) -> int:
    count = 0
    for game in queries.games.unfinished(work.session):
        phase = queries.phases.played_phase(work.session, game.id) if game.state != "forming" else None
        for seat in queries.games.seats(work.session, game.id):
            head = outbox.head_of(work.server, game, seat, phase)
            letter = content.Letter("settings", head, opening=told(head.address)).to_json()
            count += bool(outbox.to_seat(work, letter, seat, game, cause))
        moderator = moderators.moderator_of(work.session, game)
        if moderator is not None:
            address = work.server.moderator_address(moderator.row)
            count += moderators.notify(work, game, moderators.Memo(told(address), cause=cause))
    return count


def _tell_observers(work: Work, told: Told, cause: str) -> int:
    """Those who watch have no address but the server's own."""
    count = 0
    for game in queries.games.unfinished(work.session):
        for one in queries.people.observers(work.session, game.id):
            recipient = queries.people.email_of(work.session, one.person_id)
            if recipient is not None:
                head = outbox.head_of(work.server, game, None, None)._replace(address=work.server.address)
                letter = content.Letter("settings", head, opening=told(work.server.address)).to_json()
                to = outbox.Envelope(recipient, one.language, game=game)
                count += bool(outbox.queue(work, letter, to, f"{cause} observer {one.id}"))
    return count
