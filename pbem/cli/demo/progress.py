"""What is told of a demo while its letters go by."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from pathlib import Path

from pbem.cli.demo.player import mistakes
from pbem.cli.demo.stage import Part, headers
from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.plain_output import readable


class Progress:
    """What is told of a game while its letters go by: `letter` is shown each of them, once, as a file.

    `over` is whether a report told the result of the game, `opened` how many letters opened all that was sealed.
    """

    def __init__(self, verbose: bool = False) -> None:
        self.verbose = verbose
        self.names: dict[str, str] = {}
        self.score = self.result = re.compile("(?!)")
        self.game = ""
        self.behind: set[str] = set()
        self.turn = 1
        self.said = ""
        self.counted = {"players": 0, "server": 0}
        self.refused: dict[str, list[str]] = {}
        self.mended = self.opened = 0
        self.over = False
        self.begun = time.monotonic()

    def begin(self, parts: Sequence[Part], score: str, result: str) -> None:
        """Who plays, and the patterns by which a report tells the score of a turn and the result of the game."""
        self.names = {part.address: part.name for part in parts}
        self.score, self.result = re.compile(score, re.MULTILINE), re.compile(result, re.MULTILINE)

    def letter(self, path: Path) -> None:
        """Take note of a letter, and tell what is to be told of it."""
        head, to = headers(path), path.parent.name
        if self.verbose:
            sender = str(head["From"]).rpartition("<")[2].rstrip(">")
            print(f"  {sender} -> {to}: {head['Subject']}", flush=True)
        name = self.names.get(to)
        self.counted["server" if name else "players"] += 1
        if name is None:
            return
        # Our own letters say in their Message-ID what they are about: game.phase.kind.seat.mac
        phase, kind = _about(str(head["Message-ID"]))
        if kind == "refusal":
            text = readable(path.read_bytes())
            self.refused.setdefault(name, []).append("; ".join(mistake.why for mistake in mistakes(text)))
        elif kind == "receipt":
            for why in self.refused.pop(name, ()):
                self.mended += 1
                print(f"    {name} was refused: {why}\n    - mended, sent again, accepted", flush=True)
        elif kind == "disclosure":
            self.opened += 1
        elif kind == "report" and self._turn_to(str(head["Message-ID"]).strip("<>").partition(".")[0]):
            self._report(phase, readable(path.read_bytes()))

    def reached(self) -> str:
        """Say how far the game has come."""
        return f"after {sum(self.counted.values())} letters, in turn {self.turn}"

    def end(self) -> None:
        """Tell how it ended; Stop if a refused letter was never mended."""
        if self.refused:
            name, whys = next(iter(self.refused.items()))
            raise Stop(f"the demo failed: {name} never mended a refused letter: {whys[0]}", FINDING)
        print(f"Result: {self.said}")
        players, server = self.counted["players"], self.counted["server"]
        print(f"Letters: {players} from the players, {server} from the server")
        print(f"Refused: {self.mended}, each mended from the answer alone and then accepted")

    def _turn_to(self, game: str) -> bool:
        """Count the turns of the next game of a war anew; False for a report that another seat had of an older one."""
        if game in self.behind:
            return False
        if self.game and game != self.game:
            print(f"  {game}", flush=True)
            self.behind.add(self.game)
            self.turn = 1
        self.game = game
        return True

    def _report(self, phase: str, text: str) -> None:
        score, result = self.score.search(text), self.result.search(text)
        self.over |= result is not None
        turn = self.turn + 1 if phase == "-" else int(phase[1:].partition(".")[0])
        if score is None or turn == self.turn:
            return
        letters, seconds = sum(self.counted.values()), time.monotonic() - self.begun
        print(f"  turn {self.turn:2}: {_bare(score):30}  {letters:4} letters  {seconds:5.1f} s", flush=True)
        self.turn = turn
        # Of the end one report is enough.
        self.behind |= {self.game} if phase == "-" else set()
        self.said = ". ".join(_bare(found) for found in (result, score) if found)


def _bare(found: re.Match[str]) -> str:
    """What was found, on one line and without what stands in parentheses."""
    return re.sub(r" \([^)]*\)", "", " ".join(found[1].split()))


def _about(message_id: str) -> tuple[str, str]:
    """Phase and kind of a letter of ours, such as ``T3.spain~1`` and ``report``."""
    parts = message_id.strip("<>").partition("@")[0].split(".")
    return ".".join(parts[1:-3]), parts[-3] if len(parts) > 3 else ""


def kind_of(path: Path) -> str:
    """The kind of a letter of ours, by its file."""
    return _about(str(headers(path)["Message-ID"]))[1]
