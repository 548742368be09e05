"""`pbem campaign`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.campaign import list, new, show, start

app = typer.Typer(no_args_is_help=True, help="Set wars up, battles and camps in a chain, and look at them.")
for command in (new, start, list, show):
    app.add_typer(command.app)
