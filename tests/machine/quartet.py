"""The game that the machine plays: the toy of the campaign's tests with two commanders a side.

North and east are red, south and west are blue; each has one counter. The sides take turns, both commanders of a side
order together, and a counter may be sent to any space: whether orders are good depends on no position.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pbem.cli import rulebooks
from pbem.engine.game import AnyGame
from pbem.engine.terms import Orders, RejectedLine
from tests.harness import toygame
from tests.harness.server import registry as house_registry

SIDES = {"north": "red", "east": "red", "south": "blue", "west": "blue"}
COUNTERS = {"north": "Ant", "east": "Bee", "south": "Cat", "west": "Dog"}
START = tuple((unit, seat, place) for place, (seat, unit) in enumerate(COUNTERS.items(), 1))
GAMES = rulebooks.games()
"""What a tournament is played by."""
MOVING = {"north": ("north", "east"), "south": ("south", "west")}


class Quartet(toygame.Toy):
    """The toy for four; only one that is sent to s0 falls off the board, and its phase with it."""

    name = "quartet"
    by_letter = False

    def start(self, edition: Any) -> toygame.State:
        return super().start(edition)._replace(units=START)

    def seats(self, state: toygame.State) -> Mapping[str, str]:
        return SIDES

    def active(self, state: toygame.State) -> tuple[str, ...]:
        return MOVING[state.moving]

    def check(self, view: toygame.State, seat: str, orders: Orders, begun: bool = False) -> tuple[RejectedLine, ...]:
        return ()


def registry(name: str) -> AnyGame:
    """The rules of that name; KeyError."""
    if name == Quartet.name:
        return toygame.as_record(Quartet())
    return rulebooks.game_by_name(name) if name in GAMES else house_registry(name)
