"""Run our side of the workloads, each in a process of its own.

``python -m benchmarks.ours WORKLOAD SECONDS``
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from benchmarks import audited, due, hexes, idle, letters, post, replays
from benchmarks.measure import Workload, main, spend
from benchmarks.replays import Played, Unfit
from pbem.engine.run.odds import Memory, StepBudget
from pbem.engine.terms import Orders
from pbem.games.africa1860 import GAME
from pbem.games.africa1860.forecast import FORECAST
from pbem.games.africa1860.state import State, read_unit
from pbem.play.commands.questions import odds

HERE = Path(__file__).parent
GAMES = HERE / "games"
SCENARIO = "castillejos"
PLAYERS = {"spain": ("forward", "balanced"), "morocco": ("random", "aggressive")}


class Letter(NamedTuple):
    """A letter of a position: its text, parsed orders, and number of order lines."""

    state: State
    text: str
    orders: Orders
    lines: int


def letter(name: str) -> Letter:
    """Read a position and a Spanish letter: units, a blank line, orders."""
    units, _, text = (GAMES / f"{name}.txt").read_text("utf-8").partition("\n\n")
    roster = {unit.id: unit for unit in map(read_unit, units.splitlines())}
    state = GAME.start(GAME.edition(SCENARIO, {}, {})).change(turn=8, units=roster)
    reading = GAME.parse(text, state, "spain")
    refused = (*reading.rejected, *GAME.check(state, "spain", reading.orders))
    if refused:
        raise Unfit(f"{name}: {refused[0]}")
    orders = [line for line in text.splitlines() if line.split()[0] not in ("IF", "ELSE", "ENDIF")]
    return Letter(state, text, reading.orders, len(orders))


def adjudicate(name: str) -> Workload:
    """W3 Adjudicate a phase: position and orders in, events and position out."""
    state, _, orders, _ = letter(name)
    return replays.adjudicate_phase(GAME, state, {"spain": orders})


def validate() -> Workload:
    """W2 Read lines of a letter and check them against the position."""
    state, text, _, lines = letter("battle")

    def check() -> int:
        reading = GAME.parse(text, state, "spain")
        if reading.rejected or GAME.check(state, "spain", reading.orders):
            raise Unfit("the letter is refused")
        return lines

    return lambda budget: spend(budget, check)


def assault_evaluated() -> Workload:
    """W8 Evaluate the assault of the letters of W1, anew each time."""
    state = GAME.start(GAME.edition(SCENARIO, {}, {}))
    orders = GAME.parse("\n".join(letters.LETTER.splitlines()[1:-1]), state, "spain").orders

    def weigh() -> int:
        forecast = FORECAST.odds(state, "spain", orders, StepBudget(odds.PER_LETTER))
        if forecast.left or "wins" not in forecast.said[0][1].text:
            raise Unfit("the letter holds no assault that can be weighed")
        return 1

    return lambda budget: spend(budget, weigh)


def play_game(seed: int) -> list[Played]:
    """Let two bots play all of Castillejos and return its phases."""
    return replays.play_game(GAME, GAME.edition(SCENARIO, {}, {}), PLAYERS, seed)


def whole_game() -> Workload:
    """W4 Replay games from their stored letters, comparing every event."""
    return replays.replay_games(GAME, GAME.edition(SCENARIO, {}, {}), [play_game(seed) for seed in range(4)])


WORKLOADS = {
    "letters": lambda: letters.take_letters(10),
    "letters-anew": lambda: letters.take_letters(10, Memory(0)),
    "odds": assault_evaluated,
    "lines": validate,
    "battle": lambda: adjudicate("battle"),
    "march": lambda: adjudicate("march"),
    "game": whole_game,
    "hex-half": hexes.half_adjudicated,
    "hex-odds": hexes.assault_evaluated,
    "hex-game": hexes.whole_game,
    "due": lambda: due.phases(False),
    "due-maps": lambda: due.phases(True),
    "idle": lambda: idle.turns(True),
    "idle-alone": lambda: idle.turns(False),
    "labels": audited.labels,
    "proven": audited.proven,
    "verified": audited.verify_phases,
    "post": lambda: post.measure_answers,
    "post-bare": lambda: post.handed_in,
}

if __name__ == "__main__":
    main(WORKLOADS)
