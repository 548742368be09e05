"""A studio: pictures drawn beside the server, by hands that are processes of their own.

The libraries that draw keep Python to themselves while they do: a thread that draws stops all others. So each hand is a
process; it is hired when something is to be drawn, told what to draw through a pipe, and leaves when nothing comes for
a while, when it has drawn a good many, or when the pipe is closed, whatever the server ends of.

What is drawn, and how, the studio does not know: a `Draw` is handed in, and subjects and grounds that can be pickled.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from multiprocessing.connection import wait
from threading import Lock
from traceback import format_exc
from typing import Any, NamedTuple

from pbem.maps.hand import DONE, GROUND, TAKEN
from pbem.maps.hired import Gone, Hired

Draw = Callable[[Any, Any], bytes]
"""Draws a subject on a ground; a function of a module, so that a hand finds it by its name."""
HANDS = 2
"""How many draw at once."""
_DEATHS = 2
"""Hands that may die at a picture before it is given up."""
_LOOK = 0.25
"""Seconds between two looks at the clock."""
_NOBODYS = -1
"""What a hand is at that nobody waits for any more."""


class Wanted(NamedTuple):
    """What to draw, and the name of the ground that it is drawn on: a hand is handed each ground once, and keeps it."""

    subject: Any
    ground: str


class Inline:
    """A studio without hands: one picture after another, in the thread that asks."""

    def __init__(self, draw: Draw, now: Callable[[], datetime], tell: Callable[[str], None]) -> None:
        self._draw, self._now, self._tell = draw, now, tell

    def draw(
        self, wanted: Sequence[Wanted], grounds: Mapping[str, Any], until: datetime | None = None
    ) -> list[bytes | None]:
        """Return each as it was drawn; None for one that cannot be, which is told, or that would be begun too late."""
        return [None if until is not None and self._now() >= until else self._one(one, grounds) for one in wanted]

    def close(self) -> None:
        """Nobody has to leave."""

    def _one(self, one: Wanted, grounds: Mapping[str, Any]) -> bytes | None:
        try:
            return self._draw(one.subject, grounds[one.ground])
        except Exception:
            self._tell(format_exc())
            return None


class _Order:
    """What is drawn for one who asks: what waits, by its number, how many died at it, and what is there."""

    def __init__(self, wanted: Sequence[Wanted], grounds: Mapping[str, Any]) -> None:
        self.wanted, self.grounds = wanted, grounds
        self.waiting = deque(range(len(wanted)))
        self.died = [0] * len(wanted)
        self.made: list[bytes | None] = [None] * len(wanted)


class Studio:
    """Hands that draw at once. Nobody is hired before there is something to draw.

    `now` tells the time by which pictures are late; `tell` is told why one cannot be drawn. Any thread may ask; those
    who ask at the same time wait for one another.
    """

    def __init__(
        self, draw: Draw, now: Callable[[], datetime], tell: Callable[[str], None], hands: int = HANDS
    ) -> None:
        self._draw, self._now, self._tell, self._most = draw, now, tell, hands
        self._hands: list[Hired] = []
        self._lock = Lock()

    def draw(
        self, wanted: Sequence[Wanted], grounds: Mapping[str, Any], until: datetime | None = None
    ) -> list[bytes | None]:
        """Return each as it was drawn; None for one that cannot be, which is told, or that is not there in time."""
        with self._lock:
            order = _Order(wanted, grounds)
            try:
                while until is None or self._now() < until:
                    self._hand_out(order)
                    if not any(hand.at not in (None, _NOBODYS) for hand in self._hands) and not order.waiting:
                        break
                    for hand in self._heard():
                        self._hear(hand, order)
            finally:
                # Nobody waits any more for what they are at; they are heard out when somebody asks again.
                for hand in self._hands:
                    hand.at = None if hand.at is None else _NOBODYS
            return order.made

    def close(self) -> None:
        """Let everybody go, and wait until they have."""
        with self._lock:
            for hand in self._hands:
                hand.leave()
            self._hands.clear()

    @property
    def hands(self) -> list[int]:
        """The process ids of those who are here."""
        return [hand.pid for hand in self._hands]

    def _heard(self) -> list[Hired]:
        """Those who say something soon."""
        busy = {hand.fileno(): hand for hand in self._hands if hand.at is not None}
        return [busy[end] for end in wait(list(busy), _LOOK) if isinstance(end, int)]

    def _hand_out(self, order: _Order) -> None:
        """Give work to everybody who has none, and hire as many as there is work for."""
        self._hands = [hand for hand in self._hands if hand.at is not None or not hand.gone]
        for hand in list(self._hands):
            if hand.at is None and order.waiting:
                self._begin(hand, order)
        while order.waiting and len(self._hands) < self._most:
            try:
                hand = Hired(self._draw)
            except (OSError, Gone) as wrong:
                self._tell(f"nobody can be hired to draw: {wrong}")
                if not self._hands:
                    order.waiting.clear()
                return
            self._hands.append(hand)
            self._begin(hand, order)

    def _begin(self, hand: Hired, order: _Order) -> None:
        number = order.waiting.popleft()
        one = order.wanted[number]
        try:
            hand.begin(number, one, order.grounds[one.ground])
        except Gone:
            self._lose(hand, order)

    def _hear(self, hand: Hired, order: _Order) -> None:
        try:
            said, what = hand.hear()
            if said == GROUND:
                hand.show_ground()
        except Gone:
            self._lose(hand, order)
            return
        except Exception:
            # A ground that cannot be handed over, by somebody else's game; the hand waits for it in vain.
            self._tell(format_exc())
            hand.at = None
            self._lose(hand, order)
            return
        if said in (TAKEN, GROUND):
            hand.taken = hand.known = True
            return
        number, hand.at = hand.at, None
        if number is None or number == _NOBODYS:
            return
        if said == DONE:
            order.made[number] = what
        else:
            self._tell(what)

    def _lose(self, hand: Hired, order: _Order) -> None:
        """A hand is dead: what it was at is begun once more, by another."""
        self._hands.remove(hand)
        hand.leave()
        number = hand.at
        if number is None or number == _NOBODYS:
            return
        # One that was dead when it was asked has not died of what it was asked for.
        order.died[number] += hand.taken or not hand.known
        if order.died[number] < _DEATHS:
            order.waiting.appendleft(number)
        else:
            self._tell(f"a picture cannot be drawn: {_DEATHS} processes died at it")
