"""`pbem witness run`: the log of a server watched, until it is forked or somebody ends it."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.witness.options import HERE, Config

app = typer.Typer()


@app.command()
def run(
    once: Annotated[bool, typer.Option("--once", help="Look into the mailbox once, and end.")] = False,
    config: Config = HERE,
) -> None:
    """Cosign the server's checkpoints by mail. Ends with 1 if its log was forked or made smaller: tell the players."""
    from pbem.cli.witness.watch import watch_server

    raise typer.Exit(watch_server(config, once))
