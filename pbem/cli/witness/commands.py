"""`pbem witness`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.witness import init, key, run, serve

app = typer.Typer(no_args_is_help=True, help="Watch a server's log for its players: cosign it, or refuse to.")
for command in (init, key, run, serve):
    app.add_typer(command.app)
