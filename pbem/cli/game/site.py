"""`pbem site`: the games that their players let be shown, as files for any web server or for a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command("site")
def write(
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="The folder; else that of [site].")
    ] = None,
    config: Config = HERE,
) -> None:
    """Write the games whose players agreed by PUBLISH: a page each, the list of them, and feeds of their reports.

    Only what changed is written. With `folder` under [site] in pbem.toml `pbem serve` does the same by itself.
    """
    from pbem.cli.server.assembly import opened, settings, site_of
    from pbem.cli.sites import write_site

    read = settings(config)
    folder = out or read.site.folder
    if folder is None:
        raise Stop("where to? Name a folder with --out, or as `folder` under [site] in pbem.toml")
    with opened(read) as server:
        try:
            done = write_site(server, folder, site_of(read))
        except OSError as wrong:
            raise Stop(f"cannot write to {folder}: {wrong.strerror}") from None
    for name in done.fresh:
        print(folder / f"{name}.html")
    for name in done.gone:
        print(f"taken away: {name}")
    if not done.shown:
        print("no game is shown: its players agree to that by PUBLISH ON")
