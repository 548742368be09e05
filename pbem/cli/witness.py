"""The commands of a witness: a friend of the players who watches a server's log from his own machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["register"]

HERE = Path("witness.toml")
Config = Annotated[Path, typer.Option("--config", "-c", metavar="FILE", help="The witness's settings.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    own = typer.Typer(no_args_is_help=True, help="Watch a server's log for its players: cosign it, or refuse to.")
    own.command()(init)
    own.command()(key)
    own.command()(run)
    app.add_typer(own, name="witness")


def init(
    folder: Annotated[Path, typer.Argument(help="Where the witness is to live; made if missing.")] = Path(),
    address: Annotated[str, typer.Option(metavar="ADDRESS", help="Your own mail address.")] = "friend@example.net",
    server: Annotated[str, typer.Option(metavar="ADDRESS", help="The server to watch.")] = "pbem@example.org",
    name: Annotated[str, typer.Option(help="What you sign as; made of your address if left out.")] = "",
    log: Annotated[str, typer.Option(metavar="KEY", help="The key of its log, if you know it.")] = "",
) -> None:
    """Write witness.toml, to be filled in, and your secret key; print the key that you are known by."""
    from pbem.cli.witness_home import init_witness

    init_witness(folder, address, server, name, log)


def key(config: Config = HERE) -> None:
    """Print the key that you are known by: players give it to the verifiers as --witness."""
    from pbem.cli.witness_home import open_home

    typer.echo(open_home(config).key.text)


def run(
    once: Annotated[bool, typer.Option("--once", help="Look into the mailbox once, and end.")] = False,
    config: Config = HERE,
) -> None:
    """Cosign the server's checkpoints by mail. Ends with 1 if its log was forked or made smaller: tell the players."""
    from pbem.cli.witness_run import run as watch

    raise typer.Exit(watch(config, once))
