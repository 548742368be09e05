"""`pbem page`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.page import desk

app = typer.Typer(no_args_is_help=True, help="Pages for players, each one file for a browser.")
for command in (desk,):
    app.add_typer(command.app)


@app.callback()
def page() -> None:
    pass
