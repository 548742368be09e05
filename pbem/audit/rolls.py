"""Write and read manifests, which number every roll; read closed orders back.

    pbemdice/v1/manifest
    game wt-042
    phase T3.spain~1
    segment 1
    group all
    roll 1 B>C/shock attacker 3d6 4,2,5
    roll 2 end/recover Nizam 1d6 3

Numbers run through the phase in the order of the rolls, over all groups and segments: a gap is a roll of a hidden
group.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import COUNT_PATTERN, ID_PATTERN, NUMBER_PATTERN, ClosedOrders, Commitment, Malformed
from pbem.audit.dice import MOST_DICE
from pbem.audit.note import decode64

# The lines of a phase's rolls. Each pattern allows one way only to write a value, so that digests are comparable.
_ROLL = re.compile(r"([1-9][0-9]{0,8}) (.+) ([1-9][0-9]{0,8})d([1-9][0-9]{0,9}) ([1-9][0-9]*(?:,[1-9][0-9]*)*)")
_BEACON = re.compile(rf"none|[0-9a-f]{{64}} {NUMBER_PATTERN}")
_SEAT = re.compile(rf"({ID_PATTERN}) ({NUMBER_PATTERN}) ([A-Za-z0-9+/]{{43}}=) ([A-Za-z0-9+/]{{43}}=|-)")
_DICE = re.compile(rf"own|board {ID_PATTERN}")
_SLATE = ("game", "phase", "segment", "previous", "edition", "state", "dice", "groups", "beacon")
_MANIFEST = ("game", "phase", "segment", "group")


class NumberedRoll(NamedTuple):
    """A roll: its number in the phase, label, dice and values.

    `n` dice of `sides` sides showed the values 1..sides.
    """

    number: int
    label: str
    n: int
    sides: int
    values: tuple[int, ...]


class Manifest(NamedTuple):
    """The rolls of one group in one segment."""

    game: str
    phase: str
    segment: int
    group: str
    rolls: tuple[NumberedRoll, ...]


def parse_closed_orders(data: bytes) -> ClosedOrders:
    """Read a block of closed orders; raise Malformed unless it is canonical.

    Canonical is the text of `blocks.closed_orders_block`.
    """
    kind, pairs = blocks.parse(data)
    head, rest = pairs[: len(_SLATE)], pairs[len(_SLATE) :]
    if kind != "slate" or tuple(key for key, _ in head) != _SLATE or {key for key, _ in rest} != {"seat"}:
        raise Malformed(f"a slate says {' '.join(_SLATE)}, and a seat or more")
    game, phase, segment, previous, edition, state, dice, groups, beacon = (value for _, value in head)
    if _BEACON.fullmatch(beacon) is None or re.fullmatch(COUNT_PATTERN, segment) is None:
        raise Malformed("a slate has a segment from 1, and a beacon or none")
    names = tuple(groups.split(" "))
    if _DICE.fullmatch(dice) is None or len(set(names)) != len(names):
        raise Malformed("a slate has dice of its own or of a board, and each group once")
    seats = dict(_seat(value, first=segment == "1") for _, value in rest)
    if (segment == "1") != (previous == "-"):
        raise Malformed("the first segment, and no other, has no slate before it")
    if previous != "-" and re.fullmatch("[0-9a-f]{64}", previous) is None:
        raise Malformed("the slate before is a hash or -")
    try:
        read = ClosedOrders(game, phase, int(segment), previous, edition, state, beacon, seats, names, dice)
        written = blocks.closed_orders_block(read)
    except ValueError as wrong:
        raise Malformed(f"no slate: {wrong}") from None
    if written != data:
        raise Malformed("a slate has its groups and seats in the order of their bytes, each once")
    return read


def _seat(value: str, *, first: bool) -> tuple[str, Commitment]:
    match = _SEAT.fullmatch(value)
    if match is None or (match[4] == "-") == first:
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"a seat of a slate has a revision and its commitments: {value[:80]!r}")
    standing = decode64(match[4]) if first else b""
    return match[1], Commitment(int(match[2]), decode64(match[3]), standing)


def manifest_block(*, game: str, phase: str, segment: int, group: str, rolls: Iterable[NumberedRoll]) -> bytes:
    """Return a manifest's block; raise ValueError if it would not be read back."""
    head = [("game", game), ("phase", phase), ("segment", str(segment)), ("group", group)]
    lines = [
        ("roll", f"{roll.number} {roll.label} {roll.n}d{roll.sides} {','.join(map(str, roll.values))}")
        for roll in rolls
    ]
    data = blocks.block("manifest", [*head, *lines])
    parse_manifest(data)
    return data


def parse_manifest(data: bytes) -> Manifest:
    """Parse a manifest; raise Malformed unless canonical and with rising numbers."""
    kind, pairs = blocks.parse(data)
    # Four lines name the group, all others are its rolls.
    if kind != "manifest" or tuple(key for key, _ in pairs[:4]) != _MANIFEST or {k for k, _ in pairs[4:]} - {"roll"}:
        raise Malformed(f"a manifest says {' '.join(_MANIFEST)}, and its rolls")
    game, phase, segment, group = (value for _, value in pairs[:4])
    if not all(re.fullmatch(ID_PATTERN, name) for name in (game, phase, group)) or not re.fullmatch(
        COUNT_PATTERN, segment
    ):
        raise Malformed("a manifest names game, phase, segment and group")
    rolls = tuple(_roll(value) for _, value in pairs[4:])
    numbers = [roll.number for roll in rolls]
    if numbers != sorted(set(numbers)):
        raise Malformed("the numbers of a manifest rise")
    return Manifest(game, phase, int(segment), group, rolls)


def _roll(value: str) -> NumberedRoll:
    match = _ROLL.fullmatch(value)
    if match is None:
        raise Malformed(f"a roll has a number, a label, NdS and its values: {value[:80]!r}")
    number, n, sides = int(match[1]), int(match[3]), int(match[4])
    if n > MOST_DICE or sides > 256**4 or match[5].count(",") != n - 1:
        raise Malformed(f"a roll has as many values as dice: {value[:80]!r}")
    return NumberedRoll(number, match[2], n, sides, tuple(map(int, match[5].split(","))))
