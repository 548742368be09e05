"""What the server should have in mind, in few words: who plays, whose turn it is, what is in, held or over.

Written from the players' guide and not from the code. It foretells no deadline; it says when a phase may close, when
it must have, and with which orders.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import NamedTuple

from tests.machine.quartet import MOVING, SIDES

TURNS = 2
UNDO = timedelta(minutes=30)


class Queued(NamedTuple):
    """A seat's orders: their revision, their canonical text, the date on their letter."""

    revision: int
    text: str
    dated: datetime


@dataclass
class Model:
    """A game of four: `turn` and `moving` name the phase, `state` is running, held or over."""

    state: str = "running"
    turn: int = 1
    moving: str = "north"
    closed: bool = False
    phases: int = 0
    moved: datetime | None = None
    revisions: dict[str, int] = field(default_factory=dict)
    queued: dict[str, Queued] = field(default_factory=dict)
    replaced: set[tuple[str, str]] = field(default_factory=set)
    kept: dict[tuple[str, int], tuple[str, datetime]] = field(default_factory=dict)
    wishes: dict[str, str] = field(default_factory=dict)
    early: frozenset[str] = frozenset()
    agreed: set[tuple[str, str]] = field(default_factory=set)
    players: set[str] = field(default_factory=lambda: set(SIDES))

    @property
    def active(self) -> tuple[str, ...]:
        return MOVING[self.moving] if self.state != "over" else ()

    def orders(self, seat: str, turn: int, text: str, dated: datetime, in_time: bool) -> str:
        """A good block of orders comes; what it is answered with."""
        if self.state == "over":
            return "over"
        if self.closed or not in_time or turn != self.turn or seat not in self.active:
            return "refused"
        held = self.queued.get(seat)
        if held is not None and dated < held.dated:
            return "refused"
        if (seat, text) in self.replaced and (held is None or held.text != text):
            # Orders that were replaced may come along with a quote: they are asked about.
            return "refused"
        if held is not None:
            self.replaced.add((seat, held.text))
        self.revisions[seat] = self.revisions.get(seat, 0) + 1
        self.queued[seat] = Queued(self.revisions[seat], text, dated)
        return "receipt"

    def later(self, seat: str, turn: int, text: str, dated: datetime) -> bool:
        """Orders for a turn to come are kept; False if they are those of the open phase, and no others."""
        if turn == self.turn and seat in self.active and not self.closed:
            return False
        self.kept[seat, turn] = (text, dated)
        return True

    def cancel(self, seat: str) -> None:
        """A seat takes its orders for the open phase back."""
        if not self.closed and self.state != "over":
            self.queued.pop(seat, None)
            self.early -= {seat}

    def wish(self, seat: str, word: str) -> None:
        if self.closed or self.state == "over":
            return
        if word == "nowait":
            if self.wishes.get(seat) == "wait":
                del self.wishes[seat]
        else:
            self.wishes[seat] = word

    def may_close(self, now: datetime, deadline: datetime) -> bool:
        """Whether the open phase may close by itself now."""
        if self.state != "running":
            return False
        if now >= deadline:
            return True
        if "wait" in self.wishes.values() or any(seat not in self.queued for seat in self.active):
            return False
        ready = all(self.wishes.get(seat) == "go" for seat in self.active)
        return ready or self.moved is None or now >= self.moved + UNDO

    def must_close(self, now: datetime, deadline: datetime, touched: datetime) -> bool:
        """Whether a phase that is open now should not be, if nothing was written or ruled since `touched`."""
        if self.state != "running" or self.closed:
            return False
        all_in = not self.early and all(seat in self.queued for seat in self.active)
        return now >= deadline or (all_in and "wait" not in self.wishes.values() and now >= touched + UNDO)

    def close(self) -> dict[str, tuple[int, str]]:
        """The open phase closes; with which orders, by seat. Who sent none does nothing."""
        self.closed = True
        return {seat: (self.queued[seat][:2] if seat in self.queued else (0, "")) for seat in self.active}

    def resolve(self, now: datetime) -> None:
        """The closed phase is resolved, and the next one opens with what was kept for it."""
        self.phases, self.closed = self.phases + 1, False
        self.turn, self.moving = (self.turn, "south") if self.moving == "north" else (self.turn + 1, "north")
        self.revisions, self.queued, self.wishes, self.agreed = {}, {}, {}, set()
        self.early, self.replaced = frozenset(), set()
        if self.turn > TURNS:
            self.state = "over"
        self.moved = now
        for seat in self.active:
            if (kept := self.kept.pop((seat, self.turn), None)) is not None:
                self.revisions[seat], self.early = 1, self.early | {seat}
                self.queued[seat] = Queued(1, *kept)

    def agree(self, seat: str, word: str) -> None:
        """A seat concedes or agrees on a draw, after its code."""
        self.agreed.add((seat, word))
        wanted = [other for other in SIDES if other in self.players and (word == "DRAW" or SIDES[other] == SIDES[seat])]
        if all((other, word) in self.agreed for other in wanted):
            self.state = "over"
