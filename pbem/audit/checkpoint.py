"""Read and write checkpoints (C2SP tlog-checkpoint) and cosignatures.

A checkpoint is a signed note of at least three lines: the log's name, the number of its leaves, their root::

    example.com/pbem
    109482
    sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=

    — example.com/pbem hI2DJw...

A witness signs the same text, with the time before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pbem.audit import blocks, merkle, note
from pbem.audit.blocks import Malformed
from pbem.audit.note import (
    COSIGNATURE,
    Key,
    Note,
    Sign,
    Signature,
    Verify,
    add_signatures,
    decode64,
    encode64,
    parse,
    valid_signers,
    write,
)

LONGEST_PROOF = 63
"""Hashes of a proof: a tree of 2**63 leaves is no higher, and a witness refuses more lines (C2SP tlog-witness)."""
_END_OF_TIME = 1 << 63
"""The first second that a signed integer of 64 bits cannot hold: readers in other languages would read another time."""
# A tree size as C2SP tlog-checkpoint writes it: without leading zeros; 19 digits hold every signed 64-bit number.
_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")


class Checkpoint(NamedTuple):
    """The state of a log: name, number of leaves, root; `extra` are extension lines."""

    origin: str
    size: int
    root: bytes
    extra: tuple[str, ...] = ()


def checkpoint_text(tree: Checkpoint) -> str:
    """Return the text of a checkpoint, which is what is signed."""
    return "".join(f"{line}\n" for line in (tree.origin, str(tree.size), encode64(tree.root), *tree.extra))


def parse_checkpoint(note: Note) -> Checkpoint:
    """Parse a note's text as a checkpoint; raise Malformed unless it is canonical."""
    lines = note.text[:-1].split("\n")
    if len(lines) < 3 or not all(lines):
        raise Malformed("a checkpoint has three lines or more, none of them empty")
    tree = Checkpoint(lines[0], _number(lines[1]), decode64(lines[2]), tuple(lines[3:]))
    if len(tree.root) != 32 or (tree.size == 0 and tree.root != merkle.EMPTY_ROOT):
        raise Malformed("the third line of a checkpoint is a root")
    return tree


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        # Whoever wrote it chose its length, so that messages show no more than the beginning.
        raise Malformed(f"{text[:40]!r} is no number as it is written here")
    return int(text)


def sign(tree: Checkpoint, key: Key, secret: Sign) -> bytes:
    """Return the note of a checkpoint, signed by the log."""
    text = checkpoint_text(tree)
    return write(Note(text, (Signature(key.name, key.id, secret(text.encode("utf-8"))),)))


def read_signed(data: bytes, log: Key, verify: Verify) -> Checkpoint:
    """Parse a checkpoint that `log` has signed.

    Raise Malformed if it is not signed by `log` or is the checkpoint of another log.
    """
    note = parse(data)
    tree = parse_checkpoint(note)
    if tree.origin != log.name:
        raise Malformed(f"this is a checkpoint of {tree.origin}, not of {log.name}")
    if not valid_signers(note, [log], verify):
        raise Malformed(f"the key {log.name} has not signed this checkpoint")
    return tree


def cosign(data: bytes, key: Key, secret: Sign, time: int) -> bytes:
    """Add a witness's cosignature to a note.

    It says that at `time`, in unix seconds, this was the largest tree that the witness knew. Raise ValueError for
    an invalid time, such as 0, which by the format means no statement about time.
    """
    if not 0 < time < _END_OF_TIME:
        raise ValueError(f"a witness says when, not {time}")
    signed = time.to_bytes(8, "big") + secret(_cosigned_text(parse(data), time))
    return add_signatures(data, Signature(key.name, key.id, signed))


def cosigning_times(data: bytes, witnesses: Iterable[Key], verify: Verify) -> dict[str, int]:
    """Return when each witness cosigned, in unix seconds.

    Raise Malformed for a false cosignature.
    """
    note = parse(data)
    seconds: dict[str, int] = {}
    for key in witnesses:
        for signature in note.signatures:
            if key.kind == COSIGNATURE and (signature.name, signature.id) == (key.name, key.id):
                # A cosignature begins with its time, in eight octets (C2SP tlog-cosignature).
                second = int.from_bytes(signature.signed[:8], "big")
                if not 0 < second < _END_OF_TIME or not verify(
                    key.public, _cosigned_text(note, second), signature.signed[8:]
                ):
                    raise Malformed(f"the cosignature of {key.name} is false")
                seconds[key.name] = min(second, seconds.get(key.name, second))
    return seconds


def _cosigned_text(note: Note, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{note.text}".encode()


def decode_hashes(lines: Sequence[str]) -> tuple[bytes, ...]:
    """Decode hashes in base64, one a line; raise Malformed unless each has 32 bytes."""
    decoded = tuple(map(decode64, lines))
    if any(len(digest) != 32 for digest in decoded):
        raise Malformed("a hash has 32 bytes")
    return decoded


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

_INDEX = re.compile(blocks.NUMBER_PATTERN)


class CosignedLeaf(NamedTuple):
    """A leaf shown in a tree that witnesses cosigned.

    `path` leads from the leaf at index `at` to the tree of `note`; `grown` proves that the letter's tree begins with
    it.
    """

    at: int
    path: tuple[bytes, ...]
    grown: tuple[bytes, ...]
    note: bytes


def write_cosigned(shown: CosignedLeaf) -> bytes:
    """Return the block of a cosigned tree."""
    hash_lines = [("hash", encode64(digest)) for digest in shown.path] + [
        ("grown", encode64(digest)) for digest in shown.grown
    ]
    return blocks.block("cosigned", (("index", str(shown.at)), *hash_lines, *note_lines(shown.note)))


def read_cosigned(pairs: Pairs) -> CosignedLeaf:
    """Parse the lines of such a block without verifying; raise Malformed for others."""
    (index, path, grown), lines = split_by_key(pairs, "index", "hash", "grown")
    if len(index) != 1 or _INDEX.fullmatch(index[0]) is None:
        raise Malformed("a cosigned checkpoint is shown for one leaf, by its index")
    signed = signed_note(lines)
    parse_checkpoint(note.parse(signed))
    return CosignedLeaf(int(index[0]), decode_hashes(path), decode_hashes(grown), signed)


def note_lines(signed: bytes) -> list[tuple[str, str]]:
    """Return the lines of a signed note as lines of a block."""
    read_note = note.parse(signed)
    text = [("text", line) for line in read_note.text[:-1].split("\n")]
    return text + [("by", signature.text) for signature in read_note.signatures]


def signed_note(pairs: Pairs) -> bytes:
    """Return the signed note of such lines; raise Malformed if they are none."""
    (text, by), rest = split_by_key(pairs, "text", "by")
    if not text or not by or rest:
        raise Malformed("a signed note is its text, then who has signed it")
    return note.write(Note("".join(f"{line}\n" for line in text), tuple(map(note.parse_signature, by))))


def split_by_key(pairs: Pairs, *keys: str) -> tuple[list[list[str]], list[tuple[str, str]]]:
    """Split off the values of each key, whose lines are adjacent and in this order."""
    remaining, values_by_key = list(pairs), []
    for key in keys:
        count = next((position for position, (other, _) in enumerate(remaining) if other != key), len(remaining))
        values_by_key.append([value for _, value in remaining[:count]])
        remaining = remaining[count:]
    return values_by_key, remaining
