"""The manual page of `pbem`, made of the help of its commands: ``python -m tests.pages.manual > docs/pbem.1``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer

from pbem.cli.main import app, every_command, tidy_command_and_below

_HEAD = """\
.TH PBEM 1 "" "" "pbem"
.SH NAME
pbem \\- board wargames by e\\-mail
.SH SYNOPSIS
.B pbem
.RI [ OPTIONS ]
.I COMMAND
.RI [ ARGS ]...
.SH DESCRIPTION
Players write orders as plain text from any mail program; the server reads them, answers every letter, throws the dice
and mails each side its report.
.PP
.B pbem demo
shows it on one machine, without any mail account;
.B pbem init
begins a server.
"""
_TAIL = """\
.SH EXIT STATUS
.TP
.B 0
all is well
.TP
.B 1
something is wrong: a refused letter, a replay that differs, a check that failed
.TP
.B 2
it could not be carried out, or not be checked
.TP
.B 70
a bug of the program
.SH ENVIRONMENT
.TP
.B PBEM_CONFIG
the settings that are read where no
.B \\-\\-config
is given
.TP
.BR PBEM_IMAP__PASSWORD " and its like"
a setting of the file, above it; with
.B _FILE
behind the name a file that holds the value
.SH FILES
.TP
.I pbem.toml
the settings of a server; its comments explain every one
.SH SEE ALSO
The guides in
.I docs
of the source, and
.B pbem
.I COMMAND
.BR \\-h .
"""


def page() -> str:
    """Return the manual page as troff with the macros of man(7)."""
    command = tidy_command_and_below(typer.main.get_command(app))
    commands = [
        part
        for words, command_found in every_command(command)
        if words and not hasattr(command_found, "commands")
        for part in _command(words, command_found)
    ]
    return _HEAD + "\n".join((".SH COMMANDS", *commands)) + "\n" + _TAIL


def _command(words: tuple[str, ...], command: Any) -> Iterator[str]:
    taken = " ".join(param._usage_display_name() for param in command.params if param.param_type_name == "argument")
    yield f".SS {_plain(' '.join(('pbem', *words, taken)).strip())}"
    yield _plain(" ".join(" ".join((command.help or "").split("\n\n")[:2]).split()))
    for param in command.params:
        names = ", ".join(param.opts) if param.param_type_name == "option" else param.metavar
        value = f" {param.metavar}" if param.param_type_name == "option" and param.metavar else ""
        yield ".TP"
        yield f".B {_plain(names + value)}"
        yield _plain(param.help or "")


def _plain(text: str) -> str:
    """A text as troff shows it as it is."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", "\\e").replace("-", "\\-"))


if __name__ == "__main__":
    print(page(), end="")
