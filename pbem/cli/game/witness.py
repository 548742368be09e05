"""`pbem game witness`: who watches the log for a game, and what he has signed; asked and let go here."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config, GameName, spoken

app = typer.Typer()


@app.command()
def witness(
    name: GameName,
    email: Annotated[str, typer.Argument(metavar="ADDRESS", help="Whom to ask; without one they are listed.")] = "",
    language: Annotated[str, typer.Option(metavar="LANG", help="en, es, or one of the server's own.")] = "en",
    remove: Annotated[bool, typer.Option("--remove", help="Ask him no more.")] = False,
    config: Config = HERE,
) -> None:
    """Ask a friend of the players to be a witness of a game with a beacon; list who is, and what he saw last."""
    from pbem.cli.server.assembly import opened
    from pbem.log import witnesses
    from pbem.play.positions import game_named
    from pbem.store import queries

    if remove and not email:
        raise Stop("whom? --remove goes with an address")
    with opened(config) as server, server.work() as work:
        game = game_named(work.session, name)
        if email and not remove:
            witnesses.appoint(work, game, email, None, spoken(language))
        active = queries.witnesses.active(work.session, name) if remove else ()
        mine = [row for row in active if row.email == email.casefold()]
        if remove and not mine:
            raise Stop(f"{email} is no witness of {name}")
        for row in mine:
            witnesses.dismiss(work, game, row)
        for row in queries.witnesses.active(work.session, name):
            last = queries.witnesses.newest(work.session, row)
            seen = f"{last.size} leaves seen at {last.came:%Y-%m-%d %H:%M}" if last else "asked, no answer yet"
            print(f"{row.email}  {row.key or '-'}  {seen}")
