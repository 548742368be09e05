"""Errors in the files a game is made of: charts, maps, scenarios."""

from __future__ import annotations

__all__ = ["SourceError"]


class SourceError(ValueError):
    """A game file that cannot be used: which file, which line (from 1; 0 = the file as a whole), and why."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason
