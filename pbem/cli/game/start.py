"""`pbem game start`: a game begun."""

from __future__ import annotations

import typer

from pbem.cli.game.show import show
from pbem.cli.options import HERE, Config, GameName

app = typer.Typer()


@app.command()
def start(name: GameName, config: Config = HERE) -> None:
    """Start a game all of whose seats are taken: the first reports go out."""
    from pbem.cli.agreed import is_dark
    from pbem.cli.server.assembly import opened, settings
    from pbem.play.commands.table.founding import start_game

    read = settings(config)
    with opened(read) as server:
        dark = is_dark(server, read, name)
        with server.work() as work:
            start_game(work, name, dark=dark)
    if dark:
        print(f"No relay of the beacon answered: the dice of {name} wait for none (grade C), and all are told so.")
    show(name, config=config)
