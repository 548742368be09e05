"""`pbem campaign show`: what there is to know of one war."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.json_output import AsJson, WarGameRow, print_json
from pbem.cli.options import HERE, Config

app = typer.Typer()
WarName = Annotated[str, typer.Argument(metavar="NAME", help="The war's name on this server.")]


@app.command()
def show(name: WarName, as_json: AsJson = False, config: Config = HERE) -> None:
    """Show one war: its battles and camps so far, how it stands, and who plays."""
    from pbem.cli.server.assembly import opened
    from pbem.server.service import show_game
    from pbem.wars.war_cards import show_war

    with opened(config) as server, server.reading() as work:
        card = show_war(work, name)
        played = show_game(work, card.played)
    if as_json:
        games = [WarGameRow(game=g.game, what=g.what, state=g.state, ended=g.ended or None) for g in card.games]
        print_json(
            {
                "schema": "war/1",
                "name": card.name,
                "game": card.system,
                "war": card.war,
                "state": card.state,
                "played": card.played,
                "games": games,
                "standing": list(card.standing),
            }
        )
        return
    print(f"{card.name}: {card.system}, war {card.war}, {card.state}")
    rows = [("GAME", "WHAT", "STATE", "HOW IT ENDED")]
    rows += [(game.game, game.what, game.state, game.ended or "-") for game in card.games]
    print_table(rows)
    for line in card.standing:
        print(line)
    if played.line.phase:
        print(f"{played.line.name} is played: phase {played.line.phase}, until {moment(played.line.deadline)}")
    people = [("SEAT", "PLAYER", "MAIL", "WRITES TO")]
    people += [(s.seat, s.person or "nobody yet", s.email or "-", s.address if s.person else "-") for s in played.seats]
    print_table(people)
