"""ADDRESS: letters go somewhere else from now on, once both mailboxes have said so.

One code goes to the registered address and one to the new one; the line with both shows that whoever asks reads both.
All seats and games of a person move together.
"""

from __future__ import annotations

import re

from pbem.campaign.base import codes, letters
from pbem.campaign.base.command_lines import Line
from pbem.campaign.base.command_words import Form
from pbem.campaign.base.letters import Head, Mistake
from pbem.campaign.commands.answer import Answer
from pbem.campaign.commands.command import Command, Often
from pbem.campaign.people import moderators, outbox
from pbem.core.data.messages import Msg, msg
from pbem.mail.address import check_address
from pbem.store import queries

__all__ = ["COMMANDS"]

_WHERE = re.compile(
    r"(?P<email>[^\s@]{1,64}@[^\s@]{1,190})(?: (?:code|codigo) (?P<here>[a-z2-7]{8}) (?P<there>[a-z2-7]{8}))?"
)
"""What follows ADDRESS: the new address, perhaps the codes that were mailed to the old one and to the new one."""


def address(answer: Answer, command: Line) -> None:
    """Ask both mailboxes, or move if both codes have come back."""
    wanted = _WHERE.fullmatch(command.rest)
    old = queries.people.email_of(answer.session, answer.seat.person_id)
    if wanted is None or old is None:
        raise ValueError(f"nobody moves by {command.rest!r}")
    new = wanted["email"]
    here, there = (answer.seat.game_id, old, new, "registered"), (answer.seat.game_id, old, new, "new")
    if wanted["here"] is None:
        _ask(answer, command, new, codes.codes(answer.server, *here)[0], codes.codes(answer.server, *there)[0])
        return
    if not (codes.good(answer.server, wanted["here"], *here) and codes.good(answer.server, wanted["there"], *there)):
        answer.say("answer", codes.stale(f"{command.phrase} {new}"))
        return
    _move(answer, old, new)


def address_wrong(answer: Answer, command: Line) -> Mistake | None:
    """An address that no mail can be sent to, or that is taken."""
    wanted = _WHERE.fullmatch(command.rest)
    if wanted is None or answer.seat.person_id is None:
        return None
    new = wanted["email"]
    why = _no_use(answer, new)
    return command.wrong(why, word=new) if why is not None else None


def _no_use(answer: Answer, new: str) -> Msg | None:
    try:
        check_address(new)
    except ValueError:
        return msg("No mail can be sent to {address}.", address=new)
    if new == queries.people.email_of(answer.session, answer.seat.person_id):
        return msg("You are registered with that address already.")
    if answer.server.own.holds(new):
        return msg("That is an address of this server.")
    other = queries.people.person_by_email(answer.session, new)
    taken = other is not None and other.id != answer.seat.person_id
    if taken or moderators.collide(answer.session, answer.seat.person_id or 0, new):
        return msg("That address cannot be used.")
    return None


def _ask(answer: Answer, command: Line, new: str, here: str, there: str) -> None:
    word = "CODIGO" if answer.seat.language == "es" else "CODE"
    answer.say(
        "confirm",
        msg("You want my letters to go to {address}, for all that you play here.", address=new),
        msg("Nothing is changed yet. A second code has gone to that address."),
        msg(
            "If it was you and you want it, send me this line within {days} days, the second code at its end; "
            "else do nothing.",
            days=codes.DAYS,
        ),
    )
    line = f"{command.phrase} {new} {word} {here} ........"
    answer.blocks.append(letters.block(msg("The line that moves your letters"), [line]))
    # Nothing here tells of the seat: nobody knows yet whose mailbox that is.
    told = (
        msg("Somebody who plays here by mail wants his letters to come to this address."),
        msg("If that was you, this is the second code: {code}. If not, do nothing.", code=there),
    )
    letter = letters.Letter("confirm", Head(), opening=told).to_json()
    cause = f"address {answer.seat.person_id} {there}"
    outbox.queue(answer, letter, outbox.Envelope(new, answer.seat.language), cause)


def _move(answer: Answer, old: str, new: str) -> None:
    session, person = answer.session, answer.seat.person_id
    rows = {row.email: row for row in queries.people.addresses(session, person)}
    if new in rows:
        session.delete(rows[new])
        session.flush()
    rows[old].email = new
    session.add(rows[old])
    session.flush()
    operator = answer.server.operator
    answer.say(
        "settings",
        msg("From now on my letters go to {address}; this is the last one to {old}.", address=new, old=old),
        msg("If it was not you, tell the operator at once: {operator}.", operator=operator),
    )
    head = outbox.head_of(answer.server, answer.game, answer.seat, answer.phase)
    told = msg("From now on my letters come to this address. Yours go where they went before: {to}.", to=head.address)
    letter = letters.Letter("settings", head, opening=(told,)).to_json()
    outbox.to_seat(answer, letter, answer.seat, answer.game, cause=f"moved {new} {answer.now.isoformat()}")


def _named(command: Line) -> str:
    """The new address, as long as it has not said its code."""
    wanted = _WHERE.fullmatch(command.rest)
    return wanted["email"] if wanted is not None and wanted["here"] is None else ""


COMMANDS = (
    Command(
        Form("address", ("ADDRESS", "DIRECCION"), _WHERE, "ADDRESS new@address", "DIRECCION nueva@direccion"),
        address,
        check=address_wrong,
        often=Often(day=10),
        names=_named,
    ),
)
