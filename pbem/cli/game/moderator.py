"""`pbem game moderator`: who moderates a game by letter."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, GameName

app = typer.Typer()


@app.command()
def moderator(
    name: GameName,
    email: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="The moderator's mail address; no player sees it.")
    ] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    zone: Annotated[str, typer.Option(help="The moderator's time zone, such as Europe/Madrid.")] = "UTC",
    plays: Annotated[bool, typer.Option("--plays", help="He may have a seat too: all players are told.")] = False,
    rotate: Annotated[
        bool, typer.Option("--rotate", help="Another address to write to; the old one is worthless.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Nobody moderates it by letter any more.")] = False,
    config: Config = HERE,
) -> None:
    """Let somebody moderate a game by letter: he is written to, the players are told, his address is printed."""
    from pbem.cli.server.assembly import opened
    from pbem.play.rulings import appointment

    if bool(email) + rotate + remove != 1:
        raise Stop("one of them: ADDRESS, --rotate, --remove")
    with opened(config) as server, server.work() as work:
        if remove:
            appointment.dismiss(work, name)
        elif rotate:
            print(appointment.rotate(work, name))
        else:
            print(
                appointment.appoint(
                    work, appointment.Appointment(game=name, email=email, language=language, zone=zone, plays=plays)
                )
            )
