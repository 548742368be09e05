"""ADDRESS: letters go somewhere else from now on, once both mailboxes have said so.

One code goes to the registered address and one to the new one; the line with both shows that whoever asks reads both.
As long as these are good no other letter goes to the new one, however often and in whatever writing it is named.
All seats and games of a person move together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import chosen
from pbem.engine.data.messages import Msg, msg
from pbem.letters import codes, content, moderators, outbox
from pbem.letters.commands import Form, Line
from pbem.letters.content import Head, Mistake
from pbem.mail.address import base_address, check_address
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import Command, Often
from pbem.store import queries

_WHERE = re.compile(
    r"(?P<email>[^\s@]{1,64}@[^\s@]{1,190})(?: (?:code|codigo) (?P<here>[a-z2-7]{8}) (?P<there>[a-z2-7]{8}))?"
)
"""What follows ADDRESS: the new address, perhaps the codes that were mailed to the old one and to the new one."""


def address(answer: SeatAnswer, command: Line) -> None:
    """Ask both mailboxes, or move if both codes have come back."""
    wanted = _WHERE.fullmatch(command.rest)
    old = queries.persons.email_of(answer.session, answer.seat.person_id)
    if wanted is None or old is None:
        raise ValueError(f"nobody moves by {command.rest!r}")
    new = wanted["email"]
    here, there = (answer.seat.game_id, old, new, "registered"), (answer.seat.game_id, old, new, "new")
    if wanted["here"] is None:
        _ask(answer, command, new, codes.codes(answer.server, *here)[0], codes.codes(answer.server, *there))
        return
    if not (codes.good(answer.server, wanted["here"], *here) and codes.good(answer.server, wanted["there"], *there)):
        answer.say("answer", codes.stale(f"{command.phrase} {new}"))
        return
    _move(answer, old, new)


def address_wrong(answer: SeatAnswer, command: Line) -> Mistake | None:
    """An address that no mail can be sent to, or that is taken."""
    wanted = _WHERE.fullmatch(command.rest)
    if wanted is None or answer.seat.person_id is None:
        return None
    new = wanted["email"]
    why = _no_use(answer, new) or (_asked_already(answer, new) if wanted["here"] is None else None)
    return command.wrong(why, word=new) if why is not None else None


def _no_use(answer: SeatAnswer, new: str) -> Msg | None:
    try:
        check_address(new)
    except ValueError:
        return msg("No mail can be sent to {address}.", address=new)
    if new == queries.persons.email_of(answer.session, answer.seat.person_id):
        return msg("You are registered with that address already.")
    if answer.server.own.holds(new):
        return msg("That is an address of this server.")
    other = queries.persons.person_by_email(answer.session, new)
    taken = other is not None and other.id != answer.seat.person_id
    if taken or moderators.collide(answer.session, answer.seat.person_id or 0, new):
        return msg("That address cannot be used.")
    return None


def _asked_already(answer: SeatAnswer, new: str) -> Msg | None:
    """Why its mailbox is not written to: it was, for this player in another game or in another writing."""
    since = answer.now - timedelta(days=codes.DAYS)
    base, old = base_address(new), queries.persons.email_of(answer.session, answer.seat.person_id) or ""
    if not queries.inbox.has_named(answer.session, answer.seat.person_id, "address", base, since):
        return None
    if _is_under_way(answer, codes.codes(answer.server, answer.seat.game_id, old, new, "new")):
        return None
    return msg(
        "I have written to {address} for you within {days} days, and do not write there again before they are over.",
        address=base,
        days=codes.DAYS,
    )


def _is_under_way(answer: SeatAnswer, there: Sequence[str]) -> bool:
    """Whether a letter with one of these codes has gone to the new address."""
    return outbox.was_queued(answer, _second(""), [_cause(answer, code) for code in there])


def _cause(answer: SeatAnswer, there: str) -> str:
    return f"address {answer.seat.person_id} {there}"


def _second(there: str) -> Json:
    """The letter to the new address. Nothing in it tells of the seat: nobody knows yet whose mailbox that is."""
    told = (
        msg("Somebody who plays here by mail wants his letters to come to this address."),
        msg("If that was you, this is the second code: {code}. If not, do nothing.", code=there),
    )
    return content.Letter("confirm", Head(), opening=told).to_json()


def _ask(answer: SeatAnswer, command: Line, new: str, here: str, there: Sequence[str]) -> None:
    """Send a code to each of both mailboxes, to the new one only if none that is still good was sent there."""
    word = chosen(answer.seat.language, "CODE", "CODIGO")
    sent = _is_under_way(answer, there)
    gone = msg("Nothing is changed yet. A second code has gone to that address.")
    under_way = msg(
        "Nothing is changed yet. A letter with the second code is under way to that address; I send no other."
    )
    answer.say(
        "confirm",
        msg("You want my letters to go to {address}, for all that you play here.", address=new),
        under_way if sent else gone,
        msg(
            "If it was you and you want it, send me this line within {days} days, the second code at its end; "
            "else do nothing.",
            days=codes.DAYS,
        ),
    )
    line = f"{command.phrase} {new} {word} {here} ........"
    answer.blocks.append(content.block(msg("The line that moves your letters"), [line]))
    if not sent:
        to = outbox.Envelope(new, answer.seat.language)
        outbox.queue(answer, _second(there[0]), to, _cause(answer, there[0]))


def _move(answer: SeatAnswer, old: str, new: str) -> None:
    session, person = answer.session, answer.seat.person_id
    rows = {row.email: row for row in queries.persons.addresses(session, person)}
    if new in rows:
        session.delete(rows[new])
        session.flush()
    rows[old].email = new
    session.add(rows[old])
    session.flush()
    operator = answer.server.settings.operator
    answer.say(
        "settings",
        msg("From now on my letters go to {address}; this is the last one to {old}.", address=new, old=old),
        msg("If it was not you, tell the operator at once: {operator}.", operator=operator),
    )
    head = outbox.head_of(answer.server, answer.game, answer.seat, answer.phase)
    told = msg("From now on my letters come to this address. Yours go where they went before: {to}.", to=head.address)
    letter = content.Letter("settings", head, opening=(told,)).to_json()
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
