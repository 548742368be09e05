"""`pbem event list`: a line for each tournament."""

from __future__ import annotations

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.event_json import TournamentRow
from pbem.cli.json_output import AsJson, instant, print_json
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command("list")
def list_all(as_json: AsJson = False, config: Config = HERE) -> None:
    """List all tournaments: state, entrants, the round that is played, when each is looked at next."""
    from pbem.cli.server.assembly import opened
    from pbem.tournaments.cards import list_events

    with opened(config) as server, server.reading() as work:
        cards = list_events(work)
    playing = {card.name: sum(one.state == "in" for one in card.entrants) for card in cards}
    if as_json:
        rows = [
            TournamentRow(
                name=card.name,
                title=card.title,
                state=card.state,
                entrants=playing[card.name],
                round=card.rounds[-1].name if card.rounds else None,
                next=instant(card.wake),
            )
            for card in cards
        ]
        print_json({"schema": "tournaments/1", "tournaments": rows})
        return
    if not cards:
        print("No tournaments yet. Found one: pbem event new NAME --file RULES.toml --director ADDRESS")
        return
    table = [("NAME", "TITLE", "STATE", "IN", "ROUND", "LOOKED AT NEXT")]
    for card in cards:
        round_ = card.rounds[-1].name if card.rounds else "-"
        table.append((card.name, card.title, card.state, str(playing[card.name]), round_, moment(card.wake)))
    print_table(table)
