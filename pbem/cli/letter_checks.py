"""Check letters, one line for each check, as `pbem verify` and `verify.pyz` do.

Uses the standard library only. `main` is the program of `verify.pyz`, in which this file is packed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pbem.cli.exit_codes import CommandError, run
from pbem.cli.rulebooks import game_by_name, games
from pbem.engine.game import Registry
from pbem.server.rerun import RerunResult, rerun_games
from pbem.verifier.fields import FormatError
from pbem.verifier.log_checks import LogKeys
from pbem.verifier.mailbox import LetterToCheck, read_paths
from pbem.verifier.main import check_paths, print_lines, reader_from_options
from pbem.verifier.notes import VerifyingFunctions
from pbem.verifier.record import FALSE, NOT_CHECKED, OK, Finding, Findings, LogPlace, LogView
from pbem.verifier.verdict import RULES, Wording, escape_unprintable
from pbem.verifier.verification import CheckVerdict, Reader, Verdict, verdict_of, verify_epochs


class VerificationRequest(NamedTuple):
    """The reader's request: trusted keys, witnesses, quorum, and full mode.

    In full mode the rules are run again.
    """

    log_key: str = ""
    witnesses: tuple[str, ...] = ()
    quorum: int = 1
    full: bool = False


class Rulebooks(NamedTuple):
    """What `--full` needs to run rules again: the loader of games and their names."""

    games: Registry
    names: tuple[str, ...]


def verify_files(
    paths: Sequence[Path], request: VerificationRequest, means: VerifyingFunctions | None = None
) -> Verdict:
    """Check all letters at `paths`; raise CommandError for a bad path or key."""
    try:
        check_paths(paths)
        reader = reader_from_options(request.log_key, request.witnesses, request.quorum)
    except FormatError as wrong:
        raise CommandError(escape_unprintable(str(wrong))) from None
    books = Rulebooks(game_by_name, games()) if request.full else None
    return verify_items(read_items(paths), reader, means or VerifyingFunctions(), books)


def verify_items(
    items: Sequence[LetterToCheck], reader: Reader, means: VerifyingFunctions, books: Rulebooks | None = None
) -> Verdict:
    """Return the verdict, with the line of the rules if `books` are given."""
    findings = Findings()
    rerun_results: list[RerunResult] = []

    def rules(epoch_view: LogView, keys: LogKeys) -> frozenset[tuple[str, str]]:
        rerun_results[:] = rerun_games(epoch_view, keys, books.games, books.names) if books is not None else ()
        return _rolled_phases(rerun_results)

    view, grades, keys = verify_epochs(findings, items, reader, means, rules)
    verdict = verdict_of(findings, view, grades, keys)
    return (
        verdict._replace(lines=(*verdict.lines, _line_of_rules(keys, rerun_results))) if books is not None else verdict
    )


def _rolled_phases(rerun_results: Sequence[RerunResult]) -> frozenset[tuple[str, str]]:
    """Return the phases whose listed rolls the rules repeat; none if any differs."""
    if any(result.truth is False for result in rerun_results):
        return frozenset()
    return frozenset(result.rolls for result in rerun_results if result.rolls[1])


def _line_of_rules(keys: LogKeys, rerun_results: Sequence[RerunResult]) -> CheckVerdict:
    """Return the line of full mode: the rules run again on opened letters."""
    if not keys.vrfs:
        rerun_results = [RerunResult(None, "no letter shows the first leaf of the log: add your welcome letter")]
    elif not rerun_results:
        rerun_results = [RerunResult(None, "no phase of a game is in letters here")]
    wrong, blind = ([result.why for result in rerun_results if result.truth is truth] for truth in (False, None))
    status = FALSE if wrong else NOT_CHECKED if blind else OK
    findings = [Finding(RULES, False, LogPlace(""), "{}", (why,)) for why in dict.fromkeys(wrong)]
    findings += [Finding(RULES, None, LogPlace(""), "{}", (why,)) for why in dict.fromkeys(blind)]
    return CheckVerdict(RULES, status, sum(result.truth is True for result in rerun_results), tuple(findings))


def verdict_lines(verdict: Verdict, language: str = "en") -> Iterator[str]:
    """Return a verdict's lines: phases, checks with findings, what to compare."""
    yield from Wording(language).lines(verdict)


def read_items(paths: Sequence[Path]) -> list[LetterToCheck]:
    """Read the letters of files, folders and Maildirs."""
    return list(read_paths(paths))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the program of verify.pyz.

    It ends with SystemExit: 0 all true, 1 something false, 2 something not checkable.
    """
    parser = argparse.ArgumentParser(prog="verify.pyz", description="Check the letters of a play-by-mail server.")
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE|MBOX|DIR", help="letters, mboxes, folders")
    parser.add_argument("--full", action="store_true", help="run the rules again too, over what letters open")
    parser.add_argument("--log-key", default="", metavar="KEY", help="the log's key, if you know it from elsewhere")
    parser.add_argument("--witness", action="append", default=[], metavar="KEY", help="a witness that you believe")
    parser.add_argument("--quorum", type=int, default=1, metavar="N", help="how many of them must agree for an A")
    parser.add_argument("--language", choices=("en", "es"), default="en", help="the language of what is found")
    options = parser.parse_args(arguments)

    def check() -> None:
        verdict = verify_files(
            options.paths, VerificationRequest(options.log_key, tuple(options.witness), options.quorum, options.full)
        )
        print_lines(verdict_lines(verdict, options.language))
        sys.exit(verdict.code)

    run(check)
