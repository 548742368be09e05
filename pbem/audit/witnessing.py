"""Cosign trees and make statements about closed lists, as a witness.

A witness keeps one tree of a log, the largest that he cosigned, and for each segment of a phase the one list that
he was shown (see `witness` for the letters). He refuses a tree that does not continue his, and a second list for a
segment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from pbem.audit import checkpoint, merkle, note, witness_statement
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.merkle import leaf_hash
from pbem.audit.note import Key, Sign, Verify
from pbem.audit.witness import ProvenList, ShownList, WitnessAnswer, WitnessRefusal, WitnessRequest
from pbem.audit.witness_statement import SeenList, WitnessStatement


class WitnessedList(NamedTuple):
    """A list that a witness saw: when, and the proof that the log signed it."""

    at: int
    proven: ProvenList


Find = Callable[[tuple[str, str, int]], WitnessedList | None]
"""The list of a segment that the witness saw, by game, phase and segment; or None."""


class WitnessState(NamedTuple):
    """A witness's store: notes that he cosigned, newest last, and lists he saw."""

    seen: Sequence[bytes] = ()
    find: Find = lambda where: None


class WitnessResult(NamedTuple):
    """The result of a look: cosigned note, statement, new lists.

    It must be stored before it is sent.
    """

    note: bytes
    sees: bytes = b""
    new: tuple[WitnessedList, ...] = ()


class Witness(NamedTuple):
    """The witness: key, signing function, and function that verifies the log."""

    key: Key
    secret: Sign
    verify: Verify


def examine_request(
    asked: WitnessRequest, state: WitnessState, witness: Witness, now: int
) -> WitnessResult | WitnessRefusal:
    """Return the cosigned note and statement for a request, or the refusal.

    If the tree was cosigned before, the same note is returned again, so that the witness never cosigns two trees of
    one size, nor one tree with two times; the same holds for statements about lists. Raise Malformed if the log has
    not signed the request: it may come from anybody, and gets no answer.
    """
    tree = checkpoint.read_signed(asked.note, asked.log, witness.verify)
    if tree.size < 1:
        raise Malformed("an empty log is nothing to see")
    lists = tuple(_verify_inclusion(shown_list, tree) for shown_list in asked.closes)
    trees = {checkpoint.parse_checkpoint(note.parse(signed_note)): signed_note for signed_note in state.seen}
    newest = checkpoint.parse_checkpoint(note.parse(state.seen[-1])) if state.seen else None
    if newest is not None and tree not in trees:
        why = _objection(asked, tree, newest, [known_tree.size for known_tree in trees])
        if why:
            return WitnessRefusal(witness.key, why, state.seen[-1])
    signed = _without_other_signatures(asked.note, asked.log)
    held_lists = [WitnessedList(now, ProvenList(shown_list, signed)) for shown_list in asked.closes]
    known: dict[tuple[str, str, int], WitnessedList] = {}
    new = []
    for seen_list, held_list in zip(lists, held_lists, strict=True):
        before = known.get(seen_list.where) or state.find(seen_list.where)
        if before is not None and leaf_hash(before.proven.shown.data).hex() != seen_list.leaf:
            return WitnessRefusal(witness.key, "doubled", signed, (before.proven, held_list.proven))
        new += [held_list] if before is None else []
        known[seen_list.where] = before or held_list
    cosigned = trees.get(tree) or checkpoint.cosign(signed, witness.key, witness.secret, now)
    return WitnessResult(
        cosigned, _sign_statement(cosigned, {entry.where: entry for entry in lists}, known, witness), tuple(new)
    )


def _verify_inclusion(shown: ShownList, tree: Checkpoint) -> SeenList:
    """Return the list of a leaf; raise Malformed if the tree does not hold it."""
    closed = witness_statement.closed_list_of(shown.data)
    if not merkle.is_included(leaf_hash(shown.data), shown.at, tree.size, shown.path, tree.root):
        raise Malformed(f"leaf {shown.at} is not in the tree that it is shown with")
    return closed


def _without_other_signatures(signed: bytes, log: Key) -> bytes:
    """Return the note with only the log's signature; the witness checked no other."""
    read = note.parse(signed)
    lines = tuple(signature for signature in read.signatures if (signature.name, signature.id) == (log.name, log.id))
    return note.write(read._replace(signatures=lines))


def _sign_statement(
    cosigned: bytes,
    lists: Mapping[tuple[str, str, int], SeenList],
    known: Mapping[tuple[str, str, int], WitnessedList],
    witness: Witness,
) -> bytes:
    if not lists:
        return b""
    times = [held.at for held in known.values()]
    times.append(checkpoint.cosigning_times(cosigned, [witness.key], witness.verify)[witness.key.name])
    statement = WitnessStatement(checkpoint.parse_checkpoint(note.parse(cosigned)), max(times), tuple(lists.values()))
    return witness_statement.write(witness_statement.sign(statement, witness.key, witness.secret))


def _objection(asked: WitnessRequest, tree: Checkpoint, newest: Checkpoint, sizes: Sequence[int]) -> str:
    if tree.size in sizes:
        return "fork"
    if tree.size < newest.size:
        return "smaller"
    if asked.old != newest.size:
        return "gap"
    good = merkle.is_extension(newest.size, tree.size, newest.root, tree.root, asked.path)
    return "" if good else "fork"


def answer(result: WitnessResult | WitnessRefusal, key: Key) -> WitnessAnswer | WitnessRefusal:
    """Return the witness's answer to a result; a refusal is returned unchanged."""
    if isinstance(result, WitnessRefusal):
        return result
    read = note.parse(result.note)
    tree = checkpoint.parse_checkpoint(read)
    line = next(signature for signature in read.signatures if (signature.name, signature.id) == (key.name, key.id))
    return WitnessAnswer(key, tree.size, tree.root, line, result.sees)


def proves_double_list(refusal: WitnessRefusal, log: Key, verify: Verify) -> bool:
    """Return whether a refusal proves that the log closed one segment with two lists."""
    closed_lists = []
    for proven in refusal.doubled:
        try:
            closed_lists.append(_verify_inclusion(proven.shown, checkpoint.read_signed(proven.note, log, verify)))
        # What does not hold proves nothing; it is the witness's own claim.
        except Malformed:
            return False
    return (
        len(closed_lists) == 2
        and closed_lists[0].where == closed_lists[1].where
        and closed_lists[0].leaf != closed_lists[1].leaf
    )
