"""`pbem replay`: a whole game resolved again, and compared."""

from __future__ import annotations

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config, GameName

__all__ = ["app"]

app = typer.Typer()


@app.command()
def replay(name: GameName, config: Config = HERE) -> None:
    """Resolve a whole game again from its stored orders and dice, and compare. Ends with 1 if anything differs."""
    from pbem.campaign.turn.replay import replay as resolved_again
    from pbem.cli.server.assembly import opened

    with opened(config) as server, server.work() as work:
        result = resolved_again(work, name)
    if result.difference is not None:
        phase, what, stored, now = result.difference
        raise Stop(f"{phase} of {name} comes out otherwise: {what} was {stored!r} and is {now!r}", FINDING)
    print(f"{name}: {result.phases} phases resolved again, all the same")
