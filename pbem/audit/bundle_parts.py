"""Write and read the opened parts of a bundle (see `bundle`), a block each.

Orders are opened to their owner, and to everybody when the game is over, by the proof of the secret from which all
their salts derive::

    pbemdice/v1/orders
    phase T1.spain~1
    segment 1
    seat spain
    rev 2
    proof 4f0d...
    text ASSAULT Cresta WITH Cuenca
    rule 1 WHEN assaulted: STAND

If nothing is hidden, some parts are opened to everybody after the phase, by the salts of a single revision: the
order set (or the answers of a segment); and a used standing order, by the salt of all `size` rules and its `own`,
with the path from its leaf to the root (`sealing`)::

    pbemdice/v1/played                  pbemdice/v1/fired
    phase T1.spain~1                    phase T1.spain~1
    segment 1                           seat spain
    seat spain                          rev 2
    rev 2                               salt 77c0...
    salt 0d1e...                        size 3
    text ASSAULT Cresta WITH Cuenca     number 1
                                        own 19ab...
                                        text WHEN assaulted: STAND
                                        hash tE4n...
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from pbem.audit import blocks
from pbem.audit.blocks import Malformed
from pbem.audit.note import decode64, encode64

PACES = ("phase", "activation")
PIECE_LENGTH = 120
"""Characters of a piece of a line: at most 480 octets of UTF-8, well within the 998 of a line of mail (RFC 5322,
2.1.1)."""

# The fields of the lines of a bundle: number, id, VRF proof of 80 octets, salt of 32 octets, rule with its number.
_NUMBER = re.compile(blocks.NUMBER_PATTERN)
_ID = re.compile(blocks.ID_PATTERN)
_PROOF = re.compile(r"[0-9a-f]{160}")
_SALT = re.compile(r"[0-9a-f]{64}")
_RULE = re.compile(r"([1-9][0-9]{0,8}) (.+)")

Part = tuple[bytes, str, tuple[tuple[str, str], ...]]
"""A block: its bytes, its kind, its lines."""

Lines = Iterable[tuple[str, str]]


class OpenedOrders(NamedTuple):
    """Orders (segment 1) or answers (later), with the proof that opens their salts.

    `text` and each of the `rules` are canonical: lines that end with LF, or nothing. Answers have no rules.
    """

    phase: str
    segment: int
    seat: str
    rev: int
    proof: bytes
    text: str
    rules: tuple[str, ...] = ()


class PlayedOrders(NamedTuple):
    """The orders (segment 1) or answers (later) that the game used for a seat.

    `salt` opens that revision only; everything else the seat sent stays sealed.
    """

    phase: str
    segment: int
    seat: str
    rev: int
    salt: bytes
    text: str


class FiredRule(NamedTuple):
    """A used standing order: salt and number of all, place, own salt, text, path."""

    phase: str
    seat: str
    rev: int
    salt: bytes
    size: int
    number: int
    own: bytes
    text: str
    path: tuple[bytes, ...]


class GroupProof(NamedTuple):
    """The proof of a group of dice that was hidden in its roll."""

    phase: str
    segment: int
    group: str
    proof: bytes


class Reveal(NamedTuple):
    """What a phase's digests hide: the proof of their secret, first and last state."""

    phase: str
    proof: bytes
    before: str
    after: str


class Ruling(NamedTuple):
    """A moderator's ruling: number in the game, line and reason as canonical JSON."""

    number: int
    text: str


class OpenedText(NamedTuple):
    """A text whose digest is in a tournament's leaf, as canonical JSON."""

    game: str
    seq: int
    text: str


class PlayedEdition(NamedTuple):
    """The rules a game was played by: name, pace (PACES), edition as canonical JSON.

    The edition is the one that every `open` of the game names by its digest. `proof` proves the secret from which
    the salt of a later edition of a war derives; it is empty for other editions.
    """

    system: str
    pace: str
    text: str
    proof: bytes = b""


class TreeExtension(NamedTuple):
    """The proof that a tree continues an earlier one: its size, root and the hashes."""

    size: int
    root: bytes
    path: tuple[bytes, ...]


Opened = (
    OpenedOrders | PlayedOrders | FiredRule | GroupProof | Reveal | Ruling | OpenedText | PlayedEdition | TreeExtension
)


def write(part: Opened) -> bytes:
    """Return the block of a part."""
    match part:
        case OpenedOrders():
            rules = (f"{n} {line}" for n, rule in enumerate(part.rules, 1) for line in rule.splitlines())
            body = [("proof", part.proof.hex()), *lines_of(part.text), *(("rule", line) for line in rules)]
            return blocks.block("orders", (*_seat(part), *body))
        case PlayedOrders():
            return blocks.block("played", (*_seat(part), ("salt", part.salt.hex()), *lines_of(part.text)))
        case FiredRule():
            whose = (("phase", part.phase), ("seat", part.seat), ("rev", str(part.rev)), ("salt", part.salt.hex()))
            place = (("size", str(part.size)), ("number", str(part.number)), ("own", part.own.hex()))
            return blocks.block("fired", (*whose, *place, *lines_of(part.text), *hash_lines(part.path)))
        case GroupProof():
            where = (("phase", part.phase), ("segment", str(part.segment)), ("group", part.group))
            return blocks.block("group", (*where, ("proof", part.proof.hex())))
        case Reveal():
            states = [*_split_line("before", part.before), *_split_line("after", part.after)]
            return blocks.block("reveal", (("phase", part.phase), ("proof", part.proof.hex()), *states))
        case Ruling():
            return blocks.block("said", (("number", str(part.number)), *_split_line("text", part.text)))
        case OpenedText():
            return blocks.block("opens", (("game", part.game), ("seq", str(part.seq)), *_split_line("text", part.text)))
        case PlayedEdition():
            proof = (("proof", part.proof.hex()),) if part.proof else ()
            head = (("system", part.system), ("pace", part.pace), *proof)
            return blocks.block("edition", (*head, *_split_line("text", part.text)))
        case TreeExtension():
            old = (("from", str(part.size)), ("root", encode64(part.root)))
            return blocks.block("consistency", (*old, *hash_lines(part.path)))


def _seat(part: OpenedOrders | PlayedOrders) -> tuple[tuple[str, str], ...]:
    where = (("phase", part.phase), ("segment", str(part.segment)))
    return (*where, ("seat", part.seat), ("rev", str(part.rev)))


def lines_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield the lines of a text."""
    return (("text", line) for line in text.splitlines())


def hash_lines(path: Iterable[bytes]) -> tuple[tuple[str, str], ...]:
    """Return hashes as lines of a block."""
    return tuple(("hash", encode64(digest)) for digest in path)


def _split_line(key: str, text: str) -> Iterator[tuple[str, str]]:
    """Split a long line; no piece ends in a space, since mail programs strip it."""
    start = 0
    while start < len(text):
        end = start + PIECE_LENGTH
        while text[end - 1 : end] == " ":
            end += 1
        yield key, text[start:end]
        start = end


def read(part: Part) -> Opened:
    """Parse a block of a bundle without verifying; raise Malformed for other kinds."""
    if part[1] not in _READ:
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"a bundle has no block of {part[1][:40]}")
    return _READ[part[1]](part)


def first_values(part: Part, *keys: str) -> list[str]:
    """Return the values of a block's first lines, which must have these keys."""
    _, kind, pairs = part
    if tuple(key for key, _ in pairs[: len(keys)]) != keys:
        raise Malformed(f"a block of {kind} begins with {' '.join(keys)}")
    return [value for _, value in pairs[: len(keys)]]


def remaining_values(part: Part, skip: int, key: str) -> list[str]:
    """Return the values of the lines after the first `skip`, all with one key."""
    if any(other != key for other, _ in part[2][skip:]):
        raise Malformed(f"a block of {part[1]} ends with lines of {key}")
    return [value for _, value in part[2][skip:]]


def parse_number(text: str, least: int = 0) -> int:
    """Parse a canonical number; raise Malformed below `least`."""
    if _NUMBER.fullmatch(text) is None or int(text) < least:
        raise Malformed(f"{text[:40]!r} is no number as it is written here")
    return int(text)


def read_hashes(lines: Iterable[str]) -> tuple[bytes, ...]:
    """Decode the hashes of lines that `hash_lines` wrote."""
    return tuple(map(_hash, lines))


def _hash(text: str) -> bytes:
    data = decode64(text)
    if len(data) != 32:
        raise Malformed("a hash has 32 bytes")
    return data


def _vrf(text: str) -> bytes:
    if _PROOF.fullmatch(text) is None:
        raise Malformed("a VRF proof has 80 bytes in hex")
    return bytes.fromhex(text)


def _salt(text: str) -> bytes:
    if _SALT.fullmatch(text) is None:
        raise Malformed("a salt has 32 bytes in hex")
    return bytes.fromhex(text)


def _text(part: Part, skip: int) -> tuple[str, list[tuple[str, str]]]:
    """Return the text of a block and the lines after it."""
    pairs = part[2][skip:]
    end = next((position for position, (key, _) in enumerate(pairs) if key != "text"), len(pairs))
    return "".join(f"{line}\n" for _, line in pairs[:end]), list(pairs[end:])


def _read_orders(part: Part) -> OpenedOrders:
    phase, segment, seat, rev, proof = first_values(part, "phase", "segment", "seat", "rev", "proof")
    text, more = _text(part, 5)
    matches = [_RULE.fullmatch(value) if key == "rule" else None for key, value in more]
    if not all(matches) or (matches and segment != "1"):
        raise Malformed("orders of the first segment end with the lines of their rules")
    by_number = groupby((match for match in matches if match is not None), key=lambda match: int(match[1]))
    rules = {index: "".join(f"{match[2]}\n" for match in lines) for index, lines in by_number}
    if [*rules] != [*range(1, len(rules) + 1)]:
        raise Malformed("rules are numbered from 1")
    return OpenedOrders(
        phase, parse_number(segment, 1), seat, parse_number(rev), _vrf(proof), text, tuple(rules.values())
    )


def _read_played(part: Part) -> PlayedOrders:
    phase, segment, seat, rev, salt = first_values(part, "phase", "segment", "seat", "rev", "salt")
    text = "".join(f"{line}\n" for line in remaining_values(part, 5, "text"))
    return PlayedOrders(phase, parse_number(segment, 1), seat, parse_number(rev), _salt(salt), text)


def _read_fired(part: Part) -> FiredRule:
    phase, seat, rev, salt, size, place, own = first_values(
        part, "phase", "seat", "rev", "salt", "size", "number", "own"
    )
    text, more = _text(part, 7)
    if any(key != "hash" for key, _ in more) or parse_number(place, 1) > parse_number(size, 1):
        raise Malformed("a rule is one of so many, and ends with its path")
    path = read_hashes(value for _, value in more)
    return FiredRule(phase, seat, parse_number(rev), _salt(salt), int(size), int(place), _salt(own), text, path)


def _read_group(part: Part) -> GroupProof:
    phase, segment, group, proof = first_values(part, "phase", "segment", "group", "proof")
    return GroupProof(phase, parse_number(segment, 1), group, _vrf(proof))


def _read_reveal(part: Part) -> Reveal:
    phase, proof = first_values(part, "phase", "proof")
    before, after = ("".join(value for key, value in part[2][2:] if key == word) for word in ("before", "after"))
    return Reveal(phase, _vrf(proof), before, after)


def _read_ruling(part: Part) -> Ruling:
    (numeral,) = first_values(part, "number")
    return Ruling(parse_number(numeral), "".join(remaining_values(part, 1, "text")))


def _read_text(part: Part) -> OpenedText:
    game, seq = first_values(part, "game", "seq")
    if _ID.fullmatch(game) is None:
        raise Malformed(f"a text is opened of a leaf of a tournament, not of {game[:40]!r}")
    return OpenedText(game, parse_number(seq), "".join(remaining_values(part, 2, "text")))


def _read_edition(part: Part) -> PlayedEdition:
    system, pace = first_values(part, "system", "pace")
    if pace not in PACES or _ID.fullmatch(system) is None:
        raise Malformed(f"a game is played at the pace of {' or '.join(PACES)}, not {pace[:20]!r}")
    # The third line, which only the edition of a battle of a war has.
    proof = [_vrf(value) for key, value in part[2][2:3] if key == "proof"]
    return PlayedEdition(system, pace, "".join(remaining_values(part, 2 + len(proof), "text")), b"".join(proof))


def _read_consistency(part: Part) -> TreeExtension:
    size, root = first_values(part, "from", "root")
    return TreeExtension(parse_number(size), _hash(root), read_hashes(remaining_values(part, 2, "hash")))


_READ: dict[str, Callable[[Part], Opened]] = {
    "orders": _read_orders,
    "played": _read_played,
    "fired": _read_fired,
    "group": _read_group,
    "reveal": _read_reveal,
    "said": _read_ruling,
    "opens": _read_text,
    "edition": _read_edition,
    "consistency": _read_consistency,
}
