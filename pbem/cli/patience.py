"""What a terminal shows while a command takes longer than two seconds: for how long it has been at work.

    ... 7 s

It stands on standard error, where that is a terminal, and is wiped away before anything else is written. Scripts see
nothing of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from typing import Any, TextIO

FIRST = 2
"""Seconds after which something is shown; from then on every second."""
_WIPE = "\r\x1b[K"


class Patience:
    """Shows for how long it has waited. `over` waits for so many seconds and says whether the work is done."""

    def __init__(self, terminal: TextIO, over: Callable[[float], bool]) -> None:
        self._terminal, self._over = terminal, over
        self._lock, self._standing = Lock(), False

    def run(self) -> None:
        """Show it until the work is done."""
        seconds = FIRST
        done = self._over(FIRST)
        while not done:
            with self._lock:
                self._terminal.write(f"{_WIPE}... {seconds} s")
                self._terminal.flush()
                self._standing = True
            done, seconds = self._over(1), seconds + 1
        self.wipe()

    def wipe(self) -> None:
        """Take away what is shown."""
        with self._lock:
            if self._standing:
                self._terminal.write(_WIPE)
                self._terminal.flush()
                self._standing = False


class _Wiping:
    """A stream before whose every word what is shown is wiped away."""

    def __init__(self, stream: TextIO, patience: Patience) -> None:
        self._stream, self._patience = stream, patience

    def write(self, text: str) -> int:
        self._patience.wipe()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def shown() -> Iterator[None]:
    """Show it while a command runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = Event()
    patience = Patience(sys.stderr, done.wait)
    streams = sys.stdout, sys.stderr
    watching = Thread(target=patience.run, daemon=True)
    watching.start()
    sys.stdout, sys.stderr = (_Wiping(stream, patience) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
        done.set()
        watching.join()
