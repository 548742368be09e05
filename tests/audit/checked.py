"""The one place where the letters of these tests are verified."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pbem.audit.note import Key
from tests.audit.simulated import Item

__all__ = ["judge", "statuses"]


def judge(items: Sequence[Item], *, pin: Key | None = None, witnesses: Iterable[Key] = (), quorum: int = 1) -> Any:
    """What the verifier says of letters."""
    raise NotImplementedError(f"no verifier for {len(items)} letters, {pin}, {[*witnesses]}, {quorum}")


def statuses(verdict: Any) -> dict[str, str]:
    """The status of each check of a verdict, by name."""
    return {line.check: line.status for line in verdict.lines}
