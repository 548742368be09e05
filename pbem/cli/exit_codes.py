"""How a command ends: 0 fine, 1 a finding, 2 wrong usage or not checkable, 70 a bug of ours."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

FINE, FINDING, USAGE, BUG = 0, 1, 2, 70


class Stop(Exception):
    """Ends the command with a message on standard error and an exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class NotHere(KeyError):
    """What is not installed here: no bug of ours, though nobody asked for it by name; the message says what it is."""


def run(command: Callable[[], object]) -> None:
    """Run a command to its SystemExit; what it did not expect is a bug, shown whole and ended with 70."""
    try:
        command()
    except Stop as stop:
        print(harmless(f"pbem: {stop}"), file=sys.stderr)
        raise SystemExit(stop.code) from None
    except NotHere as gone:
        print(harmless(f"pbem: {gone}"), file=sys.stderr)
        raise SystemExit(USAGE) from None
    except Exception:
        traceback.print_exc()
        print("pbem: that was a bug of the program, not of yours; the lines above say where", file=sys.stderr)
        raise SystemExit(BUG) from None


# What may be printed: other people's words without what moves a cursor, turns the writing round or cannot be seen.


def harmless(text: str) -> str:
    """The text with every character that does not print written as its number; lines end where they ended."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def on_one_line(text: str) -> str:
    """The same, and no line of its own begins in it."""
    return harmless(text).replace("\n", "\\n")
