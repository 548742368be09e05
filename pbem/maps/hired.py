"""A hand of the studio, seen from the server: a process that was hired, and what it is at."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing.connection import Pipe
from threading import Thread
from typing import Any

_LEAVE = 2.0
"""Seconds that a hand has for leaving before it is made to."""


class Gone(Exception):
    """The process is no more."""


class Hired:
    """A process of its own, with nothing of this one but where modules are found; OSError if none can be had.

    `at` is the number of the work that it is at, None if it has none; `taken` whether it has begun it; `known` whether
    it ever began any.
    """

    def __init__(self, draw: Any) -> None:
        self.at: int | None = None
        self.taken = self.known = False
        self._ground: Any = None
        self._pipe, theirs = Pipe()
        with theirs:
            end = theirs.fileno()
            code = f"import sys; sys.path[:] = {sys.path!r}; from pbem.maps.hand import main; main({end})"
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

    def begin(self, number: int, wanted: tuple[Any, str], ground: Any) -> None:
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

    def _send(self, what: Any) -> None:
        try:
            self._pipe.send(what)
        except OSError:
            raise Gone from None
