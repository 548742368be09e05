"""All checks over the letters of a mailbox, a line each: true, false, or not checked, and never left unsaid."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pbem.audit.beacon import Check
from pbem.audit.bundle import parse
from pbem.audit.note import Key
from pbem.audit.verifier import proof, signature
from pbem.audit.verifier.log_checks import check_log, find_keys
from pbem.audit.verifier.phase_checks import check_phases
from pbem.audit.verifier.proof import Output
from pbem.audit.verifier.record import CHECKS, Board, Item, read
from pbem.audit.verifier.recovery import check_recovery, courses
from pbem.audit.verifier.roll_checks import check_rolls
from pbem.audit.verifier.signature import Verify
from pbem.audit.verifier.timing_checks import check_timing, check_witnessed

__all__ = ["FALSE", "NOT_CHECKED", "OK", "Line", "Means", "Verdict", "verify"]

OK, FALSE, NOT_CHECKED = "ok", "FALSE", "NOT CHECKED"

WHAT = {
    "form": "every pbemdice.txt is written as it must be",
    "keys": "the keys are those of the log's first leaf, and yours",
    "signature": "the log has signed every checkpoint",
    "inclusion": "every leaf is in the log",
    "chain": "each game's leaves follow one another, none changed or left out",
    "consistency": "every later log begins with the earlier ones",
    "recovery": "what was signed before a restore is so after it",
    "close": "each segment was closed once, on the list that was hashed",
    "orders": "the closed lists have the last orders of every seat",
    "own": "opened orders are what was logged and closed",
    "round": "the beacon's round was fixed before",
    "beacon": "the beacon's value is the beacon's",
    "vrf": "the secret of every roll is proven",
    "dice": "every die follows from it",
    "manifest": "every roll is listed and numbered",
    "opened": "what was opened is what was sealed",
    "timing": "the grade is deserved",
}


class Line(NamedTuple):
    """A check: its name, OK, FALSE or NOT_CHECKED, how many facts it held true, and what was found otherwise."""

    check: str
    status: str
    held: int
    why: tuple[str, ...]


class Verdict(NamedTuple):
    """All lines, and for one die, if there is any, the command that throws it again by hand."""

    lines: tuple[Line, ...]
    by_hand: str

    @property
    def code(self) -> int:
        """0 if all is true, 1 if something is false, 2 if something could not be checked."""
        found = {line.status for line in self.lines}
        return 1 if FALSE in found else 2 if NOT_CHECKED in found else 0


class Means(NamedTuple):
    """How signatures, VRF proofs and beacon values are checked; bare Python does not check beacons at all."""

    signed: Verify = signature.verify
    output: Output = proof.output
    beacon: Check = lambda *_: None


BARE = Means()
"""Without a library."""


def verify(
    items: Sequence[Item], *, pin: Key | None = None, witnesses: Iterable[Key] = (), by: Means = BARE
) -> Verdict:
    """Hold letters of one server against each other.

    `pin` is the log's key if the reader knows it from elsewhere, `witnesses` whom he believes about time.
    """
    board, (signed, output, check) = Board(), by
    if not items:
        board.cannot("form", "there is no pbemdice.txt here")
    found = courses(read(items, board, parse), board)
    for course in found:
        record = course.record
        keys = find_keys(record, board, pin)
        check_log(record, board, keys, signed)
        check_phases(record, board, keys, output)
        check_rolls(record, board, keys, output, check)
        for letter in record.letters:
            check_witnessed(letter, record, board, keys, signed)
        check_timing(record, board, keys, witnesses, signed)
    check_recovery(found, board)
    return Verdict(tuple(_line(board, name) for name in CHECKS), next(iter(board.hands), ""))


def _line(board: Board, name: str) -> Line:
    wrong, blind = board.wrong[name], board.blind[name]
    status = FALSE if wrong else NOT_CHECKED if blind else OK
    return Line(name, status, board.done[name], tuple(dict.fromkeys([*wrong, *blind])))
