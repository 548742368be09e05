"""`pbem scenarios`: what can be played."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.columns import print_table
from pbem.cli.rulebooks import find_game, playable
from pbem.core.data.messages import plain

__all__ = ["app"]

app = typer.Typer()


@app.command()
def scenarios(
    game: Annotated[str, typer.Option(help="Those of one game alone.")] = "",
) -> None:
    """List what can be played: game, scenario, turns, seats, and a line about each."""
    table = [("GAME", "SCENARIO", "TURNS", "SEATS", "WHAT IT IS")]
    for name, rules in ((game, find_game(game)),) if game else playable():
        for scenario, title in sorted(rules.editions().items()):
            state = rules.start(rules.edition(scenario, {}, {}))
            first, *_ = rules.seats(state)
            turns = rules.telling.stakes(rules.view(state, first), first, ()).turns
            line = rules.rulebook.brief(scenario).get("line") or plain(title)
            table.append((name, scenario, str(turns or "-"), ", ".join(rules.seats(state)), line))
    print_table(table)
