"""`pbem log`: what its commands are called and what their words mean."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.settings import FILE_NAME

__all__ = ["app"]

app = typer.Typer(no_args_is_help=True, help="The signed log of what the server does.")

Config = Annotated[Path, typer.Option("--config", "-c", metavar="FILE", help="The server's settings.")]
HERE = Path(FILE_NAME)


@app.command()
def show(
    game: Annotated[str, typer.Argument(metavar="[GAME]", help="List the leaves of this game.")] = "",
    config: Config = HERE,
) -> None:
    """Show the newest signed tree, the leaves that wait, and how many each game has; or those of one game."""
    from pbem.cli import epochs

    epochs.show(config, game)


@app.command()
def check(config: Config = HERE) -> None:
    """Recompute the tree from the stored leaves; hold all that was signed against it. Ends with 1 if it is not so."""
    from pbem.cli import epochs

    epochs.check(config)


@app.command()
def recover(
    size: Annotated[
        int, typer.Option(min=0, metavar="N", help="Leaves of the newest tree that somebody has seen.")
    ] = 0,
    root: Annotated[str, typer.Option(metavar="ROOT", help="Its root, in base64 or hex, from a line SEEN.")] = "",
    intact: Annotated[
        bool, typer.Option("--intact", help="The database was not put back: only the file beside the keys was lost.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """After the database was put back from a backup: say what is gone, and begin the log anew, which it says."""
    from pbem.cli import epochs

    epochs.recover(config, size, root, intact, yes)
