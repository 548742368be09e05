"""Keys as files of their owner's alone."""

from __future__ import annotations

import os
import secrets
import stat
from pathlib import Path

from pbem.cli.sources import Misconfigured

KEY_BYTES = 32


def read_key(path: Path) -> bytes:
    """Return the server's secret from its file; Misconfigured if it is missing, readable by others or damaged."""
    try:
        mode = path.stat().st_mode
        text = path.read_text("ascii").strip()
        key = bytes.fromhex(text)
    except FileNotFoundError:
        raise Misconfigured(
            f"there is no key file {path}: put the copy of it back; `pbem init` writes one for a new server alone"
        ) from None
    except (OSError, ValueError) as wrong:
        raise Misconfigured(f"the key file {path} cannot be read: {wrong}") from None
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise Misconfigured(f"others may read the key file {path}: chmod 600 {path}")
    if len(key) != KEY_BYTES:
        raise Misconfigured(f"the key file {path} holds {len(key)} bytes, not {KEY_BYTES}")
    return key


def former(path: Path) -> list[Path]:
    """The files of the keys that were in the place of one before it, the oldest first."""
    found: list[Path] = []
    while (one := path.with_name(f"{path.name}.{len(found) + 1}")).exists():
        found.append(one)
    return found


def write_key(path: Path) -> None:
    """Write a new secret, mode 0600; FileExistsError if there is one."""
    write_new(path, secrets.token_hex(KEY_BYTES) + "\n")


def write_new(path: Path, text: str) -> None:
    """Write a file of its owner's alone, mode 0600; FileExistsError if there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
