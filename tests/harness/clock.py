"""A clock that tests set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

START = datetime(2026, 5, 4, 12, tzinfo=UTC)  # a Monday
START_2030 = datetime(2030, 1, 7, 12, tzinfo=UTC)  # a Monday as well


class Clock:
    """Stand still until set; with a path, keep the moment in a file, which other processes may read meanwhile."""

    def __init__(self, moment: datetime = START, path: Path | None = None) -> None:
        self.path = path
        self._at = moment
        if path is not None and not path.exists():
            self.set(moment)

    @property
    def at(self) -> datetime:
        return self._at if self.path is None else datetime.fromisoformat(self.path.read_text())

    @at.setter
    def at(self, moment: datetime) -> None:
        self.set(moment)

    def now(self) -> datetime:
        return self.at

    def set(self, moment: datetime) -> datetime:
        if self.path is None:
            self._at = moment
        else:
            beside = self.path.with_suffix(".new")
            beside.write_text(moment.isoformat())
            beside.replace(self.path)
        return moment

    def forward(self, **much: float) -> datetime:
        return self.set(self.at + timedelta(**much))
