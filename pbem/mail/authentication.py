"""Whether a letter's From is vouched for: by the mail provider's word, else by a signature checked here.

The provider's word is the topmost Authentication-Results field (RFC 8601), if it bears the name that the settings
give::

    Authentication-Results: mx.example.org;
        dkim=pass header.d=players.example; spf=pass smtp.mailfrom=ana@players.example

Any other such field may have been written by the sender. That a result is of the From address itself (that it is
*aligned*, RFC 7489, 3.1) is for us to see: a stranger's signature passes as well as anybody's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from pbem.mail.mime import HEADER_OCTETS, Fields, header

Evidence = Literal["pass", "fail", "unaligned", "none"]
"""The From is vouched for; is false; something else is vouched for; nothing is known."""

Txt = Callable[[str], str | None]
"""The TXT record of a name in the DNS, its strings joined; None if there is none or it cannot be had."""

SIGNATURES = 2
"""DKIM signatures of a letter that are looked at, those of its author's domain first; each asks the DNS once."""
_DOMAIN = re.compile(rb"(?:^|;)\s{0,80}d\s{0,9}=\s{0,80}([^;\s]{1,253})")
MOST_FIELDS = 500
"""Fields of a header with signatures, and names that one of them says it is of: each is held against each."""
MOST_KEY = 1_500
"""Characters of a key's record: one of 4,096 bits has half of them, and to check by a key takes the cube of its length.
"""
_BLANKS = re.compile(rb"[ \t]{20,}")
_LONGEST_RUN, _MOST_BLANKS = 199, 40_000_000
"""The library's way through blanks takes quadratic time: how many in a row, and the sum of the squares of all rows."""
_PROPERTY = re.compile(r"([a-z0-9-]{1,40}\.[a-z0-9_-]{1,40})\s?=\s?([^\s;]{1,320})")
_METHOD = re.compile(r"([a-z0-9-]{1,40})(?:\s?/\s?[0-9]{1,4})?\s?=\s?([a-z]{1,40})(?![\w=])")


class Result(NamedTuple):
    """What one method found: ``dkim``, ``pass``, ``{"header.d": "players.example"}``, all in lower case."""

    method: str
    found: str
    properties: dict[str, str]


def results(fields: Fields, authserv_id: str) -> tuple[Result, ...] | None:
    """Read the topmost Authentication-Results field; None if there is none or `authserv_id` did not write it."""
    values = fields.all("authentication-results")
    if not values or not authserv_id:
        return None
    head, *rest = "".join(_bare(values[0])).lower().split(";")
    if [name.strip('"') for name in head.split()[:1]] != [authserv_id.lower()]:
        return None
    return tuple(_result(part) for part in rest if _METHOD.match(part.strip()))


def from_results(found: Iterable[Result], author: str) -> Evidence:
    """Weigh the provider's results for a letter whose From is `author`.

    DMARC's verdict is taken as it stands, since it knows which domains belong together; else an aligned DKIM or SPF
    pass is enough, and a failure without one is a failure.
    """
    domain = author.rpartition("@")[2]
    seen = list(found)
    for result in seen:
        if result.method == "dmarc" and result.properties.get("header.from", domain) == domain:
            if result.found == "pass":
                return "pass"
            if result.found == "fail":
                return "fail"
    passed = [result for result in seen if result.found == "pass" and result.method in ("dkim", "spf")]
    if any(aligned(_identity(result), domain) for result in passed):
        return "pass"
    if any(result.found in ("fail", "hardfail") and result.method in ("dkim", "spf") for result in seen):
        return "fail"
    return "unaligned" if passed else "none"


def from_signatures(raw: bytes, author: str, txt: Txt) -> Evidence:
    """Check the DKIM signatures (RFC 6376) of a letter whose From is `author`; never raises.

    ``none`` also where a key cannot be had, where the library is not installed, for a signature of a part of the
    body only (``l=``), behind which anybody could have written on, and for what would take too long to check.
    """
    # An extra, which may not be installed.
    try:
        import dkim
    except ImportError:
        return "none"
    if _is_costly(raw):
        return "none"
    domain = author.rpartition("@")[2]
    verdicts: list[Evidence] = []
    try:
        signed = dkim.DKIM(raw, minkey=1024)
        values = [value for name, value in signed.headers if name.lower() == b"dkim-signature"]
        authors = sum(name.lower() == b"from" for name, _ in signed.headers)
    except Exception:  # whatever the library makes of bytes that are no letter
        return "none"
    if authors != 1 or len(signed.headers) > MOST_FIELDS:
        return "none"
    own = sorted(range(len(values)), key=lambda index: not aligned(_signer(values[index]), domain))
    for index in own[:SIGNATURES]:
        if values[index].count(b":") > MOST_FIELDS:
            continue
        verdicts.append(_signature(dkim, signed, index, domain, txt))
    return next((verdict for verdict in ("pass", "fail", "unaligned") if verdict in verdicts), "none")


def aligned(signer: str, author_domain: str) -> bool:
    """Whether a domain may vouch for addresses in another: for itself and what is below it.

    Of a domain above which nobody could stand alone, such as ``com``, nothing is taken.
    """
    signer = signer.strip(".")
    return "." in signer and (author_domain == signer or author_domain.endswith("." + signer))


def _is_costly(raw: bytes) -> bool:
    """Whether the library would take too long to take a letter to pieces."""
    rows = [len(row) for row in _BLANKS.findall(raw)]
    long = max(rows, default=0) > _LONGEST_RUN or sum(row * row for row in rows) > _MOST_BLANKS
    return long or len(header(raw)) >= HEADER_OCTETS


def _signer(value: bytes) -> str:
    """The domain that a signature says it is of."""
    found = _DOMAIN.search(value[:4096])
    return found[1].decode("ascii", "replace").lower() if found else ""


def _signature(dkim: Any, signed: Any, index: int, domain: str, txt: Txt) -> Evidence:
    reached: list[str | None] = []

    def ask(name: bytes, timeout: float = 5) -> bytes:
        found = txt(name.decode("ascii").rstrip("."))
        reached.append(found if found is not None and len(found) <= MOST_KEY else None)
        return (reached[-1] or "").encode("utf-8")

    try:
        try:
            good = signed.verify(index, dnsfunc=ask)
        except dkim.ValidationError:
            # The body is not the one that was signed, or the signature is no good: told apart by whether a key was had.
            good = False
        named = signed.signature_fields
        signer = named[b"d"].decode("ascii").lower()
        if b"l" in named or not any(reached):
            return "none"
    except Exception:  # a signature that cannot be read is none
        return "none"
    if good:
        return "pass" if aligned(signer, domain) else "unaligned"
    return "fail" if aligned(signer, domain) else "none"


def _identity(result: Result) -> str:
    """The domain that a result is about."""
    for name in ("header.d", "header.i", "smtp.mailfrom", "smtp.helo"):
        if name in result.properties and not (name == "smtp.helo" and "smtp.mailfrom" in result.properties):
            return result.properties[name].strip('"').rpartition("@")[2]
    return ""


def _result(part: str) -> Result:
    found = _METHOD.match(part.strip())
    method, value = (found[1], found[2]) if found else ("", "")
    return Result(method, value, dict(_PROPERTY.findall(part)))


def _bare(value: str) -> Iterator[str]:
    """The value without comments, which may lie in one another (RFC 5322, 3.2.2), and no semicolon in quotes."""
    depth, quoted, escaped = 0, False, False
    for character in value:
        if escaped:
            escaped = False
        elif character == "\\":
            escaped = True
        elif character == '"' and not depth:
            quoted = not quoted
        elif character == "(" and not quoted:
            depth += 1
        elif character == ")" and depth and not quoted:
            depth -= 1
            yield " "
            continue
        if not depth:
            yield "," if quoted and character == ";" else character
