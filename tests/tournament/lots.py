"""Lots for tests: the same for the same label, and others for another seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable


def lots(seed: int = 0) -> Callable[[str], int]:
    """Lots of 32 bits."""
    return lambda label: int.from_bytes(hashlib.sha256(f"{seed}/{label}".encode()).digest()[:4], "big")
