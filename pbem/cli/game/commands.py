"""`pbem game`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.game import delete, dice, list, moderator, new, resume, rule, show, start, witness

app = typer.Typer(no_args_is_help=True, help="Set games up and look at them.")
for command in (new, rule, moderator, witness, list, show, dice, start, resume, delete):
    app.add_typer(command.app)
