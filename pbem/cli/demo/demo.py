"""Show games by mail on this machine: `pbem demo`, `pbem demo-event`.

A game is like a real one, but on one machine. A line for each turn is printed with the score, and each refused
letter once its author has corrected it. At the end come the last reports, the result, and whether a replay of the
whole game is equal. A fault ends the demo with one line. A slow demo goes on; it is only given up when no letter
comes any more.

A tournament goes from JOIN to the prizes, on a clock that is moved. Nobody intervenes: entrants fall silent, leave,
rest, come late and dispute, and the director reads and never answers. At the end the log is checked, and everything
is in a folder to be read.
"""

from __future__ import annotations

import re
import signal
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from pbem.cli.exit_codes import FINDING, CommandError
from pbem.cli.game_pages import replay
from pbem.cli.output import letter_text
from pbem.cli.rulebooks import find_game
from pbem.engine.data.messages import plain_english
from pbem.lazy import lazily, load

with lazily():
    from pbem.cli import letter_checks, log_output, rulebooks, verify
    from pbem.cli.demo import stage as demo_stage
    from pbem.cli.demo import tournament
    from pbem.log import log_check
    from pbem.store import queries
    from pbem.tournaments import founding
    from pbem.tournaments.arithmetic.rules import reading


if TYPE_CHECKING:
    from pbem.cli.demo.stage import CastMember
    from pbem.cli.demo.tournament import DemoWorld, LetterWriters

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
    """Play a game by mail on this machine.

    Starts a mail server, the daemon, and two players who write letters.
    """
    try:
        load(demo_stage)
    except ModuleNotFoundError as missing:
        # A part of this program that is missing is a bug, and nothing to install.
        if str(missing.name).startswith("pbem"):
            raise
        library = str(missing.name).partition(".")[0]
        raise CommandError(f"the demo needs {library}, of its mail server: pip install 'pbem[embedded]'") from None
    log_output.open_log()
    game = game or demo_stage.first_game_with_demo()
    rules, battle = find_game(game), demo_stage.DemoGame(game, scenario, turns, war)
    folder = make_folder(out)
    started = time.monotonic()
    progress = demo_stage.GameProgress(verbose)
    with _exit_on_sigterm(), demo_stage.DemoProcesses(folder, battle, seconds, progress) as stage:
        progress.begin(stage.parts)
        print(f"{rules.name} by mail: {plain_english(stage.title)}, {stage.turns} turns; all is kept in {folder}")
        print("This takes about half a minute, and some minutes on a busy machine.", flush=True)
        stage.open()
        print("  The server runs; the first letters are on their way.", flush=True)
        stage.play()
        if progress.over:
            stage.wait(lambda: progress.opened == len(stage.parts) * stage.games, "the letters that open everything")
        # One of each language is enough to be read.
        for part in {part.language: part for part in reversed(stage.parts)}.values():
            letter = [path for path in stage.letters(part) if demo_stage.letter_kind(path) == "report"][-1]
            print(f"\n{'=' * 72}\n{letter_text(letter.read_bytes())}")
    print("=" * 72)
    progress.end()
    replay(demo_stage.NAME, folder / "pbem.toml")
    for part in stage.parts:
        _check_game(part, stage.letters(part), progress.over)
    print(f"All letters, as they were mailed: {folder / 'letters'}")
    print(f"What the daemon wrote: {folder / 'serve.log'}")
    print(f"{time.monotonic() - started:.1f} seconds in all")
    print("To play yourself, against a bot, in the browser: pbem try")


def _check_game(part: CastMember, letters: Sequence[Path], over: bool) -> None:
    """Check a player's letters, and the rules if it is over; raise CommandError."""
    verdict = letter_checks.verify_files(letters, letter_checks.VerificationRequest(full=over), verify.FAST)
    findings = [finding for line in verdict.lines for finding in line.found]
    whys = [f"{finding.check}: {finding.sentence}" for finding in findings if finding.truth is False or over]
    if whys:
        raise CommandError(f"the demo failed: {part.name}'s letters do not prove what they claim: {whys[0]}", FINDING)
    fact_count = sum(line.held for line in verdict.lines)
    played = ", the rules run again" if over else ""
    sealed = f"; {len(findings)} sealed until the game is over" if findings else ""
    print(f"{part.name}'s letters verify: {fact_count} facts, every one true{played}{sealed}")


@contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Let SIGTERM end the block by an exception, so that no child is left."""

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def make_folder(out: Path | None) -> Path:
    """Return an empty folder, a new one by default; raise CommandError if not empty."""
    try:
        if out is None:
            return Path(tempfile.mkdtemp(prefix="pbem-demo-"))
        out.mkdir(parents=True, exist_ok=True)
        if any(out.iterdir()):
            raise CommandError(f"{out} is not empty: name another folder, or remove it")
    except OSError as wrong:
        raise CommandError(f"cannot write to {out}: {wrong.strerror}") from None
    return out.resolve()


_BEGINS = datetime(2030, 1, 7, 9, tzinfo=UTC)
"""A Monday in the far future, so that nobody takes a date of a demo for one of a real game."""
_LATEST = datetime(2031, 1, 7, tzinfo=UTC)
"""A year later: a tournament that is not over by then will never end."""


@app.command("demo-event")
def demo_event(
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep database and letters here.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Who does what, and how fast they write.")] = 1,
    seconds: Annotated[float, typer.Option(min=5, help="Give up when nothing goes on for so many seconds.")] = 120,
) -> None:
    """Play a tournament by mail on this machine.

    Sixteen entrants, four rounds and a knockout, with nobody to help.
    """
    log_output.open_log()
    folder = make_folder(out)
    started = time.monotonic()
    print(f"a tournament by mail; all is kept in {folder}", flush=True)
    letter_count = play_tournament(folder, seed, seconds, tell=True)
    print(f"All letters, as they were mailed: {folder / 'letters'}")
    print(f"{letter_count} letters in all, {time.monotonic() - started:.1f} seconds")


def play_tournament(folder: Path, seed: int, seconds: float, *, tell: bool = False) -> int:
    """Play the tournament of a seed; return the number of letters.

    Raise CommandError if anything is wrong.
    """
    addresses = [*(person.address for person in tournament.demo_entrants()), tournament.DIRECTOR]
    with tournament.DemoWorld(folder, addresses, tournament.ManualClock(_BEGINS)) as world:
        _create_tournament(world)
        cast = tournament.LetterWriters(world, seed)
        cast.begin()
        narrator = _Narrator(world, tell)
        while True:
            started = time.monotonic()
            world.rest()
            cast.reads()
            for line in cast.news():
                narrator.say(line)
            narrator.look()
            moment = world.next_moment()
            if moment is None:
                break
            if time.monotonic() - started > seconds or moment > _LATEST:
                raise CommandError(
                    f"the demo failed: {narrator.state} at {world.clock.now():%Y-%m-%d} (see {folder})", FINDING
                )
            world.clock.move(moment)
        _check_tournament(world, cast, narrator)
    return sum(1 for _ in (folder / "letters").glob("*/*.eml"))


def _create_tournament(world: DemoWorld) -> None:
    """Create the tournament, as `pbem event new` does."""
    check = founding.server_check(world.server, rulebooks.games())
    rules = reading.read_rules((tournament.EVENT / "cup.toml").read_text("utf-8"), "cup.toml", check)
    conduct = (tournament.EVENT / "conduct.txt").read_text("utf-8")
    with world.server.work() as tx:
        founding.create_tournament(
            tx,
            founding.NewTournament(
                tournament.TOURNAMENT_NAME, rules, conduct, tournament.DIRECTOR, "en", rulebooks.games()
            ),
        )


class _Narrator:
    """The narrator of a tournament: rounds drawn and closed, departures, disputes."""

    def __init__(self, world: DemoWorld, tell: bool) -> None:
        self.world, self.tell = world, tell
        self.states: Mapping[str, str] = {}
        self.state = ""

    def say(self, line: str) -> None:
        """Print a line with its day."""
        if self.tell:
            print(f"  {self.world.clock.now():%Y-%m-%d}  {line}", flush=True)

    def look(self) -> None:
        """Report rounds whose state has changed."""
        with self.world.server.reading() as tx:
            event = queries.tournaments.tournament(tx.session, tournament.TOURNAMENT_NAME)
            rounds = queries.tournaments.rounds(tx.session, tournament.TOURNAMENT_NAME)
        self.state = event.state if event is not None else ""
        now = {f"round {round_.number}": round_.state for round_ in rounds}
        for name, state in now.items():
            if self.states.get(name) != state and state in ("drawn", "closed"):
                self.say(f"{name} {state}")
        self.states = now


def _check_tournament(world: DemoWorld, cast: LetterWriters, narrator: _Narrator) -> None:
    """Check the finished tournament; raise CommandError with the fault."""
    wrong = list(log_check.check(world.server).wrong)
    with world.server.reading() as tx:
        event = queries.tournaments.tournament(tx.session, tournament.TOURNAMENT_NAME)
        rounds = queries.tournaments.rounds(tx.session, tournament.TOURNAMENT_NAME)
        if event is None or event.state != "over":
            wrong.append(f"the tournament is {event.state if event else 'gone'}")
        for round_ in rounds:
            seated = [
                number
                for board in queries.tournaments.boards(tx.session, round_.id)
                if board.leg != "b"
                for number in {board.first, board.second} - {0}
            ]
            wrong += [f"e{number} is twice in {round_.name}" for number in {*seated} if seated.count(number) > 1]
        games = [game.state for game in queries.games.all_games(tx.session)]
    wrong += [f"{games.count(state)} games are {state}" for state in {*games} - {"over"}]
    if wrong:
        # The same fault may be found in each of dozens of games: five show what it is.
        raise CommandError("the demo failed: " + "; ".join(wrong[:5]), FINDING)
    narrator.say(f"{len(rounds)} rounds, {len(games)} games, all over; the log is as it was signed")
    if narrator.tell:
        _show_last_letter(world, cast)


def _show_last_letter(world: DemoWorld, cast: LetterWriters) -> None:
    """Print the last letter of the tournament to somebody who got it."""
    for member in cast.members:
        for path in reversed(sorted(world.letters(member.who.address).glob("*.eml"))):
            text = letter_text(path.read_bytes())
            if re.search(r"^Prizes|^Premios", text, re.MULTILINE):
                print(f"\n{'=' * 72}\n{text}\n{'=' * 72}")
                return
