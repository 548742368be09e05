"""Compare what is frozen with what was kept: ``python -m tests.contract [--write] [--commit REV] [SECTION ...]``.

Prints a unified difference of the texts of each section, and ends with 1 if there is any. With ``--write`` the texts of
now are kept. With ``--commit REV``, or a range ``A..B``, it checks commits that update kept texts instead.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path

import structlog

from tests.contract import commits, kept
from tests.contract.sections import SECTIONS

ADVICE = """\
A commit that updates the contract on purpose moves or renames no file, and its body holds the difference printed above.
A refactoring updates nothing: mend the code."""


def main(arguments: list[str] | None = None) -> int:
    """Compare, print and write as told; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.contract", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help="those alone: " + ", ".join(SECTIONS))
    parser.add_argument("--write", action="store_true", help="keep the texts of now")
    parser.add_argument("--commit", metavar="REV", help="check a commit, or a range of them, instead")
    given = parser.parse_args(arguments)
    if given.commit:
        wrong = commits.faults(Path.cwd(), given.commit)
        print("\n".join(wrong) or "Every commit that updates the contract keeps its rules.")
        return 1 if wrong else 0
    if unknown := {*given.sections} - {*SECTIONS}:
        parser.error(f"no section is called {', '.join(sorted(unknown))}; there are {', '.join(SECTIONS)}")
    differs = [compare(section, given.write) for section in given.sections or SECTIONS]
    if any(differs):
        print(ADVICE)
        return 0 if given.write else 1
    print("Nothing that is frozen has changed.")
    return 0


def compare(section: str, write: bool) -> bool:
    """Print what differs in a section, keep its texts if told to, and return whether anything differed."""
    now = SECTIONS[section]()
    difference = kept.compare(section, kept.read(section), now)
    if difference is not None:
        print("\n".join(difference.shown()), end="\n\n", flush=True)
        if write:
            kept.write(section, now)
    return difference is not None


if __name__ == "__main__":
    # What servers log while texts are made is no text of the contract.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    sys.exit(main())
