"""`pbem person export`: all that is kept about somebody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command()
def export(
    address: Annotated[str, typer.Argument(help="An address of his.")],
    also: Annotated[list[str] | None, typer.Option(metavar="ADDRESS", help="Another one that he wrote from.")] = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it there; without, it is printed.")] = None,
    config: Config = HERE,
) -> None:
    """Tell all that is kept about somebody, as JSON: addresses, seats, letters as they came and went, orders, press."""
    from pbem.cli.server.assembly import opened
    from pbem.play import privacy

    with opened(config) as server, server.reading() as work:
        try:
            told = privacy.exported(work, privacy.person_with(work, address, also or ()))
        except privacy.Nobody as nobody:
            raise Stop(str(nobody)) from None
    if out is None:
        print(told, end="")
        return
    try:
        with out.open("x", encoding="utf-8") as file:
            out.chmod(0o600)
            file.write(told)
    except OSError as wrong:
        raise Stop(f"{out} cannot be written: {wrong.strerror}") from None
    print(f"Written: {out}. It has addresses and letters in it: send it to nobody but him.")
