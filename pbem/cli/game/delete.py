"""`pbem game delete`: a game taken out of the database."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, GameName, typed

app = typer.Typer()


@app.command()
def delete(
    name: GameName,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    config: Config = HERE,
) -> None:
    """Delete a game that has not begun or is over, with its letters and orders; its leaves of the log remain."""
    from pbem.cli.server.assembly import opened
    from pbem.play.positions import game_named
    from pbem.server.service import delete_game

    with opened(config) as server:
        with server.session() as session:
            state = game_named(session, name).state
        if state in ("running", "held"):
            raise Stop(f'{name} is being played. End it first: pbem game rule {name} "ADJUDICATE ... BECAUSE ..."')
        print(f"{name} ({state}): orders, positions, reports and letters go for good; a backup is the way back.")
        print("What the log has of it stays, for the log is one for all games; nobody can replay it from here.")
        if not yes and not typed(f"Type {name} to delete it", name):
            raise Stop("nothing was done")
        with server.work() as work:
            delete_game(work, name)
    print(f"{name} is deleted. Another game cannot have its name.")
