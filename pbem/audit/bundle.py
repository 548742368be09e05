"""What travels with a letter as `pbemdice.txt`: everything needed to check it later, in plain ASCII.

Blocks with a blank line between them, and the checkpoint at the end, its dashes written as two hyphens so that no mail
program has to encode anything::

    pbemdice/v1/bundle
    game wt-042
    seat spain
    letter report
    phase T3.spain~1
    grade C

    pbemdice/v1/open
    ...

    pbemdice/v1/proof
    index 17
    hash tE4n...

    pbemdice/v1/slate
    ...

    example.com/pbem
    109482
    sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

    -- example.com/pbem hI2DJw...

After every leaf comes the proof that it is in the tree; then slates, manifests, orders that are opened, revealed
groups, revealed states, rulings, the edition that was played, the proof that the tree goes on from the one of the
reader's last letter, and what witnesses have cosigned (see `cosigned`). There is one way to write a bundle, and nothing
else is read.

When a game is over everything is opened in one letter, a disclosure, from which alone it can be played again: all
leaves of the game with the log's keys, all slates and manifests, what every seat was played by in every segment, the
proofs of hidden groups, the state that each phase began with (and the one that it led to, where the next phase did not
begin with it), and the edition::

    pbemdice/v1/orders
    phase T1.spain~1
    segment 1
    seat spain
    rev 2
    proof 4f0d...
    text ASSAULT Cresta WITH Cuenca

    pbemdice/v1/reveal
    phase T1.spain~1
    proof 91ab...
    before {"bands":[...

    pbemdice/v1/edition
    system GAME
    pace phase
    text {"charts":{"charge":...

In segment 1 `text` are the canonical orders and standing orders together, as the game's rules read them. In later
segments it is what the pause before them gave, a line a window, ``WINDOW = VALUE``, nothing behind the sign for
silence; where the pace is `activation` the one window's line is followed by the canonical orders of the letter that was
carried out, if it was one. A seat without a text was not asked. JSON is cut in pieces of 120, to be put together again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from pbem.audit import blocks, cosigned
from pbem.audit.blocks import Malformed
from pbem.audit.cosigned import Cosigned
from pbem.audit.leaves import KINDS
from pbem.audit.note import decode64, encode64

__all__ = [
    "FILE",
    "LETTERS",
    "Bundle",
    "Group",
    "Grown",
    "OpenedOrders",
    "Placed",
    "Played",
    "Reveal",
    "Ruling",
    "parse",
    "write",
]

FILE = "pbemdice.txt"
LETTERS = ("welcome", "receipt", "closed", "report", "disclosure")
GRADES = ("A", "B", "C", "-")
PACES = ("phase", "activation")
CHUNK = 120

_PLAIN = re.compile(rb"[\n -~]*")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")
_ID = re.compile(blocks.ID)
_PROOF = re.compile(r"[0-9a-f]{160}")


class Placed(NamedTuple):
    """A leaf, its place in the log, and the hashes that lead from it to the root."""

    data: bytes
    at: int
    path: tuple[bytes, ...]


class OpenedOrders(NamedTuple):
    """Orders (segment 1) or an answer (later ones) in clear, with the proof of the secret that their salt comes from.

    `text` is canonical: lines that end with LF, or nothing.
    """

    phase: str
    segment: int
    seat: str
    rev: int
    proof: bytes
    text: str


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


class Played(NamedTuple):
    """What a game was played by: the name of its rules, its pace (PACES), its edition as canonical JSON.

    The edition is the one that every `open` of the game names by its digest.
    """

    system: str
    pace: str
    edition: str


class Grown(NamedTuple):
    """Proof that the tree goes on from an earlier one: its size and root, and the hashes."""

    size: int
    root: bytes
    path: tuple[bytes, ...]


class Bundle(NamedTuple):
    """A letter's proofs. `letter` is one of LETTERS, `phase` what it is about or "-", `grade` its claim or "-".

    `note` is the checkpoint as the signed note that it is.
    """

    game: str
    seat: str
    letter: str
    phase: str
    grade: str
    leaves: tuple[Placed, ...]
    note: bytes
    slates: tuple[bytes, ...] = ()
    manifests: tuple[bytes, ...] = ()
    orders: tuple[OpenedOrders, ...] = ()
    groups: tuple[Group, ...] = ()
    reveals: tuple[Reveal, ...] = ()
    rulings: tuple[Ruling, ...] = ()
    played: Played | None = None
    grown: Grown | None = None
    witnessed: tuple[Cosigned, ...] = ()


def write(bundle: Bundle) -> bytes:
    """The bytes of `pbemdice.txt`; Malformed for what could not be written without an encoding."""
    parts = [*_parts(bundle)]
    text, _, signatures = bundle.note.decode("utf-8").rpartition("\n\n")
    parts += [f"{text}\n".encode(), _swap(signatures, "\u2014 ", "-- ").encode("utf-8")]
    data = b"\n".join(parts)
    if _PLAIN.fullmatch(data) is None:
        raise Malformed("a bundle is plain ASCII")
    return data


def _parts(bundle: Bundle) -> Iterator[bytes]:
    head = ("game", "seat", "letter", "phase", "grade")
    yield blocks.block("bundle", tuple(zip(head, bundle[:5], strict=True)))
    for leaf in bundle.leaves:
        yield leaf.data
        yield blocks.block("proof", (("index", str(leaf.at)), *_hashes(leaf.path)))
    yield from bundle.slates
    yield from bundle.manifests
    for one in bundle.orders:
        said = (*_where(one), ("seat", one.seat), ("rev", str(one.rev)), ("proof", one.proof.hex()))
        yield blocks.block("orders", (*said, *(("text", line) for line in one.text.splitlines())))
    for group in bundle.groups:
        yield blocks.block("group", (*_where(group), ("group", group.group), ("proof", group.proof.hex())))
    for shown in bundle.reveals:
        states = [("before", line) for line in _cut(shown.before)] + [("after", line) for line in _cut(shown.after)]
        yield blocks.block("reveal", (("phase", shown.phase), ("proof", shown.proof.hex()), *states))
    for ruling in bundle.rulings:
        text = (("text", line) for line in _cut(ruling.text))
        yield blocks.block("said", (("number", str(ruling.number)), *text))
    if bundle.played is not None:
        system, pace, edition = bundle.played
        text = (("text", line) for line in _cut(edition))
        yield blocks.block("edition", (("system", system), ("pace", pace), *text))
    if bundle.grown is not None:
        old = (("from", str(bundle.grown.size)), ("root", encode64(bundle.grown.root)))
        yield blocks.block("consistency", (*old, *_hashes(bundle.grown.path)))
    yield from map(cosigned.write, bundle.witnessed)


def _where(one: OpenedOrders | Group) -> tuple[tuple[str, str], ...]:
    return (("phase", one.phase), ("segment", str(one.segment)))


def _hashes(path: Iterable[bytes]) -> tuple[tuple[str, str], ...]:
    return tuple(("hash", encode64(one)) for one in path)


def _cut(text: str) -> Iterator[str]:
    """Pieces of a long line, none of which ends in a space: mail programs take those away."""
    at = 0
    while at < len(text):
        end = at + CHUNK
        while text[end - 1 : end] == " ":
            end += 1
        yield text[at:end]
        at = end


def _swap(signatures: str, old: str, new: str) -> str:
    lines = signatures.splitlines(keepends=True)
    if not all(line.startswith(old) for line in lines):
        raise Malformed("the signatures of a checkpoint begin with a dash")
    return "".join(new + line[len(old) :] for line in lines)


def parse(data: bytes) -> Bundle:
    """Read `pbemdice.txt`; Malformed unless it is written exactly as `write` does. Nothing is verified."""
    if _PLAIN.fullmatch(data) is None:
        raise Malformed("a bundle is plain ASCII")
    above, blank, signatures = data.rpartition(b"\n\n")
    body, between, text = above.rpartition(b"\n\n")
    if not blank or not between:
        raise Malformed("a bundle ends with a checkpoint")
    note = text + b"\n\n" + _swap(signatures.decode("ascii"), "-- ", "\u2014 ").encode("utf-8")
    found = [(part + b"\n", *blocks.parse(part + b"\n")) for part in body.split(b"\n\n")]
    bundle = _collect(found, note)
    if write(bundle) != data:
        raise Malformed("the parts of a bundle have one order")
    return bundle


Part = tuple[bytes, str, tuple[tuple[str, str], ...]]


def _collect(found: list[Part], note: bytes) -> Bundle:
    head = found.pop(0)
    if head[1] != "bundle" or [key for key, _ in head[2]] != ["game", "seat", "letter", "phase", "grade"]:
        raise Malformed("a bundle says game, seat, letter, phase and grade first")
    game, seat, letter, phase, grade = (value for _, value in head[2])
    if letter not in LETTERS or grade not in GRADES or not all(_ID.fullmatch(name) for name in (game, seat, phase)):
        raise Malformed(f"there is no letter {letter[:20]!r} of grade {grade[:20]!r}")
    leaves: list[Placed] = []
    while found and found[0][1] in KINDS:
        leaf, proof = found.pop(0), found.pop(0) if found else head
        if proof[1] != "proof":
            raise Malformed("after a leaf comes its proof")
        at, path = _numbered(proof, "index")
        leaves.append(Placed(leaf[0], at, path))
    return Bundle(
        game, seat, letter, phase, grade, tuple(leaves), note,
        slates=tuple(data for data, kind, _ in found if kind == "slate"),
        manifests=tuple(data for data, kind, _ in found if kind == "manifest"),
        orders=tuple(_opened(part) for part in found if part[1] == "orders"),
        groups=tuple(_group(part) for part in found if part[1] == "group"),
        reveals=tuple(_reveal(part) for part in found if part[1] == "reveal"),
        rulings=tuple(_ruling(part) for part in found if part[1] == "said"),
        played=next((_played(part) for part in found if part[1] == "edition"), None),
        grown=next((_grown(part) for part in found if part[1] == "consistency"), None),
        witnessed=tuple(cosigned.read(part[2]) for part in found if part[1] == "cosigned"),
    )  # fmt: skip


def _fields(part: Part, *keys: str) -> list[str]:
    """The values of a block's first lines, whose keys are told."""
    _, kind, pairs = part
    if tuple(key for key, _ in pairs[: len(keys)]) != keys:
        raise Malformed(f"a block of {kind} begins with {' '.join(keys)}")
    return [value for _, value in pairs[: len(keys)]]


def _rest(part: Part, skip: int, key: str) -> list[str]:
    if any(other != key for other, _ in part[2][skip:]):
        raise Malformed(f"a block of {part[1]} ends with lines of {key}")
    return [value for _, value in part[2][skip:]]


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise Malformed(f"{text[:40]!r} is no number as it is written here")
    return int(text)


def _segment(text: str) -> int:
    if _number(text) < 1:
        raise Malformed("segments count from 1")
    return int(text)


def _vrf(text: str) -> bytes:
    if _PROOF.fullmatch(text) is None:
        raise Malformed("a VRF proof has 80 bytes in hex")
    return bytes.fromhex(text)


def _hash(text: str) -> bytes:
    data = decode64(text)
    if len(data) != 32:
        raise Malformed("a hash has 32 bytes")
    return data


def _numbered(part: Part, key: str) -> tuple[int, tuple[bytes, ...]]:
    (number,) = _fields(part, key)
    return _number(number), tuple(map(_hash, _rest(part, 1, "hash")))


def _grown(part: Part) -> Grown:
    size, root = _fields(part, "from", "root")
    return Grown(_number(size), _hash(root), tuple(map(_hash, _rest(part, 2, "hash"))))


def _opened(part: Part) -> OpenedOrders:
    phase, segment, seat, rev, proof = _fields(part, "phase", "segment", "seat", "rev", "proof")
    text = "".join(f"{line}\n" for line in _rest(part, 5, "text"))
    return OpenedOrders(phase, _segment(segment), seat, _number(rev), _vrf(proof), text)


def _group(part: Part) -> Group:
    phase, segment, group, proof = _fields(part, "phase", "segment", "group", "proof")
    return Group(phase, _segment(segment), group, _vrf(proof))


def _reveal(part: Part) -> Reveal:
    phase, proof = _fields(part, "phase", "proof")
    before, after = ("".join(value for key, value in part[2][2:] if key == word) for word in ("before", "after"))
    return Reveal(phase, _vrf(proof), before, after)


def _ruling(part: Part) -> Ruling:
    (number,) = _fields(part, "number")
    return Ruling(_number(number), "".join(_rest(part, 1, "text")))


def _played(part: Part) -> Played:
    system, pace = _fields(part, "system", "pace")
    if pace not in PACES or _ID.fullmatch(system) is None:
        raise Malformed(f"a game is played at the pace of {' or '.join(PACES)}, not {pace[:20]!r}")
    return Played(system, pace, "".join(_rest(part, 2, "text")))
