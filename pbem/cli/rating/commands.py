"""`pbem rating`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.rating import list, replay

app = typer.Typer(no_args_is_help=True, help="Look at ratings, and count them again from the log.")
for command in (list, replay):
    app.add_typer(command.app)
