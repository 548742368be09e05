"""Review games for letters: in a process beside the server, behind all that it does, one game after another.

The process opens the database by itself, as the command line does, leaves what came of it in a file, and ends when the
server does. What it has reckoned is kept as long as the server runs: another server, or another day, comes to the same.
"""

from __future__ import annotations

import json
import os
import pickle
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pbem.cli.settings import Settings
from pbem.lazy import lazily

with lazily():
    from pbem.cli import assembly
    from pbem.play import positions
    from pbem.play.commands.questions import review


if TYPE_CHECKING:
    from pbem.engine.data.canon import Json

_KEPT = 64
"""How many reviews are kept."""
_LEAVE = 2.0
"""Seconds that a process has for leaving before it is made to."""


class Reviewing:
    """Has games reviewed, each by a process of its own; `settings` are those of the server."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._done: dict[str, Json] = {}
        self._game = ""
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def look(self, game: str) -> Json:
        """Return the lines of a review; None as long as they are not there. ValueError if there will be none."""
        if game in self._done:
            return self._done[game]
        if self._process is None:
            self._begin(game)
            return None
        if self._process.poll() is None:
            return None
        lines = self._ended()
        if self._game != game:
            self._begin(game)
            return None
        if game not in self._done:
            raise ValueError(lines)
        return self._done[game]

    def close(self) -> None:
        """Let whoever is at work go, and make him go if he does not."""
        if self._process is not None:
            self._process.terminate()
            try:
                self._process.wait(_LEAVE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait(_LEAVE)
            self._ended()

    def _begin(self, game: str) -> None:
        self._folder, self._game = tempfile.TemporaryDirectory(prefix="pbem-review-"), game
        code = f"import sys; sys.path[:] = {sys.path!r}; from pbem.cli.reviewers import main; main()"
        with Path(self._folder.name, "said").open("wb") as said:
            # A group of its own: Ctrl-C is for the server.
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-c", code],
                stdin=subprocess.PIPE,
                stdout=said,
                stderr=subprocess.STDOUT,
                process_group=0,
            )
        told = pickle.dumps((self._settings.model_dump(), game, str(Path(self._folder.name, "lines")), os.getpid()))
        if self._process.stdin is not None:
            self._process.stdin.write(told)
            self._process.stdin.close()

    def _ended(self) -> str:
        """Take what is there of a process that is over, and return what it said."""
        folder, self._folder, self._process = self._folder, None, None
        if folder is None:
            return ""
        with folder as name:
            lines, said = Path(name, "lines"), Path(name, "said")
            if lines.is_file():
                self._done[self._game] = json.loads(lines.read_text("utf-8"))
                while len(self._done) > _KEPT:
                    del self._done[next(iter(self._done))]
            return said.read_text("utf-8", errors="replace")[-500:] or "it took too long, or was ended"


REVIEW_SECONDS = 7200
"""Seconds of processor time that a review may take."""


def main() -> None:
    """Review a game as standard input says, and leave the lines in a file, whole or not at all."""
    told, game, path, server = pickle.load(sys.stdin.buffer)  # noqa: S301 - it comes from the server itself
    os.nice(10)
    resource.setrlimit(resource.RLIMIT_CPU, (REVIEW_SECONDS, REVIEW_SECONDS))

    def still(done: int, total: int) -> None:
        if os.getppid() != server:
            raise SystemExit

    lines = _review_lines(told, game, still)
    new = Path(f"{path}.new")
    new.write_text(json.dumps(lines), "utf-8")
    new.rename(path)


def _review_lines(told: object, game: str, progress: Any) -> Json:
    with assembly.opened(Settings.model_validate(told)) as server:
        with server.reading() as work:
            asked = review.gather(work, positions.game_named(work.session, game))
        found = review.reckon_review(asked, review.BY_LETTER, progress)
        lines = review.review_lines(server, asked, found, review.BY_LETTER)
    return [[depth, said.to_json()] for depth, said in lines]
