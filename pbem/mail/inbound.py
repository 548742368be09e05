"""Read a letter: its author, its seat, its text, and whether it may be answered.

`read_letter` never raises and takes time in proportion to the letter's length, whatever its bytes are.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from types import MappingProxyType
from typing import Literal, NamedTuple

from pbem.engine.orders.lex import Exceeded
from pbem.mail import CODE_PATTERN, RAW_OCTETS, trace
from pbem.mail.address import (
    ENVELOPE_FIELDS,
    RECIPIENT_FIELDS,
    OwnAddresses,
    SeatAddress,
    author_address,
    base_address,
    find_addresses,
    strike_tokens,
)
from pbem.mail.lines import split_quote_marks
from pbem.mail.mime import HeaderFields, check_limits, decode_words, read_fields, read_text
from pbem.mail.quoting import cut_quotes
from pbem.mail.reading import NOTHING_READ, ReadingRecord, TooLong, Unreadable, UnsafeLetter

# Automatic letters: never executed, never answered (RFC 3834).
#
# Two machines that answer each other fill two mailboxes by morning; one sign is enough for silence. Exchange's
# X-Auto-Response-Suppress is no sign: people's letters have it too.


AutomaticKind = Literal["loop", "bounce", "list", "auto"]

_DAEMONS = frozenset({"mailer-daemon", "postmaster", "mail-daemon", "double-bounce"})
_AUTOREPLY = (
    "x-autoreply",
    "x-auto-reply",
    "x-autorespond",
    "x-autoresponder",
    "x-autoreply-from",
    "x-mail-autoreply",
    "x-fc-machinegenerated",
)


class AutomaticSign(NamedTuple):
    """The reason not to answer a letter: the kind and the sign."""

    kind: AutomaticKind
    reason: str


def find_automatic_sign(fields: HeaderFields, own: OwnAddresses) -> AutomaticSign | None:
    """Return the first sign that no person wrote the letter, or None.

    The signs are: our own X-Loop or address; a report (RFC 6522); a mailer daemon; List fields (RFC 2369);
    Auto-Submitted; the fields of answering machines; Precedence; the null return path.
    """
    sender = sender_of(fields)
    content = fields.first("content-type").lower()
    if any(own.holds(address) for value in fields.all("x-loop") for address in find_addresses(value)):
        return AutomaticSign("loop", "X-Loop is ours")
    if own.holds(sender):
        return AutomaticSign("loop", f"sent by our own address {sender}")
    if content.startswith("multipart/report"):
        kind: AutomaticKind = "bounce" if "delivery-status" in content else "auto"
        return AutomaticSign(kind, "Content-Type multipart/report")
    if sender.partition("@")[0] in _DAEMONS:
        return AutomaticSign("bounce", f"sent by {sender}")
    precedence = fields.first("precedence").lower()
    list_fields = sorted(name for name in fields.names() if name.startswith("list-"))
    if list_fields or precedence == "list":
        return AutomaticSign("list", list_fields[0] if list_fields else "Precedence list")
    auto_submitted = re.split(r"[;(\s]", fields.first("auto-submitted").strip().lower(), maxsplit=1)[0]
    if auto_submitted not in ("", "no"):
        # The sign is told to the log: the value is anybody's, and its known words have under twenty characters.
        return AutomaticSign("auto", f"Auto-Submitted {auto_submitted[:40]}")
    reply_fields = (name for name in _AUTOREPLY if fields.all(name))
    reply_field = next(
        (name for name in reply_fields if fields.first(name).strip().lower() not in ("no", "false")), None
    )
    if reply_field is not None:
        return AutomaticSign("auto", reply_field)
    if precedence in ("bulk", "junk", "auto_reply"):
        return AutomaticSign("auto", f"Precedence {precedence}")
    if re.fullmatch(r"<\s*>", fields.first("return-path").strip()):
        return AutomaticSign("bounce", "the return path is empty")
    return None


def sender_of(fields: HeaderFields) -> str:
    """Return the author's address by From, Sender or Return-Path, or empty."""
    for name in ("from", "sender", "return-path"):
        address = author_address(fields.first(name))
        if address:
            return address
        if name == "from" and fields.first(name).strip("<> ").upper() == "MAILER-DAEMON":
            return "mailer-daemon"
    return ""


Refusal = Literal["auto", "bounce", "list", "loop", "too-big", "too-long", "poison"]
"""Why a letter is not read; only too-big and too-long letters are answered."""

_PARTS_NAMED = 5
"""Unread parts that an answer names: a letter may have many small pictures."""
_RECIPIENTS = 100
"""Addresses that are read from a header: SMTP servers accept at least so many for a letter (RFC 5321, 4.5.3.1.8)."""
# The whole code: more letters or figures behind it make another word of it.
_CODE = re.compile(rf"\bC(?:ODE|ODIGO|ÓDIGO) {CODE_PATTERN}(?![a-z0-9])", re.IGNORECASE)
_REFERENCES = 20
"""Message-IDs of a thread that are kept, the last ones, since the answered letter is the last: old threads name
hundreds."""
# A Message-ID without blanks and brackets, of at most 250 octets: longer ones are not kept.
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,250}>")


@dataclass(frozen=True, kw_only=True)
class IncomingLetter:
    """A parsed letter.

    `content` is the digest of the letter without the fields that servers added, together with its seat if only
    those fields show it. `message_id` is ``<content@missing>`` where the letter has none. Addresses are in lower
    case: `recipients` in the order of `RECIPIENT_FIELDS`; `others` are those of To and Cc that are neither ours nor
    the sender's. `seat` is the first recipient that is a seat's address, `bounced` the tag of the first that is an
    envelope sender of ours. `date` is the sender's claim.

    `named` are the seats' addresses in subject or text. They are only searched if the header has none, because some
    providers strip the part after the plus. `text` is the author's own text (see `pbem.mail.quoting.cut_quotes`, also
    for the four flags and `left`); it is empty with a `refusal`, which `reason` explains. `reading` is the record of
    reading it. `coded` are the lines with a confirmation code that were cut from the text, without the marks of
    quoting.
    """

    message_id: str
    content: str = ""
    sender: str = ""
    recipients: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    seat: SeatAddress | None = None
    named: frozenset[SeatAddress] = frozenset()
    bounced: str | None = None
    date: datetime | None = None
    subject: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    text: str = ""
    quoted_block: bool = False
    ambiguous: bool = False
    orders_only_quoted: bool = False
    untouched: bool = False
    left: frozenset[str] = frozenset()
    coded: tuple[str, ...] = ()
    refusal: Refusal | None = None
    reason: str = ""
    reading: ReadingRecord = NOTHING_READ

    @property
    def is_undated(self) -> bool:
        """Return whether the letter has neither date nor Message-ID."""
        return self.date is None and self.message_id == _substitute_id(self.content)

    @property
    def why_unread(self) -> str:
        """Return why the letter or parts of it were not read; empty if all of it was."""
        if self.refusal is not None:
            return strike_tokens(self.reason)
        parts = [f"{part.kind}: {part.unread}" for part in self.reading.unread[:_PARTS_NAMED]]
        omitted = [f"lines quoted or below a signature: {self.reading.quoted}"] if self.reading.quoted else []
        return ", ".join(parts if self.text.strip() else [*parts, *omitted])


def read_letter(
    raw: bytes, own: OwnAddresses, templates: Mapping[str, str] | None = None, *, whole: bool = True
) -> IncomingLetter:
    """Read a letter.

    `templates` maps the nonces of the templates that the author may have got to their fingerprints. If a
    letter was too big to be fetched, `raw` is only its header and `whole` is False.
    """
    return read_body(raw, read_header(raw, own), OwnWords(templates or {}), whole=whole, own=own)


def read_header(raw: bytes, own: OwnAddresses) -> IncomingLetter:
    """Read author and seat, but not the text; a `refusal` found here is final."""
    try:
        fields = read_fields(raw)
        return _parse_header(fields, own, trace.content_digest(raw, _envelope_seat(fields, own)))
    except Exception as error:  # the standard parser fails in ways of its own on what it does not expect
        content = trace.content_digest(raw)
        reason = f"unreadable header: {type(error).__name__}"
        return IncomingLetter(message_id=_substitute_id(content), content=content, refusal="poison", reason=reason)


def _envelope_seat(fields: HeaderFields, own: OwnAddresses) -> str:
    """Return the seat by the envelope fields, if To and Cc name another one.

    One letter to two seats counts as a letter to each of them.
    """
    envelope, visible = (_first_seat(fields, names, own) for names in (ENVELOPE_FIELDS, ("to", "cc")))
    return f"{envelope.game}-{envelope.seat}-{envelope.token}" if envelope is not None and envelope != visible else ""


def _first_seat(fields: HeaderFields, names: tuple[str, ...], own: OwnAddresses) -> SeatAddress | None:
    values = (value for name in names for value in fields.all(name))
    seats = (seat for value in values for address in find_addresses(value) if (seat := own.seat(address)))
    return next(seats, None)


def _others(fields: HeaderFields, own: OwnAddresses, sender: str) -> tuple[str, ...]:
    """Return the other addresses in To and Cc, whose owners can read the letter."""
    values = [value for name in ("to", "cc") for value in fields.all(name)]
    addresses = (address for value in values for address in find_addresses(value) if not own.holds(address))
    return tuple(dict.fromkeys(email for email in addresses if base_address(email) != base_address(sender)))[
        :_RECIPIENTS
    ]


def _substitute_id(content: str) -> str:
    return f"<{content}@missing>"


class OwnWords(NamedTuple):
    """The text of this server that a letter may quote.

    `templates` are the order templates that its author may have got, as in `read_letter`. `sentences` returns the
    sentences of the letters that this one may answer. It is called only for an answer without visible quotes.
    """

    templates: Mapping[str, str] = MappingProxyType({})
    sentences: Callable[[], Set[str]] = frozenset


NO_OWN_WORDS = OwnWords()


def read_body(
    raw: bytes,
    letter: IncomingLetter,
    own_words: OwnWords = NO_OWN_WORDS,
    *,
    whole: bool = True,
    own: OwnAddresses | None = None,
) -> IncomingLetter:
    """Read the text after `read_header`; `own` detects seats' addresses."""
    if letter.refusal is not None:
        return letter
    if not whole or len(raw) > RAW_OCTETS:
        return _refuse(letter, "too-big", TooLong("KB", RAW_OCTETS // 1000))
    try:
        check_limits(raw)
        text, reading = read_text(raw)
        if any(part.unread == "calendar answer" for part in reading.parts):
            return replace(letter, reading=reading, refusal="auto", reason="an answer to an appointment")
        if letter.seat is None and own is not None:
            letter = replace(letter, named=_named_seats(f"{letter.subject}\n{text}", own))
        cut_text = cut_quotes(text, own_words.templates)
        if cut_text.unmarked and (letter.in_reply_to or letter.references) and (sentences := own_words.sentences()):
            cut_text = cut_quotes(text, own_words.templates, sentences)
    # Told apart, since only a letter that is too long is answered.
    except TooLong as error:
        return _refuse(letter, "too-long", error)
    except UnsafeLetter as error:
        return _refuse(letter, "poison", error)
    except Exceeded:
        # The caller answers that the letter would take too long.
        raise
    except Exception as error:
        # Whatever the email package makes of a hostile letter: one letter must not stop the poll.
        return replace(letter, refusal="poison", reason=f"unreadable body: {type(error).__name__}")
    return replace(
        letter,
        reading=reading._replace(quoted=_filled_lines(text) - _filled_lines(cut_text.text)),
        text=cut_text.text,
        quoted_block=cut_text.quoted_block,
        ambiguous=cut_text.ambiguous,
        orders_only_quoted=cut_text.orders_only_quoted,
        untouched=cut_text.untouched,
        left=cut_text.left,
        coded=_code_lines(text, cut_text.text) if letter.seat is None else (),
    )


def _refuse(letter: IncomingLetter, refusal: Refusal, error: Unreadable) -> IncomingLetter:
    return replace(letter, refusal=refusal, reason=str(error), reading=ReadingRecord(limit=error.limit))


def _filled_lines(text: str) -> int:
    return sum(1 for line in text.split("\n") if line.strip())


def _code_lines(text: str, kept: str) -> tuple[str, ...]:
    """Return the lines with a confirmation code that were cut from a text."""
    if _CODE.search(text) is None:
        return ()
    own = set(kept.split("\n"))
    lines = (split_quote_marks(line).text.strip() for line in text.split("\n") if line not in own)
    return tuple(dict.fromkeys(line for line in lines if _CODE.search(line)))[:_RECIPIENTS]


def _named_seats(text: str, own: OwnAddresses) -> frozenset[SeatAddress]:
    return frozenset(seat for address in find_addresses(text) if (seat := own.seat(address)))


def _parse_header(fields: HeaderFields, own: OwnAddresses, content: str) -> IncomingLetter:
    values = [value for name in RECIPIENT_FIELDS for value in fields.all(name)]
    recipients = tuple(dict.fromkeys(address for value in values for address in find_addresses(value)))[:_RECIPIENTS]
    seats = (seat for address in recipients if (seat := own.seat(address)))
    bounces = (tag for address in recipients if (tag := own.bounce(address)))
    first = next((address for address in recipients if own.seat(address) or own.bounce(address)), "")
    references = _MESSAGE_ID.findall(" ".join(fields.all("references")))
    verdict = find_automatic_sign(fields, own)
    if own.bounce(first):
        # Only mail servers and answering machines write to an envelope sender.
        verdict = AutomaticSign("bounce", f"sent to {first}")
    sender = sender_of(fields)
    return IncomingLetter(
        message_id=next(iter(_MESSAGE_ID.findall(fields.first("message-id"))), _substitute_id(content)),
        content=content,
        sender=sender,
        recipients=recipients,
        others=_others(fields, own, sender),
        seat=next(seats, None),
        bounced=next(bounces, None),
        date=_parse_date(fields.first("date")),
        # A choice: the subject is shown in lists and answers, and people's subjects have under a hundred characters.
        subject=decode_words(fields.first("subject"))[:300],
        in_reply_to=next(iter(_MESSAGE_ID.findall(fields.first("in-reply-to"))), ""),
        references=tuple(references[-_REFERENCES:]),
        refusal=verdict.kind if verdict else None,
        reason=verdict.reason if verdict else "",
    )


def _parse_date(value: str) -> datetime | None:
    try:
        # A date has some forty characters, with a comment for its zone; the parser splits all that it gets.
        date = parsedate_to_datetime(value[:100])
        # A zone of -0000 says nothing but UTC (RFC 5322, 3.3).
        return date.replace(tzinfo=UTC) if date.tzinfo is None else date.astimezone(UTC)
    except Exception:  # ValueError, TypeError, OverflowError, IndexError: whatever the text was, it was no date
        return None
