"""The command `pbem`: its groups and single commands under the headings of its help, and how it ends.

The file of a command is imported when the command is run: help shows what `commands.txt` says of each.
"""

from __future__ import annotations

import atexit
import gc
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
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


# How help writes what a command takes: one style of placeholders, FILE or NAME=VALUE, and none for a flag.
#
#     Usage: pbem game new [OPTIONS] NAME
#       --scenario SCENARIO     What to play
#
# What is declared without a placeholder has that of its name. Typer writes the types of Python in their place.


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


# What a terminal shows while a command takes longer than two seconds: for how long it has been at work.
#
#     ... 7 s
#
# It stands on standard error, where that is a terminal, and is wiped away before anything else is written. Scripts see
# nothing of it.


FIRST = 2
"""Seconds after which something is shown; from then on every second."""
_WIPE = "\r\x1b[K"


class Patience:
    """Shows for how long it has waited. `over` waits for so many seconds and says whether the work is done."""

    def __init__(self, terminal: TextIO, over: Callable[[float], bool]) -> None:
        self._terminal, self._over = terminal, over
        self._lock, self._standing = Lock(), False

    def run(self) -> None:
        """Show it until the work is done."""
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
        """Take away what is shown."""
        with self._lock:
            if self._standing:
                self._terminal.write(_WIPE)
                self._terminal.flush()
                self._standing = False


class _Wiping:
    """A stream before whose every word what is shown is wiped away."""

    def __init__(self, stream: TextIO, patience: Patience) -> None:
        self._stream, self._patience = stream, patience

    def write(self, text: str) -> int:
        self._patience.wipe()
        return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def shown() -> Iterator[None]:
    """Show it while a command runs, if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = Event()
    patience = Patience(sys.stderr, done.wait)
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
