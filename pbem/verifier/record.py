"""The letters taken together: what they show of one course of a log, phase by phase; and what is found about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .bundles import Leaf, Letter, Manifest, Slate
from .contest_lists import BoardList, DrawList
from .fields import Block

CHECKS = (
    "form",
    "keys",
    "signature",
    "inclusion",
    "chain",
    "consistency",
    "recovery",
    "close",
    "groups",
    "attempts",
    "orders",
    "own",
    "others",
    "round",
    "beacon",
    "vrf",
    "dice",
    "labels",
    "manifest",
    "opened",
    "draws",
    "timing",
)

OK, FALSE, NOT_CHECKED = "ok", "FALSE", "NOT CHECKED"

QUICKNET = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
QUICKNET_KEY = bytes.fromhex(
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
    "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
)
BEACON_GENESIS, BEACON_PERIOD = 1692803367, 3
"""The one public beacon: its chain, its key, the second of round 1, and the seconds between rounds."""


def out_at(number: int) -> int:
    """The second at which a round comes out."""
    return BEACON_GENESIS + (number - 1) * BEACON_PERIOD


class Place(NamedTuple):
    """What is spoken of: in words, and if it is a phase, which."""

    where: str
    game: str = ""
    phase: str = ""


class Finding(NamedTuple):
    """What is not true (False), or could not be checked (None): `why` is a sentence with gaps for what `said` has."""

    check: str
    truth: bool | None
    place: Place
    why: str
    said: tuple[object, ...]

    @property
    def told(self) -> str:
        """All of it, in English."""
        why = self.why.format(*self.said)
        return f"{self.place.where}: {why}" if self.place.where else why


class Board:
    """What was found: how much is true, check by check, and what is not."""

    def __init__(self) -> None:
        self.held = dict.fromkeys(CHECKS, 0)
        self.found: list[Finding] = []
        self.by_hand = ""

    def say(self, check: str, truth: bool | None, place: Place, why: str, *said: object) -> bool | None:
        """Note whether something holds (True, False, or None if it could not be checked), and what it means if not."""
        if truth:
            self.held[check] += 1
        else:
            self.found.append(Finding(check, truth, place, why, said))
        return truth

    def status(self, check: str) -> str:
        truths = {one.truth for one in self.found if one.check == check}
        return FALSE if False in truths else NOT_CHECKED if None in truths else OK


class Phase:
    """What the leaves say of one attempt at a phase, in the order of the game's chain."""

    def __init__(self, game: str, name: str) -> None:
        self.game, self.name = game, name
        self.leaves: list[Leaf] = []

    @property
    def place(self) -> Place:
        return Place(f"{self.game} {self.name}", self.game, self.name)

    @property
    def stem(self) -> str:
        """The name of the phase, whichever attempt it is."""
        return self.name.partition("~")[0]

    @property
    def attempt(self) -> int:
        """Which attempt it is; 0 if it does not say."""
        found = re.fullmatch(r"[^~]+~([1-9][0-9]{0,8})", self.name)
        return int(found[1]) if found else 0

    def of(self, kind: str, segment: int = 0) -> list[Leaf]:
        """Its leaves of a kind; of one segment if that is told."""
        return [one for one in self.leaves if one.kind == kind and (not segment or one.num("segment") == segment)]

    def segments(self) -> list[int]:
        """The segments that were closed or rolled."""
        return sorted({one.num("segment") for one in self.leaves if one.kind in ("close", "roll")})

    @property
    def opened(self) -> Leaf | None:
        """The leaf that opened it."""
        return next(iter(self.of("open")), None)

    @property
    def disclosed(self) -> bool:
        return bool(self.of("disclose"))

    def due(self, close: Leaf) -> list[Leaf]:
        """The leaves that said when a segment closes, of which the last holds; of a later one those after the roll."""
        return [one for one in self.fixed(close.num("segment")) if one.seq < close.seq]

    def fixed(self, segment: int) -> list[Leaf]:
        """The leaves that said when a segment closes, whether it was closed or not."""
        rolls = self.of("roll", segment - 1) if segment > 1 else []
        since, until = max((one.seq for one in rolls), default=-1), self.of("roll", segment)[:1]
        moved = [one for one in self.of("deadline") if since < one.seq and (not until or one.seq < until[0].seq)]
        if segment > 1:
            return moved if rolls else []
        return [*self.of("open")[:1], *moved]


class Course:
    """Everything that letters show of one course of a log."""

    def __init__(self, letters: Iterable[Letter], board: Board) -> None:
        self.letters = sorted(letters, key=lambda letter: letter.size)
        self.leaves: dict[tuple[str, int], Leaf] = {}
        self.places: dict[str, int] = {}
        self.phases: dict[tuple[str, str], Phase] = {}
        self.slates: dict[str, Slate] = {}
        self.draws: dict[str, DrawList] = {}
        self.boards: dict[str, BoardList] = {}
        self.manifests: dict[tuple[str, str, int, str], list[Manifest]] = {}
        for letter in self.letters:
            for leaf in letter.leaves:
                self.take(leaf, Place(letter.where), board)
            self.slates |= {one.digest: one for one in letter.slates}
            self.draws |= {one.digest: one for one in letter.draws}
            self.boards |= {one.digest: one for one in letter.boards}
            for one in letter.manifests:
                key = (one.block["game"], one.block["phase"], one.block.num("segment"), one.block["group"])
                known = self.manifests.setdefault(key, [])
                known += [one] if one.block.data not in [other.block.data for other in known] else []
        self.rerun: frozenset[tuple[str, str]] = frozenset()
        """The phases of which full mode has shown that the rules roll what was listed, in its segments.

        And the draws, as ``r2~1``, of which it has found the same pairs.
        """
        self.histories: dict[str, list[Leaf]] = {}
        self.others: dict[tuple[str, str], Phase] = {}
        """The phases of other tables of a board, of which letters show no more than that they were closed."""
        tables = {table for one in self.boards.values() for table in one.tables}
        self.guests = tables - {letter.game for letter in self.letters}
        for leaf in sorted(self.leaves.values(), key=lambda leaf: leaf.seq):
            self.histories.setdefault(leaf.game, []).append(leaf)
            if name := leaf.get("phase"):
                phases = self.others if leaf.game in self.guests else self.phases
                phases.setdefault((leaf.game, name), Phase(leaf.game, name)).leaves.append(leaf)

        self.bound = [leaf for _, leaf in sorted(self.leaves.items()) if leaf.kind in ("bind", "deal") and leaf.known]
        """What tournaments say of boards whose tables have one luck."""

    def bindings(self, name: str, kind: str) -> list[Leaf]:
        """The leaves that bind a board, or deal it."""
        return [leaf for leaf in self.bound if leaf.kind == kind and leaf["board"] == name]

    def take(self, leaf: Leaf, place: Place, board: Board) -> None:
        """Take a leaf in; two of one place are two histories, two places of one leaf are two as well."""
        known = self.leaves.get((leaf.game, leaf.seq))
        if known is None or (known.data == leaf.data and leaf.known and not known.known):
            self.leaves[leaf.game, leaf.seq] = leaf
        same = known is None or (known.data, known.at) == (leaf.data, leaf.at)
        board.say("chain", same, place, "another letter shows another leaf {} of {}", leaf.seq, leaf.game)
        once = self.places.setdefault(leaf.hash, leaf.at) == leaf.at
        board.say("chain", once, place, "leaf {} of {} stands in the log twice", leaf.seq, leaf.game)

    def history(self, game: str) -> list[Leaf]:
        """The leaves of a game, in order."""
        return self.histories.get(game, [])

    def gapless(self, game: str, first: int, last: int) -> bool:
        """Whether all leaves of a game from one place to another are in letters, with or without their bodies."""
        return all((game, seq) in self.leaves for seq in range(first, last + 1))

    def told(self, game: str, kinds: tuple[str, ...], first: int, last: int) -> bool:
        """Whether nothing that leaves of these kinds say is withheld between two places, nor any of them missing."""
        between = (self.leaves.get((game, seq)) for seq in range(first, last + 1))
        return all(one is not None and (one.known or one.kind not in kinds) for one in between)

    def slate(self, close: Leaf | None) -> Slate | None:
        """The list that a leaf closed, if a letter shows it."""
        return self.slates.get(close["slate"]) if close is not None and close.known else None

    def parts(self, kind: str, game: str = "") -> Iterator[tuple[Letter, Block]]:
        """The parts of a kind in all letters, or in those of a game."""
        for letter in self.letters:
            if not game or letter.game == game:
                yield from ((letter, one) for one in letter.parts[kind])

    def seats(self, game: str) -> set[str]:
        """The seats whose letters these are."""
        return {letter.seat for letter in self.letters if letter.game == game}
