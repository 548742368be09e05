"""`pbem seat rotate`: another address for a seat."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.options import HERE, Config, GameName

app = typer.Typer()


@app.command()
def rotate(
    name: GameName,
    seat: Annotated[str, typer.Argument(help="The seat, such as spain.")],
    config: Config = HERE,
) -> None:
    """Give a seat another address, if somebody else knows the old one: its player is written to, and it is printed."""
    from pbem.cli.server.assembly import opened
    from pbem.play.seating import rotate_seat

    with opened(config) as server, server.work() as work:
        address = rotate_seat(work, game=name, seat=seat)
    print(address)
