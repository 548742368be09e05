"""`pbem rating list`: how the people of a pool are rated."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.columns import print_table
from pbem.cli.event_json import RatingRow
from pbem.cli.json_output import AsJson, print_json
from pbem.cli.options import HERE, Config

app = typer.Typer()
Pool = Annotated[str, typer.Argument(metavar="POOL", help="One pool, as rules of tournaments name it; else all.")]


@app.command("list")
def list_all(
    pool: Pool = "",
    everybody: Annotated[bool, typer.Option("--all", help="Those too who let nobody see it.")] = False,
    as_json: AsJson = False,
    config: Config = HERE,
) -> None:
    """List who is rated and lets it be seen, the strongest of each pool first."""
    from pbem.cli.server.assembly import opened
    from pbem.tournaments.cards import list_ratings

    with opened(config) as server, server.reading() as work:
        lines = list_ratings(work, pool, everybody)
    if as_json:
        rows = [
            RatingRow(
                pool=one.pool,
                period=one.period,
                log_name=one.log_name,
                name=one.name or None,
                points=one.points,
                deviation=one.deviation,
                public=one.public,
            )
            for one in lines
        ]
        print_json({"schema": "ratings/1", "ratings": rows})
        return
    if not lines:
        print("Nobody is listed. Rules of tournaments name a pool; SET RATING PUBLIC lets a player's rating be seen.")
        return
    print_table(
        [("POOL", "AFTER", "RATING", "DEVIATION", "NAME", "IN THE LOG")]
        + [(one.pool, one.period, str(one.points), str(one.deviation), one.name or "-", one.log_name) for one in lines]
    )
