"""A checkpoint submitted to a witness by HTTP, and what he answers (C2SP tlog-witness, add-checkpoint).

The body of the request is the size that the log believes the witness holds, the proof that the tree goes on from there,
and the signed note::

    old 20
    9xQz...

    example.com/pbem
    25
    tbkJ2o...

    — example.com/pbem hI2DJw...

He answers 200 with his cosignature line, or why not: 400 for what is no request, 404 for a log that he does not watch,
403 for a signature that is not the log's, 409 with the size that he holds, 422 for a proof that proves nothing. Which
lists the tree closes cannot be told this way, so that his line says of a list only that it is in the tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from pbem.audit import checkpoint, merkle, note
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import LONGEST_PROOF, hashes
from pbem.audit.note import COSIGNATURE, Key, Signature, encode64
from pbem.audit.witness import LONGEST
from pbem.audit.witnessing import Witness

PATH = "/add-checkpoint"
"""What follows a witness's address."""

TEXT_TYPE, SIZE_TYPE = "text/plain; charset=utf-8", "text/x.tlog.size"

_OLD = re.compile(r"old (0|[1-9][0-9]{0,17})")


class Submission(NamedTuple):
    """What a log submits: the size that its proof begins at (0: with nothing), the proof, the note."""

    old: int
    path: tuple[bytes, ...]
    note: bytes


class Reply(NamedTuple):
    """What a witness answers; `kept` is the note that he must have on his disk before he does, None if nothing new.

    `fork` is the note that he holds where the log has signed another tree of its size.
    """

    status: int
    body: str
    kind: str = TEXT_TYPE
    kept: bytes | None = None
    fork: bytes | None = None


def write(told: Submission) -> bytes:
    """The body of the request."""
    lines = [f"old {told.old}", *map(encode64, told.path), ""]
    return "".join(f"{line}\n" for line in lines).encode("ascii") + told.note


def parse(data: bytes) -> Submission:
    """Read such a body; Malformed unless it is written exactly so. No signature and no proof is verified."""
    if len(data) > LONGEST:
        raise Malformed(f"it is longer than {LONGEST} octets")
    above, blank, signed = data.partition(b"\n\n")
    try:
        first, *lines = above.decode("ascii").split("\n")
    except UnicodeDecodeError:
        raise Malformed("it is ASCII up to its checkpoint") from None
    old = _OLD.fullmatch(first)
    if not blank or old is None or len(lines) > LONGEST_PROOF:
        raise Malformed("it is a line `old`, a proof, a blank line and a checkpoint")
    checkpoint.body(note.parse(signed))
    return Submission(int(old[1]), hashes(lines), signed)


def judge(data: bytes, log: Key, seen: Sequence[bytes], by: Witness, at: int) -> Reply:
    """What the witness of `log`, who has cosigned the notes `seen` with the newest last, answers to a request's body.

    A tree that he holds already gets the line that it has, so that he never cosigns one at two moments.
    """
    try:
        told = parse(data)
        tree = checkpoint.body(note.parse(told.note))
    except Malformed as wrong:
        return _no(400, str(wrong))
    if tree.origin != log.name:
        return _no(404, "this log is not watched here")
    try:
        checkpoint.read(told.note, log, by.verify)
    except Malformed as wrong:
        return _no(403, str(wrong))
    if told.old > tree.size:
        return _no(400, "the old tree is larger than the new one")
    newest = checkpoint.body(note.parse(seen[-1])) if seen else None
    held = newest.size if newest else 0
    if newest and tree.size == held and tree.root != newest.root:
        return Reply(409, f"{held}\n", SIZE_TYPE, fork=seen[-1])
    if told.old != held:
        return Reply(409, f"{held}\n", SIZE_TYPE)
    if newest is not None and tree.size == held:
        return _no(422, "a tree needs no proof to itself") if told.path else _line(seen[-1], by.key)
    if not _goes_on(told, tree, newest):
        return _no(422, "the proof does not show that the tree goes on from the one that is held here")
    # The note of the log alone: signatures of others are not vouched for, and are not kept.
    own = note.parse(told.note)
    lines = tuple(one for one in own.signatures if (one.name, one.id) == (log.name, log.id))
    made = checkpoint.cosign(note.write(own._replace(signatures=lines)), by.key, by.secret, at)
    return _line(made, by.key)._replace(kept=made)


def _goes_on(told: Submission, tree: checkpoint.Checkpoint, newest: checkpoint.Checkpoint | None) -> bool:
    if newest is None:
        return tree.size > 0 and not told.path
    return merkle.extends(newest.size, tree.size, newest.root, tree.root, told.path)


def _line(signed: bytes, key: Key) -> Reply:
    line = next(one for one in note.parse(signed).signatures if (one.name, one.id) == (key.name, key.id))
    return Reply(200, f"\N{EM DASH} {line.text}\n")


def _no(status: int, why: str) -> Reply:
    return Reply(status, f"{why}\n")


def cosignature(body: bytes, key: Key) -> Signature:
    """The line of one witness in what he answered with 200; Malformed if there is none. It is not verified."""
    try:
        lines = body.decode("utf-8").removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        raise Malformed("it is not UTF-8") from None
    found = [note.signature(line[2:]) for line in lines if line.startswith("\N{EM DASH} ")]
    mine = [one for one in found if (one.name, one.id) == (key.name, key.id) and key.kind == COSIGNATURE]
    if len(found) != len(lines) or len(mine) != 1:
        raise Malformed("it holds not one cosignature of this witness")
    return mine[0]
