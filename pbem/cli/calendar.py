# Small because every command that is no group has a file of its own.
"""`pbem calendar`: write a tournament's dates and a player's deadlines.

Calendar programs read them.
"""

from __future__ import annotations

import re
from typing import Annotated

import typer

from pbem.cli.exit_codes import CommandError
from pbem.cli.options import HERE, Config
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly
    from pbem.tournaments import calendars

app = typer.Typer()


@app.command()
def calendar(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The tournament's name on this server.")],
    entrant: Annotated[str, typer.Option(metavar="ENTRANT", help="Whose deadlines are in it too, as e7.")] = "",
    config: Config = HERE,
) -> None:
    """Print dates of tournaments and players for calendar programs.

    They are a tournament's dates to come and a player's deadlines, as iCalendar.
    """
    number = re.fullmatch(r"e?([1-9]\d{0,3})", entrant)
    if entrant and number is None:
        raise CommandError(f"{entrant!r} is no entrant; write one as e7")
    with assembly.open_for_command(config) as server, server.reading() as tx:
        print(calendars.calendar_of(tx, name, int(number[1]) if number else 0), end="")
