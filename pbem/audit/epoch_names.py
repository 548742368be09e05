"""Name the epochs of a log that was started anew.

A database that was restored from a backup lacks the last leaves that were signed, so that its tree cannot continue
the newest checkpoint. It continues under another name, which shows for ever that there is a gap::

    example.com/pbem        from the first leaf on
    example.com/pbem/2      from the first `rotate` leaf on
    example.com/pbem/3      ...

A `rotate` leaf names the key of its epoch and the last tree signed before it, by size and root. The secret of the
key stays the same, and so does the key of the dice: with another one the same closed list would have other dice.
"""

from __future__ import annotations

import re

# The number of a later epoch, from 2 on: the first epoch has no number in its name.
_NUMBER = re.compile(r"[2-9]|[1-9][0-9]{1,8}")


def epoch_name(log: str, number: int) -> str:
    """Return the name of epoch `number`, counted from 1, of the log named `log`."""
    return log if number == 1 else f"{log}/{number}"


def epoch_number(name: str, log: str) -> int:
    """Return the number of the epoch with this name; 0 if the log has none."""
    if name == log:
        return 1
    _, _, suffix = name.partition(f"{log}/") if name.startswith(f"{log}/") else ("", "", "")
    return int(suffix) if _NUMBER.fullmatch(suffix) else 0
