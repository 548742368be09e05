"""One attachment of a letter, found by its name: the text that programs, such as witnesses, send each other."""

from __future__ import annotations

from email import policy
from email.parser import BytesParser

from pbem.mail.mime import prescan


def attached(raw: bytes, name: str, longest: int) -> bytes | None:
    """The first file of that name, with LF at its lines' ends; None if there is none that can be read, or it is longer.

    Mail programs may add or drop empty lines at the end: there is one line end, whatever there was.
    """
    try:
        prescan(raw)
        letter = BytesParser(policy=policy.compat32).parsebytes(raw)
        parts = [part for part in letter.walk() if not part.is_multipart() and part.get_filename() == name]
        body = parts[0].get_payload(decode=True) if parts else None
    except Exception:  # Poison, TooLong; and the standard parser fails in ways of its own on what it does not expect
        return None
    if not isinstance(body, bytes):
        return None
    text = body.replace(b"\r\n", b"\n").rstrip(b"\n") + b"\n"
    return text if len(text) <= longest else None
