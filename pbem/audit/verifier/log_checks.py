"""The log itself: keys, signatures, inclusion, the chain of each game, and that it was never written anew."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from pbem.audit import checkpoint, epochs, merkle, note
from pbem.audit.blocks import Malformed
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.cosigned import Cosigned
from pbem.audit.leaves import SERVER
from pbem.audit.note import Key
from pbem.audit.verifier.proof import valid_key
from pbem.audit.verifier.record import Board, Letter, Record, hash_of
from pbem.audit.verifier.signature import Verify

__all__ = ["Keys", "check_log", "find_keys"]


class Keys(NamedTuple):
    """The keys that a log is checked with, and the beacons that the server has named; None if no letter tells them.

    `logs` are those of the log, one for each of its epochs, which differ by their names alone.
    """

    logs: tuple[Key, ...]
    vrf: bytes | None
    chains: frozenset[str] | None

    def of(self, name: str) -> Key | None:
        """The key of the log under one of its names, else its first; None if no key is known."""
        return next((key for key in self.logs if key.name == name), next(iter(self.logs), None))


def find_keys(record: Record, board: Board, pin: Key | None) -> Keys:
    """The keys of the first leaf, held against the one that the reader has from elsewhere, if he has it."""
    genesis = record.genesis()
    if genesis is None:
        board.cannot("keys", "no letter here shows the first leaf of the log: add the welcome letter")
        return Keys((pin,) if pin else (), None, None)
    log, vrf = note.parse_key(genesis.leaf("log")), bytes.fromhex(genesis.leaf("vrf"))
    board.hold("keys", genesis.at == 0, "the leaf with the keys is not the first of the log")
    board.hold("keys", valid_key(vrf), "the VRF key is none: it could prove more than one output")
    board.hold("keys", vrf != log.public, "the log and the dice have one key")
    board.hold("keys", log.kind == note.ED25519, "the key of the log is of another kind")
    logs = _epochs(record, board, log, genesis.leaf("vrf"))
    if pin is not None:
        board.hold("keys", pin in logs, f"the letters are signed by {log.text}, not by the key you named")
        logs = logs if pin in logs else (pin,)
    elif not any(letter.bundle.letter == "welcome" for letter in record.letters):
        board.cannot("keys", f"no welcome letter here: compare with yours that the log's key is {log.text}")
    later = (seen.leaf("chain") for seen in record.history(genesis.leaf.game) if seen.leaf.kind == "beacon-change")
    return Keys(logs, vrf, frozenset((genesis.leaf("chain"), *later)))


def _epochs(record: Record, board: Board, log: Key, vrf: str) -> tuple[Key, ...]:
    """The keys of the log from its first on: begun anew it has another name, and nothing else that is other."""
    logs, last = [log], 1
    for seen in (seen for seen in record.history(SERVER) if seen.leaf.kind == "rotate"):
        key = note.parse_key(seen.leaf("log"))
        number = epochs.number_of(key.name, log.name)
        same = (key.public, key.kind, seen.leaf("vrf")) == (log.public, log.kind, vrf)
        board.hold("keys", same, f"leaf {seen.at} begins the log anew with other keys, which would give other dice")
        if board.hold("keys", number > last, f"leaf {seen.at} begins the log anew, and calls it {key.name}") and same:
            logs.append(key)
            last = number
    return tuple(logs)


def check_log(record: Record, board: Board, keys: Keys, verify: Verify) -> None:
    """Check everything that needs no knowledge of phases."""
    for letter in record.letters:
        _signature(letter, board, keys, verify)
        _inclusion(letter, board)
        if letter.bundle.leaves == ():
            board.hold("inclusion", False, f"{letter.where}: it shows no leaf at all")
    for game in sorted({name for name, _ in record.leaves}):
        _chain(record, board, game)
    _consistency(record, board)


def _signature(letter: Letter, board: Board, keys: Keys, verify: Verify) -> None:
    log = keys.of(letter.head.origin)
    if log is None:
        board.cannot("signature", f"{letter.where}: the key of the log is not known")
        return
    try:
        tree = checkpoint.read(letter.bundle.note, log, verify)
    except Malformed as wrong:
        board.hold("signature", False, f"{letter.where}: {wrong}")
    else:
        board.hold("signature", tree.size > 0, f"{letter.where}: a checkpoint of an empty log says nothing")


def _inclusion(letter: Letter, board: Board) -> None:
    for placed in letter.bundle.leaves:
        board.hold(
            "inclusion",
            merkle.includes(merkle.leaf_hash(placed.data), placed.at, letter.head.size, placed.path, letter.head.root),
            f"{letter.where}: leaf {placed.at} is not proven to be in the log",
        )


def _chain(record: Record, board: Board, game: str) -> None:
    history = record.history(game)
    for before, after in pairwise(history):
        first, second = before.leaf.seq, after.leaf.seq
        if second != first + 1:
            board.cannot("chain", f"{game}: leaves {first + 1} to {second - 1} are in no letter here")
        else:
            linked = after.leaf.prev == hash_of(before)
            board.hold("chain", linked, f"{game}: leaf {second} does not follow leaf {first}")
        board.hold("chain", before.at < after.at, f"{game}: leaf {second} was logged before leaf {first}")


def _consistency(record: Record, board: Board) -> None:
    trees: dict[int, bytes] = {}
    later: dict[int, set[int]] = {}
    for letter in record.letters:
        head, grown = letter.head, letter.bundle.grown
        known = [(head.size, head.root)]
        if grown is not None:
            good = merkle.extends(grown.size, head.size, grown.root, head.root, grown.path)
            if board.hold("consistency", good, f"{letter.where}: the log is not proven to go on from an earlier one"):
                later.setdefault(grown.size, set()).add(head.size)
            known.append((grown.size, grown.root))
        known += [(tree.size, tree.root) for tree in map(_tree, letter.bundle.witnessed)]
        for size, root in known:
            one = trees.setdefault(size, root) == root
            board.hold("consistency", one, f"{letter.where}: there are two logs of {size} leaves")
    for seen in record.leaves.values():
        said = seen.leaf("seen") if seen.leaf.kind == "close" else "-"
        for shown in said.split(" ") if said != "-" else ():
            seat, leaves, digest = shown.split(":")
            same = trees.get(int(leaves), bytes.fromhex(digest)).hex() == digest
            board.hold("consistency", same, f"{seat} was shown another log of {leaves} leaves than these letters")
    heads = {letter.head.size for letter in record.letters}
    if not heads:
        return
    reach = set(_reaching(later, max(heads)))
    for size in sorted(heads - reach):
        board.cannot("consistency", f"no letter here proves that the log of {size} leaves is the one of {max(heads)}")


def _tree(shown: Cosigned) -> Checkpoint:
    return checkpoint.body(note.parse(shown.note))


def _reaching(later: dict[int, set[int]], last: int) -> Iterator[int]:
    """The sizes from which proofs lead to the last tree, itself included."""
    waiting, known = [last], {last}
    while waiting:
        at = waiting.pop()
        yield at
        more = {size for size, ends in later.items() if at in ends} - known
        known |= more
        waiting += more
