"""`pbem person`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.person import erase, export

app = typer.Typer(no_args_is_help=True, help="What is kept about somebody: tell it, or blank it.")
for command in (export, erase):
    app.add_typer(command.app)
