"""`pbem mail queue`: the letters that are on their way or given up."""

from __future__ import annotations

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.options import HERE, Config

__all__ = ["app"]

app = typer.Typer()


@app.command()
def queue(config: Config = HERE) -> None:
    """List the letters that are not delivered: those that wait for their next try, and those given up."""
    from pbem.campaign.commands.table.resend import undelivered
    from pbem.cli.server.assembly import opened

    with opened(config) as server, server.reading() as work:
        found = undelivered(work.session)
    if not found:
        print("All letters are delivered.")
        return
    rows = [("NUMBER", "TO", "KIND", "GAME", "TRIES", "NEXT TRY", "LAST REPLY")]
    for one in found:
        when = "given up" if one.given_up else moment(one.next_try)
        rows.append((str(one.number), one.recipient, one.kind, one.game or "-", str(one.attempts), when, one.last[:80]))
    print_table(rows)
    if given_up := sum(one.given_up for one in found):
        raise Stop(
            f"letters given up: {given_up}. Once the cause is mended, `pbem mail resend --failed` sends them again",
            FINDING,
        )
