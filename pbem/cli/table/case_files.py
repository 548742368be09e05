"""Files of rule cases, and the game that they are about."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import find_game
from pbem.engine.cases import unknown_keys
from pbem.engine.game import Game
from pbem.engine.parts import Cased

Table = Mapping[str, Any]


def read_cases(path: Path, name: str = "") -> tuple[Game, Cased, Table]:
    """Read a file of cases and find its game, `name` if it names none, with the part that plays cases.

    Stop says why it cannot be, and names the line of each key that means nothing.
    """
    try:
        text = path.read_text("utf-8")
        file = tomllib.loads(text)
    except OSError as wrong:
        raise Stop(f"cannot read {path}: {wrong.strerror}") from None
    except UnicodeDecodeError:
        raise Stop(f"cannot read {path}: it is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as wrong:
        raise Stop(f"cannot read {path} as TOML: {wrong}") from None
    cases = file.get("case", [])
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise Stop(f"cannot read {path}: each case begins with [[case]]")
    game, cased = _game(str(file.get("game", name)), path)
    unknown = [
        f"line {_line(text, number, key)}: {key} means nothing here"
        for number, table in enumerate((file, *cases))
        for key in unknown_keys(cased, table, file=number == 0)
    ]
    if unknown:
        raise Stop(f"{path}: {'; '.join(unknown)} (docs/rule-cases.md has the keys)")
    return game, cased, file


def _line(text: str, number: int, key: str) -> int:
    """The line of a key in the case of that number, or above all cases (0)."""
    case = 0
    for line, words in enumerate(text.splitlines(), start=1):
        case += words.strip() == "[[case]]"
        if case == number and re.match(rf"\s*\[*(case\.)?['\"]?{re.escape(key)}['\"]?\s*[].=]", words):
            return line
    return 0


def _game(name: str, path: Path) -> tuple[Game, Cased]:
    """Find the game of a file of cases, with its part that plays them; Stop if it is not there or plays no cases."""
    if not name:
        raise Stop(f'{path} names no game: write game = "NAME" at its top, or give --game NAME')
    game = find_game(name)
    if game.cased is None:
        raise Stop(f"{name} plays no cases")
    return game, game.cased
