"""`pbem seat invite`: a seat given to somebody."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.options import HERE, Config, GameName

app = typer.Typer()


@app.command()
def invite(
    name: GameName,
    seat: Annotated[str, typer.Argument(help="The seat, such as spain.")],
    email: Annotated[str, typer.Argument(help="The player's mail address.")],
    person: Annotated[str, typer.Option("--name", help="What to call the player.")] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    zone: Annotated[str, typer.Option(help="The player's time zone, such as Europe/Madrid.")] = "UTC",
    config: Config = HERE,
) -> None:
    """Give a seat to somebody: a letter with the seat's own address is queued, and that address printed."""
    from pbem.cli.server.assembly import opened
    from pbem.play.seating import Invitation, invite_seat

    with opened(config) as server, server.work() as work:
        seat_address = invite_seat(
            work, Invitation(game=name, seat=seat, email=email, person=person, language=language, zone=zone)
        )
    print(seat_address)
