"""The command `pbem`: its groups and single commands under the headings of its help, and how it ends.

The file of a command is imported when the command is run: help shows what `commands.txt` says of each.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from pbem import __version__
from pbem.cli import exit_codes
from pbem.cli.patience import shown
from pbem.cli.placeholders import HELP, tidied, tidy_own


class Listed(NamedTuple):
    """A command, or a group of commands, as the help lists it."""

    heading: str
    file: str
    line: str


def _read_table() -> Iterator[tuple[str, Listed]]:
    """Read `commands.txt`: below each heading the names, the files in this folder, and what the help says of each."""
    heading = ""
    for line in Path(__file__).with_name("commands.txt").read_text("utf-8").splitlines():
        if line.startswith(" "):
            name, file, said = line.split(maxsplit=2)
            yield name, Listed(heading, file, said)
        else:
            heading = line


COMMANDS: Mapping[str, Listed] = dict(_read_table())
"""The commands and groups by name, in the order in which the help lists them."""


@cache
def _imported(name: str) -> Any:
    """Import a command or a group of commands with its file."""
    own: typer.Typer = import_module(f"pbem.cli.{COMMANDS[name].file}").app
    outer = typer.Typer()
    if isinstance(own.info.help, str):
        outer.add_typer(own, name=name)
    else:
        outer.registered_commands = own.registered_commands
    group: Any = typer.main.get_group(outer)
    return tidied(group.commands[name])


class _Commands(Mapping[str, Any]):
    """The commands by name, each imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        return _imported(name)

    def __iter__(self) -> Iterator[str]:
        return iter(COMMANDS)

    def __len__(self) -> int:
        return len(COMMANDS)


class _Program(TyperGroup):
    """All commands; help and completion of their names import none of them."""

    def __init__(self, **parts: Any) -> None:
        super().__init__(**parts)
        self.commands: Any = _Commands()

    def format_help(self, *context: Any) -> None:
        with self._unread():
            super().format_help(*context)

    def shell_complete(self, *context: Any) -> Any:
        with self._unread():
            return super().shell_complete(*context)

    @contextmanager
    def _unread(self) -> Iterator[None]:
        commands = self.commands
        self.commands = {
            name: TyperCommand(name, help=one.line, rich_help_panel=one.heading) for name, one in COMMANDS.items()
        }
        try:
            yield
        finally:
            self.commands = commands


app = typer.Typer(
    cls=_Program,
    no_args_is_help=True,
    context_settings={"help_option_names": HELP},
    pretty_exceptions_enable=False,
    pretty_exceptions_show_locals=False,
    help="Board wargames by e-mail: players write orders, the server adjudicates them and mails the reports.",
    epilog="Play on this machine, without any mail account: pbem try. Commands end with 0 if all is well, 1 if they "
    "found something wrong, 2 if they could not be carried out or not be checked, 70 if the program has a bug.",
)

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
    runs_long = bool({*given[:2]} & _TELLING)
    if arguments is None and not runs_long:
        # Hardly anything that is imported goes away again before the end: to look for it takes a third of the time.
        gc.set_threshold(500_000)
        atexit.register(gc.freeze)
    with nullcontext() if runs_long else shown():
        exit_codes.run(lambda: program()(given, prog_name="pbem"))


@cache
def program() -> Any:
    """Return all commands as one, made once in a process."""
    commands = typer.main.get_command(app)
    tidy_own(commands)
    return commands
