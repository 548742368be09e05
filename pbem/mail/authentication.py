"""Authenticate a letter's From by the provider's result or a signature.

The provider's result is the topmost Authentication-Results field (RFC 8601), if it bears the name that the settings
give::

    Authentication-Results: mx.example.org;
        dkim=pass header.d=players.example; spf=pass smtp.mailfrom=ana@players.example

Any other such field may have been written by the sender. A result must also be *aligned* (RFC 7489, 3.1), that is,
about the domain of the From address: the signature of any other domain passes too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, NamedTuple

from pbem.mail.mime import MOST_HEADER_OCTETS, HeaderFields, raw_header

Evidence = Literal["pass", "fail", "unaligned", "none"]
"""The From is authenticated; is forged; another address is authenticated instead; nothing is known."""

Txt = Callable[[str], str | None]
"""The TXT record of a name in the DNS, its strings joined; None if there is none or no answer."""

MOST_SIGNATURES = 2
"""DKIM signatures of a letter that are checked, those of its author's domain first: a domain and its provider sign
once each. Each check asks the DNS once."""
# 253 characters are the longest name of the DNS; blanks are bounded, since anybody can write such a field.
_DOMAIN = re.compile(rb"(?:^|;)\s{0,80}d\s{0,9}=\s{0,80}([^;\s]{1,253})")
MOST_SIGNED_FIELDS = 500
"""Fields of a header with signatures, and names in one signature: the cost grows with the square, since each is
compared with each."""
LONGEST_KEY_RECORD = 1_500
"""Characters of a key's record: a key of 4,096 bits has half as many, and the cost of a check grows with the cube of
the length."""
# Shorter ones are never too many: of a million octets their squares stay below half of `_MOST_BLANKS`.
_BLANKS = re.compile(rb"[ \t]{20,}")
_LONGEST_RUN, _MOST_BLANKS = 199, 40_000_000
"""The library's time grows with the square of blanks in a row: their limit in a row, and that of the sum of all
squares."""
_PROPERTY = re.compile(r"([a-z0-9-]{1,40}\.[a-z0-9_-]{1,40})\s?=\s?([^\s;]{1,320})")
"""A property of a result, ``header.d=a.example``; a method, ``dkim=pass``. The lengths are limited because anybody can
write such fields; 320 is the longest address."""
_METHOD = re.compile(r"([a-z0-9-]{1,40})(?:\s?/\s?[0-9]{1,4})?\s?=\s?([a-z]{1,40})(?![\w=])")


class MethodResult(NamedTuple):
    """The result of a method: ``dkim``, ``pass``, ``{"header.d": "a.example"}``."""

    method: str
    found: str
    properties: dict[str, str]


def read_results(fields: HeaderFields, authserv_id: str) -> tuple[MethodResult, ...] | None:
    """Read the topmost Authentication-Results field; None unless by `authserv_id`."""
    values = fields.all("authentication-results")
    if not values or not authserv_id:
        return None
    first_part, *rest = "".join(_without_comments(values[0])).lower().split(";")
    if [name.strip('"') for name in first_part.split()[:1]] != [authserv_id.lower()]:
        return None
    return tuple(_parse_result(part) for part in rest if _METHOD.match(part.strip()))


def evidence_of_results(results: Iterable[MethodResult], author: str) -> Evidence:
    """Return the evidence of the provider's results for the From `author`.

    The verdict of DMARC is accepted, because it knows which domains belong together. Without it, an aligned DKIM or
    SPF pass is enough; a failure without such a pass means forged.
    """
    domain = author.rpartition("@")[2]
    all_results = list(results)
    for result in all_results:
        if result.method == "dmarc" and result.properties.get("header.from", domain) == domain:
            if result.found == "pass":
                return "pass"
            if result.found == "fail":
                return "fail"
    passed = [result for result in all_results if result.found == "pass" and result.method in ("dkim", "spf")]
    if any(is_aligned(_identity(result), domain) for result in passed):
        return "pass"
    if any(result.found in ("fail", "hardfail") and result.method in ("dkim", "spf") for result in all_results):
        return "fail"
    return "unaligned" if passed else "none"


def evidence_of_signatures(raw: bytes, author: str, txt: Txt) -> Evidence:
    """Check a letter's DKIM signatures (RFC 6376) for the From `author`.

    It never raises. The result is ``none`` also if a key or the library is not available, for a signature of only a
    part of the body (``l=``), to which anybody could have added text, and for letters that would take too long to
    check.
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
    if authors != 1 or len(signed.headers) > MOST_SIGNED_FIELDS:
        return "none"
    order = sorted(range(len(values)), key=lambda index: not is_aligned(_signer(values[index]), domain))
    for index in order[:MOST_SIGNATURES]:
        if values[index].count(b":") > MOST_SIGNED_FIELDS:
            continue
        verdicts.append(_check_signature(dkim, signed, index, domain, txt))
    return next((verdict for verdict in ("pass", "fail", "unaligned") if verdict in verdicts), "none")


def is_aligned(signer: str, author_domain: str) -> bool:
    """Return whether a domain may authenticate addresses of another domain.

    A domain may authenticate itself and its subdomains. A top-level domain, such as ``com``, may not.
    """
    signer = signer.strip(".")
    return "." in signer and (author_domain == signer or author_domain.endswith("." + signer))


def _is_costly(raw: bytes) -> bool:
    """Return whether the library would take too long to parse a letter."""
    runs = [len(run) for run in _BLANKS.findall(raw)]
    is_costly = max(runs, default=0) > _LONGEST_RUN or sum(run * run for run in runs) > _MOST_BLANKS
    return is_costly or len(raw_header(raw)) >= MOST_HEADER_OCTETS


def _signer(value: bytes) -> str:
    """Return the domain that a signature names."""
    # A choice: signatures of the longest keys with many names of fields are shorter, and the rest is not searched.
    match = _DOMAIN.search(value[:4096])
    return match[1].decode("ascii", "replace").lower() if match else ""


def _check_signature(dkim: Any, signed: Any, index: int, domain: str, txt: Txt) -> Evidence:
    keys: list[str | None] = []

    def ask(name: bytes, timeout: float = 5) -> bytes:
        record = txt(name.decode("ascii").rstrip("."))
        keys.append(record if record is not None and len(record) <= LONGEST_KEY_RECORD else None)
        return (keys[-1] or "").encode("utf-8")

    try:
        try:
            is_valid = signed.verify(index, dnsfunc=ask)
        except dkim.ValidationError:
            # The body was changed, or the signature is invalid: the two differ by whether a key was available.
            is_valid = False
        tags = signed.signature_fields
        signer = tags[b"d"].decode("ascii").lower()
        if b"l" in tags or not any(keys):
            return "none"
    except Exception:  # a signature that cannot be read is none
        return "none"
    if is_valid:
        return "pass" if is_aligned(signer, domain) else "unaligned"
    return "fail" if is_aligned(signer, domain) else "none"


def _identity(result: MethodResult) -> str:
    """Return the domain that a result of a method is about."""
    for name in ("header.d", "header.i", "smtp.mailfrom", "smtp.helo"):
        if name in result.properties and not (name == "smtp.helo" and "smtp.mailfrom" in result.properties):
            return result.properties[name].strip('"').rpartition("@")[2]
    return ""


def _parse_result(part: str) -> MethodResult:
    match = _METHOD.match(part.strip())
    method, value = (match[1], match[2]) if match else ("", "")
    return MethodResult(method, value, dict(_PROPERTY.findall(part)))


def _without_comments(value: str) -> Iterator[str]:
    """Yield the value without comments, and without semicolons in quotes.

    Comments may be nested (RFC 5322, 3.2.2).
    """
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
