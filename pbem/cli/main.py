"""Define the command `pbem`: its groups, single commands, help and exit.

The file of a command is imported when the command is run: help shows what `commands.txt` says of each.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Annotated, Any, NamedTuple, TextIO

import typer
from typer.core import TyperCommand, TyperGroup

from pbem import __version__
from pbem.cli import exit_codes

HELP = ["-h", "--help"]


class CommandEntry(NamedTuple):
    """A command, or a group of commands, as the help lists it."""

    heading: str
    file: str
    line: str


def _read_table() -> Iterator[tuple[str, CommandEntry]]:
    """Read `commands.txt`.

    Below each heading it has the names, the files in this folder, and the line of help.
    """
    heading = ""
    for line in Path(__file__).with_name("commands.txt").read_text("utf-8").splitlines():
        if line.startswith(" "):
            name, file, help_line = line.split(maxsplit=2)
            yield name, CommandEntry(heading, file, help_line)
        else:
            heading = line


COMMANDS: Mapping[str, CommandEntry] = dict(_read_table())
"""The commands and groups by name, in the order of the help."""


@cache
def _import_command(name: str) -> Any:
    """Import a command or a group of commands with its file."""
    commands_app: typer.Typer = import_module(f"pbem.cli.{COMMANDS[name].file}").app
    outer = typer.Typer()
    if isinstance(commands_app.info.help, str):
        outer.add_typer(commands_app, name=name)
    else:
        outer.registered_commands = commands_app.registered_commands
    group: Any = typer.main.get_group(outer)
    return tidy_command_and_below(group.commands[name])


class _Commands(Mapping[str, Any]):
    """The commands by name, each imported when it is asked for."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        return _import_command(name)

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
        with self._without_imports():
            super().format_help(*context)

    def shell_complete(self, *context: Any) -> Any:
        with self._without_imports():
            return super().shell_complete(*context)

    @contextmanager
    def _without_imports(self) -> Iterator[None]:
        commands = self.commands
        self.commands = {
            name: TyperCommand(name, help=entry.line, rich_help_panel=entry.heading) for name, entry in COMMANDS.items()
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

_LONG_RUNNING = {"serve", "try", "demo", "demo-event", "review", "run", "watch"}
"""The commands that run for long and print their progress."""


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
    """Run the command line.

    Without `arguments` those of the process are used. Ends in SystemExit.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:2] == ["doctor", "--alive"] and (process := find_live_server(words[2:])):
        print(f"{'ok':<13} {'daemon':<10} runs as process {process}")
        raise SystemExit(exit_codes.FINE)
    runs_long = bool({*words[:2]} & _LONG_RUNNING)
    if arguments is None and not runs_long:
        # Hardly anything that is imported goes away again before the end: to look for it takes a third of the time.
        gc.set_threshold(500_000)
        atexit.register(gc.freeze)
    with nullcontext() if runs_long else show_patience():
        exit_codes.run(lambda: all_commands()(words, prog_name="pbem"))


def find_live_server(options: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
    """Return the process of a server that is well by its heartbeat, or 0.

    Health checks ask every minute, and to import the doctor costs ten times what this does. It looks at the plain case
    alone: a settings file, nothing in the environment, a recent heartbeat without troubles. In any other case, 0, the
    whole doctor has to look.
    """
    try:
        match options:
            case []:
                path = Path("pbem.toml")
            case ["--config", file]:
                path = Path(file)
            case _:
                return 0
        if any(name.startswith("PBEM_") for name in environment):
            return 0
        settings = tomllib.loads(path.read_text("utf-8"))
        if settings.get("clock", {}).get("source", "system") != "system":
            return 0
        folder = path.resolve().parent / settings["server"].get("data", "data")
        beat = json.loads((folder / "heartbeat.json").read_text("ascii"))
        age = datetime.now(UTC) - datetime.fromisoformat(beat["at"])
        return 0 if beat["troubles"] or age > RECENT else int(beat["pid"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        # Whatever is not as expected is for the whole doctor to explain.
        return 0


RECENT = timedelta(minutes=2)
"""Age of a heartbeat that needs no second look: it comes every ten seconds."""


@cache
def all_commands() -> Any:
    """Return all commands as one, made once for each process."""
    commands = typer.main.get_command(app)
    shorten_value_names(commands)
    return commands


# How help writes what a command takes: one style of placeholders, FILE or NAME=VALUE, and none for a flag.
#
#     Usage: pbem game new [OPTIONS] NAME
#       --scenario SCENARIO     What to play
#
# What is declared without a placeholder has that of its name. Typer writes the types of Python in their place.


def tidy_command_and_below(command: object) -> Any:
    """Tidy the placeholders of a command, or of a group, and return it."""
    for _, each_command in every_command(command):
        shorten_value_names(each_command)
    return command


def shorten_value_names(command: Any) -> None:
    """Shorten the value names (``--day DAY``) in the help of one command."""
    for param in (*command.params, command.get_help_option(typer.Context(command, help_option_names=HELP))):
        if param is not None:
            _tidy(param)


def every_command(command: object, *words: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a command and all below it, each with its words."""
    yield words, command
    for name, subcommand in getattr(command, "commands", {}).items():
        yield from every_command(subcommand, *words, name)


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
        usage_name = f"{name}{'' if param.nargs == 1 or name.endswith('...') else '...'}"
        param._usage_display_name = lambda: usage_name if param.required else f"[{usage_name}]"
        param.display_type_rich = lambda ctx: ""


def _nothing() -> None:
    """Do nothing: a placeholder for a command that is never run."""


# What a terminal shows while a command takes longer than two seconds: for how long it has been at work.
#
#     ... 7 s
#
# It stands on standard error, where that is a terminal, and is wiped away before anything else is written. Scripts see
# nothing of it.


FIRST = 2
"""Seconds after which elapsed time is shown, and then every second: after that people wonder whether anything happens.
"""
_WIPE = "\r\x1b[K"


class ElapsedTime:
    """The display of elapsed time.

    `over` waits some seconds and returns whether work is done.
    """

    def __init__(self, terminal: TextIO, over: Callable[[float], bool]) -> None:
        self._terminal, self._over = terminal, over
        self._lock, self._standing = Lock(), False

    def run(self) -> None:
        """Show elapsed time until the work is done."""
        seconds = FIRST
        done = self._over(FIRST)
        while not done:
            with self._lock:
                self._terminal.write(f"{_WIPE}... {seconds} s")
                self._terminal.flush()
                self._standing = True
            done, seconds = self._over(1), seconds + 1
        self.wipe()

    def wipe(self) -> None:
        """Remove the display."""
        with self._lock:
            if self._standing:
                self._terminal.write(_WIPE)
                self._terminal.flush()
                self._standing = False


class _Wiping:
    """A stream that removes the display before every word."""

    def __init__(self, stream: TextIO, patience: ElapsedTime) -> None:
        self._stream, self._patience = stream, patience

    def write(self, text: str) -> int:
        self._patience.wipe()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def show_patience() -> Iterator[None]:
    """Show the elapsed time while a command runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = Event()
    patience = ElapsedTime(sys.stderr, done.wait)
    streams = sys.stdout, sys.stderr
    watching = Thread(target=patience.run, daemon=True)
    watching.start()
    sys.stdout, sys.stderr = (_Wiping(stream, patience) for stream in streams)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams
        done.set()
        watching.join()
