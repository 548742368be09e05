"""A clock that tests set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 5, 4, 12, tzinfo=UTC)  # a Monday


class Clock:
    """A clock that stands still until it is set; kept in a file, so that a process begun later reads the same."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.exists():
            self.set(START)

    def now(self) -> datetime:
        return datetime.fromisoformat(self.path.read_text())

    def set(self, moment: datetime) -> datetime:
        self.path.write_text(moment.isoformat())
        return moment

    def forward(self, **much: float) -> datetime:
        return self.set(self.now() + timedelta(**much))
