"""`pbem witness key`: the key that a witness is known by."""

from __future__ import annotations

import typer

from pbem.cli.witness.options import HERE, Config

app = typer.Typer()


@app.command()
def key(config: Config = HERE) -> None:
    """Print the key that you are known by: players give it to the verifiers as --witness."""
    from pbem.cli.witness.home import open_home

    typer.echo(open_home(config).key.text)
