"""Find one attachment of a letter by name: text that witnesses and programs send."""

from __future__ import annotations

from email import policy
from email.parser import BytesParser

from pbem.mail.mime import check_limits


def read_attachment(raw: bytes, name: str, longest: int) -> bytes | None:
    """Return the first file of a name, with LF line ends, or None.

    None if it is missing, unreadable or longer than `longest`. Mail programs may add or drop empty lines at
    the end: the result ends with exactly one line end.
    """
    try:
        check_limits(raw)
        letter = BytesParser(policy=policy.compat32).parsebytes(raw)
        parts = [part for part in letter.walk() if not part.is_multipart() and part.get_filename() == name]
        body = parts[0].get_payload(decode=True) if parts else None
    except Exception:  # Poison, TooLong; and the standard parser fails in ways of its own on what it does not expect
        return None
    if not isinstance(body, bytes):
        return None
    text = body.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
    return text if len(text) <= longest else None
