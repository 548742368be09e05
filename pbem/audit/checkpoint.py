"""Checkpoints of the log (C2SP tlog-checkpoint), cosignatures of witnesses (tlog-cosignature), proofs (tlog-proof).

A checkpoint is a signed note of at least three lines: the log's name, the number of its leaves, their root::

    example.com/pbem
    109482
    sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

    — example.com/pbem hI2DJw...

A witness signs the same text with the moment in front of it. A proof text is an index, the hashes that lead from the
leaf to the root, and the checkpoint.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pbem.audit import blocks, merkle, note
from pbem.audit.blocks import Malformed
from pbem.audit.note import COSIGNATURE, Key, Note, Sign, Signature, Verify, decode64, encode64, parse, signed_by, write

PROOF = "c2sp.org/tlog-proof@v1"
LONGEST_PROOF = 63
_END_OF_TIME = 1 << 63
_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")


class Checkpoint(NamedTuple):
    """The state of a log: its name, the number of its leaves, the root over them; `extra` are extension lines."""

    origin: str
    size: int
    root: bytes
    extra: tuple[str, ...] = ()


class Proof(NamedTuple):
    """A tlog-proof: where a leaf stands, the way up to the root, the note of the checkpoint, and what goes with it."""

    at: int
    path: tuple[bytes, ...]
    note: bytes
    extra: bytes = b""


def text_of(tree: Checkpoint) -> str:
    """The text that is signed."""
    return "".join(f"{line}\n" for line in (tree.origin, str(tree.size), encode64(tree.root), *tree.extra))


def body(note: Note) -> Checkpoint:
    """Read the text of a note as a checkpoint; Malformed unless it is written exactly as `text_of` does."""
    lines = note.text[:-1].split("\n")
    if len(lines) < 3 or not all(lines):
        raise Malformed("a checkpoint has three lines or more, none of them empty")
    tree = Checkpoint(lines[0], _number(lines[1]), decode64(lines[2]), tuple(lines[3:]))
    if len(tree.root) != 32 or (tree.size == 0 and tree.root != merkle.EMPTY):
        raise Malformed("the third line of a checkpoint is a root")
    return tree


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise Malformed(f"{text[:40]!r} is no number as it is written here")
    return int(text)


def sign(tree: Checkpoint, key: Key, secret: Sign) -> bytes:
    """The note of a checkpoint, signed by the log."""
    text = text_of(tree)
    return write(Note(text, (Signature(key.name, key.id, secret(text.encode("utf-8"))),)))


def read(data: bytes, log: Key, verify: Verify) -> Checkpoint:
    """The checkpoint that `log` has signed; Malformed if it has not, or if the checkpoint is of another log."""
    note = parse(data)
    tree = body(note)
    mine = [one.signed for one in note.signatures if (one.name, one.id) == (log.name, log.id)]
    if not mine:
        raise Malformed(f"the key {log.name} has not signed this checkpoint")
    if tree.origin != log.name:
        raise Malformed(f"this is a checkpoint of {tree.origin}, not of {log.name}")
    if not all(verify(log.public, note.text.encode("utf-8"), signed) for signed in mine):
        raise Malformed(f"the signature of {log.name} is false")
    return tree


def cosign(data: bytes, key: Key, secret: Sign, at: int) -> bytes:
    """The note with the cosignature of a witness put below: that `at`, in unix seconds, this was the largest tree.

    ValueError for a moment that is none: a cosignature whose time is 0 says nothing of time.
    """
    if not 0 < at < _END_OF_TIME:
        raise ValueError(f"a witness says when, not {at}")
    signed = at.to_bytes(8, "big") + secret(_cosigned(parse(data), at))
    return signed_by(data, Signature(key.name, key.id, signed))


def witnessed(data: bytes, witnesses: Iterable[Key], verify: Verify) -> dict[str, int]:
    """The witnesses that have cosigned a checkpoint, and when, in unix seconds; Malformed for a false cosignature."""
    note = parse(data)
    out: dict[str, int] = {}
    for key in witnesses:
        for one in note.signatures:
            if key.kind == COSIGNATURE and (one.name, one.id) == (key.name, key.id):
                at = int.from_bytes(one.signed[:8], "big")
                if not 0 < at < _END_OF_TIME or not verify(key.public, _cosigned(note, at), one.signed[8:]):
                    raise Malformed(f"the cosignature of {key.name} is false")
                out[key.name] = min(at, out.get(key.name, at))
    return out


def _cosigned(note: Note, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{note.text}".encode()


def write_proof(proof: Proof) -> bytes:
    """The text of a proof."""
    extra = [f"extra {encode64(proof.extra)}"] if proof.extra else []
    lines = [PROOF, *extra, f"index {proof.at}", *map(encode64, proof.path), ""]
    return "".join(f"{line}\n" for line in lines).encode("ascii") + proof.note


def parse_proof(data: bytes) -> Proof:
    """Read the text of a proof; Malformed unless it is written exactly so. What it says is not verified."""
    above, blank, note = data.partition(b"\n\n")
    try:
        lines = above.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise Malformed("a proof is ASCII up to its checkpoint") from None
    if not blank or lines.pop(0) != PROOF:
        raise Malformed(f"a proof begins with {PROOF} and ends with a checkpoint")
    extra = decode64(lines.pop(0)[6:]) if lines and lines[0].startswith("extra ") else b""
    word, _, index = (lines.pop(0) if lines else "").partition(" ")
    if word != "index" or len(lines) > LONGEST_PROOF:
        raise Malformed("a proof names its index, and has as many hashes as a tree is deep")
    body(parse(note))
    proof = Proof(_number(index), hashes(lines), note, extra)
    if write_proof(proof) != data:
        raise Malformed("the proof is not how it would be written")
    return proof


def hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    """Hashes in base64, one a line; Malformed if one has not 32 bytes."""
    out = tuple(map(decode64, lines))
    if any(len(one) != 32 for one in out):
        raise Malformed("a hash has 32 bytes")
    return out


# A checkpoint that witnesses have cosigned, as it travels in `pbemdice.txt` and between a server and a witness.
#
# A report shows an older tree beside its own: the one that a witness saw before the beacon's round was out. `hash`
# lines lead from the leaf that closed the list to its root, `grown` lines prove that the report's tree begins with it;
# `text` and `by` are the lines of the signed note (C2SP tlog-checkpoint, tlog-cosignature), without dashes::
#
#     pbemdice/v1/cosigned
#     index 17
#     hash tE4n...
#     grown 9xQz...
#     text example.com/pbem
#     text 20
#     text sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=
#     by example.com/pbem hI2DJw...
#     by friend.example.net/witness Tq0dZg...


Pairs = Sequence[tuple[str, str]]

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")


class Cosigned(NamedTuple):
    """The leaf at `at` is by `path` in the tree of `note`, with which by `grown` the tree of the letter begins."""

    at: int
    path: tuple[bytes, ...]
    grown: tuple[bytes, ...]
    note: bytes


def write_cosigned(shown: Cosigned) -> bytes:
    """The block."""
    proven = [("hash", encode64(one)) for one in shown.path] + [("grown", encode64(one)) for one in shown.grown]
    return blocks.block("cosigned", (("index", str(shown.at)), *proven, *note_lines(shown.note)))


def read_cosigned(pairs: Pairs) -> Cosigned:
    """What the lines of such a block say; Malformed if the note is no checkpoint. Nothing is verified."""
    (index, found, grown), lines = parted(pairs, "index", "hash", "grown")
    if len(index) != 1 or _INDEX.fullmatch(index[0]) is None:
        raise Malformed("a cosigned checkpoint is shown for one leaf, by its index")
    signed = signed_note(lines)
    body(note.parse(signed))
    return Cosigned(int(index[0]), hashes(found), hashes(grown), signed)


def note_lines(signed: bytes) -> list[tuple[str, str]]:
    """The lines of a signed note as lines of a block."""
    read_note = note.parse(signed)
    text = [("text", line) for line in read_note.text[:-1].split("\n")]
    return text + [("by", one.text) for one in read_note.signatures]


def signed_note(pairs: Pairs) -> bytes:
    """The signed note of such lines; Malformed if they are none."""
    (text, by), rest = parted(pairs, "text", "by")
    if not text or not by or rest:
        raise Malformed("a signed note is its text, then who has signed it")
    return note.write(Note("".join(f"{line}\n" for line in text), tuple(map(note.signature, by))))


def parted(pairs: Pairs, *keys: str) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """The values of each key, whose lines stand together and in this order; and the lines that are left."""
    left, out = list(pairs), []
    for key in keys:
        mine = next((at for at, (other, _) in enumerate(left) if other != key), len(left))
        out.append([value for _, value in left[:mine]])
        left = left[mine:]
    return out, left
