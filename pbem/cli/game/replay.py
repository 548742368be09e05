"""`pbem replay`: a whole game resolved again, and compared."""

from __future__ import annotations

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config, GameName

app = typer.Typer()


@app.command()
def replay(name: GameName, config: Config = HERE) -> None:
    """Resolve a whole game, or a war, again from its stored orders and dice. Ends with 1 if anything differs.

    Of a war each edition is made again from the end of the game before, and compared as well.
    """
    from pbem.cli.server.assembly import opened
    from pbem.play.replay import begun_otherwise
    from pbem.play.replay import replay as resolved_again
    from pbem.wars.war_replay import is_war, replay_war

    with opened(config) as server, server.reading() as work:
        results = [*replay_war(work, name)] if is_war(work, name) else [(name, resolved_again(work, name))]
        others = {game: begun_otherwise(work, game) for game, result in results if result.difference is not None}
    for game, result in results:
        if result.difference is not None:
            phase, what, stored, now = result.difference
            by = f" ({other})" if (other := others[game]) else ""
            raise Stop(f"{phase} of {game} comes out otherwise{by}: {what} was {stored!r} and is {now!r}", FINDING)
        print(f"{game}: {result.phases} phase{'' if result.phases == 1 else 's'} resolved again, all the same")
