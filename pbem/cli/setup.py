"""`pbem init`: the first two files of a server."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from pbem.cli.ends import Stop
from pbem.cli.settings import FILE_NAME, KEY_BYTES
from pbem.cli.wiring import find_game, games
from pbem.data import data

__all__ = ["init_server", "write_key", "write_new"]


def init_server(folder: Path) -> None:
    """Write the settings and the keys into `folder`, for its owner alone; Stop if one of them is there already."""
    settings, key = folder / FILE_NAME, folder / "pbem.key"
    log, dice = folder / "log.key", folder / "dice.key"
    for path in (settings, key, log, dice):
        if path.exists():
            raise Stop(f"{path} exists already, and is left as it is")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The settings will hold passwords: both files are their owner's alone from the first byte.
        write_new(settings, data("config", FILE_NAME).read_text("utf-8"))
        for path in (key, log, dice):
            write_key(path)
    except OSError as wrong:
        raise Stop(f"cannot write in {folder}: {wrong.strerror}") from None
    print(f"{settings}  settings: fill in the address, the mailbox and the passwords")
    print(f"{key}   the server's secret: keep a copy of it in a safe place")
    print(f"{log}    the log's key: what the server says is signed with it")
    print(f"{dice}   the key of the dice: keep copies of both in safe places, not together")
    scenario = min(find_game(games()[0]).editions())
    print(f"Next: pbem game new ceuta-1 --scenario {scenario} --config {settings}")


def write_key(path: Path) -> None:
    """Write a new secret, mode 0600; FileExistsError if there is one."""
    write_new(path, secrets.token_hex(KEY_BYTES) + "\n")


def write_new(path: Path, text: str) -> None:
    """Write a file of its owner's alone, mode 0600; FileExistsError if there is one."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
