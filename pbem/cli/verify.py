"""`pbem verify`: letters checked by whoever kept them, with what is installed here to do it faster and further.

It also writes what does the same elsewhere: a page for browsers, a file for bare Python.
"""

from __future__ import annotations

from pathlib import Path

from pbem.audit import bls, signing, vrf
from pbem.cli.checking import Means
from pbem.cli.ends import Stop
from pbem.cli.page import page
from pbem.cli.pyz import archive

__all__ = ["FAST", "write_page", "write_pyz"]

FAST = Means(signing.verify, vrf.checked, bls.check)
"""By libsodium; the beacon's values too where the extra for it is installed."""


def write_page(path: Path) -> str:
    """Write the page that checks letters in a browser, and say so; Stop if it cannot be written there."""
    _write(path, page().encode("utf-8"))
    return f"Written: {path}. Open it in a browser and give it your letters; it needs no network."


def write_pyz(path: Path) -> str:
    """Write the program that checks letters and runs the rules again with bare Python, and say so; Stop if not."""
    _write(path, archive())
    return f"Written: {path}. Anybody with Python 3.11 runs it: python3 {path.name} --full LETTERS"


def _write(path: Path, data: bytes) -> None:
    try:
        path.write_bytes(data)
    except OSError as wrong:
        raise Stop(f"cannot write {path}: {wrong.strerror}") from None
