"""`pbem game dice`: the moderator's page on the dice of a game, with no bound on how long it may take."""

from __future__ import annotations

import typer

from pbem.cli.options import HERE, Config, GameName
from pbem.engine.data.messages import plain

app = typer.Typer()

UNBOUNDED = 10**12
"""Steps of the rules that no game comes to."""


@app.command()
def dice(name: GameName, config: Config = HERE) -> None:
    """Tell the faces of all dice of a game, how lucky each side was, and what speaks against fair dice."""
    from pbem.cli.server.assembly import opened
    from pbem.play.commands.questions import luck_page
    from pbem.play.positions import game_named

    with opened(config) as server:
        with server.reading() as work:
            found = luck_page.gather(work, game_named(work.session, name))
        for depth, said in luck_page.lines(server, found, UNBOUNDED):
            print("  " * depth + plain(said))
