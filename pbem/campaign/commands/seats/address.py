"""ADDRESS: letters go somewhere else from now on, once both mailboxes have said so.

One code goes to the registered address and one to the new one; the line with both shows that whoever asks reads both.
All seats and games of a person move together.
"""

from __future__ import annotations

from pbem.campaign.base import codes, letters
from pbem.campaign.base.command_lines import Command
from pbem.campaign.base.command_words import ADDRESS
from pbem.campaign.base.letters import Head, Mistake
from pbem.campaign.base.work import Work
from pbem.campaign.commands.answer import Desk
from pbem.campaign.people import moderators, outbox
from pbem.core.data.messages import Msg, msg
from pbem.mail.address import check_address
from pbem.store import queries

__all__ = ["address", "address_wrong"]


def address(desk: Desk, command: Command) -> None:
    """Ask both mailboxes, or move if both codes have come back."""
    wanted = ADDRESS.fullmatch(command.rest)
    old = queries.people.email_of(desk.session, desk.seat.person_id)
    if wanted is None or old is None:
        raise ValueError(f"nobody moves by {command.rest!r}")
    new = wanted["email"]
    here, there = (desk.seat.game_id, old, new, "registered"), (desk.seat.game_id, old, new, "new")
    if wanted["here"] is None:
        _ask(desk, command, new, codes.codes(desk.server, *here)[0], codes.codes(desk.server, *there)[0])
        return
    if not (codes.good(desk.server, wanted["here"], *here) and codes.good(desk.server, wanted["there"], *there)):
        desk.say("answer", codes.stale(f"{command.phrase} {new}"))
        return
    _move(desk, old, new)


def address_wrong(desk: Desk, command: Command) -> Mistake | None:
    """An address that no mail can be sent to, or that is taken."""
    wanted = ADDRESS.fullmatch(command.rest)
    if wanted is None or desk.seat.person_id is None:
        return None
    new = wanted["email"]
    why = _no_use(desk, new)
    return command.wrong(why, word=new) if why is not None else None


def _no_use(desk: Desk, new: str) -> Msg | None:
    try:
        check_address(new)
    except ValueError:
        return msg("No mail can be sent to {address}.", address=new)
    if new == queries.people.email_of(desk.session, desk.seat.person_id):
        return msg("You are registered with that address already.")
    if new.rpartition("@")[2] == desk.server.domain and new.partition("@")[0].split("+")[0] == desk.server.local:
        return msg("That is an address of this server.")
    other = queries.people.person_by_email(desk.session, new)
    taken = other is not None and other.id != desk.seat.person_id
    if taken or moderators.collide(desk.session, desk.seat.person_id or 0, new):
        return msg("That address cannot be used.")
    return None


def _ask(desk: Desk, command: Command, new: str, here: str, there: str) -> None:
    word = "CODIGO" if desk.seat.language == "es" else "CODE"
    desk.say(
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
    desk.blocks.append(letters.block(msg("The line that moves your letters"), [line]))
    # Nothing here tells of the seat: nobody knows yet whose mailbox that is.
    told = (
        msg("Somebody who plays here by mail wants his letters to come to this address."),
        msg("If that was you, this is the second code: {code}. If not, do nothing.", code=there),
    )
    letter = letters.model("confirm", Head(), opening=told)
    cause = f"address {desk.seat.person_id} {there}"
    outbox.queue(desk, letter, new, cause=cause, language=desk.seat.language)


def _move(desk: Desk, old: str, new: str) -> None:
    session, person = desk.session, desk.seat.person_id
    rows = {row.email: row for row in queries.people.addresses(session, person)}
    if new in rows:
        session.delete(rows[new])
        session.flush()
    rows[old].email = new
    session.add(rows[old])
    session.flush()
    operator = desk.server.operator
    desk.say(
        "settings",
        msg("From now on my letters go to {address}; this is the last one to {old}.", address=new, old=old),
        msg("If it was not you, tell the operator at once: {operator}.", operator=operator),
    )
    head = outbox.head_of(desk.server, desk.game, desk.seat, desk.phase)
    told = msg("From now on my letters come to this address. Yours go where they went before: {to}.", to=head.address)
    letter = letters.model("settings", head, opening=(told,))
    outbox.to_seat(
        Work(session, desk.server, desk.now), letter, desk.seat, desk.game, cause=f"moved {new} {desk.now.isoformat()}"
    )
