"""`pbem seat`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.seat import invite, rotate, vacate

app = typer.Typer(no_args_is_help=True, help="Give people their places at the table.")
for command in (invite, rotate, vacate):
    app.add_typer(command.app)
