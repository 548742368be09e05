"""`pbem event rule`: what a director's line says, done and told."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.event.show import EventName
from pbem.cli.options import HERE, Config
from pbem.engine.data.messages import plain

app = typer.Typer()


@app.command()
def rule(
    name: EventName,
    line: Annotated[str, typer.Argument(metavar="LINE", help='Such as "EXTEND R2 48h BECAUSE all agreed".')],
    config: Config = HERE,
) -> None:
    """Direct a tournament: a ruling, numbered, logged, and told to all who play."""
    from pbem.cli.server.assembly import opened
    from pbem.tournaments import rulings, running
    from pbem.tournaments.record import tournament_named

    with opened(config) as server:
        with server.work() as work:
            event = tournament_named(work.session, name)
            told = rulings.make(work, event, rulings.read(line))
        running.step(server)
    print(plain(told))
