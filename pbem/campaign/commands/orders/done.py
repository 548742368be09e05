"""DONE: no more letters of orders in a phase in which each is carried out at once."""

from __future__ import annotations

from pbem.campaign.base.command_words import NOTHING, Form
from pbem.campaign.commands.command import Command
from pbem.campaign.turn import activations
from pbem.core.data.messages import msg

__all__ = ["COMMANDS"]

COMMANDS = (
    Command(
        Form("done", ("DONE", "LISTO"), NOTHING, "DONE", "LISTO"),
        activations.done,
        check=activations.done_wrong,
        help=(msg("DONE: no more letters of orders in this phase, where each is carried out at once."),),
    ),
)
