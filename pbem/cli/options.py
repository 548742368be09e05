"""Options and arguments that several commands have, and how the repeatable ones are read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from pbem.cli.exit_codes import Stop
from pbem.engine.data.languages import language_of

FILE_NAME = "pbem.toml"
HERE = Path(FILE_NAME)
Config = Annotated[
    Path, typer.Option("--config", "-c", metavar="FILE", envvar="PBEM_CONFIG", help="The server's settings.")
]
GameName = Annotated[str, typer.Argument(metavar="NAME", help="The game's name on this server, such as ceuta-1.")]


# What is to be played, and at which pace: the options of `pbem game new` and `pbem campaign new`.

RuleOptions = Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the rules.")]
Zone = Annotated[str | None, typer.Option(help="Time zone of the deadlines, such as Europe/Madrid.")]
Hour = Annotated[int | None, typer.Option(min=0, max=23, help="Hour of the deadlines.")]
Weekdays = Annotated[str | None, typer.Option(metavar="DIGITS", help="Days with deadlines, 0 is Monday.")]
Grace = Annotated[int | None, typer.Option(min=0, metavar="HOURS", help="At least so long for a phase.")]
Undo = Annotated[int | None, typer.Option(min=0, metavar="MINUTES", help="To change one's mind in.")]
TermWords = Annotated[
    list[str] | None, typer.Option(metavar="NAME=VALUE", help="What differs from the usual terms of time.")
]
BeaconName = Annotated[
    str, typer.Option(help="What the dice wait for besides the orders, none or quicknet; else as the settings say.")
]
Delta = Annotated[
    int | None, typer.Option(min=0, max=86_400, metavar="SECONDS", help="From the close to the beacon's round.")
]
OpenSeats = Annotated[bool, typer.Option("--open", help="Whoever asks by letter (JOIN) gets a free seat.")]
Bots = Annotated[
    list[str] | None, typer.Option(metavar="SEAT=BOT", help="A seat that a bot plays, as morocco=forward.")
]
Moderating = Annotated[str, typer.Option(metavar="ADDRESS", help="Who moderates it by letter.")]


def pairs(given: Iterable[str], form: str) -> dict[str, str]:
    """NAME=VALUE options by name; Stop says the form of one that is none."""
    found = {}
    for one in given:
        name, equals, value = one.partition("=")
        if not (name and equals and value):
            raise Stop(f"{form}, got {one!r}")
        found[name] = value
    return found


def spoken(language: str) -> str:
    """Return a language that letters can be written in, by the settings that were read; Stop for any other."""
    try:
        return language_of(language).code
    except ValueError as wrong:
        raise Stop(str(wrong)) from None


def typed(asked: str, word: str) -> bool:
    """Whether the word is typed that was asked for; not if nobody is there to type, or breaks off."""
    try:
        return bool(typer.prompt(asked, default="", show_default=False) == word)
    except typer.Abort:
        print()
        return False
