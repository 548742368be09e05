"""Series of simulated games, one for each mode, and the table of what they took."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine

from pbem.cli.exit_codes import Stop
from pbem.cli.rulebooks import registry
from pbem.cli.simulate.match import Match, Mode, Played, Simulation
from pbem.engine.map.sheets import AreaGround
from pbem.runtime.terms import INTERRUPT, Terms
from pbem.store import migrations
from pbem.store.engine import open_engine

GAMES = Path(__file__).with_name("games")
MODES = (
    Mode("standing orders only"),
    Mode("ASK for 15 %", share=0.15),
    Mode("interrupt", terms=Terms(reactions=INTERRUPT, asks=1000)),
)
"""Nobody is asked; players ask to be asked about some of what may come; everybody is asked about everything."""


def simulation_of(game: str = "", scenario: str = "") -> Simulation:
    """What is played of a game, of the first that can be if none is named; Stop with those that can be.

    In another battle than that of the game's settings players are asked about any space of its map.
    """
    files = {path.stem: path for path in sorted(GAMES.glob("*.toml"))}
    name = game or next(iter(files))
    if name not in files:
        raise Stop(f"{game} cannot be simulated; these can: {', '.join(files)}")
    told = Simulation(name, **tomllib.loads(files[name].read_text("utf-8")))
    return told._replace(scenario=scenario, places=_places(name, scenario)) if scenario else told


def _places(game: str, scenario: str) -> Sequence[str]:
    """The spaces of a scenario's map; Stop with the scenarios that there are."""
    rules = registry(game)
    if scenario not in rules.editions():
        raise Stop(f"{game} has no scenario {scenario}; there are: {', '.join(rules.editions())}")
    ground = rules.pictured and rules.pictured.ground(rules.edition(scenario, {}, {}))
    return sorted(ground.area.spaces) if isinstance(ground, AreaGround) else ()


def table(simulation: Simulation, games: int, seed: int, turns: int | None = None) -> Iterator[str]:
    """The table as Markdown, a line as soon as it is known; Stop if a game does not come to its end."""
    columns = ["mode", "games", *(f"letters to {seat}" for seat in simulation.seats), "choices", "questions", "silence"]
    columns += ["days (median)", "days (90 %)"]
    yield _line(columns)
    yield _line(["---", *(["--:"] * (len(columns) - 1))])
    fresh = fresh_database()
    for mode in MODES:
        yield _line(_row(mode, [play_out(fresh, simulation, mode, f"{seed} {n}", turns) for n in range(1, games + 1)]))


def play_out(fresh: bytes, simulation: Simulation, mode: Mode, seed: str, turns: int | None = None) -> Played:
    """Play a game in a copy of the empty database `fresh`, to its end or to that of turn `turns`."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pbem.db")
        path.write_bytes(fresh)
        with _engine(path) as engine:
            return Match(engine, simulation, mode, seed, turns).play()


def fresh_database() -> bytes:
    """An empty database as a file's bytes."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pbem.db")
        with _engine(path) as engine:
            migrations.upgrade(engine)
        return path.read_bytes()


def _row(mode: Mode, found: Sequence[Played]) -> list[str]:
    """A mode's cells: means a game, shares of all, days by nearest rank."""
    asked, silent, choices = (sum(column) for column in zip(*(one[1:4] for one in found), strict=True))
    days = sorted(one.days for one in found)
    return [
        mode.name,
        str(len(found)),
        *(f"{sum(one.letters[seat] for one in found) / len(found):.1f}" for seat in found[0].letters),
        f"{choices / len(found):.1f}",
        f"{asked / len(found):.1f} ({asked / max(1, choices):.0%})",
        f"{silent / asked:.0%}" if asked else "-",
        *(f"{days[math.ceil(share * len(days)) - 1]:.1f}" for share in (0.5, 0.9)),
    ]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


@contextmanager
def _engine(path: Path) -> Iterator[Engine]:
    engine = open_engine(f"sqlite:///{path}")
    try:
        yield engine
    finally:
        engine.dispose()
