"""Letters that nobody wrote: never executed, never answered (RFC 3834).

Two machines that answer each other fill two mailboxes by morning; one sign is enough to be silent. Exchange's
X-Auto-Response-Suppress is no sign: it stands on people's letters too.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from pbem.mail.address import OwnAddresses, author_address, find_addresses
from pbem.mail.mime import Fields

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


class Automatic(NamedTuple):
    """Why a letter is not to be answered: the kind and the sign."""

    kind: AutomaticKind
    reason: str


def automatic(fields: Fields, own: OwnAddresses) -> Automatic | None:
    """Return the first sign that no person wrote the letter, None if there is none.

    Signs: our own X-Loop or address; a report (RFC 6522); a mailer daemon; List fields (RFC 2369); Auto-Submitted;
    the fields of answering machines; Precedence; the null return path.
    """
    sender = sender_of(fields)
    content = fields.first("content-type").lower()
    if any(own.holds(address) for value in fields.all("x-loop") for address in find_addresses(value)):
        return Automatic("loop", "X-Loop is ours")
    if own.holds(sender):
        return Automatic("loop", f"sent by our own address {sender}")
    if content.startswith("multipart/report"):
        kind: AutomaticKind = "bounce" if "delivery-status" in content else "auto"
        return Automatic(kind, "Content-Type multipart/report")
    if sender.partition("@")[0] in _DAEMONS:
        return Automatic("bounce", f"sent by {sender}")
    precedence = fields.first("precedence").lower()
    listed = sorted(name for name in fields.names() if name.startswith("list-"))
    if listed or precedence == "list":
        return Automatic("list", listed[0] if listed else "Precedence list")
    submitted = re.split(r"[;(\s]", fields.first("auto-submitted").strip().lower(), maxsplit=1)[0]
    if submitted not in ("", "no"):
        return Automatic("auto", f"Auto-Submitted {submitted[:40]}")
    for name in _AUTOREPLY:
        if fields.all(name) and fields.first(name).strip().lower() not in ("no", "false"):
            return Automatic("auto", name)
    if precedence in ("bulk", "junk", "auto_reply"):
        return Automatic("auto", f"Precedence {precedence}")
    if re.fullmatch(r"<\s*>", fields.first("return-path").strip()):
        return Automatic("bounce", "the return path is empty")
    return None


def sender_of(fields: Fields) -> str:
    """The author's address in lower case: From, else Sender, else Return-Path; empty if none holds one."""
    for name in ("from", "sender", "return-path"):
        found = author_address(fields.first(name))
        if found:
            return found
        if name == "from" and fields.first(name).strip("<> ").upper() == "MAILER-DAEMON":
            return "mailer-daemon"
    return ""
