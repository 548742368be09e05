"""A checkpoint that witnesses have cosigned, as it travels in `pbemdice.txt` and between a server and a witness.

A report shows an older tree beside its own: the one that a witness saw before the beacon's round was out. `hash` lines
lead from the leaf that closed the list to its root, `grown` lines prove that the report's tree begins with it; `text`
and `by` are the lines of the signed note (C2SP tlog-checkpoint, tlog-cosignature), without dashes::

    pbemdice/v1/cosigned
    index 17
    hash tE4n...
    grown 9xQz...
    text example.com/pbem
    text 20
    text sFodV/vSp5O8n9a8QpW6PRY97tfOSW5bsc2Xl/EQi08=
    by example.com/pbem hI2DJw...
    by friend.example.net/witness Tq0dZg...
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import blocks, checkpoint, note
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import hashes
from pbem.audit.note import Note, encode64

Pairs = Sequence[tuple[str, str]]

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")


class Cosigned(NamedTuple):
    """The leaf at `at` is by `path` in the tree of `note`, with which by `grown` the tree of the letter begins."""

    at: int
    path: tuple[bytes, ...]
    grown: tuple[bytes, ...]
    note: bytes


def write(shown: Cosigned) -> bytes:
    """The block."""
    proven = [("hash", encode64(one)) for one in shown.path] + [("grown", encode64(one)) for one in shown.grown]
    return blocks.block("cosigned", (("index", str(shown.at)), *proven, *note_lines(shown.note)))


def read(pairs: Pairs) -> Cosigned:
    """What the lines of such a block say; Malformed if the note is no checkpoint. Nothing is verified."""
    (index, found, grown), lines = parted(pairs, "index", "hash", "grown")
    if len(index) != 1 or _INDEX.fullmatch(index[0]) is None:
        raise Malformed("a cosigned checkpoint is shown for one leaf, by its index")
    signed = signed_note(lines)
    checkpoint.body(note.parse(signed))
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
