"""Write and read blocks: texts whose bytes are hashed, signed and used as keys.

A block is UTF-8 with LF line ends. Its first line names the format and the kind, each further line is a key, one
space and a value, in the order its kind lays down::

    pbemdice/v1/die
    label B>C/shock attacker
    block 0
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

BLOCK_FORMAT = "pbemdice/v1"
ID_PATTERN = r"[A-Za-z0-9._/~-]{1,64}"
"""A name of a game, phase, seat or group, as a regular expression."""

COUNT_PATTERN = "[1-9][0-9]{0,17}"
"""A number from 1 on. It has one spelling, since its text is hashed; 18 digits fit a signed integer of 64 bits."""
NUMBER_PATTERN = f"(?:0|{COUNT_PATTERN})"
"""A number from 0 on, in its only spelling."""

_ID = re.compile(ID_PATTERN)
# The word in front of a block: words of lower-case letters joined by hyphens.
_KIND = re.compile(r"[a-z]+(?:-[a-z]+)*")
# All characters at which `str.splitlines` breaks a line; only the line feed may end one here.
_LINE_END = re.compile(r"[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]")


class Malformed(ValueError):
    """Raised for bytes that break their format; no part of them may be used."""


class Commitment(NamedTuple):
    """A seat's revision and its two commitments of 32 bytes each.

    Revision 0 means that the seat sent nothing. In segments after the first, `orders` commits to the
    answers and `standing` is empty.
    """

    revision: int
    orders: bytes
    standing: bytes = b""


def block(kind: str, lines: Sequence[tuple[str, str]]) -> bytes:
    """Return the block of `kind`.

    Raise ValueError for a key that is no word or a value that would end its line.
    """
    if _KIND.fullmatch(kind) is None:
        raise ValueError(f"a kind is a lower-case word, got {kind!r}")
    # D is the closing moment, as everybody calls it; all other keys are words.
    out = [f"{BLOCK_FORMAT}/{kind}"]
    for key, value in lines:
        if not (key.isascii() and key.isalpha() and key.islower()) and key != "D":
            raise ValueError(f"a key is one lower-case word, got {key!r}")
        # What is printable ends no line.
        out.append(f"{key} {value if value and value.isprintable() else _value(key, value)}")
    return ("\n".join(out) + "\n").encode("utf-8")


def parse(data: bytes) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return a block's kind and (key, value) lines; raise Malformed unless canonical."""
    try:
        head, *lines = data.decode("utf-8").removesuffix("\n").split("\n")
        pairs = tuple((key, value) for key, _, value in (line.partition(" ") for line in lines))
        kind = head.removeprefix(f"{BLOCK_FORMAT}/")
        canonical = block(kind, pairs)
    # Octets that are no UTF-8, or lines that `block` would not write.
    except ValueError as wrong:
        raise Malformed(f"no block: {wrong}") from None
    if canonical != data:
        raise Malformed(f"a block of {kind} is not how it would be written")
    return kind, pairs


def _value(key: str, value: str) -> str:
    if not value or _LINE_END.search(value):
        raise ValueError(f"the value of {key} must be one line, got {value!r}")
    return value


def stream_block(label: str, count: int) -> bytes:
    """Return the block whose HMAC is chunk `count` (from 0) of a label's stream.

    A chunk has 32 bytes.
    """
    # Written out, since every roll comes through here; what is printable ends no line.
    checked = label if label and label.isprintable() else _value("label", label)
    return f"{BLOCK_FORMAT}/die\nlabel {checked}\nblock {count}\n".encode()


class ClosedOrders(NamedTuple):
    """The closed orders of a segment, the only input of its dice.

    The operator can choose nothing in them. `phase` reads ``T3.spain~1``; `previous` is the hex SHA-256 of the
    closed orders of the segment before, or ``-``; `edition` reads ``sha256:`` and 64 hex digits, `state` ``hmac:``
    and 64 hex digits; `beacon` is ``none`` or chain hash and round. `groups` are all groups of dice that may be
    rolled. `dice` is ``own``, or ``board`` and the id of a board whose tables share one beta.
    """

    game: str
    phase: str
    segment: int
    previous: str
    edition: str
    state: str
    beacon: str
    seats: Mapping[str, Commitment]
    groups: tuple[str, ...] = ("all",)
    dice: str = "own"

    @property
    def chain(self) -> str:
        """Return the hash of the beacon's chain, or ``none``."""
        return self.beacon.partition(" ")[0]

    @property
    def beacon_round(self) -> int:
        """Return the number of the beacon's round; 0 without a beacon."""
        return int(self.beacon.partition(" ")[2] or 0)


def closed_orders_block(closed: ClosedOrders) -> bytes:
    """Return the block of closed orders; groups and seats are sorted by their bytes."""
    lines = [
        ("game", _id(closed.game)),
        ("phase", _id(closed.phase)),
        ("segment", str(closed.segment)),
        ("previous", _id(closed.previous)),
        ("edition", _digest(closed.edition, "sha256")),
        ("state", _digest(closed.state, "hmac")),
        ("dice", closed.dice),
        ("groups", " ".join(_id(group) for group in sorted(closed.groups))),
        ("beacon", closed.beacon),
    ]
    for seat in sorted(closed.seats):
        revision, orders, standing = closed.seats[seat]
        lines.append(("seat", f"{_id(seat)} {revision} {_base64(orders)} {_base64(standing) or '-'}"))
    return block("slate", lines)


def vrf_input(slate_block: bytes, beacon_signature: bytes | None = None, group: str = "all") -> bytes:
    """Return the VRF input of a group.

    It has the closed orders, and the beacon's signature if any.
    """
    beacon = "none" if beacon_signature is None else sha256_hex(beacon_signature)
    return block("alpha", (("group", _id(group)), ("slate", sha256_hex(slate_block)), ("beacon", beacon)))


def sha256_hex(data: bytes) -> str:
    """Return the SHA-256 in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _id(text: str) -> str:
    if _ID.fullmatch(text) is None:
        raise ValueError(f"an id holds 1 to 64 of A-Z a-z 0-9 . _ / ~ -, got {text!r}")
    return text


def _digest(text: str, scheme: str) -> str:
    if re.fullmatch(scheme + r":[0-9a-f]{64}", text) is None:
        raise ValueError(f"a digest reads {scheme}: and 64 hex digits, got {text!r}")
    return text
