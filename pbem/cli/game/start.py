"""`pbem game start`: a game begun."""

from __future__ import annotations

import typer

from pbem.cli.game.show import show
from pbem.cli.options import HERE, Config, GameName

__all__ = ["app"]

app = typer.Typer()


@app.command()
def start(name: GameName, config: Config = HERE) -> None:
    """Start a game all of whose seats are taken: the first reports go out."""
    from pbem.campaign.door.service import start_game
    from pbem.cli.server.assembly import opened

    with opened(config) as server, server.work() as work:
        start_game(work, name)
    show(name, config)
