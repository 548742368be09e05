"""`pbem init`: the first files of a server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import FILE_NAME
from pbem.data import data

app = typer.Typer()


@app.command()
def init(
    folder: Annotated[Path, typer.Argument(help="Where the server is to live; made if missing.")] = Path(),
) -> None:
    """Write pbem.toml, to be filled in, and the server's secret key. Nothing that exists is overwritten."""
    from pbem.cli.server.database import private
    from pbem.cli.server.key_files import write_key, write_new

    private()
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
    print(f"Next: pbem scenarios, and then: pbem game new NAME --scenario SCENARIO --config {settings}")
