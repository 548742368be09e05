"""What a bundle opens (see `bundle`): a block each, written in one way and read back.

To its owner, and to everybody when the game is over, by the proof of the secret that all of it is salted from::

    pbemdice/v1/orders
    phase T1.spain~1
    segment 1
    seat spain
    rev 2
    proof 4f0d...
    text ASSAULT Cresta WITH Cuenca
    rule 1 WHEN assaulted: STAND

To everybody after the phase, where nothing is hidden, by salts of one revision alone: the order set (or the answers of
a segment), and a standing order that was used, by the salt of all `size` rules and its `own`, with the way from its
leaf to the root (`sealing`)::

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
CHUNK = 120

_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_ID = re.compile(blocks.ID)
_PROOF = re.compile(r"[0-9a-f]{160}")
_SALT = re.compile(r"[0-9a-f]{64}")
_RULE = re.compile(r"([1-9][0-9]{0,8}) (.+)")

Part = tuple[bytes, str, tuple[tuple[str, str], ...]]
"""A block: its bytes, its kind, its lines."""

Lines = Iterable[tuple[str, str]]


class OpenedOrders(NamedTuple):
    """Orders (segment 1) or an answer (later ones) in clear, with the proof of the secret that their salts come from.

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
    """The order set (segment 1) or the answers (later ones) that a seat was played by, with the salt of that revision.

    What else the seat sent stays sealed.
    """

    phase: str
    segment: int
    seat: str
    rev: int
    salt: bytes
    text: str


class FiredRule(NamedTuple):
    """A standing order that was used: the salt of all of them and their number, its place, own salt, text and path."""

    phase: str
    seat: str
    rev: int
    salt: bytes
    size: int
    number: int
    own: bytes
    text: str
    path: tuple[bytes, ...]


class Group(NamedTuple):
    """The proof of a group of dice that was hidden in its roll."""

    phase: str
    segment: int
    group: str
    proof: bytes


class Reveal(NamedTuple):
    """What the digests of a phase stand for: the proof of their secret, and the states before and after as JSON."""

    phase: str
    proof: bytes
    before: str
    after: str


class Ruling(NamedTuple):
    """A ruling of the moderator: its number in the game, and line and reason as canonical JSON."""

    number: int
    text: str


class OpenedText(NamedTuple):
    """A text whose digest a leaf of a tournament says: rules, a table, ratings, a verdict, as canonical JSON."""

    game: str
    seq: int
    text: str


class PlayedEdition(NamedTuple):
    """What a game was played by: the name of its rules, its pace (PACES), its edition as canonical JSON.

    The edition is the one that every `open` of the game names by its digest. `proof` is that of the secret which the
    salt of a later edition of a war comes from; empty where it comes from none.
    """

    system: str
    pace: str
    text: str
    proof: bytes = b""


class Grown(NamedTuple):
    """Proof that the tree goes on from an earlier one: its size and root, and the hashes."""

    size: int
    root: bytes
    path: tuple[bytes, ...]


Opened = OpenedOrders | PlayedOrders | FiredRule | Group | Reveal | Ruling | OpenedText | PlayedEdition | Grown


def write(one: Opened) -> bytes:
    """The block of a part."""
    match one:
        case OpenedOrders():
            rules = (f"{n} {line}" for n, rule in enumerate(one.rules, 1) for line in rule.splitlines())
            shown = [("proof", one.proof.hex()), *lines_of(one.text), *(("rule", line) for line in rules)]
            return blocks.block("orders", (*_seat(one), *shown))
        case PlayedOrders():
            return blocks.block("played", (*_seat(one), ("salt", one.salt.hex()), *lines_of(one.text)))
        case FiredRule():
            whose = (("phase", one.phase), ("seat", one.seat), ("rev", str(one.rev)), ("salt", one.salt.hex()))
            place = (("size", str(one.size)), ("number", str(one.number)), ("own", one.own.hex()))
            return blocks.block("fired", (*whose, *place, *lines_of(one.text), *hash_lines(one.path)))
        case Group():
            where = (("phase", one.phase), ("segment", str(one.segment)), ("group", one.group))
            return blocks.block("group", (*where, ("proof", one.proof.hex())))
        case Reveal():
            states = [*_cut("before", one.before), *_cut("after", one.after)]
            return blocks.block("reveal", (("phase", one.phase), ("proof", one.proof.hex()), *states))
        case Ruling():
            return blocks.block("said", (("number", str(one.number)), *_cut("text", one.text)))
        case OpenedText():
            return blocks.block("opens", (("game", one.game), ("seq", str(one.seq)), *_cut("text", one.text)))
        case PlayedEdition():
            salted = (("proof", one.proof.hex()),) if one.proof else ()
            head = (("system", one.system), ("pace", one.pace), *salted)
            return blocks.block("edition", (*head, *_cut("text", one.text)))
        case Grown():
            old = (("from", str(one.size)), ("root", encode64(one.root)))
            return blocks.block("consistency", (*old, *hash_lines(one.path)))


def _seat(one: OpenedOrders | PlayedOrders) -> tuple[tuple[str, str], ...]:
    where = (("phase", one.phase), ("segment", str(one.segment)))
    return (*where, ("seat", one.seat), ("rev", str(one.rev)))


def lines_of(text: str) -> Iterator[tuple[str, str]]:
    """A text, a line each."""
    return (("text", line) for line in text.splitlines())


def hash_lines(path: Iterable[bytes]) -> tuple[tuple[str, str], ...]:
    """Hashes, a line each."""
    return tuple(("hash", encode64(one)) for one in path)


def _cut(key: str, text: str) -> Iterator[tuple[str, str]]:
    """Pieces of a long line, none of which ends in a space: mail programs take those away."""
    at = 0
    while at < len(text):
        end = at + CHUNK
        while text[end - 1 : end] == " ":
            end += 1
        yield key, text[at:end]
        at = end


def read(part: Part) -> Opened:
    """What a block says; Malformed if it is of no such kind. Nothing is verified."""
    if part[1] not in _READ:
        raise Malformed(f"a bundle has no block of {part[1][:40]}")
    return _READ[part[1]](part)


def fields(part: Part, *keys: str) -> list[str]:
    """The values of a block's first lines, whose keys are told."""
    _, kind, pairs = part
    if tuple(key for key, _ in pairs[: len(keys)]) != keys:
        raise Malformed(f"a block of {kind} begins with {' '.join(keys)}")
    return [value for _, value in pairs[: len(keys)]]


def rest(part: Part, skip: int, key: str) -> list[str]:
    """The values of all other lines, which have one key."""
    if any(other != key for other, _ in part[2][skip:]):
        raise Malformed(f"a block of {part[1]} ends with lines of {key}")
    return [value for _, value in part[2][skip:]]


def number(text: str, least: int = 0) -> int:
    """A number as it is written here; Malformed for one below the least."""
    if _NUMBER.fullmatch(text) is None or int(text) < least:
        raise Malformed(f"{text[:40]!r} is no number as it is written here")
    return int(text)


def read_hashes(lines: Iterable[str]) -> tuple[bytes, ...]:
    """The hashes of such lines."""
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
    """The text of a block, and the lines after it."""
    pairs = part[2][skip:]
    end = next((at for at, (key, _) in enumerate(pairs) if key != "text"), len(pairs))
    return "".join(f"{line}\n" for _, line in pairs[:end]), list(pairs[end:])


def _opened(part: Part) -> OpenedOrders:
    phase, segment, seat, rev, proof = fields(part, "phase", "segment", "seat", "rev", "proof")
    text, more = _text(part, 5)
    found = [_RULE.fullmatch(value) if key == "rule" else None for key, value in more]
    if not all(found) or (found and segment != "1"):
        raise Malformed("orders of the first segment end with the lines of their rules")
    by_number = groupby((one for one in found if one is not None), key=lambda one: int(one[1]))
    rules = {at: "".join(f"{one[2]}\n" for one in lines) for at, lines in by_number}
    if [*rules] != [*range(1, len(rules) + 1)]:
        raise Malformed("rules are numbered from 1")
    return OpenedOrders(phase, number(segment, 1), seat, number(rev), _vrf(proof), text, tuple(rules.values()))


def _played(part: Part) -> PlayedOrders:
    phase, segment, seat, rev, salt = fields(part, "phase", "segment", "seat", "rev", "salt")
    text = "".join(f"{line}\n" for line in rest(part, 5, "text"))
    return PlayedOrders(phase, number(segment, 1), seat, number(rev), _salt(salt), text)


def _fired(part: Part) -> FiredRule:
    phase, seat, rev, salt, size, at, own = fields(part, "phase", "seat", "rev", "salt", "size", "number", "own")
    text, more = _text(part, 7)
    if any(key != "hash" for key, _ in more) or number(at, 1) > number(size, 1):
        raise Malformed("a rule is one of so many, and ends with its path")
    path = read_hashes(value for _, value in more)
    return FiredRule(phase, seat, number(rev), _salt(salt), int(size), int(at), _salt(own), text, path)


def _group(part: Part) -> Group:
    phase, segment, group, proof = fields(part, "phase", "segment", "group", "proof")
    return Group(phase, number(segment, 1), group, _vrf(proof))


def _reveal(part: Part) -> Reveal:
    phase, proof = fields(part, "phase", "proof")
    before, after = ("".join(value for key, value in part[2][2:] if key == word) for word in ("before", "after"))
    return Reveal(phase, _vrf(proof), before, after)


def _ruling(part: Part) -> Ruling:
    (told,) = fields(part, "number")
    return Ruling(number(told), "".join(rest(part, 1, "text")))


def _opens(part: Part) -> OpenedText:
    game, seq = fields(part, "game", "seq")
    if _ID.fullmatch(game) is None:
        raise Malformed(f"a text is opened of a leaf of a tournament, not of {game[:40]!r}")
    return OpenedText(game, number(seq), "".join(rest(part, 2, "text")))


def _edition(part: Part) -> PlayedEdition:
    system, pace = fields(part, "system", "pace")
    if pace not in PACES or _ID.fullmatch(system) is None:
        raise Malformed(f"a game is played at the pace of {' or '.join(PACES)}, not {pace[:20]!r}")
    salted = [_vrf(value) for key, value in part[2][2:3] if key == "proof"]
    return PlayedEdition(system, pace, "".join(rest(part, 2 + len(salted), "text")), b"".join(salted))


def _grown(part: Part) -> Grown:
    size, root = fields(part, "from", "root")
    return Grown(number(size), _hash(root), read_hashes(rest(part, 2, "hash")))


_READ: dict[str, Callable[[Part], Opened]] = {
    "orders": _opened,
    "played": _played,
    "fired": _fired,
    "group": _group,
    "reveal": _reveal,
    "said": _ruling,
    "opens": _opens,
    "edition": _edition,
    "consistency": _grown,
}
