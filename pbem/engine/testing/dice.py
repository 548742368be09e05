"""Dice for games that are tried out: by label, and the same for ever of the same bytes."""

from __future__ import annotations

import hashlib


class Thrown:
    """Dice that follow from bytes and the label alone; nearly fair, which is all that trying out a game asks for."""

    def __init__(self, beta: bytes) -> None:
        self._beta = beta

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return the throws of a label."""
        said = (hashlib.sha256(self._beta + f"{label} {at}".encode()).digest() for at in range(n))
        return tuple(1 + int.from_bytes(one, "big") % sides for one in said)
