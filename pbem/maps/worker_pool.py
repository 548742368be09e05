"""A hand of the studio: a process that draws what comes through its pipe, until nothing comes or the pipe is closed.

The end of the server closes the pipe, whatever it dies of: then the hand goes too. What it cannot draw it says; what
kills it concerns one picture.
"""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from multiprocessing.connection import Connection, Pipe, wait
from threading import Lock, Thread
from traceback import format_exc
from typing import Any, NamedTuple

NEEDED = ("resvg_py", "PIL")
"""The libraries of the extra, one to draw and one to make it short."""

TAKEN, DONE, BAD, GROUND = "taken", "done", "bad", "ground"
"""What a hand says: I am at it; here is the picture; it cannot be drawn, and why; I have not the ground that it is on.
"""

IDLE = 120.0
"""Seconds without work after which a hand leaves: its memory is worth more than the second that a new one costs."""
LONGEST = 15.0
"""Seconds of processor time that one picture may take; then the hand is ended from outside Python, wherever it is."""
GROUNDS = 8
"""Grounds that a hand remembers."""
LARGEST = 1 << 30
"""Bytes of memory that a hand may have; it needs a tenth of it."""
PICTURES = 500
"""After so many it leaves: what memory libraries have lost by then is given back."""


def main(handle: int) -> None:
    """Draw, until it is time to leave; `handle` is this end of the pipe."""
    # Whoever ends the server ends it alone: it may want pictures for its last letters.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_AS, (LARGEST, LARGEST))
    with Connection(handle) as pipe:
        try:
            _serve(pipe)
        except (EOFError, BrokenPipeError, ConnectionResetError):
            return


def _serve(pipe: Connection) -> None:
    draw, grounds = pipe.recv(), OrderedDict[str, Any]()
    left = PICTURES
    while left and pipe.poll(IDLE):
        subject, name = pipe.recv()
        pipe.send((TAKEN, None))
        if name not in grounds:
            pipe.send((GROUND, name))
            grounds[name] = pipe.recv()
            if len(grounds) > GROUNDS:
                grounds.popitem(last=False)
        grounds.move_to_end(name)
        signal.setitimer(signal.ITIMER_PROF, LONGEST)
        try:
            said = (DONE, draw(subject, grounds[name]))
        except Exception:
            said = (BAD, format_exc())
        signal.setitimer(signal.ITIMER_PROF, 0)
        pipe.send(said)
        left -= 1


# A hand of the studio, seen from the server: a process that was hired, and what it is at.


_LEAVE = 2.0
"""Seconds that a hand has for leaving before it is made to."""


class Gone(Exception):
    """The process is no more."""


class Hired:
    """A process of its own, with nothing of this one but where modules are found; OSError if none can be had.

    `at` is the number of the work that it is at, None if it has none; `taken` whether it has begun it; `known` whether
    it ever began any.
    """

    def __init__(self, draw: object) -> None:
        self.at: int | None = None
        self.taken = self.known = False
        self._ground: Any = None
        self._pipe, theirs = Pipe()
        with theirs:
            end = theirs.fileno()
            code = f"import sys; sys.path[:] = {sys.path!r}; from pbem.maps.worker_pool import main; main({end})"
            # A group of its own: Ctrl-C is for the server.
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", code], pass_fds=(end,), stdin=subprocess.DEVNULL, process_group=0
            )
        # It may leave while nobody looks, and is then to be seen off at once.
        Thread(target=self._process.wait, daemon=True, name="studio").start()
        self._send(draw)

    @property
    def pid(self) -> int:
        """The id of the process."""
        return self._process.pid

    @property
    def gone(self) -> bool:
        """Whether one that is at nothing has left: it has nothing to say but that its end is closed."""
        return self._pipe.poll()

    def fileno(self) -> int:
        """Where it can be waited for."""
        return self._pipe.fileno()

    def begin(self, number: int, wanted: tuple[object, str], ground: object) -> None:
        """Tell it what to draw, and keep the ground for when it asks; Gone."""
        self.at, self.taken, self._ground = number, False, ground
        self._send(wanted)

    def hear(self) -> tuple[str, Any]:
        """Return what it says; Gone."""
        try:
            said: tuple[str, Any] = self._pipe.recv()
        except (EOFError, OSError):
            raise Gone from None
        return said

    def show_ground(self) -> None:
        """Hand it the ground of what it is at; Gone."""
        self._send(self._ground)

    def leave(self) -> None:
        """Let it go, and make it go if it does not."""
        self._pipe.close()
        try:
            self._process.wait(_LEAVE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(_LEAVE)

    def _send(self, what: object) -> None:
        try:
            self._pipe.send(what)
        except OSError:
            raise Gone from None


# A studio: pictures drawn beside the server, by hands that are processes of their own.
#
# The libraries that draw keep Python to themselves while they do: a thread that draws stops all others. So each hand is
# a process; it is hired when something is to be drawn, told what to draw through a pipe, and leaves when nothing comes
# for a while, when it has drawn a good many, or when the pipe is closed, whatever the server ends of.
#
# What is drawn, and how, the studio does not know: a `Draw` is handed in, and subjects and grounds that can be pickled.


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
        self, wanted: Sequence[Wanted], grounds: Mapping[str, object], until: datetime | None = None
    ) -> list[bytes | None]:
        """Return each as it was drawn; None for one that cannot be, which is told, or that would be begun too late."""
        return [None if until is not None and self._now() >= until else self._one(one, grounds) for one in wanted]

    def close(self) -> None:
        """Nobody has to leave."""

    def _one(self, one: Wanted, grounds: Mapping[str, object]) -> bytes | None:
        try:
            return self._draw(one.subject, grounds[one.ground])
        except Exception:
            self._tell(format_exc())
            return None


class _Order:
    """What is drawn for one who asks: what waits, by its number, how many died at it, and what is there."""

    def __init__(self, wanted: Sequence[Wanted], grounds: Mapping[str, object]) -> None:
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
        self, wanted: Sequence[Wanted], grounds: Mapping[str, object], until: datetime | None = None
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
