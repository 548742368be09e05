"""The process in which a game is reviewed for a letter: started by `reviewers`, and gone when the server goes.

It opens the database by itself, as the command line does, and leaves what came of it in a file.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pbem.engine.data.canon import Json

LONGEST = 7200
"""Seconds of processor time that a review may take."""


def main() -> None:
    """Review a game as standard input says, and leave the lines in a file, whole or not at all."""
    told, game, path, server = pickle.load(sys.stdin.buffer)  # noqa: S301 - it comes from the server itself
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))

    def still(done: int, total: int) -> None:
        if os.getppid() != server:
            raise SystemExit

    lines = _lines(told, game, still)
    new = Path(f"{path}.new")
    new.write_text(json.dumps(lines), "utf-8")
    new.rename(path)


def _lines(told: Any, game: str, progress: Any) -> Json:
    from pbem.cli.server.assembly import opened
    from pbem.cli.server.settings import Settings
    from pbem.play.commands.questions import turning_points
    from pbem.play.positions import game_named

    with opened(Settings.model_validate(told)) as server:
        with server.reading() as work:
            asked = turning_points.gather(work, game_named(work.session, game))
        found = turning_points.review(asked, turning_points.BY_LETTER, progress)
        lines = turning_points.lines(server, asked, found, turning_points.BY_LETTER)
    return [[depth, said.to_json()] for depth, said in lines]
