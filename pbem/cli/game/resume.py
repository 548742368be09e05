"""`pbem game resume`: a held game let go on."""

from __future__ import annotations

import typer

from pbem.cli.game.show import show
from pbem.cli.options import HERE, Config, GameName

app = typer.Typer()


@app.command()
def resume(name: GameName, config: Config = HERE) -> None:
    """Let a held game go on, once what held it is mended. Its phase closes when it was to, or at once."""
    from pbem.cli.server.assembly import opened
    from pbem.play.resumption import resume_game

    with opened(config) as server, server.work() as work:
        resume_game(work, name)
    show(name, config=config)
