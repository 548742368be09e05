"""A seed played from JOIN to its prizes, and held against what was promised: one tournament, or a season of four."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import structlog

from tests.tournaments.seeds import plants
from tests.tournaments.seeds.people import People
from tests.tournaments.seeds.promises import broken, false_proofs, silent_pairs, stuck
from tests.tournaments.seeds.season import season
from tests.tournaments.seeds.settings import setting
from tests.tournaments.seeds.town import Cup, Handed, Town

_LONGEST = datetime(2031, 1, 7, tzinfo=UTC)
_MEMORY = Path("/dev/shm")


class Played(NamedTuple):
    """What came of a seed: its setting, what is wrong, letters of the server, CPU seconds, and where it lies.

    `pairs` is how many boards of a season had two who both wrote nothing. How many there are lies with the seed: a run
    as a whole shows that there were enough.
    """

    seed: int
    name: str
    wrong: tuple[str, ...]
    letters: int
    seconds: float
    folder: Path
    pairs: int = 0


SILENT_PAIRS = 4
"""How many silent pairs a season has on average at least: one in each of its tournaments."""
CUP = "cup60"
"""The name of the one tournament of a seed."""


def play(seed: int, plant: str = "") -> Played:
    """Play the tournament of a seed; a `plant` puts a fault in, which is to be found."""
    made = setting(seed)

    def start(folder: Path, arrives: Handed) -> tuple[Town, list[People]]:
        town = Town(folder, [Cup(CUP, made.rules)], arrives)
        return town, [People(town, CUP, made, seed)]

    return _played(seed, made.name, start, plant)


def play_season(seed: int, plant: str = "") -> Played:
    """Play the season of a seed: two cups, a league, a team event, with an outage in the middle of them."""
    made = season(seed)

    def start(folder: Path, arrives: Handed) -> tuple[Town, list[People]]:
        town = Town(folder, [Cup(cup, setting.rules) for cup, setting in made.cups.items()], arrives, made.outage)
        return town, [People(town, cup, setting, f"{seed} {cup}") for cup, setting in made.cups.items()]

    pairs = 0

    def check_season(town: Town) -> Iterator[str]:
        nonlocal pairs
        pairs = sum(silent_pairs(town, cup) for cup in made.cups)
        for cup, cup_setting in made.cups.items():
            # Of those who play, whoever has the most letters can prove most.
            player = max((part.address for part in cup_setting.people), key=lambda address: len(town.boxes[address]))
            yield from (f"{player}, {cup}: {fault}" for fault in false_proofs(town, cup, player))

    played = _played(seed, "season", start, plant, check_season)
    return played._replace(pairs=pairs)


def _nothing_more(_: Town) -> Iterator[str]:
    yield from ()


def _played(
    seed: int,
    name: str,
    start: Callable[[Path, Handed], tuple[Town, list[People]]],
    plant: str,
    check: Callable[[Town], Iterator[str]] = _nothing_more,
) -> Played:
    began = time.process_time()
    folder = Path(mkdtemp(prefix=f"cup-{seed}-", dir=_MEMORY if _MEMORY.is_dir() else None))
    with plants.planted(plant) as arrives, _quiet():
        town, people = start(folder, arrives)
        try:
            wrong = tuple(_wrong(town, people)) or tuple(check(town))
            letters = sum(map(len, town.boxes.values()))
        except Exception as fault:
            wrong, letters = (f"{type(fault).__name__}: {fault}",), 0
        finally:
            town.close()
    return Played(seed, name, wrong, letters, time.process_time() - began, folder)


def _wrong(town: Town, people: Sequence[People]) -> Iterator[str]:
    """Play until nothing happens any more, and yield what is wrong; what is stuck ends it."""
    while True:
        town.rest()
        for group in people:
            group.read()
        if not town.is_cut_off() and (waiting := list(stuck(town))):
            yield from waiting
            return
        moment = town.next_moment()
        if moment is None:
            break
        if moment > _LONGEST:
            yield f"it is not over after a year: {moment:%Y-%m-%d}"
            return
        town.clock.at = moment
    yield from broken(town)


@contextmanager
def _quiet() -> Iterator[None]:
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    try:
        yield
    finally:
        structlog.configure(**before)
