"""`pbem mail`: its commands, in the order in which its help lists them."""

from __future__ import annotations

import typer

from pbem.cli.mail import block, claim, deliver, explain, preview, queue, read, resend, retake

app = typer.Typer(no_args_is_help=True, help="Letters without a mailbox.")
for command in (deliver, read, explain, preview, queue, resend, retake, block, claim):
    app.add_typer(command.app)
