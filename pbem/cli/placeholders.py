"""How help writes what a command takes: one style of placeholders, FILE or NAME=VALUE, and none for a flag.

    Usage: pbem game new [OPTIONS] NAME
      --scenario SCENARIO     What to play

What is declared without a placeholder has that of its name. Typer writes the types of Python in their place.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

HELP = ["-h", "--help"]


def tidied(command: object) -> Any:
    """Return a command, or a group of them, with the placeholders of all that is in it in one style."""
    for _, one in every_command(command):
        tidy_own(one)
    return command


def tidy_own(command: Any) -> None:
    """Bring the placeholders of a command into that style, and leave alone what is below it."""
    for param in (*command.params, command.get_help_option(typer.Context(command, help_option_names=HELP))):
        if param is not None:
            _tidy(param)


def every_command(command: object, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a command and all below it, each with its words."""
    yield words, command
    for name, found in getattr(command, "commands", {}).items():
        yield from every_command(found, *words, name)


def _tidy(param: Any) -> None:
    if getattr(param, "is_flag", False):
        param.metavar = ""
        return
    name = param.metavar or param.name.upper().replace("_", "-")
    choices = param.type_descriptor.choices if param.type_descriptor.is_choice and not param.metavar else None
    if choices is not None:
        name = param.display_type(typer.Context(typer.main.get_command(typer.Typer(callback=_nothing)))).strip("<>")
    param.metavar = name
    if param.param_type_name == "argument":
        # Its name is told already, and what must be given is bare.
        shown = f"{name}{'' if param.nargs == 1 or name.endswith('...') else '...'}"
        param._usage_display_name = lambda: shown if param.required else f"[{shown}]"
        param.display_type_rich = lambda ctx: ""


def _nothing() -> None:
    """A command that is never run."""
