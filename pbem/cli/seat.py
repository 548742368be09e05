"""`pbem seat`: give a seat to a player, change its address, take it away."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.options import HERE, Config, GameName
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly
    from pbem.play import seating
    from pbem.play.commands.seats import takeover


app = typer.Typer(no_args_is_help=True, help="Give people their places at the table.")


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
    """Give a seat to somebody.

    A letter with the seat's own address is queued, and the address is printed.
    """
    with assembly.open_for_command(config) as server, server.work() as tx:
        seat_address = seating.invite_seat(
            tx, seating.Invitation(game=name, seat=seat, email=email, person=person, language=language, zone=zone)
        )
    print(seat_address)


@app.command()
def rotate(
    name: GameName,
    seat: Annotated[str, typer.Argument(help="The seat, such as spain.")],
    config: Config = HERE,
) -> None:
    """Give a seat another address, if somebody else knows the old one.

    Its player gets a letter, and the address is printed.
    """
    with assembly.open_for_command(config) as server, server.work() as tx:
        address = seating.rotate_seat(tx, game=name, seat=seat)
    print(address)


@app.command()
def vacate(
    name: GameName,
    seat: Annotated[str, typer.Argument(help="The seat, such as spain.")],
    config: Config = HERE,
) -> None:
    """Take a seat from its player.

    Its address no longer works. Letters go to the player, the others and those who stand by.
    """
    with assembly.open_for_command(config) as server, server.work() as tx:
        player = takeover.vacate_seat(tx, name, seat)
    print(f"{seat} of {name} is free; {player} is told. Next: pbem seat invite {name} {seat} ADDRESS")
