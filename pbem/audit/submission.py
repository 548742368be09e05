"""Submit a checkpoint to a witness by HTTP (C2SP tlog-witness, add-checkpoint).

The body of the request has the size of the tree that the witness is believed to hold, the proof that the new tree
continues it, and the signed note::

    old 20
    9xQz...

    example.com/pbem
    25
    tbkJ2o...

    — example.com/pbem hI2DJw...

The witness answers 200 with his cosignature line, or an error: 400 for a malformed request, 404 for a log that he
does not watch, 403 for a signature that is not the log's, 409 with the size that he holds, 422 for an invalid
proof. The request cannot show closed lists, so that his line only proves that a list is in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import checkpoint, merkle, note
from pbem.audit.blocks import NUMBER_PATTERN, Malformed
from pbem.audit.checkpoint import LONGEST_PROOF, decode_hashes
from pbem.audit.note import COSIGNATURE, Key, Signature, encode64
from pbem.audit.witness import LONGEST_TEXT
from pbem.audit.witnessing import Witness

SUBMISSION_PATH = "/add-checkpoint"
"""The path below a witness's address."""

TEXT_TYPE, SIZE_TYPE = "text/plain; charset=utf-8", "text/x.tlog.size"

_OLD = re.compile(f"old ({NUMBER_PATTERN})")


class Submission(NamedTuple):
    """A tree submitted to a witness: its note, and a proof.

    `size` is where the proof begins; 0 means no proof.
    """

    old: int
    path: tuple[bytes, ...]
    note: bytes


class WitnessReply(NamedTuple):
    """A witness's answer.

    `kept` is the note that the witness must store on disk before answering, None if nothing is new. `fork` is the
    note that he holds, if the log has signed another tree of the same size.
    """

    status: int
    body: str
    kind: str = TEXT_TYPE
    kept: bytes | None = None
    fork: bytes | None = None


def write(submission: Submission) -> bytes:
    """Return the body of the request."""
    lines = [f"old {submission.old}", *map(encode64, submission.path), ""]
    return "".join(f"{line}\n" for line in lines).encode("ascii") + submission.note


def parse_submission(data: bytes) -> Submission:
    """Parse a request without verifying it; raise Malformed unless it is canonical."""
    if len(data) > LONGEST_TEXT:
        raise Malformed(f"it is longer than {LONGEST_TEXT} octets")
    header, blank, signed = data.partition(b"\n\n")
    try:
        first, *lines = header.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise Malformed("it is ASCII up to its checkpoint") from None
    old = _OLD.fullmatch(first)
    if not blank or old is None or len(lines) > LONGEST_PROOF:
        raise Malformed("it is a line `old`, a proof, a blank line and a checkpoint")
    checkpoint.parse_checkpoint(note.parse(signed))
    return Submission(int(old[1]), decode_hashes(lines), signed)


def answer(data: bytes, log: Key, seen: Sequence[bytes], witness: Witness, time: int) -> WitnessReply:
    """Answer a request to the witness of `log`.

    `seen` are the notes that he has cosigned, the newest last. A tree that he cosigned before gets the same line
    again, so that he never cosigns one tree with two times.
    """
    try:
        submission = parse_submission(data)
        tree = checkpoint.parse_checkpoint(note.parse(submission.note))
    # As C2SP tlog-witness has it: 400 for what cannot be read, 403 if the log did not sign it.
    except Malformed as wrong:
        return _no(400, str(wrong))
    if tree.origin != log.name:
        return _no(404, "this log is not watched here")
    try:
        checkpoint.read_signed(submission.note, log, witness.verify)
    # Readable, but not signed by the log.
    except Malformed as wrong:
        return _no(403, str(wrong))
    if submission.old > tree.size:
        return _no(400, "the old tree is larger than the new one")
    newest = checkpoint.parse_checkpoint(note.parse(seen[-1])) if seen else None
    held = newest.size if newest else 0
    if newest and tree.size == held and tree.root != newest.root:
        return WitnessReply(409, f"{held}\n", SIZE_TYPE, fork=seen[-1])
    if submission.old != held:
        return WitnessReply(409, f"{held}\n", SIZE_TYPE)
    if newest is not None and tree.size == held:
        return _no(422, "a tree needs no proof to itself") if submission.path else _line(seen[-1], witness.key)
    if not _continues(submission, tree, newest):
        return _no(422, "the proof does not show that the tree goes on from the one that is held here")
    # The note of the log alone: signatures of others are not vouched for, and are not kept.
    own = note.parse(submission.note)
    lines = tuple(signature for signature in own.signatures if (signature.name, signature.id) == (log.name, log.id))
    cosigned = checkpoint.cosign(note.write(own._replace(signatures=lines)), witness.key, witness.secret, time)
    return _line(cosigned, witness.key)._replace(kept=cosigned)


def _continues(submission: Submission, tree: checkpoint.Checkpoint, newest: checkpoint.Checkpoint | None) -> bool:
    if newest is None:
        return tree.size > 0 and not submission.path
    return merkle.is_extension(newest.size, tree.size, newest.root, tree.root, submission.path)


def _line(signed: bytes, key: Key) -> WitnessReply:
    line = next(
        signature for signature in note.parse(signed).signatures if (signature.name, signature.id) == (key.name, key.id)
    )
    return WitnessReply(200, f"\N{EM DASH} {line.text}\n")


def _no(status: int, why: str) -> WitnessReply:
    return WitnessReply(status, f"{why}\n")


def parse_cosignature(body: bytes, key: Key) -> Signature:
    """Return the witness's line of a 200 answer, unverified; raise Malformed if none."""
    try:
        lines = body.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise Malformed("it is not UTF-8") from None
    signatures = [note.parse_signature(line[2:]) for line in lines if line.startswith("\N{EM DASH} ")]
    own_signatures = [
        signature
        for signature in signatures
        if (signature.name, signature.id) == (key.name, key.id) and key.kind == COSIGNATURE
    ]
    if len(signatures) != len(lines) or len(own_signatures) != 1:
        raise Malformed("it holds not one cosignature of this witness")
    return own_signatures[0]
