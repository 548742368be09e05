"""Read and write the addresses of seats.

Example: ``pbem+wt-042-spain-abcdefghijklmnop@example.org``. Plus-addressing (RFC 5233, subaddress extension): the
detail after the ``+`` of the local part names a game, a seat and the token that proves the player of the seat. A
game's id may contain hyphens, so that the detail is read from the right.

A second detail, ``pbem+bounce-k3f7...@example.org``, is the envelope sender under which a letter went out (VERP).
"""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST_LOCAL_PART = 64
"""Octets a local part may have (RFC 5321, 4.5.3.1.1)."""
LONGEST_ADDRESS = 254
"""Octets an address may have (RFC 5321, 4.5.3.1.3, without its angle brackets)."""

ENVELOPE_FIELDS = ("delivered-to", "x-original-to", "envelope-to", "x-delivered-to", "x-envelope-to")
"""Fields in which mail servers write the address that a letter was sent to."""
RECIPIENT_FIELDS = (*ENVELOPE_FIELDS, "to", "cc", "resent-to", "resent-cc")
"""Fields that are searched for the server's addresses, in this order."""

LOOPBACK = re.compile(r"(localhost|127\.[0-9.]{5,11}|\[::1\]):([0-9]{1,5})")
"""A host that is this machine, and a port."""

# The parts of an address of ours, in their order: game, seat, secret token, tag.
GAME_ID, SEAT_ID = r"[a-z0-9-]{1,20}", r"[a-z][a-z0-9]{0,11}"
"""Patterns of ids of games and of seats or sides. They are so short that an address with both and a token fits into
`LONGEST_LOCAL_PART` (see `format_address`); the columns are as long."""
_GAME, _SEAT = re.compile(GAME_ID), re.compile(SEAT_ID)
# A token has 16 characters of base32, 80 bits (`runtime.tokens`), as has a tag of ours. 4 to 32 is a choice: a tag has
# to tell letters apart, and to leave room for the server's name in `LONGEST_LOCAL_PART`.
_TOKEN = re.compile(r"[a-z2-7]{16}")
_TAG = re.compile(r"[a-z0-9]{4,32}")
_ATEXT = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
# A label of a domain has at most 63 characters (RFC 1035, 2.3.4); eleven labels are a choice, more than names have.
_DOMAIN_NAME = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})(?:\.[A-Za-z0-9][A-Za-z0-9-]{0,62}){0,10}"
_ADDRESS = re.compile(rf"{_ATEXT}+(?:\.{_ATEXT}+)*@{_DOMAIN_NAME}")
# Repetitions are bounded, so that a hostile header costs time in proportion to its length.
_ANY_ADDRESS = re.compile(r"[^\s<>()\[\],;:\"\\@\x00-\x1f\x7f]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,10}")


# No address need be around it: half of one, in a log or in another server's words, reveals as much. People
# and their programs write the plus and the hyphens in other ways, and break lines within an address.
# Its repetitions are as long as ids and tokens are, and those of blanks are bounded: it runs over whole letters.
_BREAK = r"(?:=?[ \t]{0,8}\r?\n[ \t>|]{0,16})?"
_PLUS = rf"(?:[+\uff0b\ufe62]|(?:%|={_BREAK})2b|&#(?:43|x2b);|&plus;)"
_HYPHEN = r"(?:[\u002d\u2010-\u2015\u2212\ufe63\uff0d]|%2d|=2d)"
_SECRET = re.compile(
    rf"({_PLUS}{_BREAK}(?:(?:[a-z0-9]|{_HYPHEN}){_BREAK}){{1,20}}?{_HYPHEN}{_BREAK}[a-z]{_BREAK}"
    rf"(?:[a-z0-9]{_BREAK}){{0,11}}{_HYPHEN}{_BREAK})(?:[a-z2-7]{_BREAK}){{15}}[a-z2-7](?![a-z0-9])",
    re.IGNORECASE,
)


class SeatAddress(NamedTuple):
    """The address of a seat, in lower case; `token` is 16 characters of base32."""

    local: str
    game: str
    seat: str
    token: str
    domain: str


class OwnAddresses(NamedTuple):
    """Our addresses: ``local@domain`` with any detail, also at `aliases`.

    `former` are the server's addresses from before a move, at which it still gets mail.
    """

    local: str
    domain: str
    aliases: tuple[str, ...] = ()
    former: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """Return the address without a detail."""
        return f"{self.local}@{self.domain}"

    def holds(self, address: str) -> bool:
        """Return whether mail to an address comes to this server."""
        return self._local(address) is not None

    def seat(self, address: str) -> SeatAddress | None:
        """Read an address of one of our seats; return None for any other address."""
        local = self._local(address)
        return parse_address(address, local) if local is not None else None

    def bounce(self, address: str) -> str | None:
        """Read the tag of one of our envelope senders; None for any other address."""
        local = self._local(address)
        return parse_bounce(address, local) if local is not None else None

    def bounces(self, tag: str) -> tuple[str, ...]:
        """Return the possible envelope senders of a letter with this tag."""
        locations = (
            (self.local, self.domain),
            *((local, domain) for local, _, domain in map(_split_address, self.former)),
        )
        return tuple(format_bounce(local, tag, domain) for local, domain in locations)

    def _local(self, address: str) -> str | None:
        """Return the local part of our address without detail; None for others."""
        name, _, domain = address.casefold().rpartition("@")
        name = name.partition("+")[0]
        domains = {self.domain.casefold(), *(alias.casefold() for alias in self.aliases)}
        if domain in domains and name == self.local.casefold():
            return self.local
        return name if f"{name}@{domain}" in self.former else None


def _split_address(address: str) -> tuple[str, str, str]:
    return address.rpartition("@")


def format_address(address: SeatAddress) -> str:
    """Write a seat's address; raise ValueError for malformed parts.

    The local part has at most 64 octets: with ids of full length, 13 are left for `address.local`.
    """
    text = f"{address.local}+{address.game}-{address.seat}-{address.token}@{address.domain}"
    check_address(text)
    if parse_address(text, address.local) != address:
        raise ValueError(f"not the parts of a seat's address: {address!r}")
    return text


def parse_address(address: str, local: str) -> SeatAddress | None:
    """Read a seat's address with this local part; return None for any other address.

    Case does not matter. The caller decides whether the token is the seat's.
    """
    split = _split_detail(address, local)
    if split is None:
        return None
    detail, domain = split
    rest, _, token = detail.rpartition("-")
    game, _, seat = rest.rpartition("-")
    if not (_TOKEN.fullmatch(token) and _SEAT.fullmatch(seat) and _GAME.fullmatch(game)):
        return None
    return SeatAddress(local.casefold(), game, seat, token, domain)


def format_bounce(local: str, tag: str, domain: str) -> str:
    """Write the envelope sender of one letter.

    `tag`, 4 to 32 lower-case letters and digits, identifies the letter; raise ValueError for other tags.
    """
    text = f"{local}+bounce-{tag}@{domain}"
    check_address(text)
    if parse_bounce(text, local) != tag:
        raise ValueError(f"a bounce tag is 4 to 32 lower-case letters and digits, got {tag!r}")
    return text


def parse_bounce(address: str, local: str) -> str | None:
    """Return the tag of an address that `format_bounce` wrote, else None."""
    split = _split_detail(address, local)
    if split is None:
        return None
    word, _, tag = split[0].partition("-")
    return tag if word == "bounce" and _TAG.fullmatch(tag) else None


def base_address(address: str) -> str:
    """Return the address in lower case, without its detail.

    ``ana+war@example.org`` is ``ana@example.org``.
    """
    local, _, domain = address.casefold().rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def check_address(address: str) -> str:
    """Return an address that is valid in envelope and header, else raise ValueError.

    ASCII dot-atoms only (RFC 5321 ``Dot-string "@" Domain``): no quoted local parts, no address literals, no CR or
    LF.
    """
    if not _ADDRESS.fullmatch(address) or len(address) > LONGEST_ADDRESS:
        raise ValueError(f"not an address that mail can be sent to: {address!r}")
    if len(address.rpartition("@")[0]) > LONGEST_LOCAL_PART:
        raise ValueError(f"the local part is longer than {LONGEST_LOCAL_PART} octets: {address!r}")
    return address


def find_addresses(value: str) -> list[str]:
    """Return all address-like texts of a header's value, in order, lower case."""
    return [address.casefold() for address in _ANY_ADDRESS.findall(value)]


def author_address(value: str) -> str:
    """Return the address of a From field in lower case, or the empty string.

    It is the last address in angle brackets, because a display name may look like an address too.
    """
    bracketed = [address for part in re.findall(r"<([^<>]{1,320})>", value) for address in find_addresses(part)]
    return next(iter(bracketed[-1:] or find_addresses(value)), "")


def strike_tokens(text: str) -> str:
    """Return `text` with the tokens of all seat addresses removed.

    An address becomes ``pbem+g1-spain-...@example.org``. This also covers a plus written as ``%2B`` or
    full-width, and addresses with a line break in them.
    """
    return _SECRET.sub(r"\1...", text)


def _split_detail(address: str, local: str) -> tuple[str, str] | None:
    """Split ``local+detail@domain`` into detail and domain; None for others."""
    folded = address.strip().casefold()
    name, separator, domain = folded.rpartition("@")
    prefix, plus, detail = name.rpartition("+")
    if not (separator and plus and re.fullmatch(_DOMAIN_NAME, domain) and prefix == local.casefold()):
        return None
    return detail, domain
