"""A hand of the studio: a process that draws what comes through its pipe, until nothing comes or the pipe is closed.

The end of the server closes the pipe, whatever it dies of: then the hand goes too. What it cannot draw it says; what
kills it concerns one picture.
"""

from __future__ import annotations

import resource
import signal
from collections import OrderedDict
from multiprocessing.connection import Connection
from traceback import format_exc
from typing import Any

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
