"""The epochs of a log: the name that it bears after it was begun anew.

A database that was put back from a backup does not know the last leaves that were signed, so its tree cannot go on from
the newest checkpoint. It goes on under another name, which says for all time that there is a gap::

    example.com/pbem        from the first leaf on
    example.com/pbem/2      from the first `rotate` leaf on
    example.com/pbem/3      ...

A `rotate` leaf names the key of its epoch and the tree that was signed last before it, by size and root. The secret of
the key stays the same, and so does the key of the dice: with another one the same closed list would have other dice.
"""

from __future__ import annotations

import re

_NUMBER = re.compile(r"[2-9]|[1-9][0-9]{1,8}")


def name_of(log: str, number: int) -> str:
    """The name of an epoch, counted from 1, of the log that was begun under the name `log`."""
    return log if number == 1 else f"{log}/{number}"


def number_of(name: str, log: str) -> int:
    """Which epoch of a log has this name; 0 if none has."""
    if name == log:
        return 1
    _, _, told = name.partition(f"{log}/") if name.startswith(f"{log}/") else ("", "", "")
    return int(told) if _NUMBER.fullmatch(told) else 0
