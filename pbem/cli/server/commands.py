"""`pbem server`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.server import move, rekey

app = typer.Typer(no_args_is_help=True, help="The server as a whole: its address and its key.")
for command in (move, rekey):
    app.add_typer(command.app)
