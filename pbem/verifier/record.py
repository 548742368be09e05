"""Collect the letters by phase, and the findings about them.

The letters are those of one epoch of a log.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .bundles import ClosedList, Leaf, Letter, Manifest
from .fields import Block
from .tournament_lists import BoardList, DrawList

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
"""The one public beacon (drand's quicknet): the second of round 1, and the seconds between rounds."""


def round_time(number: int) -> int:
    """Return the unix second at which a round is published."""
    return BEACON_GENESIS + (number - 1) * BEACON_PERIOD


class LogPlace(NamedTuple):
    """A place for a finding: in words, and the game and phase if it is about one."""

    where: str
    game: str = ""
    phase: str = ""


class Finding(NamedTuple):
    """A fact that is false (False) or could not be checked (None).

    `why` is a sentence with gaps for the values in `said`.
    """

    check: str
    truth: bool | None
    place: LogPlace
    why: str
    said: tuple[object, ...]

    @property
    def sentence(self) -> str:
        """Return the whole sentence, in English."""
        why = self.why.format(*self.said)
        return f"{self.place.where}: {why}" if self.place.where else why


class Findings:
    """The findings: true facts counted by check, and those that are not true."""

    def __init__(self) -> None:
        self.held = dict.fromkeys(CHECKS, 0)
        self.found: list[Finding] = []
        self.by_hand = ""

    def say(self, check: str, truth: bool | None, place: LogPlace, why: str, *values: object) -> bool | None:
        """Record whether a fact is true, False, or could not be checked (None).

        `why` is the sentence if it is not true.
        """
        if truth:
            self.held[check] += 1
        else:
            self.found.append(Finding(check, truth, place, why, values))
        return truth

    def status(self, check: str) -> str:
        truths = {finding.truth for finding in self.found if finding.check == check}
        return FALSE if False in truths else NOT_CHECKED if None in truths else OK


class Phase:
    """The leaves of one attempt at a phase, in the order of the game's chain."""

    def __init__(self, game: str, name: str) -> None:
        self.game, self.name = game, name
        self.leaves: list[Leaf] = []

    @property
    def place(self) -> LogPlace:
        return LogPlace(f"{self.game} {self.name}", self.game, self.name)

    @property
    def stem(self) -> str:
        """Return the name of the phase without its attempt."""
        return self.name.partition("~")[0]

    @property
    def attempt(self) -> int:
        """Return the number of the attempt; 0 if the name has none."""
        match = re.fullmatch(r"[^~]+~([1-9][0-9]{0,8})", self.name)
        return int(match[1]) if match else 0

    def of(self, kind: str, segment: int = 0) -> list[Leaf]:
        """Return its leaves of a kind, of one segment if given."""
        return [leaf for leaf in self.leaves if leaf.kind == kind and (not segment or leaf.num("segment") == segment)]

    def segments(self) -> list[int]:
        """Return the segments that were closed or rolled."""
        return sorted({leaf.num("segment") for leaf in self.leaves if leaf.kind in ("close", "roll")})

    @property
    def opening(self) -> Leaf | None:
        """Return the leaf that opened it."""
        return next(iter(self.of("open")), None)

    @property
    def is_disclosed(self) -> bool:
        return bool(self.of("disclose"))

    def due(self, close: Leaf) -> list[Leaf]:
        """Return the leaves that set the closing time of a segment; the last holds.

        For a later segment only leaves after the roll count.
        """
        return [leaf for leaf in self.closing_time_leaves(close.num("segment")) if leaf.seq < close.seq]

    def closing_time_leaves(self, segment: int) -> list[Leaf]:
        """Return the leaves that set a segment's closing time, closed or not."""
        rolls = self.of("roll", segment - 1) if segment > 1 else []
        since, until = max((roll.seq for roll in rolls), default=-1), self.of("roll", segment)[:1]
        deadlines = [
            leaf for leaf in self.of("deadline") if since < leaf.seq and (not until or leaf.seq < until[0].seq)
        ]
        if segment > 1:
            return deadlines if rolls else []
        # `phase_checks.check_order_of_leaves` reports a second `open`; only the first sets a time.
        return [*self.of("open")[:1], *deadlines]


class LogView:
    """Everything that letters show of one epoch of a log."""

    def __init__(self, letters: Iterable[Letter], findings: Findings) -> None:
        # By the size of the tree: the log only grows, so that the last is the newest.
        self.letters = sorted(letters, key=lambda letter: letter.size)
        self.leaves: dict[tuple[str, int], Leaf] = {}
        self.places: dict[str, int] = {}
        self.phases: dict[tuple[str, str], Phase] = {}
        self.slates: dict[str, ClosedList] = {}
        self.draws: dict[str, DrawList] = {}
        self.boards: dict[str, BoardList] = {}
        self.manifests: dict[tuple[str, str, int, str], list[Manifest]] = {}
        for letter in self.letters:
            for leaf in letter.leaves:
                self.take(leaf, LogPlace(letter.where), findings)
            self.slates |= {listed.digest: listed for listed in letter.slates}
            self.draws |= {listed.digest: listed for listed in letter.draws}
            self.boards |= {listed.digest: listed for listed in letter.boards}
            for manifest in letter.manifests:
                key = (
                    manifest.block["game"],
                    manifest.block["phase"],
                    manifest.block.num("segment"),
                    manifest.block["group"],
                )
                known = self.manifests.setdefault(key, [])
                known += [manifest] if manifest.block.data not in [seen.block.data for seen in known] else []
        self.rerun: frozenset[tuple[str, str]] = frozenset()
        """The phases whose listed rolls full mode has shown to follow from the rules.

        It also holds the draws, as ``r2~1``, whose pairs full mode has found the same.
        """
        self.histories: dict[str, list[Leaf]] = {}
        self.others: dict[tuple[str, str], Phase] = {}
        """The phases of a board's other tables: letters show only that they were closed."""
        tables = {table for board_list in self.boards.values() for table in board_list.tables}
        self.guests = tables - {letter.game for letter in self.letters}
        # Letters show leaves in any order; a chain and a phase have them by their numbers.
        for leaf in sorted(self.leaves.values(), key=lambda leaf: leaf.seq):
            self.histories.setdefault(leaf.game, []).append(leaf)
            if name := leaf.get("phase"):
                phases = self.others if leaf.game in self.guests else self.phases
                phases.setdefault((leaf.game, name), Phase(leaf.game, name)).leaves.append(leaf)

        self.bound = [leaf for _, leaf in sorted(self.leaves.items()) if leaf.kind in ("bind", "deal") and leaf.known]
        """The leaves of boards whose tables share one luck."""

    def bindings(self, name: str, kind: str) -> list[Leaf]:
        """Return the leaves that bind a board, or deal it."""
        return [leaf for leaf in self.bound if leaf.kind == kind and leaf["board"] == name]

    def take(self, leaf: Leaf, place: LogPlace, findings: Findings) -> None:
        """Add a leaf.

        Two leaves at one place prove two histories, and so does one leaf at two places.
        """
        known = self.leaves.get((leaf.game, leaf.seq))
        if known is None or (known.data == leaf.data and leaf.known and not known.known):
            self.leaves[leaf.game, leaf.seq] = leaf
        same = known is None or (known.data, known.at) == (leaf.data, leaf.at)
        findings.say("chain", same, place, "another letter shows another leaf {} of {}", leaf.seq, leaf.game)
        single = self.places.setdefault(leaf.hash, leaf.at) == leaf.at
        findings.say("chain", single, place, "leaf {} of {} stands in the log twice", leaf.seq, leaf.game)

    def history(self, game: str) -> list[Leaf]:
        """Return the leaves of a game, in order."""
        return self.histories.get(game, [])

    def gapless(self, game: str, first: int, last: int) -> bool:
        """Return whether letters have all leaves of a game between two places.

        Their bodies may be withheld.
        """
        return all((game, seq) in self.leaves for seq in range(first, last + 1))

    def shows_all(self, game: str, kinds: tuple[str, ...], first: int, last: int) -> bool:
        """Return whether letters show all leaves between two places.

        Leaves of the given kinds must not be withheld.
        """
        between = (self.leaves.get((game, seq)) for seq in range(first, last + 1))
        return all(leaf is not None and (leaf.known or leaf.kind not in kinds) for leaf in between)

    def closed_list(self, close: Leaf | None) -> ClosedList | None:
        """Return the list that a leaf closed, if a letter shows it."""
        return self.slates.get(close["slate"]) if close is not None and close.known else None

    def parts(self, kind: str, game: str = "") -> Iterator[tuple[Letter, Block]]:
        """Return the parts of a kind in all letters, or in those of a game."""
        for letter in self.letters:
            if not game or letter.game == game:
                yield from ((letter, part) for part in letter.parts[kind])

    def seats(self, game: str) -> set[str]:
        """Return the seats whose letters these are."""
        return {letter.seat for letter in self.letters if letter.game == game}
