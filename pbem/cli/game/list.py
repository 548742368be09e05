"""`pbem game list`: a line for each game."""

from __future__ import annotations

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.json_output import AsJson, GameRow, instant, print_json
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command("list")
def list_all(as_json: AsJson = False, config: Config = HERE) -> None:
    """List all games: rules, scenario, state, phase and deadline."""
    from pbem.cli.server.assembly import opened
    from pbem.server.service import list_games

    with opened(config) as server, server.reading() as work:
        lines = list_games(work.session)
    if as_json:
        print_json(
            {
                "schema": "games/1",
                "games": [
                    GameRow(
                        name=g.name,
                        game=g.game,
                        scenario=g.scenario,
                        state=g.state,
                        phase=g.phase or None,
                        deadline=instant(g.deadline),
                    )
                    for g in lines
                ],
            }
        )
        return
    if not lines:
        print("No games yet. Make one: pbem game new NAME --scenario SCENARIO")
        return
    table = [("NAME", "GAME", "SCENARIO", "STATE", "PHASE", "DEADLINE")]
    table += [(g.name, g.game, g.scenario, g.state, g.phase or "-", moment(g.deadline)) for g in lines]
    print_table(table)
