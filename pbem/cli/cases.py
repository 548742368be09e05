"""The command `pbem cases`: paragraphs of a rulebook as tests, run from the files they are written in."""

from __future__ import annotations

import sys
import tomllib
import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pbem.cli.ends import FINDING, Stop
from pbem.cli.wiring import find_game
from pbem.core.cases import listed, run_case
from pbem.core.game import Game
from pbem.core.parts import Cased

__all__ = ["case_game", "read_cases", "run_cases"]

Table = Mapping[str, Any]


def run_cases(files: Sequence[Path], game: str) -> None:
    """Run case files, print a line for each failure, and at last ``N passed, N failed`` on a line of its own.

    Files that cannot be read are a Stop before any case is run; failed cases a SystemExit with a finding. `game` is
    for files that do not name theirs.
    """
    read = [(path, read_cases(path)) for path in files]
    passed = failed = 0
    for path, file in read:
        rules, _ = case_game(str(file.get("game", game)), path)
        for title, case in listed(file):
            wrong = _wrong(rules, file, title, case)
            if wrong:
                failed += 1
                print(f"FAILED {path.name}: {title}: {'; '.join(wrong)}")
            else:
                passed += 1
    print(f"{passed} passed, {failed} failed")
    if failed:
        raise SystemExit(FINDING)


def read_cases(path: Path) -> Table:
    """Read a file of cases; Stop says why it cannot be."""
    try:
        file = tomllib.loads(path.read_text("utf-8"))
    except OSError as wrong:
        raise Stop(f"cannot read {path}: {wrong.strerror}") from None
    except UnicodeDecodeError:
        raise Stop(f"cannot read {path}: it is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as wrong:
        raise Stop(f"cannot read {path} as TOML: {wrong}") from None
    cases = file.get("case", [])
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise Stop(f"cannot read {path}: each case begins with [[case]]")
    return file


def case_game(name: str, path: Path) -> tuple[Game, Cased]:
    """Find the game of a file of cases; Stop if it is not there or plays no cases."""
    if not name:
        raise Stop(f'{path} names no game: write game = "NAME" at its top, or give --game NAME')
    game = find_game(name)
    if game.cased is None:
        raise Stop(f"{name} plays no cases")
    return game, game.cased


def _wrong(game: Game, file: Table, title: str, case: Table) -> tuple[str, ...]:
    """What is wrong with a case; one that trips over a bug of ours fails, and the others are still run."""
    try:
        return run_case(game, file, case)
    except Exception as bug:
        print(f"In {title}:", file=sys.stderr)
        traceback.print_exc()
        return (f"it cannot be run: {type(bug).__name__}: {bug}",)
