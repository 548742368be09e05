"""`pbem mail resend`: letters sent once more."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.cli.options import HERE, Config

app = typer.Typer()


@app.command()
def resend(
    game: Annotated[str, typer.Argument(metavar="GAME", help="The game of the seat.")] = "",
    seat: Annotated[str, typer.Argument(metavar="SEAT", help="Whose report.")] = "",
    turn: Annotated[str, typer.Argument(metavar="TURN", help="Which report, such as T3; else the last.")] = "",
    failed: Annotated[bool, typer.Option("--failed", help="All letters that were given up.")] = False,
    config: Config = HERE,
) -> None:
    """Send a seat's report once more, the same letter as before; or all letters that were given up."""
    from pbem.cli.server.assembly import opened
    from pbem.play.commands.table.resend import resend as send_again
    from pbem.play.commands.table.resend import retry

    number = re.fullmatch(r"[Tt]?(\d{1,4})", turn) if turn else None
    if failed == bool(game) or bool(game) != bool(seat) or (turn and number is None):
        raise Stop("say which: pbem mail resend GAME SEAT [T3], or pbem mail resend --failed")
    with opened(config) as server, server.work() as work:
        count = retry(work) if failed else send_again(work, game, seat, number and int(number[1]))
    print(f"queued again: {count}; `pbem serve` sends them")
