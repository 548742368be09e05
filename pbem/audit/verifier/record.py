"""The letters of one mailbox, taken together: what leaves they show, phase by phase, and what belongs to each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from pbem.audit import blocks, checkpoint, leaves, note, rolls
from pbem.audit.blocks import Malformed, Slate, sha256_hex
from pbem.audit.bundle import Bundle
from pbem.audit.checkpoint import Checkpoint
from pbem.audit.leaves import Leaf
from pbem.audit.merkle import leaf_hash
from pbem.audit.rolls import Manifest

__all__ = ["Board", "Item", "Letter", "Phase", "Record", "Seen", "read"]

CHECKS = (
    "form", "keys", "signature", "inclusion", "chain", "consistency", "recovery", "close", "orders", "own", "round",
    "beacon", "vrf", "dice", "manifest", "opened", "timing",
)  # fmt: skip


class Item(NamedTuple):
    """A letter to be checked: where it lay, when it was received (unix seconds, if known), its `pbemdice.txt`."""

    where: str
    received: int | None
    data: bytes


class Letter(NamedTuple):
    """A letter whose proofs could be read; nothing of them is verified."""

    where: str
    received: int | None
    bundle: Bundle
    head: Checkpoint


class Seen(NamedTuple):
    """A leaf as a letter shows it, and its place in the log."""

    leaf: Leaf
    data: bytes
    at: int


@dataclass
class Phase:
    """What the leaves say of one attempt at a phase, in the order of the game's chain."""

    name: str
    opens: list[Seen] = field(default_factory=list)
    rest: list[Seen] = field(default_factory=list)

    def of(self, kind: str, segment: int = 0) -> list[Seen]:
        """Its leaves of a kind; of one segment if that is told."""
        found = self.opens if kind == "open" else [seen for seen in self.rest if seen.leaf.kind == kind]
        return [seen for seen in found if not segment or seen.leaf.number("segment") == segment]

    def close_of(self, segment: int) -> Seen | None:
        """The first close of a segment."""
        return next(iter(self.of("close", segment)), None)


class Board:
    """What was found, check by check: each is true, false, or could not be checked."""

    def __init__(self) -> None:
        self.done: dict[str, int] = dict.fromkeys(CHECKS, 0)
        self.wrong: dict[str, list[str]] = {check: [] for check in CHECKS}
        self.blind: dict[str, list[str]] = {check: [] for check in CHECKS}
        self.hands: list[str] = []

    def hold(self, check: str, truth: bool, otherwise: str) -> bool:
        """Note whether something holds, and what it means if not; return it."""
        if truth:
            self.done[check] += 1
        else:
            self.wrong[check].append(otherwise)
        return truth

    def cannot(self, check: str, why: str) -> None:
        """Note that something could not be checked."""
        self.blind[check].append(why)


def read(items: Sequence[Item], board: Board, parse: Callable[[bytes], Bundle]) -> list[Letter]:
    """The letters that can be read, with all that they show."""
    letters = []
    for item in items:
        try:
            bundle = parse(item.data)
            head = checkpoint.body(note.parse(bundle.note))
            for placed in bundle.leaves:
                leaves.parse(placed.data)
            for data in bundle.slates:
                rolls.parse_slate(data)
            for data in bundle.manifests:
                rolls.parse_manifest(data)
            letters.append(Letter(item.where, item.received, bundle, head))
            board.done["form"] += 1
        except Malformed as wrong:
            board.hold("form", False, f"{item.where}: {wrong}")
    return letters


class Record:
    """Everything that letters show of one course of a log."""

    def __init__(self, letters: Iterable[Letter], board: Board) -> None:
        self.letters = sorted(letters, key=lambda letter: letter.head.size)
        self.leaves: dict[tuple[str, int], Seen] = {}
        self.phases: dict[tuple[str, str], Phase] = {}
        self.slates: dict[str, tuple[Slate, bytes]] = {}
        self.manifests: dict[tuple[str, str, int, str], tuple[Manifest, bytes]] = {}
        # Leaves that closed a list, each with the note of a tree of this log that holds it: filled when that is proven.
        self.witnessed: dict[tuple[bytes, bytes], None] = {}
        for letter in self.letters:
            self._take(letter.bundle)
            self._leaves(letter, board)
        for seen in sorted(self.leaves.values(), key=lambda seen: seen.leaf.seq):
            if seen.leaf.says[0][0] == "phase":
                key = (seen.leaf.game, seen.leaf("phase"))
                phase = self.phases.setdefault(key, Phase(key[1]))
                (phase.opens if seen.leaf.kind == "open" else phase.rest).append(seen)

    def _take(self, bundle: Bundle) -> None:
        self.slates |= {sha256_hex(data): (rolls.parse_slate(data), data) for data in bundle.slates}
        for data in bundle.manifests:
            one = rolls.parse_manifest(data)
            self.manifests[one.game, one.phase, one.segment, one.group] = (one, data)

    def _leaves(self, letter: Letter, board: Board) -> None:
        """Every leaf once; two of one place are two histories."""
        for placed in letter.bundle.leaves:
            leaf = leaves.parse(placed.data)
            seen = Seen(leaf, placed.data, placed.at)
            known = self.leaves.setdefault((leaf.game, leaf.seq), seen)
            board.hold(
                "chain",
                (known.data, known.at) == (seen.data, seen.at),
                f"{letter.where}: leaf {leaf.seq} of {leaf.game} is not the one that another letter shows",
            )

    def history(self, game: str) -> list[Seen]:
        """The leaves of a game that are known, in order."""
        return sorted((seen for (name, _), seen in self.leaves.items() if name == game), key=lambda seen: seen.leaf.seq)

    def gapless(self, game: str, first: int, last: int) -> bool:
        """Whether all leaves of a game from one place to another are known."""
        return all((game, seq) in self.leaves for seq in range(first, last + 1))

    def genesis(self) -> Seen | None:
        """The first leaf of the log, if a letter shows it."""
        found = self.leaves.get((leaves.SERVER, 0))
        return found if found and found.leaf.kind == "genesis" else None


def hash_of(seen: Seen) -> str:
    """The hex hash by which the next leaf names this one."""
    return leaf_hash(seen.data).hex()


def alpha_of(slate: bytes, signature: str, group: str) -> bytes:
    """What a group's secret was computed from."""
    return blocks.alpha(slate, None if signature == "none" else bytes.fromhex(signature), group)
