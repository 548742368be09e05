"""A log that was begun anew after a restore: which letters are of which course of it, and what was signed and is gone.

Letters of an epoch (`epochs`) are held against each other, and against those of earlier epochs as far as these are part
of the same tree: up to the `rotate` leaf. What came after that in an earlier epoch was signed and is gone from the log.
Nothing can prove that it was kept, so that this is said of every such log; but where the log now says otherwise than a
letter of before, that is proven, and said too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pbem.audit import epochs, leaves, note
from pbem.audit.verifier.record import Board, Letter, Record, Seen

__all__ = ["Course", "check_recovery", "courses"]


class Course(NamedTuple):
    """The letters of one course of the log: those of an epoch, and of earlier ones what is part of it."""

    epoch: int
    record: Record


def courses(letters: Sequence[Letter], board: Board) -> list[Course]:
    """The courses that the letters show, one for each epoch, the one that goes on last; one if there is no letter."""
    name = _first_name(letters)
    known = {id(letter): epochs.number_of(letter.head.origin, name) for letter in letters}
    # A letter of a log that is none of this server's is judged with the newest, and found false there.
    last = max(known.values(), default=1) or 1
    own = {epoch: [one for one in letters if (known[id(one)] or last) == epoch] for epoch in {*known.values()} - {0}}
    found = []
    for epoch in sorted(own or {1}):
        shared = [
            one
            for before in sorted(own)
            if before < epoch
            for one in own[before]
            if (end := _end(_shown(own[epoch]), before, name)) is None or one.head.size <= end.at
        ]
        found.append(Course(epoch, Record([*shared, *own.get(epoch, letters)], board)))
    return found


def _first_name(letters: Sequence[Letter]) -> str:
    """What the log was called at first: by its first leaf, or by the shortest name that it has."""
    for seen in _shown(letters):
        if seen.leaf.kind == "genesis":
            return note.parse_key(seen.leaf("log")).name
    return min((letter.head.origin for letter in letters), key=len, default="")


def _shown(letters: Iterable[Letter]) -> list[Seen]:
    """The leaves about the server that letters show, by their places in the log."""
    found = {
        (placed.at, placed.data): leaves.parse(placed.data)
        for letter in letters
        for placed in letter.bundle.leaves
        if b"\ngame -\n" in placed.data
    }
    return [Seen(leaf, data, at) for (at, data), leaf in sorted(found.items())]


def _end(shown: Iterable[Seen], epoch: int, name: str) -> Seen | None:
    """The leaf at which an epoch ended: the first that begins a later one."""
    rotates = (seen for seen in shown if seen.leaf.kind == "rotate")
    return next(
        (seen for seen in rotates if epochs.number_of(note.parse_key(seen.leaf("log")).name, name) > epoch), None
    )


def check_recovery(found: Sequence[Course], board: Board) -> None:
    """Say that the log was begun anew, if it was, and hold what was signed before against what it says now."""
    last = found[-1].record
    server = last.history(leaves.SERVER)
    for seen in (seen for seen in server if seen.leaf.kind == "rotate"):
        board.cannot(
            "recovery",
            f"the log was begun anew after a restore: of {seen.leaf('size')} leaves it kept the first {seen.at}; what "
            "the others said is not proven to be kept: ask why, and see that your orders count",
        )
    name = _first_name(last.letters)
    for course in found[:-1]:
        end = _end(server, course.epoch, name)
        if end is None:
            board.cannot("recovery", f"no letter here shows by which leaf epoch {course.epoch} of the log ended")
            continue
        _admitted(course, end, board)
        for seen in sorted(course.record.leaves.values(), key=lambda seen: seen.at):
            if seen.at >= end.at:
                _Lost(seen, end, last, board).judge()


def _admitted(course: Course, end: Seen, board: Board) -> None:
    """No letter of before shows a larger tree than the log admits to, or another of the same size."""
    size, root = end.leaf.number("size"), end.leaf("root")
    for letter in course.record.letters:
        head = letter.head
        small = head.size <= max(size, end.at)
        what = f"{letter.where}: it shows {head.size} leaves of before the restore, and the log admits to {size}"
        board.hold("recovery", small, what)
        if head.size == size:
            same = head.root.hex() == root
            board.hold("recovery", same, f"{letter.where}: before the restore there was another log of {size} leaves")


_BOUND = {
    "open": (("phase",), ("edition", "state", "seats")),
    "close": (("phase", "segment"), ("slate",)),
    "roll": (("phase", "segment"), ("sig", "group", "manifest")),
    "result": (("phase",), ("state", "report")),
    "again": (("phase", "run"), ("state", "manifest")),
    "ruling": (("number",), ("text",)),
    "order": (("phase", "seat"), ("rev", "commit")),
    "answer": (("phase", "segment", "seat"), ("commit",)),
}
"""What must say the same after a restore: by kind of leaf, which act it is, and what it said."""


class _Lost(NamedTuple):
    """A leaf that was signed and is in the log no more, and the log as it is."""

    seen: Seen
    end: Seen
    now: Record
    board: Board

    def judge(self) -> None:
        """Hold it against what the log says of the same act now."""
        leaf = self.seen.leaf
        which, what = _BOUND.get(leaf.kind, ((), ()))
        if not which:
            return
        history = [seen for seen in self.now.history(leaf.game) if seen.leaf.kind == leaf.kind]
        again = [seen for seen in history if _said(seen, which) == _said(self.seen, which)]
        at = " ".join([leaf.game, *_said(self.seen, which)])
        if any(_said(seen, what) == _said(self.seen, what) for seen in again):
            self.board.hold("recovery", True, "")
        elif again and leaf.kind not in ("order", "answer"):
            self.board.hold("recovery", False, f"{leaf.kind} {at}: the log said otherwise before the restore")
        elif any(self._later(seen) for seen in again):
            self.board.hold("recovery", True, "")
        elif self._over():
            self.board.hold("recovery", False, f"{leaf.kind} {at}: signed before the restore, and gone from the log")
        else:
            self.board.cannot("recovery", f"{leaf.kind} {at}: signed before the restore, and not in the log again yet")

    def _later(self, seen: Seen) -> bool:
        """Whether a seat has written anew what was lost, after it."""
        if seen.at <= self.end.at:
            return False
        return seen.leaf.kind == "answer" or seen.leaf.number("recv") >= self.seen.leaf.number("recv")

    def _over(self) -> bool:
        """Whether the log is past the moment at which the act should have come again."""
        leaf = self.seen.leaf
        name = leaf("phase")
        phase = self.now.phases.get((leaf.game, name))
        segment = leaf.number("segment") if leaf.kind == "answer" else 1
        if leaf.kind in ("order", "answer") and phase is not None and phase.of("close", segment):
            return True
        after = [seen for seen in self.now.history(leaf.game) if seen.at > self.end.at]
        results = (seen for seen in after if seen.leaf.kind == "result" and seen.leaf("phase") == name)
        opens = (seen for seen in after if seen.leaf.kind == "open" and seen.leaf("phase") != name)
        return any(True for _ in (*results, *opens))


def _said(seen: Seen, keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(value for key, value in seen.leaf.says if key in keys)
