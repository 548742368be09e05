"""What a seat's player is told of a letter's header: that its From is not his, or that others can read his token in it.

The token alone decides whose a letter is, so such a letter is carried out; but the registered address hears of it.
Nothing is said of who the others are: whose an address is nobody learns by trying it.
"""

from __future__ import annotations

from pbem.engine.data.messages import Msg, msg
from pbem.letters import senders
from pbem.letters.senders import Writer
from pbem.mail.address import base_address
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.runtime.transaction import Work

_PROVEN = msg("Its sender is vouched for.")
_UNPROVEN = msg("Nobody vouches for its sender.")
_ROTATE = msg("If it was not you, somebody knows your seat's address: ROTATE gives you another one.")


def not_his(work: Work, writer: Writer, sender: str, evidence: Evidence) -> tuple[Msg, ...]:
    """Return what to tell of a From that is false or a fellow player's (each time), or new (the first time)."""
    vouched = _PROVEN if evidence == "pass" else _UNPROVEN
    false = msg(
        "Somebody else wrote this letter, in the name of {address}: its From is false. It came to your seat's "
        "address, and so it counts.",
        address=sender,
    )
    lies = (false,) if evidence == "fail" else ()
    if senders.new_address(work, writer, sender):
        came = msg("This letter came from {address}, from where none of your seat came before.", address=sender)
        return came, vouched, *lies, _ROTATE
    if _fellow(writer, sender):
        came = msg("This letter came from {address}, which is not where I write to you.", address=sender)
        return came, vouched, *lies, _ROTATE
    return (*lies, _ROTATE) if lies else ()


def handed_on(letter: IncomingLetter, email: str, address: str) -> tuple[Msg, ...]:
    """Return what to tell if a letter to the seat's `address` names others in To or Cc, who can read it too."""
    if all(base_address(other) == base_address(email) for other in letter.others):
        return ()
    return (
        msg("Your letter went to others beside me: all of them can read the address in it, and write in your name."),
        msg("ROTATE, in a letter to {address} alone, gives you another address at once.", address=address),
    )


def _fellow(writer: Writer, sender: str) -> bool:
    """Whether a From is the registered address of somebody else at the same table."""
    if not sender or writer.email is None or base_address(sender) == base_address(writer.email):
        return False
    return any(
        one.seat.person_id != writer.seat.person_id and one.email and base_address(one.email) == base_address(sender)
        for one in writer.sittings
    )
