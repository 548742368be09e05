"""`pbem cases`: paragraphs of a rulebook as tests, run from the files they are written in."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING

if TYPE_CHECKING:
    from pbem.cli.table.case_files import Table
    from pbem.engine.game import Game

app = typer.Typer()


@app.command()
def cases(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Cases as TOML.")],
    game: Annotated[str, typer.Option(help="The game of files that name none.")] = "",
) -> None:
    """Run files of rule cases: a line for each that fails, at last N passed, N failed. Ends with 1 if any failed."""
    run_cases(files, game)


def run_cases(files: Sequence[Path], game: str) -> None:
    """Run case files, print a line for each failure, and at last ``N passed, N failed`` on a line of its own.

    Files that cannot be read are a Stop before any case is run; failed cases a SystemExit with a finding. `game` is
    for files that do not name theirs.
    """
    from pbem.cli.table.case_files import read_cases
    from pbem.engine.cases import split

    read = [(path, *read_cases(path, game)) for path in files]
    passed = failed = 0
    for path, rules, _, file in read:
        for title, case in split(file):
            wrong = _wrong(rules, file, title, case)
            if wrong:
                failed += 1
                print(f"FAILED {path.name}: {title}: {'; '.join(wrong)}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    if failed:
        raise SystemExit(FINDING)


def _wrong(game: Game, file: Table, title: str, case: Table) -> tuple[str, ...]:
    """What is wrong with a case; one that trips over a bug of ours fails, and the others are still run."""
    from pbem.engine.cases import run_case

    try:
        return run_case(game, file, case)
    except Exception as bug:
        print(f"In {title}:", file=sys.stderr)
        traceback.print_exc()
        return (f"it cannot be run: {type(bug).__name__}: {bug}",)
