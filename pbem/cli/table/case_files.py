"""Files of rule cases, and the game that they are about."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import find_game
from pbem.core.game import Game
from pbem.core.parts import Cased

Table = Mapping[str, Any]


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
    """Find the game of a file of cases, with its part that plays them; Stop if it is not there or plays no cases."""
    if not name:
        raise Stop(f'{path} names no game: write game = "NAME" at its top, or give --game NAME')
    game = find_game(name)
    if game.cased is None:
        raise Stop(f"{name} plays no cases")
    return game, game.cased
