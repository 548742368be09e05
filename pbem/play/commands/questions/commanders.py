"""What a commander sees of the others of his side before a phase closes: the sets that they show, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping

from pbem.engine.data.messages import msg
from pbem.engine.orders import luck
from pbem.engine.terms import Orders
from pbem.letters import content
from pbem.play import adjudication
from pbem.play.commands.answer import Answer
from pbem.play.positions import Position
from pbem.store import queries


def shared_sets(answer: Answer, here: Position) -> Mapping[str, Orders]:
    """The sets that other commanders of the seat's side have queued and show, by seat; none to anybody else."""
    return {seat: orders for seat, (_, orders) in _shown(answer, here).items()}


def show(answer: Answer, here: Position) -> None:
    """Add to the answer each set that is shown to its seat."""
    for seat, (text, _) in _shown(answer, here).items():
        title = msg("The set of {seat}, as it stands", seat=seat)
        answer.blocks.append(content.block(title, answer.echoed(text.splitlines())))


def _shown(answer: Answer, here: Position) -> Mapping[str, tuple[str, Orders]]:
    """The texts of such sets, and what they say; where couriers ride those of who is next to the reader alone."""
    phase, own = answer.phase, answer.seat
    if phase is None or own.name not in here.commanders:
        return {}
    found: dict[str, tuple[str, Orders]] = {}
    for seat in answer.seats:
        if seat.name == own.name or seat.name not in here.commanders or seat.side != own.side:
            continue
        if here.rules.rides(here.state, seat.name, own.name):
            # It would not be there before the phase closes.
            continue
        queued = queries.orders.queued(answer.session, phase, seat)
        if queued is None or queued.waits:
            continue
        _, text = luck.apart(queued.sealed)
        orders = adjudication.parse_closed(here.rules, here.state, seat.name, text)
        if here.rules.shares(orders):
            found[seat.name] = (text, orders)
    return found
