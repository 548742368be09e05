"""Letters between the commanders of a side that ride: how late each is there, and how many may leave."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pbem.play.commands.answer import Answer
from pbem.store import queries

MOST_A_TURN = 2
"""Letters that one commander may send another in a turn where couriers ride."""


class Copy(NamedTuple):
    """A letter as it goes to some of its readers: their seats parted by blanks, or a star; the reports that it rides.

    It is None where no letter of the kind rides.
    """

    to: str
    rides: int | None = None


def copies(answer: Answer, to: str) -> tuple[Copy, ...]:
    """Return how a letter goes to its readers: by a rider to each commander of the writer's side, else as ever.

    A copy names one reader alone: who is near whom is nobody's business.
    """
    riders = _riders(answer, to)
    if not riders:
        return (Copy(to),)
    mates = {copy.to for copy in riders}
    rest = [seat.name for seat in answer.seats if seat.name != answer.seat.name and seat.name not in mates]
    others = " ".join(name for name in rest if to == "*" or name in to.split())
    return (*riders, *((Copy(others),) if others else ()))


def ridden_out(answer: Answer, to: str) -> tuple[str, ...]:
    """Return the commanders to whom no rider is left this turn."""
    if answer.phase is None:
        return ()
    answer.session.flush()
    written = queries.outbox.press_of_turns(answer.session, answer.game.id, answer.phase.turn, answer.phase.turn)
    sent = [row.to for row in written if row.seat_id == answer.seat.id]
    return tuple(copy.to for copy in _riders(answer, to) if sent.count(copy.to) >= MOST_A_TURN)


def _riders(answer: Answer, to: str) -> Sequence[Copy]:
    """A copy for each reader to whom letters of this seat ride."""
    here, own = answer.here, answer.seat
    if here is None or answer.phase is None:
        return ()
    names = [seat.name for seat in answer.seats if seat.name != own.name and (to == "*" or seat.name in to.split())]
    late = {name: here.rules.rides(here.state, own.name, name) for name in names}
    return [Copy(name, rides) for name, rides in sorted(late.items()) if rides is not None]
