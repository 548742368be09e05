"""`pbem simulate`: how many letters and days a game takes, by how much its players want to be asked."""

from __future__ import annotations

import logging
import math
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine

from pbem.campaign.terms import INTERRUPT, Terms
from pbem.cli.ends import Stop
from pbem.cli.log import open_log
from pbem.cli.simulated import Match, Mode, Plan, Played
from pbem.store import migrations
from pbem.store.engine import open_engine

__all__ = ["MODES", "fresh_database", "plan_of", "play_out", "simulate", "table"]

PLANS = Path(__file__).with_name("demo_games")
MODES = (
    Mode("standing orders only"),
    Mode("ASK for 15 %", share=0.15),
    Mode("interrupt", terms=Terms(reactions=INTERRUPT, asks=1000)),
)
"""Nobody is asked; players ask to be asked about some of what may come; everybody is asked about everything."""


def simulate(*, game: str, games: int, seed: int, turns: int | None) -> None:
    """Print the table of so many games of each mode; Stop if there is no plan for the game."""
    open_log(level=logging.ERROR)
    for line in table(plan_of(game), games, seed, turns):
        print(line, flush=True)


def plan_of(game: str = "") -> Plan:
    """What is played of a game, of the first that can be if none is named; Stop with those that can be."""
    plans = {path.parent.name: path for path in sorted(PLANS.glob("*/simulate.toml"))}
    name = game or next(iter(plans))
    if name not in plans:
        raise Stop(f"{game} cannot be simulated; these can: {', '.join(plans)}")
    return Plan(name, **tomllib.loads(plans[name].read_text("utf-8")))


def table(plan: Plan, games: int, seed: int, turns: int | None = None) -> Iterator[str]:
    """The table as Markdown, a line as soon as it is known; Stop if a game does not come to its end."""
    columns = ["mode", "games", *(f"letters to {seat}" for seat in plan.seats), "choices", "questions", "silence"]
    columns += ["days (median)", "days (90 %)"]
    yield _line(columns)
    yield _line(["---", *(["--:"] * (len(columns) - 1))])
    fresh = fresh_database()
    for mode in MODES:
        yield _line(_row(mode, [play_out(fresh, plan, mode, f"{seed} {n}", turns) for n in range(1, games + 1)]))


def play_out(fresh: bytes, plan: Plan, mode: Mode, seed: str, turns: int | None = None) -> Played:
    """Play a game in a copy of the empty database `fresh`, to its end or to that of turn `turns`."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "pbem.db")
        path.write_bytes(fresh)
        with _engine(path) as engine:
            return Match(engine, plan, mode, seed, turns).play()


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
