"""`pbem demo-event`: a whole tournament by mail on this machine, from JOIN to the prizes, on a clock that is moved.

Nobody helps: entrants fall silent, leave, rest, come late and dispute, and a director reads and never answers. At the
end the log is checked, and everything lies in a folder to be read.
"""

from __future__ import annotations

import re
import runpy
import time
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pbem.cli.demo.demo import folder_for
from pbem.cli.exit_codes import FINDING, Stop
from pbem.cli.plain_output import readable

if TYPE_CHECKING:
    from pbem.cli.demo.event.cast import Cast
    from pbem.cli.demo.event.world import World

app = typer.Typer()
HERE = Path(__file__).with_name("event")
_BEGINS = datetime(2030, 1, 7, 9, tzinfo=UTC)
_LONGEST = datetime(2031, 1, 7, tzinfo=UTC)


@app.command("demo-event")
def demo_event(
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Keep database and letters here.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Who does what, and how fast they write.")] = 1,
    seconds: Annotated[float, typer.Option(min=5, help="Give up when nothing goes on for so many seconds.")] = 120,
) -> None:
    """Play a tournament by mail on this machine: sixteen entrants, four rounds and a knockout, nobody to help."""
    from pbem.cli.log_output import open_log

    open_log()
    folder = folder_for(out)
    begun = time.monotonic()
    print(f"a tournament by mail; all is kept in {folder}", flush=True)
    world = played(folder, seed, seconds, tell=True)
    print(f"All letters, as they were mailed: {folder / 'letters'}")
    print(f"{world} letters in all, {time.monotonic() - begun:.1f} seconds")


def played(folder: Path, seed: int, seconds: float, *, tell: bool = False) -> int:
    """Play the tournament of a seed in an empty folder, and return how many letters went; Stop if anything is wrong."""
    from pbem.cli.demo.event.cast import DIRECTOR, Cast, people
    from pbem.cli.demo.event.world import HandClock, World

    addresses = [*(one.address for one in people()), DIRECTOR]
    with World(folder, addresses, HandClock(_BEGINS)) as world:
        _found(world)
        cast = Cast(world, plans(), seed)
        cast.begin()
        seen = _Seen(world, tell)
        while True:
            began = time.monotonic()
            world.rest()
            cast.reads()
            for line in cast.news():
                seen.say(line)
            seen.look()
            moment = world.next_moment()
            if moment is None:
                break
            if time.monotonic() - began > seconds or moment > _LONGEST:
                raise Stop(f"the demo failed: {seen.state} at {world.clock.now():%Y-%m-%d} (see {folder})", FINDING)
            world.clock.move(moment)
        _check(world, cast, seen)
    return sum(1 for _ in (folder / "letters").glob("*/*.eml"))


def plans() -> Any:
    """Makes the plan of a player from seat and language."""
    from pbem.cli.demo.stage import GAMES, first_demo

    scenario = tomllib.loads((HERE / "cup.toml").read_text("utf-8"))["table"]["scenario"]
    game = GAMES / first_demo()
    plan = runpy.run_path(str(game / "plan.py"))["Plan"]
    knows = tomllib.loads((game / "battles.toml").read_text("utf-8"))[scenario]
    return lambda seat, language: plan(seat, language, knows)


def _found(world: World) -> None:
    """Found the tournament, as `pbem event new` does."""
    from pbem.cli.demo.event.cast import DIRECTOR, NAME
    from pbem.cli.rulebooks import games
    from pbem.tournaments import founding
    from pbem.tournaments.arithmetic.rules.reading import read_rules

    check = founding.against_here(world.server, games())
    rules = read_rules((HERE / "cup.toml").read_text("utf-8"), "cup.toml", check)
    conduct = (HERE / "conduct.txt").read_text("utf-8")
    with world.server.work() as work:
        founding.found(work, founding.NewTournament(NAME, rules, conduct, DIRECTOR, "en", games()))


class _Seen:
    """What is told while it goes by: rounds as they are drawn and closed, and what became of whom."""

    def __init__(self, world: World, tell: bool) -> None:
        self.world, self.tell = world, tell
        self.states: Mapping[str, str] = {}
        self.state = ""

    def say(self, line: str) -> None:
        """Tell a line with the day on which it happens."""
        if self.tell:
            print(f"  {self.world.clock.now():%Y-%m-%d}  {line}", flush=True)

    def look(self) -> None:
        """Tell of rounds that have come to another state."""
        from pbem.cli.demo.event.cast import NAME
        from pbem.store import queries

        with self.world.server.reading() as work:
            event = queries.tournaments.tournament(work.session, NAME)
            rounds = queries.tournaments.rounds(work.session, NAME)
        self.state = event.state if event is not None else ""
        now = {f"round {one.number}": one.state for one in rounds}
        for name, state in now.items():
            if self.states.get(name) != state and state in ("drawn", "closed"):
                self.say(f"{name} {state}")
        self.states = now


def _check(world: World, cast: Cast, seen: _Seen) -> None:
    """Hold it against what it promises; Stop with what is wrong."""
    from pbem.cli.demo.event.cast import NAME
    from pbem.log import log_check
    from pbem.store import queries

    wrong = list(log_check.check(world.server).wrong)
    with world.server.reading() as work:
        event = queries.tournaments.tournament(work.session, NAME)
        rounds = queries.tournaments.rounds(work.session, NAME)
        if event is None or event.state != "over":
            wrong.append(f"the tournament is {event.state if event else 'gone'}")
        for one in rounds:
            at = [
                number
                for board in queries.tournaments.boards(work.session, one.id)
                if board.leg != "b"
                for number in {board.first, board.second} - {0}
            ]
            wrong += [f"e{number} is twice in {one.name}" for number in {*at} if at.count(number) > 1]
        games = [game.state for game in queries.games.every(work.session)]
    wrong += [f"{games.count(state)} games are {state}" for state in {*games} - {"over"}]
    if wrong:
        raise Stop("the demo failed: " + "; ".join(wrong[:5]), FINDING)
    seen.say(f"{len(rounds)} rounds, {len(games)} games, all over; the log is as it was signed")
    if seen.tell:
        _last_letter(world, cast)


def _last_letter(world: World, cast: Cast) -> None:
    """Show the last letter of the tournament to somebody who got it."""
    for one in cast.members:
        for path in reversed(sorted(world.letters(one.who.address).glob("*.eml"))):
            text = readable(path.read_bytes())
            if re.search(r"^Prizes|^Premios", text, re.MULTILINE):
                print(f"\n{'=' * 72}\n{text}\n{'=' * 72}")
                return
