"""`pbem campaign list`: a line for each war."""

from __future__ import annotations

import typer

from pbem.cli.columns import print_table
from pbem.cli.json_output import AsJson, WarRow, print_json
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command("list")
def list_all(as_json: AsJson = False, config: Config = HERE) -> None:
    """List all wars: rules, file, state, and the game that is played now."""
    from pbem.cli.server.assembly import opened
    from pbem.wars.war_cards import list_wars

    with opened(config) as server, server.reading() as work:
        wars = list_wars(work)
    if as_json:
        rows = [WarRow(name=w.name, game=w.system, war=w.war, state=w.state, played=w.played) for w in wars]
        print_json({"schema": "wars/1", "wars": rows})
        return
    if not wars:
        print("No wars yet. Make one: pbem campaign new --id NAME --war WAR")
        return
    table = [("NAME", "GAME", "WAR", "STATE", "PLAYED NOW")]
    table += [(card.name, card.system, card.war, card.state, card.played) for card in wars]
    print_table(table)
