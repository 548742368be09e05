"""Whole games between bots, every phase held against the laws; a phase that breaks one is kept as a folder.

A crash folder can be played again as it stands, by the tests and by hand::

    state.json      the position, edition included (see pbem.engine.saved_position)
    beta            the 64 bytes of the dice, in hex
    SEAT.txt        what each seat wrote; its standing orders in force in SEAT.standing.txt
    luck            the number that the law's own samples (where to pause) are drawn from
    error.txt       what happened
"""

from __future__ import annotations

import hashlib
import random
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pbem.engine.bots import Pick
from pbem.engine.game import Registry
from pbem.engine.saved_position import SavedPosition, read_position, write_position
from pbem.engine.terms import Orders
from pbem.engine.testing.laws import GameLaws, Lab, Resolved, garbled

GARBLED = 4
"""One game in so many is played by letters full of slips."""


class Crashed(AssertionError):
    """A phase that broke a law or raised; `folder` can be played again."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"{folder}: {why}")
        self.folder = folder


class Brief(NamedTuple):
    """All that a phase depends on: what each seat wrote and had in force, the dice, the laws' own samples."""

    position: SavedPosition
    letters: dict[str, str]
    standing: dict[str, str]
    beta: bytes
    luck: int
    perfect: bool = True


@dataclass
class Tally:
    """What games amounted to."""

    games: int = 0
    phases: int = 0
    events: int = 0
    windows: int = 0
    rolls: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    winners: Counter[str] = field(default_factory=Counter)

    def add(self, done: Resolved) -> None:
        self.phases += 1
        self.events += len(done.events)
        self.windows += done.windows
        self.rolls += done.rolls
        self.kinds.update(happened.kind for happened in done.events)

    def join(self, other: Tally) -> None:
        for name in ("games", "phases", "events", "windows", "rolls"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.kinds += other.kinds
        self.winners += other.winners

    def __str__(self) -> str:
        return (
            f"{self.games} games, {self.phases} phases, {self.events} events of {len(self.kinds)} kinds, "
            f"{self.rolls} rolls, {self.windows} windows"
        )


def play_phase(laws: GameLaws, brief: Brief) -> tuple[Resolved, dict[str, Orders]]:
    """Read the letters and resolve the phase; Broken, or whatever was raised."""
    game, edition, state = brief.position
    lab = Lab(laws, edition, random.Random(brief.luck))
    orders: dict[str, Orders] = {}
    for seat in game.seats(state):
        written = lab.read(state, seat, brief.letters.get(seat, ""), brief.perfect)
        in_force = game.parse(brief.standing.get(seat, ""), game.view(state, seat), seat)
        orders[seat] = Orders(written.actions, written.standing or in_force.orders.standing)
    return lab.resolve(state, orders, brief.beta), orders


def keep(folder: Path, brief: Brief) -> Path:
    """Write a crash folder from inside the handler of what was raised."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "state.json").write_text(write_position(brief.position), "utf-8")
    (folder / "beta").write_text(brief.beta.hex() + "\n", "utf-8")
    (folder / "luck").write_text(f"{brief.luck} {int(brief.perfect)}\n", "utf-8")
    for seat, text in brief.letters.items():
        (folder / f"{seat}.txt").write_text(text, "utf-8")
    for seat, text in brief.standing.items():
        (folder / f"{seat}.standing.txt").write_text(text, "utf-8")
    (folder / "error.txt").write_text(_error(), "utf-8")
    return folder


def _error() -> str:
    """What is being handled, and where it came from, without the folders of this machine."""
    _, wrong, trace = sys.exc_info()
    frames = [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in traceback.extract_tb(trace)]
    return "\n".join([*frames, f"{type(wrong).__name__}: {wrong}"]) + "\n"


def kept(folder: Path, games: Registry) -> Brief:
    """Read a crash folder."""
    position = read_position((folder / "state.json").read_text("utf-8"), games)
    luck, perfect = (folder / "luck").read_text("utf-8").split()
    texts = {file.name: file.read_text("utf-8") for file in sorted(folder.glob("*.txt"))}
    seats = [seat for seat in position.game.seats(position.state) if f"{seat}.txt" in texts]
    letters = {seat: texts[f"{seat}.txt"] for seat in seats}
    standing = {seat: texts[f"{seat}.standing.txt"] for seat in seats if f"{seat}.standing.txt" in texts}
    beta = bytes.fromhex((folder / "beta").read_text("utf-8"))
    return Brief(position, letters, standing, beta, int(luck), bool(int(perfect)))


def play_game(laws: GameLaws, seed: int, crashes: Path, bots: str = "") -> Tally:
    """Play one game to its end; everything about it follows from `seed`. Crashed if a phase does not hold."""
    tally, last = Tally(games=1), None
    for _, done in played(laws, seed, crashes, bots):
        tally.add(done)
        last = done.states[-1]
    tally.winners[getattr(last, "winner", "")] += 1
    return tally


def played(laws: GameLaws, seed: int, crashes: Path, bots: str = "") -> Iterator[tuple[Brief, Resolved]]:
    """Play one game as `play_game` does, phase by phase: what each was made of, and what came of it."""
    luck = random.Random(seed)
    game = laws.game
    options = {name: luck.choice(values) for name, values in laws.options.items()}
    scenario = luck.choice(laws.scenarios)
    edition = game.edition(scenario, options, {})
    state = game.start(edition)
    players = {seat: bots or luck.choice((*sorted(laws.bots), "random")) for seat in game.seats(state)}
    slips = luck.randrange(GARBLED) == 0
    standing: dict[str, str] = {}
    while (phase := game.phase(state)) is not None:
        letters = _letters(laws, state, players, luck.randrange, luck if slips else None)
        beta = hashlib.sha512(f"{seed} {phase}".encode()).digest()
        brief = Brief(SavedPosition(game, edition, state), letters, standing, beta, luck.randrange(2**32), not slips)
        try:
            done, orders = play_phase(laws, brief)
        except Exception as wrong:
            name = f"{game.name}-{scenario}-{seed}-T{phase[1]}-{phase[0]}"
            raise Crashed(keep(crashes / name, brief), f"{type(wrong).__name__}: {wrong}") from wrong
        yield brief, done
        state = done.states[-1]
        standing = {seat: game.canon(Orders((), given.standing)) for seat, given in orders.items()}
        standing = {seat: text for seat, text in standing.items() if _still(laws, state, seat, text)}


def _letters(
    laws: GameLaws, state: Any, players: dict[str, str], pick: Pick, luck: random.Random | None
) -> dict[str, str]:
    """What the seats write, each by its own view; with `luck` there are slips in it."""
    game = laws.game
    letters = {seat: laws.bots[players[seat]](game.view(state, seat), seat, pick) for seat in game.seats(state)}
    if luck is None:
        return letters
    words = sorted({word for text in letters.values() for word in text.replace(",", " ").split()}) or ["PASS"]
    return {seat: garbled(text, words, luck) if text else text for seat, text in letters.items()}


def _still(laws: GameLaws, state: Any, seat: str, text: str) -> bool:
    """Standing orders stay in force as long as they can be read."""
    return bool(text) and not laws.game.parse(text, laws.game.view(state, seat), seat).rejected
