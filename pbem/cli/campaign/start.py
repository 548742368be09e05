"""`pbem campaign start`: the first battle of a war begun."""

from __future__ import annotations

import typer

from pbem.cli.campaign.show import WarName, show
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command()
def start(name: WarName, config: Config = HERE) -> None:
    """Start a war all of whose seats are taken: the first reports go out. What follows begins by itself."""
    from pbem.cli.agreed import is_dark
    from pbem.cli.server.assembly import opened, settings
    from pbem.play.commands.table.founding import start_game
    from pbem.wars.war_cards import show_war

    read = settings(config)
    with opened(read) as server:
        with server.reading() as work:
            first = show_war(work, name).games[0].game
        dark = is_dark(server, read, first)
        with server.work() as work:
            start_game(work, first, dark=dark)
    if dark:
        print(f"No relay of the beacon answered: the dice of {name} wait for none (grade C), and all are told so.")
    show(name, config=config)
