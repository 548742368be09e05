"""`pbem log show`: the newest signed tree, or the leaves of a game."""

from __future__ import annotations

from typing import Annotated

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.log.trees import print_tree
from pbem.cli.options import HERE, Config
from pbem.engine.data.messages import plain

app = typer.Typer()


@app.command()
def show(
    game: Annotated[str, typer.Argument(metavar="GAME", help="List the leaves of this game.")] = "",
    config: Config = HERE,
) -> None:
    """Show the newest signed tree, the leaves that wait, and how many each game has; or those of one game."""
    from pbem.cli.server.assembly import opened
    from pbem.log import log_check, recovery
    from pbem.store import queries

    with opened(config) as server, server.reading() as work:
        if game:
            rows = log_check.leaves_of(work.session, game)
            if not rows:
                raise Stop(f"the log has no leaf of {game!r}")
            print_table([("leaf", "seq", "kind", "phase", "written"), *rows])
            return
        found, counts = recovery.look(work), queries.log.count_by_game(work.session)
    print_tree("the newest signed tree", found.here)
    print(f"  signed {moment(found.signed)}; leaves that wait to be signed: {found.waiting}")
    print_table([("game", "leaves"), *((name, str(count)) for name, count in counts)])
    if found.trouble is not None:
        raise Stop(f"the log stands still: {plain(found.trouble.why)} Next: pbem log recover", FINDING)
