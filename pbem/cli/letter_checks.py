"""Check letters, a line for each check, as `pbem verify` and `verify.pyz` do. Standard library only.

`main` is the program of `verify.pyz`, in which this file is packed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pbem.cli.exit_codes import Stop, run
from pbem.cli.rulebooks import games, registry
from pbem.engine.game import Registry
from pbem.server.rerun import Found, again
from pbem.verifier.fields import Bad
from pbem.verifier.judge import Line, Reader, Verdict, judged, verdict_of
from pbem.verifier.log_checks import Keys
from pbem.verifier.mailbox import Item, read_paths
from pbem.verifier.main import check_there, print_lines, reader_of
from pbem.verifier.notes import Means
from pbem.verifier.record import FALSE, NOT_CHECKED, OK, Board, Course, Finding, Place
from pbem.verifier.verdict import RULES, Teller, harmless


class Asked(NamedTuple):
    """What a reader asks: by which keys, how many witnesses must agree, and whether the rules are to be run again."""

    log_key: str = ""
    witnesses: tuple[str, ...] = ()
    quorum: int = 1
    full: bool = False


class Rulebooks(NamedTuple):
    """The rules that full mode runs, and which games they know."""

    games: Registry
    names: tuple[str, ...]


def judge(paths: Sequence[Path], asked: Asked, means: Means | None = None) -> Verdict:
    """Check everything that lies at `paths`; Stop if something named is not there, or a key is none."""
    try:
        check_there(paths)
        reader = reader_of(asked.log_key, asked.witnesses, asked.quorum)
    except Bad as wrong:
        raise Stop(harmless(str(wrong))) from None
    books = Rulebooks(registry, games()) if asked.full else None
    return check(read(paths), reader, means or Means(), books)


def check(items: Sequence[Item], reader: Reader, means: Means, books: Rulebooks | None = None) -> Verdict:
    """The verdict, with `books` the line of the rules too."""
    board = Board()
    came: list[Found] = []

    def rules(course: Course, keys: Keys) -> frozenset[tuple[str, str]]:
        came[:] = again(course, keys, books.games, books.names) if books is not None else ()
        return _rolled_phases(came)

    course, worth, keys = judged(board, items, reader, means, rules)
    verdict = verdict_of(board, course, worth, keys)
    return verdict._replace(lines=(*verdict.lines, _line_of_rules(keys, came))) if books is not None else verdict


def _rolled_phases(came: Sequence[Found]) -> frozenset[tuple[str, str]]:
    """The phases of which the rules roll what was listed; none if anything comes out otherwise."""
    if any(one.truth is False for one in came):
        return frozenset()
    return frozenset(one.rolls for one in came if one.rolls[1])


def _line_of_rules(keys: Keys, came: Sequence[Found]) -> Line:
    """Full mode: the rules run again on what letters open."""
    if not keys.vrfs:
        came = [Found(None, "no letter shows the first leaf of the log: add your welcome letter")]
    elif not came:
        came = [Found(None, "no phase of a game is in letters here")]
    wrong, blind = ([one.why for one in came if one.truth is truth] for truth in (False, None))
    status = FALSE if wrong else NOT_CHECKED if blind else OK
    found = [Finding(RULES, False, Place(""), "{}", (why,)) for why in dict.fromkeys(wrong)]
    found += [Finding(RULES, None, Place(""), "{}", (why,)) for why in dict.fromkeys(blind)]
    return Line(RULES, status, sum(one.truth is True for one in came), tuple(found))


def lines(verdict: Verdict, language: str = "en") -> Iterator[str]:
    """A sentence for each phase, a line for each check, below it what was found otherwise; at last what to compare."""
    yield from Teller(language).lines(verdict)


def read(paths: Sequence[Path]) -> list[Item]:
    """The letters of files (a letter, an mbox, a saved pbemdice.txt) and of all files of folders and Maildirs."""
    return list(read_paths(paths))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program; it ends with SystemExit: 0 all true, 1 something false, 2 something not checkable."""
    parser = argparse.ArgumentParser(prog="verify.pyz", description="Check the letters of a play-by-mail server.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE|MBOX|DIR", help="letters, mboxes, folders")
    parser.add_argument("--full", action="store_true", help="run the rules again too, over what letters open")
    parser.add_argument("--log-key", default="", metavar="KEY", help="the log's key, if you know it from elsewhere")
    parser.add_argument("--witness", action="append", default=[], metavar="KEY", help="a witness that you believe")
    parser.add_argument("--quorum", type=int, default=1, metavar="N", help="how many of them must agree for an A")
    parser.add_argument("--language", choices=("en", "es"), default="en", help="the language of what is found")
    told = parser.parse_args(arguments)

    def check() -> None:
        verdict = judge(told.paths, Asked(told.log_key, tuple(told.witness), told.quorum, told.full))
        print_lines(lines(verdict, told.language))
        sys.exit(verdict.code)

    run(check)
