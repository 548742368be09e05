"""`pbem simulate`: how many letters and days a game takes, by how much its players want to be asked."""

from __future__ import annotations

import logging
from typing import Annotated

import typer

app = typer.Typer()


@app.command()
def simulate(
    game: Annotated[str, typer.Option(help="The game to play; the first that can be simulated.")] = "",
    scenario: Annotated[str, typer.Option(help="The battle of it; the one of its settings without this.")] = "",
    games: Annotated[int, typer.Option(min=1, help="Games of each mode.")] = 10,
    seed: Annotated[int, typer.Option(help="What the games follow from.")] = 1,
    turns: Annotated[int | None, typer.Option(min=1, help="Turns to play; all of them without this.")] = None,
) -> None:
    """Play games between bots on a moved clock: how many letters and days they take, by how much is asked."""
    from pbem.cli.server.log_output import open_log
    from pbem.cli.simulate.series import simulation_of, table

    open_log(level=logging.ERROR)
    for line in table(simulation_of(game, scenario), games, seed, turns):
        print(line, flush=True)
