"""Long lists as letters show them: the top, and what stands around the reader; what is left out is counted.

Of a thousand entrants nobody reads a thousand lines, and a thousand letters of them are a million lines. Up to `MOST`
lines are shown as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

from pbem.engine.data.messages import Msg, msg

T = TypeVar("T")

MOST = 80
_TOP, _AROUND = 30, 5


def whole(lines: Sequence[T]) -> bool:
    """Whether a list is shown as it is."""
    return len(lines) <= MOST


def excerpt(lines: Sequence[T], mine: int | None = None) -> Iterator[T | Msg]:
    """Lines from the top and around the reader's own, by its place; between them sentences that count the others."""
    shown = [range(len(lines))] if whole(lines) else _shown(len(lines), mine)
    at = 0
    for run in shown:
        if run.start > at:
            yield msg("{n} lines left out", n=run.start - at)
        yield from lines[run.start : run.stop]
        at = run.stop
    if at < len(lines):
        yield msg("{n} lines left out", n=len(lines) - at)


def _shown(count: int, mine: int | None) -> list[range]:
    if mine is None or mine + _AROUND < _TOP:
        return [range(_TOP)]
    begin = max(_TOP, mine - _AROUND)
    return [range(_TOP), range(begin, min(count, mine + _AROUND + 1))]
