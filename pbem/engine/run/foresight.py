"""What will happen before chance or somebody else has a say: a phase run up to its first die or first foreign window.

The steps are those of the game itself, so what is foretold is what will be, as long as the state is the one seen.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Generic, NamedTuple, TypeVar

from pbem.engine.data.events import Event
from pbem.engine.run.runners import Decisions, advance
from pbem.engine.run.steps import Ask, Did, Roll, Rules, Task, World

S = TypeVar("S")


class Foreseen(NamedTuple, Generic[S]):
    """The events that are certain, each with the state before it, the state after them, and what ends certainty.

    `stop` is the first roll or the first question to somebody else; None if the phase ends without either. `world` is
    what is left: its first task is what stops. `done` are the tasks that did something, in their order.
    """

    events: tuple[tuple[Event, S], ...]
    state: S
    stop: Roll | Ask | None
    world: World[S]
    done: tuple[Task, ...] = ()


def foresee(rules: Rules[S], world: World[S], decisions: Decisions[S], own: Collection[str]) -> Foreseen[S]:
    """Run `world` until something is rolled, or asked of a seat that is not among `own` or answered by letter."""
    events: list[tuple[Event, S]] = []
    done: list[Task] = []
    while world.agenda:
        outcome = rules.step(world.state, world.agenda[0])
        if isinstance(outcome, Roll) or (isinstance(outcome, Ask) and outcome.window.seat not in own):
            return Foreseen(tuple(events), world.state, outcome, world, tuple(done))
        if isinstance(outcome, Did):
            done.append(world.agenda[0])
            state = world.state
            for happened in outcome.events:
                events.append((happened, state))
                state = rules.apply(state, happened)
            world = World(state, outcome.then + world.agenda[1:], world.used)
            continue
        moment = advance(rules, world, _NoDice(), decisions)
        if moment.choice is None:
            return Foreseen(tuple(events), world.state, outcome, world, tuple(done))
        world = moment.world
    return Foreseen(tuple(events), world.state, None, world, tuple(done))


class _NoDice:
    """Dice that are never thrown: every roll is stopped at before."""

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        raise AssertionError(f"{label} was to be foreseen")
