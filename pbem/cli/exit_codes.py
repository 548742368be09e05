"""Define how commands end: 0 fine, 1 a finding, 2 wrong usage, 70 a bug.

`pbem serve` ends with 75 for what may mend itself, so that a supervisor starts it again only then.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

# Exit statuses: 0 to 2 as in diff and grep; 70 is EX_SOFTWARE of sysexits.h, 75 its EX_TEMPFAIL.
FINE, FINDING, USAGE, BUG, TEMPORARY = 0, 1, 2, 70, 75


class CommandError(Exception):
    """An error that ends the command with a message and an exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class Unavailable(CommandError):
    """An error that may be over soon, such as a database that does not answer."""


class MissingError(KeyError):
    """An error for something that is not installed; the message says what."""


def run(command: Callable[[], object]) -> None:
    """Run a command and end the process with its exit code.

    An unexpected error is a bug and ends it with 70.
    """
    try:
        command()
    except CommandError as error:
        print(escape_unprintable(f"pbem: {error}"), file=sys.stderr)
        raise SystemExit(error.code) from None
    except MissingError as missing:
        print(escape_unprintable(f"pbem: {missing}"), file=sys.stderr)
        raise SystemExit(USAGE) from None
    except Exception:
        traceback.print_exc()
        print("pbem: that was a bug of the program, not of yours; the lines above say where", file=sys.stderr)
        raise SystemExit(BUG) from None


# What may be printed: other people's words without what moves a cursor, turns the writing round or cannot be seen.


def escape_unprintable(text: str) -> str:
    """Replace every unprintable character of a text by its number; lines stay."""
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def on_one_line(text: str) -> str:
    """Return a text on one line, unprintable characters by their numbers."""
    return escape_unprintable(text).replace("\n", "\\n")
