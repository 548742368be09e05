"""`pbem demo`: a game by mail on this machine, with everything that a real one has but the distance.

Told on the way: a line a turn with the score, and each letter that was refused once its writer has mended it. At the
end stand the last reports, the result, and whether the whole game resolves again to the same. What goes wrong ends
the demo with one line; a limit of time holds for the whole of it.
"""

from __future__ import annotations

import re
import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from pbem.cli.checking import judge
from pbem.cli.ends import FINDING, Stop
from pbem.cli.games import readable, replay_game
from pbem.cli.log import open_log
from pbem.cli.player import mistakes
from pbem.cli.stage import NAME, Part, Stage, first_demo, headers
from pbem.cli.verify import FAST
from pbem.cli.wiring import find_game

__all__ = ["Progress", "run_demo"]


def run_demo(*, game: str, out: Path | None, turns: int | None, seconds: float, verbose: bool = False) -> None:
    """Play the turns, all of the game without `turns`; Stop with one line if that does not come to its end in time."""
    open_log()
    game = game or first_demo()
    rules = find_game(game)
    folder = _folder(out)
    begun = time.monotonic()
    progress = Progress(verbose)
    with _ended_by_sigterm(), Stage(folder, game, turns, seconds, progress.letter) as stage:
        progress.begin(stage.parts, stage.told["score"], stage.told["result"])
        print(f"A game of {rules.name} by mail, {stage.turns} turns; everything is kept in {folder}", flush=True)
        stage.open()
        stage.play()
        if progress.over:
            stage.wait(lambda: progress.opened == len(stage.parts), "the letters that open everything")
        for part in stage.parts:
            letter = [path for path in stage.letters(part) if _kind(path) == "report"][-1]
            print(f"\n{'=' * 72}\n{readable(letter.read_bytes())}")
    print("=" * 72)
    progress.end()
    replay_game(folder / "pbem.toml", NAME)
    for part in stage.parts:
        _check(part, stage.letters(part), progress.over)
    print(f"All letters, as they were mailed: {folder / 'letters'}")
    print(f"What the daemon wrote: {folder / 'serve.log'}")
    print(f"{time.monotonic() - begun:.1f} seconds in all")


def _check(part: Part, letters: Sequence[Path], over: bool) -> None:
    """Check what a player has in his mailbox, the rules too once the game is over; Stop if anything is false."""
    verdict = judge(letters, "", (), full=over, means=FAST)
    if verdict.code:
        whys = [f"{line.check}: {why}" for line in verdict.lines for why in line.why]
        raise Stop(f"the demo failed: {part.name}'s letters do not prove what they claim: {whys[0]}", FINDING)
    held = sum(line.held for line in verdict.lines)
    played = ", the rules run again" if over else ""
    print(f"{part.name}'s letters verify: {held} facts, every one true{played}")


class Progress:
    """What is told of a game while its letters go by: `letter` is shown each of them, once, as a file.

    `over` is whether a report told the result of the game, `opened` how many letters opened all that was sealed.
    """

    def __init__(self, verbose: bool = False) -> None:
        self.verbose = verbose
        self.names: dict[str, str] = {}
        self.score = self.result = re.compile("(?!)")
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
        elif kind == "report":
            self._report(phase, readable(path.read_bytes()))

    def end(self) -> None:
        """Tell how it ended; Stop if a refused letter was never mended."""
        if self.refused:
            name, whys = next(iter(self.refused.items()))
            raise Stop(f"the demo failed: {name} never mended a refused letter: {whys[0]}", FINDING)
        print(f"Result: {self.said}")
        players, server = self.counted["players"], self.counted["server"]
        print(f"Letters: {players} from the players, {server} from the server")
        print(f"Refused: {self.mended}, each mended from the answer alone and then accepted")

    def _report(self, phase: str, text: str) -> None:
        score, result = self.score.search(text), self.result.search(text)
        self.over |= result is not None
        turn = self.turn + 1 if phase == "-" else int(phase[1:].partition(".")[0])
        if score is None or turn == self.turn:
            return
        letters, seconds = sum(self.counted.values()), time.monotonic() - self.begun
        print(f"  turn {self.turn:2}: {score[1]:30}  {letters:4} letters  {seconds:5.1f} s", flush=True)
        self.turn = turn
        self.said = ". ".join(found[1] for found in (result, score) if found)


def _about(message_id: str) -> tuple[str, str]:
    """Phase and kind of a letter of ours, such as ``T3.spain~1`` and ``report``."""
    parts = message_id.strip("<>").partition("@")[0].split(".")
    return ".".join(parts[1:-3]), parts[-3] if len(parts) > 3 else ""


def _kind(path: Path) -> str:
    return _about(str(headers(path)["Message-ID"]))[1]


@contextmanager
def _ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end the block as an exception does, so that no child is left behind."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _folder(out: Path | None) -> Path:
    try:
        if out is None:
            return Path(tempfile.mkdtemp(prefix="pbem-demo-"))
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise Stop(f"{out} is not empty: name another folder, or remove it")
    except OSError as wrong:
        raise Stop(f"cannot write to {out}: {wrong.strerror}") from None
    return out.resolve()
