"""The order desk that a letter brings: promised when the letter is written, laid when it is put into words."""

from __future__ import annotations

from pbem.engine.data.canon import Json
from pbem.engine.data.messages import msg
from pbem.letters import content
from pbem.play.positions import Position
from pbem.runtime.transaction import Work
from pbem.store import queries, tables

BUTTON = msg("Send me the order desk: a page with the map to choose all orders on")
FAILED = msg("Your order desk could not be laid; the operator can read why in the log.")
_LINES = (
    msg("desk.html is a page of its own: open it, choose your orders on the map, and mail what it writes."),
    msg("Where mail programs keep such files from you, pbemdesk.txt is the same for a desk that you have already."),
    msg("Who has one of them can write for your seat, as with this letter; they are for this phase alone."),
)


def can(work: Work, here: Position) -> bool:
    """Whether there are desks for a game: somebody lays them, and it has a map."""
    return work.server.desks is not None and here.rules.pictured is not None


def promise(work: Work, here: Position, seat: tables.Seat, turn: int) -> Json:
    """A block that tells of the desk, and from what it is to be laid: the position by its number, as of the form."""
    block = content.sentences(msg("Your order desk"), [(0, line) for line in _LINES])
    standing = queries.orders.standing_texts(work.session, seat)
    block["desk"] = {"after": here.number, "standing": list(standing), "turn": turn, "code": seat.nonce}
    if here.begun:
        # Letters of the phase were carried out: the position after them is nowhere else once another comes.
        block["desk"]["midway"] = here.rules.encode(here.state)
    return block
