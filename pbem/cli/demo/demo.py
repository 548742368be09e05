"""`pbem demo`: a game by mail on this machine, with everything that a real one has but the distance.

Told on the way: a line a turn with the score, and each letter that was refused once its writer has mended it. At the
end stand the last reports, the result, and whether the whole game resolves again to the same. What goes wrong ends
the demo with one line. It is never given up for being slow, only when no letter comes any more.
"""

from __future__ import annotations

import signal
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.game_replay import replay
from pbem.cli.plain_output import readable
from pbem.cli.rulebooks import find_game
from pbem.engine.data.messages import plain

if TYPE_CHECKING:
    from pbem.cli.demo.stage import Part

app = typer.Typer()


@app.command()
def demo(
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep database and letters here.")] = None,
    turns: Annotated[int | None, typer.Option(min=1, help="Turns to play; all of them without this.")] = None,
    game: Annotated[str, typer.Option(help="The game to play; the first that has a demo.")] = "",
    scenario: Annotated[str, typer.Option(help="The battle of it; the one of its demo without this.")] = "",
    war: Annotated[str, typer.Option(help="A whole war in place of a battle, camps and all.")] = "",
    seconds: Annotated[float, typer.Option(min=5, help="Give up when no letter comes for so many seconds.")] = 120,
    verbose: Annotated[bool, typer.Option("--verbose", help="A line for every letter.")] = False,
) -> None:
    """Play a game by mail on this machine: a mail server, the daemon, and two players who write letters."""
    try:
        from pbem.cli.demo.progress import Progress, kind_of
        from pbem.cli.demo.stage import NAME, Battle, Stage, first_demo
    except ModuleNotFoundError as missing:
        if str(missing.name).startswith("pbem"):
            raise
        library = str(missing.name).partition(".")[0]
        raise Stop(f"the demo needs {library}, of its mail server: pip install 'pbem[embedded]'") from None
    from pbem.cli.log_output import open_log

    open_log()
    game = game or first_demo()
    rules, battle = find_game(game), Battle(game, scenario, turns, war)
    folder = folder_for(out)
    begun = time.monotonic()
    progress = Progress(verbose)
    with _ended_by_sigterm(), Stage(folder, battle, seconds, progress) as stage:
        progress.begin(stage.parts, stage.told["score"], stage.told["result"])
        print(f"{rules.name} by mail: {plain(stage.title)}, {stage.turns} turns; all is kept in {folder}")
        print("This takes about half a minute, and some minutes on a busy machine.", flush=True)
        if not stage.knows:
            print("The players know nothing of its ground but what their letters tell: they go where the enemy is.")
        stage.open()
        print("  The server runs; the first letters are on their way.", flush=True)
        stage.play()
        if progress.over:
            stage.wait(lambda: progress.opened == len(stage.parts) * stage.games, "the letters that open everything")
        # One of each language is enough to be read.
        for part in {part.language: part for part in reversed(stage.parts)}.values():
            letter = [path for path in stage.letters(part) if kind_of(path) == "report"][-1]
            print(f"\n{'=' * 72}\n{readable(letter.read_bytes())}")
    print("=" * 72)
    progress.end()
    replay(NAME, folder / "pbem.toml")
    for part in stage.parts:
        _check(part, stage.letters(part), progress.over)
    print(f"All letters, as they were mailed: {folder / 'letters'}")
    print(f"What the daemon wrote: {folder / 'serve.log'}")
    print(f"{time.monotonic() - begun:.1f} seconds in all")
    print("To play yourself, against a bot, in the browser: pbem try")


def _check(part: Part, letters: Sequence[Path], over: bool) -> None:
    """Check what a player has in his mailbox, the rules too once the game is over; Stop if anything is false."""
    from pbem.cli.letter_checks import Asked, judge
    from pbem.cli.libraries import FAST

    verdict = judge(letters, Asked(full=over), FAST)
    found = [one for line in verdict.lines for one in line.found]
    whys = [f"{one.check}: {one.told}" for one in found if one.truth is False or over]
    if whys:
        raise Stop(f"the demo failed: {part.name}'s letters do not prove what they claim: {whys[0]}", FINDING)
    held = sum(line.held for line in verdict.lines)
    played = ", the rules run again" if over else ""
    sealed = f"; {len(found)} sealed until the game is over" if found else ""
    print(f"{part.name}'s letters verify: {held} facts, every one true{played}{sealed}")


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


def folder_for(out: Path | None) -> Path:
    """An empty folder for a demo, a new one unless one is named; Stop if it is not empty."""
    try:
        if out is None:
            return Path(tempfile.mkdtemp(prefix="pbem-demo-"))
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise Stop(f"{out} is not empty: name another folder, or remove it")
    except OSError as wrong:
        raise Stop(f"cannot write to {out}: {wrong.strerror}") from None
    return out.resolve()
