"""Change a player's address (ADDRESS), once both mailboxes have confirmed it.

One code goes to the registered address and one to the new one; the line with both shows that the sender reads both.
While the codes are valid no other letter goes to the new address, however often and in whatever spelling it is
named, so that nobody can flood it. All seats and games of a person move together.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import timedelta

from pbem.engine.data.canon import Json
from pbem.engine.data.languages import pick_phrase
from pbem.engine.data.messages import Msg, msg
from pbem.letters import codes, content, moderators, outbox
from pbem.letters.commands import CommandForm, CommandLine
from pbem.letters.content import LetterHead, Mistake
from pbem.mail import CODE_PATTERN
from pbem.mail.address import base_address, check_address
from pbem.play.commands.answer import SeatAnswer
from pbem.play.commands.command_records import LetterCommand, RateLimit
from pbem.store import queries

# About as long as an address may be; `check_address` decides.
_WHERE = re.compile(
    r"(?P<email>[^\s@]{1,64}@[^\s@]{1,190})"
    rf"(?: (?:code|codigo) (?P<here>{CODE_PATTERN}) (?P<there>{CODE_PATTERN}))?"
)
"""Argument of ADDRESS: the new address, optionally with the codes mailed to the old and the new one."""


def change_address(answer: SeatAnswer, command: CommandLine) -> None:
    """Ask both mailboxes, or change the address if both codes have come back."""
    match = _WHERE.fullmatch(command.rest)
    old_address = queries.persons.email_of(answer.session, answer.seat.person_id)
    if match is None or old_address is None:
        raise ValueError(f"nobody moves by {command.rest!r}")
    new_address = match["email"]
    registered_request, new_request = (
        (answer.seat.game_id, old_address, new_address, "registered"),
        (answer.seat.game_id, old_address, new_address, "new"),
    )
    if match["here"] is None:
        _send_codes(
            answer,
            command,
            new_address,
            codes.valid_codes(answer.server, *registered_request)[0],
            codes.valid_codes(answer.server, *new_request),
        )
        return
    if not (
        codes.is_valid_code(answer.server, match["here"], *registered_request)
        and codes.is_valid_code(answer.server, match["there"], *new_request)
    ):
        answer.say("answer", codes.invalid_code(f"{command.phrase} {new_address}"))
        return
    _store_address(answer, old_address, new_address)


def check_change(answer: SeatAnswer, command: CommandLine) -> Mistake | None:
    """Refuse an address that no mail can be sent to, or that is taken."""
    match = _WHERE.fullmatch(command.rest)
    if match is None or answer.seat.person_id is None:
        return None
    new_address = match["email"]
    reason = _address_objection(answer, new_address) or (
        _repeat_objection(answer, new_address) if match["here"] is None else None
    )
    return command.wrong(reason, word=new_address) if reason is not None else None


def _address_objection(answer: SeatAnswer, new_address: str) -> Msg | None:
    try:
        check_address(new_address)
    except ValueError:
        return msg("No mail can be sent to {address}.", address=new_address)
    if new_address == queries.persons.email_of(answer.session, answer.seat.person_id):
        return msg("You are registered with that address already.")
    if answer.server.own.holds(new_address):
        return msg("That is an address of this server.")
    owner = queries.persons.person_by_email(answer.session, new_address)
    is_taken = owner is not None and owner.id != answer.seat.person_id
    if is_taken or moderators.would_moderate_secretly(answer.session, answer.seat.person_id or 0, new_address):
        return msg("That address cannot be used.")
    return None


def _repeat_objection(answer: SeatAnswer, new_address: str) -> Msg | None:
    """Return why the new mailbox gets no letter.

    The mailbox already had a letter for this player, in another game or in another spelling.
    """
    since = answer.now - timedelta(days=codes.CODE_DAYS)
    base, old_address = base_address(new_address), queries.persons.email_of(answer.session, answer.seat.person_id) or ""
    if not queries.inbox.has_named_address(answer.session, answer.seat.person_id, "address", base, since):
        return None
    if _is_under_way(answer, codes.valid_codes(answer.server, answer.seat.game_id, old_address, new_address, "new")):
        return None
    return msg(
        "I have written to {address} for you within {days} days, and do not write there again before they are over.",
        address=base,
        days=codes.CODE_DAYS,
    )


def _is_under_way(answer: SeatAnswer, new_codes: Sequence[str]) -> bool:
    """Return whether a letter with one of these codes was queued for the new address."""
    return outbox.was_queued(answer, _second_letter(""), [_cause(answer, code) for code in new_codes])


def _cause(answer: SeatAnswer, new_code: str) -> str:
    return f"address {answer.seat.person_id} {new_code}"


def _second_letter(new_code: str) -> Json:
    """Return the letter to the new address.

    It does not mention the seat: nobody knows yet whose mailbox that is.
    """
    sentences = (
        msg("Somebody who plays here by mail wants his letters to come to this address."),
        msg("If that was you, this is the second code: {code}. If not, do nothing.", code=new_code),
    )
    return content.Letter("confirm", LetterHead(), opening=sentences).to_json()


def _send_codes(
    answer: SeatAnswer, command: CommandLine, new_address: str, registered_code: str, new_codes: Sequence[str]
) -> None:
    """Mail a code to each mailbox; to the new one only if it has no valid code."""
    word = pick_phrase(answer.seat.language, "CODE", "CODIGO")
    is_sent = _is_under_way(answer, new_codes)
    sent_notice = msg("Nothing is changed yet. A second code has gone to that address.")
    under_way = msg(
        "Nothing is changed yet. A letter with the second code is under way to that address; I send no other."
    )
    answer.say(
        "confirm",
        msg("You want my letters to go to {address}, for all that you play here.", address=new_address),
        under_way if is_sent else sent_notice,
        msg(
            "If it was you and you want it, send me this line within {days} days, the second code at its end; "
            "else do nothing.",
            days=codes.CODE_DAYS,
        ),
    )
    line = f"{command.phrase} {new_address} {word} {registered_code} ........"
    answer.blocks.append(content.titled_block(msg("The line that moves your letters"), [line]))
    if not is_sent:
        envelope = outbox.Recipient(new_address, answer.seat.language)
        outbox.queue_letter(answer, _second_letter(new_codes[0]), envelope, _cause(answer, new_codes[0]))


def _store_address(answer: SeatAnswer, old_address: str, new_address: str) -> None:
    session, person = answer.session, answer.seat.person_id
    rows = {row.email: row for row in queries.persons.addresses(session, person)}
    if new_address in rows:
        session.delete(rows[new_address])
        session.flush()
    rows[old_address].email = new_address
    session.add(rows[old_address])
    session.flush()
    operator = answer.server.settings.operator
    answer.say(
        "settings",
        msg(
            "From now on my letters go to {address}; this is the last one to {old}.",
            address=new_address,
            old=old_address,
        ),
        msg("If it was not you, tell the operator at once: {operator}.", operator=operator),
    )
    head = outbox.head_of(answer.server, answer.game, answer.seat, answer.phase)
    notice = msg("From now on my letters come to this address. Yours go where they went before: {to}.", to=head.address)
    letter = content.Letter("settings", head, opening=(notice,)).to_json()
    outbox.write_to_seat(
        answer, letter, answer.seat, answer.game, cause=f"moved {new_address} {answer.now.isoformat()}"
    )


def _address_to_write_to(command: CommandLine) -> str:
    """Return the new address until its code has come back."""
    match = _WHERE.fullmatch(command.rest)
    return match["email"] if match is not None and match["here"] is None else ""


COMMANDS = (
    LetterCommand(
        CommandForm("address", ("ADDRESS", "DIRECCION"), _WHERE, "ADDRESS new@address", "DIRECCION nueva@direccion"),
        change_address,
        check=check_change,
        often=RateLimit(day=10),
        names=_address_to_write_to,
    ),
)
