"""Play whole games between bots and check every phase; failed phases are saved.

A crash folder can be played again as it is, by the tests and by hand::

    state.json      the position, edition included (see pbem.engine.saved_position)
    beta            the 64 bytes of the dice, in hex
    SEAT.txt        each seat's letter; its standing orders in force in SEAT.standing.txt
    luck            the seed of the laws' own samples (where to pause)
    error.txt       the error
"""

from __future__ import annotations

import hashlib
import importlib
import json
import os
import random
import subprocess
import sys
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from pbem.engine.bots import Bot, Bots, Pick
from pbem.engine.classes_of_1_0 import as_game
from pbem.engine.data.canon import Json, dumps
from pbem.engine.game import AnyGame, Registry
from pbem.engine.run.runners import Done, play
from pbem.engine.saved_position import SavedPosition, read_position, write_position
from pbem.engine.terms import Orders
from pbem.engine.testing.laws import GameLaws, Lab, ResolvedPhase, SeededDice, garble


def players(game: AnyGame) -> Bots:
    """Return the game's own bots; for one without, a random player.

    The random player sends a line of the order form, and sometimes nothing.
    """
    return game.bots or {"random": _by_form(game)}


def _by_form(game: AnyGame) -> Bot:
    def write(view: object, seat: str, pick: Pick) -> str:
        if seat not in game.active(view):
            return ""
        lines = [line.removeprefix("# ") for line in game.aids.template(view, seat, "en") if line.startswith("# ")]
        sendable = [
            line for line in (_pick_one(words, pick) for words in lines) if _can_be_sent(game, view, seat, line)
        ]
        return sendable[pick(len(sendable))] if sendable and pick(6) else ""

    return write


def _pick_one(words: str, pick: Pick) -> str:
    """Return a line with one of its alternatives."""
    offered = words.split(" | ")
    first = offered[0].split(" ")
    rest = [first[-1], *offered[1:]]
    return " ".join([*first[:-1], rest[pick(len(rest))]])


def _can_be_sent(game: AnyGame, view: object, seat: str, line: str) -> bool:
    reading = game.parse(line, view, seat)
    return not reading.rejected and not game.check(view, seat, reading.orders)


# A choice: slips lose orders, and most games are to be played as they were meant.
GARBLED = 4
"""One game in so many is played with letters full of slips."""


class Crashed(AssertionError):
    """Raised for a phase that broke a law or failed; `folder` can be played again."""

    def __init__(self, folder: Path, why: str) -> None:
        super().__init__(f"{folder}: {why}")
        self.folder = folder


class Brief(NamedTuple):
    """A phase's inputs: letters, standing orders, dice, and the laws' own seed."""

    position: SavedPosition
    letters: dict[str, str]
    standing: dict[str, str]
    beta: bytes
    luck: int
    perfect: bool = True


@dataclass
class Tally:
    """The totals of games."""

    games: int = 0
    phases: int = 0
    events: int = 0
    windows: int = 0
    rolls: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    winners: Counter[str] = field(default_factory=Counter)

    def add(self, done: ResolvedPhase) -> None:
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


def play_phase(laws: GameLaws, brief: Brief) -> tuple[ResolvedPhase, dict[str, Orders]]:
    """Read the letters and resolve the phase.

    Raises LawViolation or the original error.
    """
    game, edition, state = brief.position
    lab = Lab(laws, edition, random.Random(brief.luck))
    orders: dict[str, Orders] = {}
    for seat in game.seats(state):
        written = lab.read(state, seat, brief.letters.get(seat, ""), brief.perfect)
        in_force = game.parse(brief.standing.get(seat, ""), game.view(state, seat), seat)
        orders[seat] = Orders(written.actions, written.standing or in_force.orders.standing)
    return lab.resolve(state, orders, brief.beta), orders


def keep(folder: Path, brief: Brief) -> Path:
    """Write a crash folder, called in the handler of the exception."""
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
    """Return the handled exception and its trace, without this machine's folders."""
    _, error, trace = sys.exc_info()
    frames = [f"{Path(f.filename).name}:{f.lineno} {f.name}" for f in traceback.extract_tb(trace)]
    return "\n".join([*frames, f"{type(error).__name__}: {error}"]) + "\n"


def read_crash(folder: Path, games: Registry) -> Brief:
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
    """Play one game from `seed` to its end; raise Crashed if a phase fails."""
    tally, last = Tally(games=1), None
    for _, done in play_phases(laws, seed, crashes, bots):
        tally.add(done)
        last = done.states[-1]
    tally.winners[getattr(last, "winner", "")] += 1
    return tally


def play_phases(laws: GameLaws, seed: int, crashes: Path, bots: str = "") -> Iterator[tuple[Brief, ResolvedPhase]]:
    """Play one game as `play_game` does, and yield each phase's inputs and results."""
    luck = random.Random(seed)
    game = laws.game
    options = {name: luck.choice(values) for name, values in laws.options.items()}
    scenario = luck.choice(laws.scenarios)
    edition = game.edition(scenario, options, {})
    state = game.start(edition)
    players = {seat: bots or luck.choice((*sorted(laws.bots), "random")) for seat in game.seats(state)}
    has_slips = luck.randrange(GARBLED) == 0
    standing: dict[str, str] = {}
    while (phase := game.phase(state)) is not None:
        letters = _letters(laws, state, players, luck.randrange, luck if has_slips else None)
        beta = hashlib.sha512(f"{seed} {phase}".encode()).digest()
        brief = Brief(
            SavedPosition(game, edition, state), letters, standing, beta, luck.randrange(2**32), not has_slips
        )
        try:
            done, orders = play_phase(laws, brief)
        except Exception as error:
            # Whatever it was, its input is kept, and is a test from then on.
            name = f"{game.name}-{scenario}-{seed}-T{phase[1]}-{phase[0]}"
            raise Crashed(keep(crashes / name, brief), f"{type(error).__name__}: {error}") from error
        yield brief, done
        state = done.states[-1]
        standing = {seat: game.canon(Orders((), seat_orders.standing)) for seat, seat_orders in orders.items()}
        standing = {seat: text for seat, text in standing.items() if _is_readable(laws, state, seat, text)}


def _letters(
    laws: GameLaws, state: object, players: dict[str, str], pick: Pick, luck: random.Random | None
) -> dict[str, str]:
    """Return the seats' letters, each by its own view; with `luck` they have slips."""
    game = laws.game
    letters = {seat: laws.bots[players[seat]](game.view(state, seat), seat, pick) for seat in game.seats(state)}
    if luck is None:
        return letters
    words = sorted({word for text in letters.values() for word in text.replace(",", " ").split()}) or ["PASS"]
    return {seat: garble(text, words, luck) if text else text for seat, text in letters.items()}


def _is_readable(laws: GameLaws, state: object, seat: str, text: str) -> bool:
    """Return whether standing orders can still be read, and so stay in force."""
    return bool(text) and not laws.game.parse(text, laws.game.view(state, seat), seat).rejected


# The same phase in another process, where sets and dictionaries lie otherwise: the same events, byte for byte.
#
# How a set of words lies hangs on a number that a process draws at its start. Rules that walk over a set give other
# events elsewhere, or the same in another order, and no replay in one process shows it.


SEEDS = ("1", "2", "3")
"""Seeds of Python's hashes, so that sets have another order in each process."""


def differences(where: str, briefs: Sequence[Brief]) -> tuple[str, ...]:
    """Return the phases that differ in another process; `where` is ``MODULE:GAME``."""
    request = {"path": sys.path, "where": where, "phases": [_brief_to_json(brief) for brief in briefs]}
    own_events = [_events(brief.position.game, brief) for brief in briefs]
    problems = []
    for seed in SEEDS:
        other_events = _play_elsewhere(json.dumps(request), seed)
        for brief, own, others in zip(briefs, own_events, other_events, strict=True):
            if own != others:
                pair = next(pair for pair in zip_longest(own, others) if pair[0] != pair[1])
                phase = brief.position.game.phase(brief.position.state)
                problems.append(f"{phase} comes out otherwise where sets lie otherwise: {pair[0]} / {pair[1]}")
    return tuple(problems)


def _play_elsewhere(request: str, seed: str) -> list[list[str]]:
    process = subprocess.run(
        [sys.executable, "-c", "from pbem.engine.testing.games import main; main()"],
        input=request,
        env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise RuntimeError(f"another process could not play the phases: {process.stderr[-2000:]}")
    events: list[list[str]] = json.loads(process.stdout)
    return events


def _brief_to_json(brief: Brief) -> dict[str, Json]:
    return {
        "position": write_position(brief.position),
        "letters": brief.letters,
        "standing": brief.standing,
        "beta": brief.beta.hex(),
    }


def _events(game: AnyGame, brief: Brief) -> list[str]:
    """Return a phase's events as they would be stored, and the position after them."""
    state = brief.position.state
    orders = {}
    for seat in game.seats(state):
        view = game.view(state, seat)
        written = game.parse(brief.letters.get(seat, ""), view, seat).orders
        in_force = game.parse(brief.standing.get(seat, ""), view, seat).orders
        orders[seat] = Orders(written.actions, written.standing or in_force.standing)
    result = play(game.rules, game.world(state, orders), SeededDice(brief.beta), game.decisions(state, orders, {}))
    if not isinstance(result, Done):
        return ["it waits"]
    texts: list[str] = [dumps(happened.to_json()) for happened in result.events]
    reports = [
        dumps(game.telling.report(game.view(result.state, seat), seat, []).to_json()) for seat in game.seats(state)
    ]
    return [*texts, hashlib.sha256(dumps(game.encode(result.state)).encode()).hexdigest(), *reports]


def main() -> None:
    """Play the phases of standard input, and write their events."""
    request = json.load(sys.stdin)
    sys.path[:] = request["path"]
    module, _, name = request["where"].partition(":")
    game = as_game(getattr(importlib.import_module(module), name))
    briefs = [
        Brief(
            read_position(row["position"], lambda _: game),
            row["letters"],
            row["standing"],
            bytes.fromhex(row["beta"]),
            0,
        )
        for row in request["phases"]
    ]
    json.dump([_events(game, brief) for brief in briefs], sys.stdout)
