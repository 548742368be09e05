"""Where the time comes from: the machine, or a file for those who try things out; and what is done by it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pbem.cli.setting_files import Misconfigured
from pbem.cli.settings import Settings

if TYPE_CHECKING:
    from pbem.runtime.transaction import Server


class Chore(NamedTuple):
    """Something beside the letters, done again and again in a thread apart, so many `seconds` after the last time.

    `do` is told the server and whether it is to go on; what goes wrong with it is logged, and stops nothing.
    """

    name: str
    seconds: float
    do: Callable[[Server, Callable[[], bool]], object]


class SystemClock:
    """The machine's time, in whole seconds."""

    def now(self) -> datetime:
        """The moment, aware, in UTC."""
        return datetime.now(UTC).replace(microsecond=0)


class FileClock:
    """The time that a file holds, such as ``2030-01-01T12:00:00Z``, read anew at each question."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.now()

    def now(self) -> datetime:
        """The moment, aware, in UTC; Misconfigured if the file does not hold one."""
        try:
            moment = datetime.fromisoformat(self.path.read_text("ascii").strip())
        except (OSError, ValueError) as wrong:
            raise Misconfigured(f"the clock's file {self.path} cannot be read: {wrong}") from None
        if moment.tzinfo is None:
            raise Misconfigured(f"the clock's file {self.path} does not say which zone; end the moment with Z")
        return moment.astimezone(UTC).replace(microsecond=0)


def clock_of(read: Settings) -> SystemClock | FileClock:
    """The clock that the settings name; Misconfigured if its file does not hold a moment."""
    return SystemClock() if read.clock.source == "system" else FileClock(Path(read.clock.source[5:]))
