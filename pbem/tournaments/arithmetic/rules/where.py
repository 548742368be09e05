"""The line of a TOML file in which a key stands, for faults: ``entry.places``, ``stage 2.take``, ``prizes.1``."""

from __future__ import annotations

import re

_HEAD = re.compile(r"\s*\[(?P<double>\[)?\s*(?P<name>[^\[\]]+?)\s*\]")
_KEY = re.compile(r"""\s*(?P<key>[\w-]+|"[^"]*"|'[^']*')\s*(?P<dot>[.=])""")


class Where:
    """The lines of a text by paths."""

    def __init__(self, text: str) -> None:
        self._lines: dict[str, int] = {}
        table, counts = "", {"": 0}
        for number, line in enumerate(text.splitlines(), start=1):
            if head := _HEAD.match(line):
                table = head["name"]
                if head["double"]:
                    counts[table] = counts.get(table, 0) + 1
                    table = f"{table} {counts[table]}"
                self._lines.setdefault(table, number)
            elif key := _KEY.match(line):
                name = key["key"].strip("\"'")
                self._lines.setdefault(f"{table}.{name}" if table else name, number)

    def line(self, path: str) -> int:
        """Return the line of a key, of its table if it is not given itself; 0 if neither is there."""
        while path:
            if path in self._lines:
                return self._lines[path]
            path = path.rpartition(".")[0]
        return 0
