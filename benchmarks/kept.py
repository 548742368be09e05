"""Keep games that bots played in a file: a line each, as JSON.

A line names the edition, so games of other charts, points or needs are never taken for one another. Of the code of
rules and bots it tells nothing: bots are versions, and what plays otherwise has another name.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from benchmarks.battles import Key, Played


def keep(file: Path, key: Key, number: int, played: Played) -> None:
    """Add a game to a file, as one line."""
    line = {**key._asdict(), "number": number, "played": played._asdict()}
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(line, default=dict, separators=(",", ":")) + "\n")


def read(file: Path) -> dict[Key, dict[int, Played]]:
    """Return the games of a file by kind and number; none if there is no such file.

    A last line that was cut off while it was written is left out.
    """
    games: dict[Key, dict[int, Played]] = {}
    for text in file.read_text("utf-8").split("\n")[:-1] if file.exists() else ():
        line = json.loads(text)
        players, options = (tuple(map(tuple, line[name])) for name in ("players", "options"))
        key = Key(line["game"], line["scenario"], line["edition"], players, options)
        games.setdefault(key, {})[line["number"]] = Played(
            **{name: _plain(value) for name, value in line["played"].items()}
        )
    return games


def _plain(value: Any) -> Any:
    """Return JSON's lists as the tuples that they were."""
    return tuple(map(_plain, value)) if isinstance(value, list) else value
