"""Runners: the ways of taking a game's steps from a world to its end.

`play` rolls with given dice and decisions; `resume` does so again after a pause and insists on the events already
sent; `advance` takes one step. All use the same steps, so a forecast, a dispute and the game itself cannot differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from pbem.core.canon import dumps
from pbem.core.events import Event
from pbem.core.labels import Label
from pbem.core.steps import Ask, Choice, Did, Outcome, Roll, Rolled, Rules, Window, World

__all__ = ["Decisions", "Dice", "Diverged", "Done", "Moment", "Paused", "advance", "play", "resume"]

S = TypeVar("S")
T = TypeVar("T", contravariant=True)


class Dice(Protocol):
    """Dice found by label: the same label gives the same values for ever."""

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return `n` values 1..`sides`."""
        ...


class Decisions(Protocol[T]):
    """Who answers windows: stored answers, standing orders, doctrine."""

    def answer(self, state: T, window: Window) -> Choice | None:
        """Return the choice, or None if it must be asked for by letter."""
        ...


class Done(NamedTuple, Generic[S]):
    """A resolution that came to its end: the events, the state after them, the rolls in order."""

    events: tuple[Event, ...]
    state: S
    rolls: tuple[Rolled, ...]


class Paused(NamedTuple, Generic[S]):
    """A resolution that waits for an answer: the events so far, the state now, the rolls, what is asked."""

    events: tuple[Event, ...]
    state: S
    rolls: tuple[Rolled, ...]
    windows: tuple[Window, ...]


class Moment(NamedTuple, Generic[S]):
    """What one step gave: the world after it, and what it rolled or said."""

    world: World[S]
    outcome: Outcome
    rolled: Rolled | None = None
    choice: Choice | None = None


class Diverged(Exception):
    """A re-run that must repeat events already sent gave another one; `index` counts from 0."""

    def __init__(self, index: int, sent: Event, now: Event | None) -> None:
        super().__init__(f"event {index + 1} was sent as {sent} and came out as {now}")
        self.index = index
        self.sent = sent
        self.now = now


def advance(rules: Rules[S], world: World[S], dice: Dice, decisions: Decisions[S]) -> Moment[S]:
    """Take one step of `world`, which must have something left to do.

    A window nobody answers leaves the world as it is; then `choice` is None.
    """
    task = world.agenda[0]
    outcome = rules.step(world.state, task)
    if isinstance(outcome, Did):
        state = world.state
        for happened in outcome.events:
            state = rules.apply(state, happened)
        return Moment(World(state, outcome.then + world.agenda[1:], world.used), outcome)
    if isinstance(outcome, Roll):
        used = dict(world.used)
        key = f"{outcome.where}/{outcome.what}"
        nth = used[key] = used.get(key, 0) + 1
        label = str(Label(outcome.where, outcome.what, nth))
        rolled = Rolled(label, outcome.n, outcome.sides, dice.roll(label, outcome.n, outcome.sides))
        waiting = task._replace(got=(*task.got, rolled))
        world = World(world.state, (waiting, *world.agenda[1:]), tuple(used.items()))
        return Moment(world, outcome, rolled=rolled)
    used = dict(world.used)
    key = f"? {outcome.window.id}"
    nth = used[key] = used.get(key, 0) + 1
    outcome = Ask(outcome.window._replace(nth=nth))
    choice = decisions.answer(world.state, outcome.window)
    if choice is None:
        return Moment(world, outcome)
    waiting = task._replace(got=(*task.got, choice))
    world = World(world.state, (waiting, *world.agenda[1:]), tuple(used.items()))
    return Moment(world, outcome, choice=choice)


def play(rules: Rules[S], world: World[S], dice: Dice, decisions: Decisions[S]) -> Done[S] | Paused[S]:
    """Resolve `world` to its end, or to the first window that must be asked for by letter."""
    events: list[Event] = []
    rolls: list[Rolled] = []
    while world.agenda:
        moment = advance(rules, world, dice, decisions)
        world = moment.world
        if isinstance(moment.outcome, Did):
            events.extend(moment.outcome.events)
        elif moment.rolled is not None:
            rolls.append(moment.rolled)
        elif isinstance(moment.outcome, Ask) and moment.choice is None:
            return Paused(tuple(events), world.state, tuple(rolls), (moment.outcome.window,))
    return Done(tuple(events), world.state, tuple(rolls))


def resume(
    rules: Rules[S], world: World[S], dice: Dice, decisions: Decisions[S], sent: Sequence[Event]
) -> Done[S] | Paused[S]:
    """Resolve again from the phase's start, with the answers that came since; Diverged unless `sent` comes out again.

    Nothing of a paused run is stored but the answers; what was mailed must be repeated byte for byte.
    """
    result = play(rules, world, dice, decisions)
    for index, old in enumerate(sent):
        now = result.events[index] if index < len(result.events) else None
        if now is None or dumps(now.to_json()) != dumps(old.to_json()):
            raise Diverged(index, old, now)
    return result
