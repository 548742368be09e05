"""`pbem log tiles`: the log as static files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command()
def tiles(
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder; what is there already is kept.")],
    config: Config = HERE,
) -> None:
    """Write the log as files that anybody may read and watch (C2SP tlog-tiles); only what is new is written."""
    from pbem.cli.exit_codes import Stop
    from pbem.cli.server.assembly import opened
    from pbem.log import published

    with opened(config) as server:
        try:
            new = published.publish(server, out)
        except OSError as wrong:
            raise Stop(f"cannot write in {out}: {wrong.strerror}") from None
    print(f"{out}: {new} leaves more")
