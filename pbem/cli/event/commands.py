"""`pbem event`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.event import archive, list, new, rule, show, standings

app = typer.Typer(no_args_is_help=True, help="Hold tournaments by mail: rules from a file, draws from the log.")
for command in (new, list, show, standings, rule, archive):
    app.add_typer(command.app)
