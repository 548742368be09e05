"""SET WITNESS: whose machine watches the log."""

from __future__ import annotations

from pbem.campaign.base.command_words import SET_WITNESS, Form
from pbem.campaign.commands.command import Command
from pbem.campaign.people import witnesses
from pbem.core.data.messages import msg

__all__ = ["COMMANDS"]

COMMANDS = (
    Command(
        Form(
            "witness",
            ("SET WITNESS", "WITNESS", "FIJAR TESTIGO", "TESTIGO"),
            SET_WITNESS,
            "SET WITNESS friend@address",
            "FIJAR TESTIGO amigo@direccion",
        ),
        witnesses.set_,
        check=witnesses.set_wrong,
        help=(
            msg(
                "SET WITNESS friend@example.org, SET WITNESS OFF: whose machine watches the log. HELP dice tells of it."
            ),
        ),
    ),
)
