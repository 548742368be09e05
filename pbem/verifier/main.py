"""Run the command: letters in, a verdict out.

Its exit code is 0 if all is true, 1 if something is false, 2 if something cannot be checked.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from .fields import FormatError
from .mailbox import read_paths
from .notes import parse_log_key
from .verdict import Wording, escape_unprintable
from .verification import Reader, parse_witness_keys, verify_letters

USAGE = (
    "verify.py FILE|MBOX|FOLDER... [--log-key KEY] [--witness KEY]... [--quorum N] [--language en|es]\n"
    "Keep all letters of your game; each has an attachment pbemdice.txt. By options you tell the log's key, if you\n"
    "know it from elsewhere, and the keys of witnesses whom you believe, of whom N must agree.\n"
)
FAILED = "this program failed; the lines above say where. That says nothing about the letters: NOT CHECKED."
OPTIONS = ("--log-key", "--witness", "--quorum", "--language")


def reader_from_options(pin: str, witnesses: Sequence[str], quorum: str | int = 1) -> Reader:
    """Return the reader's trust from the options.

    Raise FormatError if a key is malformed, or more witnesses must agree than are named.
    """
    keys = parse_witness_keys(witnesses)
    # Without witnesses the default, 1, is valid, though nobody can reach it.
    if not str(quorum).isdecimal() or int(quorum) < 1 or (int(quorum) > max(1, len(keys))):
        raise FormatError("--quorum N: so many of the witnesses that you name must agree, 1 or more")
    return Reader(parse_log_key(pin) if pin else None, keys, int(quorum))


def check_paths(paths: Sequence[str | Path]) -> None:
    """Check that these paths exist; raise FormatError if one does not."""
    for path in paths:
        exists = False
        with suppress(OSError):  # as of a name that is too long
            exists = Path(path).exists()
        if not exists:
            raise FormatError("cannot read {}: there is nothing there", path)


def main(arguments: Sequence[str]) -> int:
    """Check letters, print the verdict, and return the exit code."""
    options: dict[str, list[str]] = {"": [], **{option: [] for option in OPTIONS}}
    words = iter(arguments)
    for word in words:
        option, _, value = word.partition("=")
        if option in OPTIONS:
            options[option].append(value if "=" in word else next(words, ""))
        else:
            options[""].append(word)
    if not options[""] or any(word.startswith("--") for word in options[""]):
        print(USAGE, end="", file=sys.stderr)
        return 2
    language = (options["--language"] or ["en"])[-1]
    try:
        return _verify(options, Wording(language))
    except Exception:
        # A fault of this program proves nothing about the letters.
        traceback.print_exc()
        print(f"verify: {_failure_text(language)}", file=sys.stderr)
        return 2


def _verify(options: dict[str, list[str]], wording: Wording) -> int:
    """Check letters by the options, print the verdict, and return the exit code."""
    try:
        check_paths(options[""])
        reader = reader_from_options(
            "".join(options["--log-key"]), options["--witness"], (options["--quorum"] or ["1"])[-1]
        )
    except FormatError as error:
        print(f"verify: {escape_unprintable(wording.say(error.why, *error.said))}", file=sys.stderr)
        return 2
    verdict = verify_letters(read_paths(options[""]), reader)
    print_lines(wording.lines(verdict))
    return verdict.code


def print_lines(lines: Iterable[str]) -> None:
    """Print lines; characters that do not print are replaced by their numbers."""
    encoding = sys.stdout.encoding or "ascii"
    for line in lines:
        print(escape_unprintable(line).encode(encoding, "backslashreplace").decode(encoding))


def _failure_text(language: str) -> str:
    """Return the sentence for a fault of this program, in English if necessary."""
    with suppress(Exception):
        return Wording(language).say(FAILED)
    return FAILED
