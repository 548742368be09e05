"""`pbem log`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.log import check, recover, rotate, show, tiles

app = typer.Typer(no_args_is_help=True, help="The signed log of what the server does.")
for command in (show, check, recover, rotate, tiles):
    app.add_typer(command.app)
