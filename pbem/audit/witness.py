"""What a server asks of a witness, what a witness answers, and when he must not cosign.

A server shows its newest checkpoint, and that the tree goes on from the one that the witness is believed to hold; the
notes are those of `cosigned`::

    pbemdice/v1/ask
    log example.com/pbem+84d8366d+AWkr...
    old 20
    hash 9xQz...
    text example.com/pbem
    text 25
    text tbkJ2o...
    by example.com/pbem hI2DJw...

A witness has one tree of a log in hand, the largest that he cosigned. He cosigns the next if it goes on from that, and
says so with his key and his cosignature (C2SP tlog-cosignature, cosignature/v1)::

    pbemdice/v1/saw
    key friend.example.net/witness+5f12ab34+BHp0...
    size 25
    root tbkJ2o...
    by friend.example.net/witness Tq0dZg...

Else he shows the note that he holds: two notes that the log has signed and that do not agree prove that it was forked.
`why` is ``fork``, ``smaller``, or ``gap`` where the letter merely does not begin at what he holds::

    pbemdice/v1/refuses
    key friend.example.net/witness+5f12ab34+BHp0...
    why gap
    text ...
    by ...
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbem.audit import blocks, checkpoint, merkle, note
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.cosigned import Pairs, note_lines, parted, signed_note
from pbem.audit.note import COSIGNATURE, ED25519, Key, Sign, Signature, encode64
from pbem.audit.verifier.signature import Verify

__all__ = ["FILE", "LONGEST", "REASONS", "Asked", "Refused", "Saw", "Witness", "answer", "look", "parse", "write"]

FILE = "pbemwitness.txt"
"""What the attachment of both letters is called."""

LONGEST = 16_384
"""Octets that either text may have: a proof has 63 hashes at most."""

REASONS = ("fork", "smaller", "gap")


class Asked(NamedTuple):
    """What a server shows: its key, the size that its proof begins at (0: with nothing), the proof, the note."""

    log: Key
    old: int
    path: tuple[bytes, ...]
    note: bytes


class Saw(NamedTuple):
    """What a witness has cosigned: his key, the tree, the cosignature's line."""

    key: Key
    size: int
    root: bytes
    line: Signature

    @property
    def at(self) -> int:
        """The unix second that the cosignature says."""
        return int.from_bytes(self.line.signed[:8], "big")


class Refused(NamedTuple):
    """Why a witness has not cosigned (one of REASONS), and the note that he holds."""

    key: Key
    why: str
    note: bytes


class Witness(NamedTuple):
    """Who looks: his key, how he signs, and how he checks what a log has signed."""

    key: Key
    secret: Sign
    verify: Verify


def look(asked: Asked, seen: Sequence[bytes], by: Witness, at: int) -> bytes | Refused:
    """The note of a tree with the witness's cosignature, or why he refuses it.

    `seen` are the notes of this log that he has cosigned, the newest last, with his cosignature: one of them asked for
    again is given again, so that he never cosigns two trees of one size, nor one at two moments. Malformed if the log
    has not signed what it shows: that may be from anybody, and is not worth an answer.
    """
    tree = checkpoint.read(asked.note, asked.log, by.verify)
    if tree.size < 1:
        raise Malformed("an empty log is nothing to see")
    trees = {checkpoint.body(note.parse(one)): one for one in seen}
    if tree in trees:
        return trees[tree]
    if not seen:
        return checkpoint.cosign(asked.note, by.key, by.secret, at)
    newest = checkpoint.body(note.parse(seen[-1]))
    why = _objection(asked, tree, newest, [one.size for one in trees])
    return Refused(by.key, why, seen[-1]) if why else checkpoint.cosign(asked.note, by.key, by.secret, at)


def _objection(asked: Asked, tree: Checkpoint, newest: Checkpoint, sizes: Sequence[int]) -> str:
    if tree.size in sizes:
        return "fork"
    if tree.size < newest.size:
        return "smaller"
    if asked.old != newest.size:
        return "gap"
    good = merkle.extends(newest.size, tree.size, newest.root, tree.root, asked.path)
    return "" if good else "fork"


def answer(found: bytes | Refused, key: Key) -> Saw | Refused:
    """What he writes back: of a note with his cosignature, that; a refusal as it is."""
    if isinstance(found, Refused):
        return found
    read = note.parse(found)
    tree = checkpoint.body(read)
    line = next(one for one in read.signatures if (one.name, one.id) == (key.name, key.id))
    return Saw(key, tree.size, tree.root, line)


def write(told: Asked | Saw | Refused) -> bytes:
    """The text of either letter."""
    if isinstance(told, Asked):
        proof = [("hash", encode64(one)) for one in told.path]
        return blocks.block("ask", (("log", told.log.text), ("old", str(told.old)), *proof, *note_lines(told.note)))
    if isinstance(told, Refused):
        return blocks.block("refuses", (("key", told.key.text), ("why", told.why), *note_lines(told.note)))
    lines = (("key", told.key.text), ("size", str(told.size)), ("root", encode64(told.root)), ("by", told.line.text))
    return blocks.block("saw", lines)


def parse(data: bytes) -> Asked | Saw | Refused:
    """Read either text; Malformed unless it is written exactly as `write` does. No signature is verified."""
    if len(data) > LONGEST:
        raise Malformed(f"it is longer than {LONGEST} octets")
    kind, pairs = blocks.parse(data)
    read = _READERS.get(kind)
    if read is None:
        raise Malformed(f"{kind[:20]!r} is not what a server and a witness write")
    told = read(pairs)
    if write(told) != data:
        raise Malformed("it is not how it would be written")
    return told


def _asked(pairs: Pairs) -> Asked:
    (log, old, path), lines = parted(pairs, "log", "old", "hash")
    signed = signed_note(lines)
    checkpoint.body(note.parse(signed))
    return Asked(_key(log, ED25519), _number(old), checkpoint.hashes(path), signed)


def _saw(pairs: Pairs) -> Saw:
    (key, size, root, by), rest = parted(pairs, "key", "size", "root", "by")
    if rest or len(root) != 1 or len(by) != 1:
        raise Malformed("a witness says whose key, which tree, and signs it")
    read, line = _key(key, COSIGNATURE), note.signature(by[0])
    (found,) = checkpoint.hashes(root)
    if (line.name, line.id) != (read.name, read.id) or len(line.signed) != 72:
        raise Malformed("the cosignature is not of the key that is named")
    return Saw(read, _number(size), found, line)


def _refused(pairs: Pairs) -> Refused:
    (key, why), lines = parted(pairs, "key", "why")
    if len(why) != 1 or why[0] not in REASONS:
        raise Malformed(f"a witness refuses because of {', '.join(REASONS)}")
    signed = signed_note(lines)
    checkpoint.body(note.parse(signed))
    return Refused(_key(key, COSIGNATURE), why[0], signed)


_READERS: Mapping[str, Callable[[Pairs], Asked | Saw | Refused]] = {"ask": _asked, "saw": _saw, "refuses": _refused}


def _key(found: Sequence[str], kind: int) -> Key:
    if len(found) != 1 or (key := note.parse_key(found[0])).kind != kind:
        raise Malformed("there is one key, of the kind that signs here")
    return key


def _number(found: Sequence[str]) -> int:
    if len(found) != 1 or not found[0].isascii() or not found[0].isdigit() or len(found[0]) > 18:
        raise Malformed("a number is missing")
    return int(found[0])
