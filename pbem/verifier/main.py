"""The command: letters in, a verdict out. It ends with 0 all true, 1 something false, 2 something not checkable."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from .fields import Bad
from .judge import Reader, judge, keys_of
from .mailbox import read_paths
from .notes import log_key
from .verdict import Teller, harmless

USAGE = (
    "verify.py FILE|MBOX|FOLDER... [--log-key KEY] [--witness KEY]... [--quorum N] [--language en|es]\n"
    "Keep all letters of your game; each has an attachment pbemdice.txt. By options you tell the log's key, if you\n"
    "know it from elsewhere, and the keys of witnesses whom you believe, of whom N must agree.\n"
)
FAILED = "this program failed; the lines above say where. That says nothing about the letters: NOT CHECKED."
OPTIONS = ("--log-key", "--witness", "--quorum", "--language")


def reader_of(pin: str, witnesses: Sequence[str], quorum: str | int = 1) -> Reader:
    """Whom the reader believes; Bad if a key is none, or more witnesses must agree than are named."""
    keys = keys_of(witnesses)
    if not str(quorum).isdecimal() or int(quorum) < 1 or (int(quorum) > max(1, len(keys))):
        raise Bad("--quorum N: so many of the witnesses that you name must agree, 1 or more")
    return Reader(log_key(pin) if pin else None, keys, int(quorum))


def check_there(paths: Sequence[str | Path]) -> None:
    """Check that something lies at each of these places; Bad if not."""
    for path in paths:
        there = False
        with suppress(OSError):  # as of a name that is too long
            there = Path(path).exists()
        if not there:
            raise Bad("cannot read {}: there is nothing there", path)


def main(arguments: Sequence[str]) -> int:
    """Check letters, print the verdict, and return how it ends."""
    told: dict[str, list[str]] = {"": [], **{option: [] for option in OPTIONS}}
    words = iter(arguments)
    for word in words:
        option, _, value = word.partition("=")
        if option in OPTIONS:
            told[option].append(value if "=" in word else next(words, ""))
        else:
            told[""].append(word)
    if not told[""] or any(word.startswith("--") for word in told[""]):
        print(USAGE, end="", file=sys.stderr)
        return 2
    language = (told["--language"] or ["en"])[-1]
    try:
        return _checked(told, Teller(language))
    except Exception:
        # A fault of this program is no finding about the letters.
        traceback.print_exc()
        print(f"verify: {_failed(language)}", file=sys.stderr)
        return 2


def _checked(told: dict[str, list[str]], teller: Teller) -> int:
    """Check letters by the options, print the verdict, and return how it ends."""
    try:
        check_there(told[""])
        reader = reader_of("".join(told["--log-key"]), told["--witness"], (told["--quorum"] or ["1"])[-1])
    except Bad as wrong:
        print(f"verify: {harmless(teller.say(wrong.why, *wrong.said))}", file=sys.stderr)
        return 2
    verdict = judge(read_paths(told[""]), reader)
    print_lines(teller.lines(verdict))
    return verdict.code


def print_lines(lines: Iterable[str]) -> None:
    """Print what was found: what does not print, or cannot be written here, by its number."""
    encoding = sys.stdout.encoding or "ascii"
    for line in lines:
        print(harmless(line).encode(encoding, "backslashreplace").decode(encoding))


def _failed(language: str) -> str:
    """What is said of a fault of this program; in English if even the words are at fault."""
    with suppress(Exception):
        return Teller(language).say(FAILED)
    return FAILED
