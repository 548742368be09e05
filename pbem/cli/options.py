"""Options and arguments that several commands have, and how the repeatable ones are read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop

__all__ = ["FILE_NAME", "HERE", "Config", "GameName", "pairs"]

FILE_NAME = "pbem.toml"
HERE = Path(FILE_NAME)
Config = Annotated[
    Path, typer.Option("--config", "-c", metavar="FILE", envvar="PBEM_CONFIG", help="The server's settings.")
]
GameName = Annotated[str, typer.Argument(metavar="NAME", help="The game's name on this server, such as ceuta-1.")]


def pairs(given: Iterable[str], form: str) -> dict[str, str]:
    """NAME=VALUE options by name; Stop says the form of one that is none."""
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (name and equals and value):
            raise Stop(f"{form}, got {one!r}")
        found[name] = value
    return found
