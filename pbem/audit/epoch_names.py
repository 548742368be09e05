"""Name the epochs of a log: what it is called after it was started anew.

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
    """Return the name of epoch `number`, counted from 1, of the log named `log`."""
    return log if number == 1 else f"{log}/{number}"


def number_of(name: str, log: str) -> int:
    """Return the number of the epoch with this name; 0 if the log has none."""
    if name == log:
        return 1
    _, _, suffix = name.partition(f"{log}/") if name.startswith(f"{log}/") else ("", "", "")
    return int(suffix) if _NUMBER.fullmatch(suffix) else 0
