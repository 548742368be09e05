"""`pbem seat vacate`: a seat taken from its player."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.options import HERE, Config, GameName

app = typer.Typer()


@app.command()
def vacate(
    name: GameName,
    seat: Annotated[str, typer.Argument(help="The seat, such as spain.")],
    config: Config = HERE,
) -> None:
    """Take a seat from its player: its address is worthless, he, the others and those who stand by are written to."""
    from pbem.cli.server.assembly import opened
    from pbem.play.commands.seats.takeover import vacate_seat

    with opened(config) as server, server.work() as work:
        who = vacate_seat(work, name, seat)
    print(f"{seat} of {name} is free; {who} is told. Next: pbem seat invite {name} {seat} ADDRESS")
