"""What `pbem doctor` looks at: whether other accounts of this machine can read what is the server's alone."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

from pbem.cli.server.checks_home import Found
from pbem.cli.server.settings import Settings

__all__ = ["modes"]


def modes(config: Path, read: Settings) -> Iterator[Found]:
    """Settings hold passwords, and the database the address of every seat: none of it is anybody else's to read."""
    from pbem.store.engine import file_of
    from pbem.store.upkeep import BESIDE

    base = file_of(read.database.url)
    files = [config, read.server.signed]
    if base is not None:
        files += [base, *(base.with_name(base.name + ending) for ending in BESIDE)]
        files += sorted(base.parent.glob(f"{base.name}.replaced-*"))
    open_ = [path for path in files if _mode(path) & (stat.S_IRWXO | stat.S_IWGRP)]
    folders = [path for path in (read.server.data,) if _mode(path) & stat.S_IRWXO]
    if not open_ and not folders:
        yield Found("ok", "modes", "settings and database are nobody else's to read")
    for path in open_:
        yield Found("WRONG", "modes", f"{path} is open to others ({_mode(path):04o})", f"chmod 600 {path}")
    for path in folders:
        yield Found("WRONG", "modes", f"{path} is open to others ({_mode(path):04o})", f"chmod 700 {path}")


def _mode(path: Path) -> int:
    """The permissions of a file; none if there is no such file."""
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except OSError:
        return 0
