"""`pbem mail queue`: the letters that are on their way or given up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from pbem.cli.columns import moment, print_table
from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.json_output import AsJson, LetterRow, instant, print_json
from pbem.cli.options import HERE, Config

if TYPE_CHECKING:
    from pbem.play.commands.table.resend import Undelivered

app = typer.Typer()


@app.command()
def queue(as_json: AsJson = False, config: Config = HERE) -> None:
    """List the letters that are not delivered: those that wait for their next try, and those given up."""
    from pbem.cli.server.assembly import opened
    from pbem.play.commands.table.resend import undelivered

    with opened(config) as server, server.reading() as work:
        found = undelivered(work.session)
    if as_json:
        print_json({"schema": "letters/1", "letters": [_as_json(one) for one in found]})
    elif not found:
        print("All letters are delivered.")
    else:
        _print(found)
    if given_up := sum(one.given_up for one in found):
        raise Stop(
            f"letters given up: {given_up}. Once the cause is mended, `pbem mail resend --failed` sends them again",
            FINDING,
        )


def _print(found: Sequence[Undelivered]) -> None:
    rows = [("NUMBER", "TO", "KIND", "GAME", "TRIES", "NEXT TRY", "LAST REPLY")]
    for one in found:
        when = "given up" if one.given_up else moment(one.next_try)
        rows.append((str(one.number), one.recipient, one.kind, one.game or "-", str(one.attempts), when, one.last[:80]))
    print_table(rows)


def _as_json(one: Undelivered) -> LetterRow:
    return LetterRow(
        number=one.number,
        to=one.recipient,
        kind=one.kind,
        game=one.game or None,
        given_up=one.given_up,
        tries=one.attempts,
        next_try=None if one.given_up else instant(one.next_try),
        last_reply=one.last,
    )
