"""Check the From of a letter, count letters, and write notes on reading.

The notes say how a letter was read. The author of a letter follows from the token in the address that it
went to, and not from here (reception.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from pbem.engine.data.messages import Msg, by_number, msg
from pbem.mail import authentication
from pbem.mail.address import base_address, strike_tokens
from pbem.mail.authentication import Evidence
from pbem.mail.inbound import IncomingLetter
from pbem.mail.mime import read_fields
from pbem.mail.reading import LimitName, Part, Unread
from pbem.runtime.transaction import Server, Transaction
from pbem.store import queries, tables

COUNTED_TIME = timedelta(hours=1)
"""The time within which letters are counted: long enough to find a loop of two programs, and short for a person to
wait."""


def evidence_of_sender(server: Server, raw: bytes, author: str) -> Evidence:
    """Return whether the From of a letter is authenticated.

    The mail provider decides, else the signatures. May query the DNS.
    """
    if not author or not (server.settings.authserv_id or server.plugins.txt):
        return "none"
    results = authentication.read_results(read_fields(raw), server.settings.authserv_id)
    if results is not None:
        return authentication.evidence_of_results(results, author)
    return (
        authentication.evidence_of_signatures(raw, author, server.plugins.txt)
        if server.plugins.txt is not None
        else "none"
    )


def letters_over_limit(server: Server, letters: int) -> int:
    """Return the excess over a seat's hourly limit, or 0.

    The present letter is counted in addition to `letters`.
    """
    # Below the limit there is no excess.
    return max(0, letters + 1 - server.settings.letters_an_hour)


def count_letters_by(tx: Transaction, verdict: str, email: str) -> int:
    """Count the letters of an author without a seat within the hour.

    Letters with a forged From do not count.
    """
    return queries.inbox.count_letters_from(tx.session, verdict, base_address(email), tx.now - COUNTED_TIME)


def count_letters_of(tx: Transaction, seat: tables.Seat) -> int:
    """Count the letters of a seat within the hour."""
    return queries.inbox.count_letters(tx.session, seat, tx.now - COUNTED_TIME)


# Notes on a letter's header: another From, or other readers of the token.
#
# The others are not named, so that nobody learns the owner of an address by trying.


ROTATE_ADVICE = msg("If it was not you, somebody knows your address here: ROTATE gives you another one.")


def notes_on_other_address(email: str, sender: str) -> tuple[Msg, ...]:
    """Return notes for an author whose letter came from another address."""
    if not sender or base_address(sender) == base_address(email):
        return ()
    return (
        msg("This letter came from {address}, which is not where I write to you.", address=sender),
        ROTATE_ADVICE,
    )


def warn_of_readers(letter: IncomingLetter, email: str, address: str) -> tuple[Msg, ...]:
    """Return a warning if other recipients of a letter can read the `address` in it."""
    if all(base_address(other) == base_address(email) for other in letter.others):
        return ()
    return (
        msg("Your letter went to others beside me: all of them can read the address in it, and write in your name."),
        msg("ROTATE, in a letter to {address} alone, gives you another address at once.", address=address),
    )


# What an answer says of how a letter was read: what was left out of it and why, from the reading record of `mail`.


_NAMED = 5
"""Unread parts that an answer names; a letter may have many small pictures."""

_WHY: dict[Unread, Msg] = {
    "attached": msg("attached"),
    "other form": msg("the same in another form"),
    "not text": msg("no text"),
    "letter": msg("a letter inside the letter"),
    "encrypted": msg("encrypted"),
    "sealed": msg("signed in a form that hides the text"),
    "signature": msg("a signature"),
    "calendar": msg("an appointment"),
    "calendar answer": msg("an answer to an appointment"),
    "broken": msg("broken: its parts cannot be told apart"),
}
_PASSED: dict[LimitName, Msg] = {
    "KB": msg("more than {count} KB in all"),
    "KB of text": msg("more than {count} KB of text"),
    "KB of a page": msg("a page (HTML) of more than {count} KB"),
    "lines": msg("more than {count} lines of text"),
    "lines as sent": msg("more than {count} lines, files included"),
    "tags": msg("more than {count} tags in its pages (HTML)"),
    "attributes of a tag": msg("more than {count} attributes in a tag of its pages (HTML)"),
    "crossing selectors": msg("more than {count} ways of crossing out in its style sheets"),
    "KB of header": msg("a header of more than {count} KB"),
    "multiparts": msg("more than {count} groups of parts"),
    "letters inside the letter": msg("more than {count} letters inside the letter"),
    "messages inside the letter": msg("more than {count} messages inside the letter"),
    "boundary lines": msg("more than {count} boundaries of parts"),
    "octets in a Content field": msg("more than {count} characters in the description of a part"),
    "octets in all Content fields": msg("more than {count} characters in the descriptions of all parts"),
    "levels of parts": msg("parts within parts, more than {count} deep"),
}
_WAY_OUT = msg("Only the text of a letter is read: write orders and commands there.")


def notes_on_unread(letter: IncomingLetter, *, nothing: bool = False) -> list[Msg]:
    """Return notes on parts of a letter that were not read.

    `nothing`: they explain why there was nothing to carry out. Otherwise pictures and parts shown within the
    text are left out, because many programs add some to each letter.
    """
    parts = tuple(part for part in letter.reading.unread if nothing or not _is_decoration(part))
    notes = [*_crossed_out(letter), *_encryption_notes(letter), *_parts(parts)]
    return [*_text_reasons(letter), *notes] if nothing else notes


def notes_on_limit(letter: IncomingLetter) -> list[Msg]:
    """Return the limit that a letter exceeds, which is why its text is not read."""
    if letter.reading.limit is None:
        return []
    name, most = letter.reading.limit
    return [msg("It has {what}.", what=msg(_PASSED[name].text, count=most))]


def notes_for_anonymous(letter: IncomingLetter) -> list[Msg]:
    """Return why an anonymous letter was not parsed, without quoting the letter."""
    lines = letter.reading.quoted
    notes = [] if letter.text.strip() or lines else [msg("It has no text that I read.")]
    if lines and not letter.text.strip():
        notes.append(msg("Not read, because quoted or below a signature: {lines} lines.", lines=lines))
    notes += _encryption_notes(letter)
    reasons = dict.fromkeys(_WHY[part.unread] for part in letter.reading.unread if part.unread is not None)
    if reasons and not letter.text.strip():
        notes.append(msg("Parts of your letter that I do not read: {parts}.", parts=tuple(reasons)))
    return notes


def _is_decoration(part: Part) -> bool:
    return part.unread == "not text" and (part.disposition != "attachment" or part.kind.startswith("image/"))


def _text_reasons(letter: IncomingLetter) -> list[Msg]:
    reasons = list[Msg]()
    # Of a block of orders that only came back the answer says more.
    known = letter.untouched or letter.orders_only_quoted
    lines = 0 if known else letter.reading.quoted
    if lines and not letter.text.strip():
        reasons.append(
            by_number(
                lines,
                msg("Its text is one line, which is quoted or stands below a signature."),
                msg("All {lines} lines of its text are quoted or stand below a signature.", lines=lines),
            )
        )
    elif not letter.text.strip() and not known:
        reasons.append(msg("It has no text that I read."))
    elif lines:
        reasons.append(msg("Not read, because quoted or below a signature: {lines} lines.", lines=lines))
    if letter.text.strip():
        first = next(line.strip() for line in letter.text.split("\n") if line.strip())
        reasons.append(
            msg(
                'No line of its text is a command or begins a block of orders. The first is: "{line}"',
                # The beginning is enough to find the line again, here and in what is crossed out.
                line=strike_tokens(first)[:80],
            )
        )
    return reasons


def _crossed_out(letter: IncomingLetter) -> Iterator[Msg]:
    if letter.reading.struck:
        pieces = tuple(f'"{piece[:80]}"' for piece in letter.reading.struck)
        yield msg("Crossed out in your letter and so not read: {pieces}.", pieces=pieces)


def _encryption_notes(letter: IncomingLetter) -> Iterator[Msg]:
    if letter.reading.encrypted:
        yield msg("Your letter is encrypted, and this server has no key to it. Send it unencrypted; it may be signed.")


def _parts(parts: tuple[Part, ...]) -> Iterator[Msg]:
    if not parts:
        return
    named = tuple(
        msg("{name} ({kind}, {why})", name=part.name, kind=part.kind, why=_WHY[part.unread])
        if part.name
        else msg("{kind} ({why})", kind=part.kind, why=_WHY[part.unread])
        for part in parts[:_NAMED]
        if part.unread is not None
    )
    yield msg("Parts of your letter that I do not read: {parts}.", parts=named)
    if len(parts) > _NAMED:
        yield msg("Further parts that I do not read: {count}.", count=len(parts) - _NAMED)
    yield _WAY_OUT
