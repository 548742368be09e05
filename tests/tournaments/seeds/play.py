"""One seed played from JOIN to its prizes, and held against what was promised."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import structlog

from tests.tournaments.seeds import plants
from tests.tournaments.seeds.people import People
from tests.tournaments.seeds.promises import broken, stuck
from tests.tournaments.seeds.settings import setting
from tests.tournaments.seeds.town import Town

_LONGEST = datetime(2031, 1, 7, tzinfo=UTC)
_MEMORY = Path("/dev/shm")


class Played(NamedTuple):
    """What came of a seed: its setting, what is wrong, letters of the server, CPU seconds, and where it lies."""

    seed: int
    name: str
    wrong: tuple[str, ...]
    letters: int
    seconds: float
    folder: Path


def play(seed: int, plant: str = "") -> Played:
    """Play the tournament of a seed; a `plant` puts a fault in, which is to be found."""
    began = time.process_time()
    folder = Path(mkdtemp(prefix=f"cup-{seed}-", dir=_MEMORY if _MEMORY.is_dir() else None))
    made = setting(seed)
    with plants.planted(plant) as arrives, _quiet():
        town = Town(folder, made.rules, arrives)
        try:
            wrong = tuple(_wrong(town, People(town, made, seed)))
            letters = sum(map(len, town.boxes.values()))
        except Exception as fault:
            wrong, letters = (f"{type(fault).__name__}: {fault}",), 0
        finally:
            town.close()
    return Played(seed, made.name, wrong, letters, time.process_time() - began, folder)


def _wrong(town: Town, people: People) -> Iterator[str]:
    """Play until nothing happens any more, and yield what is wrong; what is stuck ends it."""
    while True:
        town.rest()
        people.read()
        if found := list(stuck(town)):
            yield from found
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
