"""What a seat may not know yet of what the log says: the head of such a leaf is shown, and its body in a later letter.

What others have sent is told once the list is closed that holds it. While a phase waits for answers nobody learns who
was asked, or until when: he is told when the list of answers is closed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlmodel import Session

from pbem.log import sequencer
from pbem.store import logrows
from pbem.store.logrows import LeafRow

_SENT = ("order", "answer")


def of(session: Session, shown: Sequence[LeafRow], seat: str) -> list[LeafRow]:
    """The leaves of a letter to a seat without what it may not know yet."""
    closed, waits = _closed(shown), _waits_since(session, shown)
    return [row._replace(says=b"") if _is_hidden(row, seat, closed, waits) else row for row in shown]


def owed(session: Session, fresh: Sequence[LeafRow], seat: str, size: int) -> list[LeafRow]:
    """The leaves from before these whose bodies the seat is told now, for their lists are closed among these."""
    found = []
    for phase, segment in sorted(_closed(fresh)):
        rows = logrows.again(session, fresh[0].game, phase, fresh[0].seq, size)
        before = [row for row in rows if row.phase == phase and row.seq < fresh[0].seq]
        rolls = [row.seq for row in before if row.kind == "roll"]
        found += [
            row
            for row in before
            if (_is_sent(row, segment) and not _is_own(row, seat))
            or (row.kind == "deadline" and rolls and row.seq > rolls[-1])
        ]
    return found


def _closed(rows: Sequence[LeafRow]) -> set[tuple[str, int]]:
    """The phases and segments whose lists are closed among these leaves."""
    return {(row.phase, sequencer.read_leaf(row).number("segment")) for row in rows if row.kind == "close"}


def _waits_since(session: Session, shown: Sequence[LeafRow]) -> int | None:
    """The place of the roll after which a phase waits for answers; None if none does, or nothing is said of when."""
    moved = [row for row in shown if row.kind == "deadline"]
    step = logrows.newest(session, moved[0].game, ("open", "close", "roll", "result")) if moved else None
    return step.seq if step is not None and step.kind == "roll" else None


def _is_hidden(row: LeafRow, seat: str, closed: set[tuple[str, int]], waits: int | None) -> bool:
    if row.kind == "deadline":
        return waits is not None and row.seq > waits
    if row.kind not in _SENT or _is_own(row, seat):
        return False
    return (row.phase, _segment(row)) not in closed


def _is_sent(row: LeafRow, segment: int) -> bool:
    return row.kind in _SENT and _segment(row) == segment


def _segment(row: LeafRow) -> int:
    return sequencer.read_leaf(row).number("segment") if row.kind == "answer" else 1


def _is_own(row: LeafRow, seat: str) -> bool:
    return f"\nseat {seat}\n".encode() in row.says
