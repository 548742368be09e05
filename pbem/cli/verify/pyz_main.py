"""`verify.pyz`: letters checked and the rules run again with nothing but Python 3.11. Standard library only."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pbem.cli.exit_codes import run
from pbem.cli.verify.letter_checks import Asked, judge, lines
from pbem.verifier.main import print_lines


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
