"""`pbem scenarios`: what can be played."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

import typer

from pbem.cli.columns import print_table
from pbem.cli.json_output import AsJson, ScenarioRow, print_json
from pbem.cli.rulebooks import find_game, playable
from pbem.engine.data.messages import plain

app = typer.Typer()


@app.command()
def scenarios(
    game: Annotated[str, typer.Option(help="Those of one game alone.")] = "",
    as_json: AsJson = False,
) -> None:
    """List what can be played: game, scenario, turns, seats, and a line about each."""
    found = list(_scenarios(game))
    if as_json:
        print_json({"schema": "scenarios/1", "scenarios": found})
        return
    table = [("GAME", "SCENARIO", "TURNS", "SEATS", "WHAT IT IS")]
    for one in found:
        seats = ", ".join(one["seats"])
        table.append((one["game"], one["scenario"], str(one["turns"] or "-"), seats, one["about"]))
    print_table(table)


def _scenarios(game: str) -> Iterator[ScenarioRow]:
    for name, rules in ((game, find_game(game)),) if game else playable():
        for scenario, title in sorted(rules.editions().items()):
            state = rules.start(rules.edition(scenario, {}, {}))
            first, *_ = rules.seats(state)
            turns = rules.telling.stakes(rules.view(state, first), first, ()).turns
            line = rules.rulebook.brief(scenario).get("line") or plain(title)
            seats = list(rules.seats(state))
            yield ScenarioRow(game=name, scenario=scenario, turns=turns or None, seats=seats, about=line)
