"""What a page holds packed: text as gzip in base64, a quarter as long; its script unpacks it."""

from __future__ import annotations

import base64
import gzip


def packed(text: str) -> str:
    """Return a text packed: the same bytes for the same text."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), 9, mtime=0)).decode("ascii")
