"""The command `pbem`: its groups and single commands under the headings of its help, and how it ends.

The libraries of the database and of the daemon take a second to load: commands fetch them when they run, so that
``pbem --help`` answers at once.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import nullcontext
from functools import cache
from types import ModuleType
from typing import Annotated, Any

import typer

from pbem import __version__
from pbem.cli import (
    backup,
    campaign,
    event,
    exit_codes,
    game,
    game_pages,
    game_replay,
    log,
    mail,
    monitor,
    page,
    person,
    rating,
    rules,
    seat,
    serve,
    server,
    try_,
    verify,
    witness,
)
from pbem.cli.demo import demo
from pbem.cli.patience import shown
from pbem.cli.placeholders import HELP, tidied

app = typer.Typer(
    no_args_is_help=True,
    context_settings={"help_option_names": HELP},
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
    help="Board wargames by e-mail: players write orders, the server adjudicates them and mails the reports.",
    epilog="Play on this machine, without any mail account: pbem try. Commands end with 0 if all is well, 1 if they "
    "found something wrong, 2 if they could not be carried out or not be checked, 70 if the program has a bug.",
)
_SINGLE = {
    info.name or info.callback.__name__: info
    for module in (try_, demo, serve, rules, backup, game_replay, game_pages, verify, monitor)
    for info in module.app.registered_commands
    if info.callback is not None
}
"""The commands that are in no group, by their names."""
# In the order in which the help lists them: under each heading commands, then groups.
_LISTED: dict[str, tuple[tuple[str, ...], dict[str, ModuleType]]] = {
    "To begin with": (("try", "demo", "demo-event", "init", "scenarios"), {}),
    "Server": (
        ("serve", "doctor", "backup", "restore"),
        {"server": server, "mail": mail, "log": log, "person": person},
    ),
    "Games": (
        ("replay", "review", "patch", "archive", "site"),
        {"game": game, "campaign": campaign, "seat": seat},
    ),
    "Tournaments": ((), {"event": event, "rating": rating}),
    "Players": (("verify", "chart", "map", "print", "monitor"), {"page": page, "witness": witness}),
    "Rules and their authors": (("cases", "adjudicate", "simulate"), {}),
}
for heading, (words, groups) in _LISTED.items():
    for word in words:
        info = _SINGLE[word]
        info.rich_help_panel = heading
        single = typer.Typer()
        single.registered_commands.append(info)
        app.add_typer(single)
    for name, group in groups.items():
        app.add_typer(group.app, name=name, rich_help_panel=heading)


_TELLING = {"serve", "try", "demo", "demo-event", "review", "run", "watch"}
"""What runs for long and tells of itself."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pbem {__version__}")
        raise typer.Exit


@app.callback()
def _pbem(
    version: Annotated[
        bool, typer.Option("--version", "-V", callback=_version, is_eager=True, help="Say which one.")
    ] = False,
) -> None:
    pass


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line (the process's own without `arguments`); ends in SystemExit."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    waits = nullcontext() if {*given[:2]} & _TELLING else shown()
    with waits:
        exit_codes.run(lambda: _words()(given, prog_name="pbem"))


@cache
def _words() -> Any:
    """All commands, made from the apps above: once for a process, as it takes as long as many a command."""
    return tidied(typer.main.get_command(app))
