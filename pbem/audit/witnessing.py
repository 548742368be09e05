"""A witness at work: what he cosigns and says, and when he must not.

He has one tree of a log in hand, the largest that he cosigned, and of each segment of a phase the one list that he was
shown (see `witness` for the letters). A tree that does not go on from his, or a second list of a segment, he refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbem.audit import checkpoint, merkle, note, sees
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import Key, Sign, Verify
from pbem.audit.sees import SeenList, Sees
from pbem.audit.witness import Asked, Proven, Refused, Saw, ShownList


class HeldList(NamedTuple):
    """What a witness keeps of a list that he has seen: when that was, and the proof that the log has signed it."""

    at: int
    proven: Proven


Find = Callable[[tuple[str, str, int]], HeldList | None]
"""Game, phase and segment -> the list of it that was seen."""


class Held(NamedTuple):
    """What a witness has on his disk: the notes that he has cosigned, the newest last, and the lists that he saw."""

    seen: Sequence[bytes] = ()
    find: Find = lambda where: None


class Looked(NamedTuple):
    """What came of looking, to be kept before it is told: the cosigned note, what is said of lists, the new ones."""

    note: bytes
    sees: bytes = b""
    new: tuple[HeldList, ...] = ()


class Witness(NamedTuple):
    """Who looks: his key, how he signs, and how he checks what a log has signed."""

    key: Key
    secret: Sign
    verify: Verify


def look(asked: Asked, held: Held, by: Witness, at: int) -> Looked | Refused:
    """The note of a tree with the witness's cosignature, what he says of the lists, or why he refuses both.

    One of the notes that he has cosigned, asked for again, is given again, so that he never cosigns two trees of one
    size, nor one at two moments; and so is what he said of a list. Malformed if the log has not signed what it shows:
    that may be from anybody, and is not worth an answer.
    """
    tree = checkpoint.read(asked.note, asked.log, by.verify)
    if tree.size < 1:
        raise Malformed("an empty log is nothing to see")
    lists = tuple(_inside(one, tree) for one in asked.closes)
    trees = {checkpoint.body(note.parse(one)): one for one in held.seen}
    newest = checkpoint.body(note.parse(held.seen[-1])) if held.seen else None
    if newest is not None and tree not in trees:
        why = _objection(asked, tree, newest, [one.size for one in trees])
        if why:
            return Refused(by.key, why, held.seen[-1])
    signed = _own(asked.note, asked.log)
    shown = [HeldList(at, Proven(one, signed)) for one in asked.closes]
    known: dict[tuple[str, str, int], HeldList] = {}
    new = []
    for seen, one in zip(lists, shown, strict=True):
        before = known.get(seen.where) or held.find(seen.where)
        if before is not None and leaf_hash(before.proven.shown.data).hex() != seen.leaf:
            return Refused(by.key, "doubled", signed, (before.proven, one.proven))
        new += [one] if before is None else []
        known[seen.where] = before or one
    made = trees.get(tree) or checkpoint.cosign(signed, by.key, by.secret, at)
    return Looked(made, _said(made, {one.where: one for one in lists}, known, by), tuple(new))


def _inside(shown: ShownList, tree: Checkpoint) -> SeenList:
    """The list of a leaf that the tree holds."""
    found = sees.list_of(shown.data)
    if not merkle.includes(leaf_hash(shown.data), shown.at, tree.size, shown.path, tree.root):
        raise Malformed(f"leaf {shown.at} is not in the tree that it is shown with")
    return found


def _own(signed: bytes, log: Key) -> bytes:
    """The note with the log's signature alone: those of others are not vouched for."""
    read = note.parse(signed)
    lines = tuple(one for one in read.signatures if (one.name, one.id) == (log.name, log.id))
    return note.write(read._replace(signatures=lines))


def _said(
    made: bytes,
    lists: Mapping[tuple[str, str, int], SeenList],
    known: Mapping[tuple[str, str, int], HeldList],
    by: Witness,
) -> bytes:
    if not lists:
        return b""
    times = [one.at for one in known.values()]
    times.append(checkpoint.witnessed(made, [by.key], by.verify)[by.key.name])
    said = Sees(checkpoint.body(note.parse(made)), max(times), tuple(lists.values()))
    return sees.write(sees.sign(said, by.key, by.secret))


def _objection(asked: Asked, tree: Checkpoint, newest: Checkpoint, sizes: Sequence[int]) -> str:
    if tree.size in sizes:
        return "fork"
    if tree.size < newest.size:
        return "smaller"
    if asked.old != newest.size:
        return "gap"
    good = merkle.extends(newest.size, tree.size, newest.root, tree.root, asked.path)
    return "" if good else "fork"


def answer(found: Looked | Refused, key: Key) -> Saw | Refused:
    """What he writes back: his cosignature and what he says of lists; a refusal as it is."""
    if isinstance(found, Refused):
        return found
    read = note.parse(found.note)
    tree = checkpoint.body(read)
    line = next(one for one in read.signatures if (one.name, one.id) == (key.name, key.id))
    return Saw(key, tree.size, tree.root, line, found.sees)


def is_doubled(told: Refused, log: Key, verify: Verify) -> bool:
    """Whether a refusal proves that the log closed one segment by two lists."""
    found = []
    for one in told.doubled:
        try:
            found.append(_inside(one.shown, checkpoint.read(one.note, log, verify)))
        except Malformed:
            return False
    return len(found) == 2 and found[0].where == found[1].where and found[0].leaf != found[1].leaf
