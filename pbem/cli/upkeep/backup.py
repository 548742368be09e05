"""`pbem backup`: the database copied while the server runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command()
def backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A new file, or a folder that gets one named by date.")],
    config: Config = HERE,
) -> None:
    """Copy the database as it is now into one file of its owner's alone; the server may run. The keys are not in it."""
    from pbem.cli.server.assembly import settings
    from pbem.cli.server.clocks import clock_of
    from pbem.cli.server.database import damaged, private
    from pbem.cli.upkeep import postgresql
    from pbem.store import upkeep
    from pbem.store.engine import file_of

    private()
    read = settings(config)
    path = file_of(read.database.url)
    if file.is_dir():
        ending = "dump" if path is None else "sqlite3"
        file = file / f"pbem-{clock_of(read).now():%Y-%m-%dT%H%M%SZ}.{ending}"
    if file.exists():
        raise Stop(f"{file} exists already, and is left as it is")
    if path is None:
        postgresql.dump(read.database.url, file)
    else:
        if not path.exists():
            raise Stop(f"there is no database {path} yet")
        try:
            upkeep.copy(path, file)
        except upkeep.Unusable as wrong:
            raise Stop(f"nothing was written. {damaged(read, str(wrong))}", FINDING) from None
        except OSError as wrong:
            raise Stop(f"{file} cannot be written: {wrong.strerror}") from None
    print(f"{file}: {file.stat().st_size} bytes, whole")
    print("Keep it where the keys are not: pbem.key, log.key and dice.key are no part of it, nor is log.signed.")
