"""The files a game is made of, rules, charts, maps, scenarios: errors in them, and what is looked up in every game."""

from __future__ import annotations

from string import ascii_uppercase

__all__ = ["SourceError", "rules_of"]


class SourceError(ValueError):
    """A game file that cannot be used: which file, which line (from 1; 0 = the file as a whole), and why."""

    def __init__(self, file: str, line: int, reason: str) -> None:
        where = f"{file}:{line}" if line else file
        super().__init__(f"{where}: {reason}")
        self.file = file
        self.line = line
        self.reason = reason


def rules_of(text: str, number: str) -> tuple[str, ...]:
    """Return the lines of a ``rules.txt`` for a rule number and those below it, empty if there is none.

    A line begins with its number. One without its letter, ``8.4``, stands for those of every letter.
    """
    wanted = number.upper().strip(".")
    found = []
    for line in filter(str.strip, text.splitlines()):
        name = line.split()[0]
        bare = name.lstrip(ascii_uppercase) if wanted[:1].isdigit() else name
        if wanted and (bare == wanted or bare.startswith(f"{wanted}.")):
            found.append(line)
    return tuple(found)
