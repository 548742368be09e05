"""Rules as the runners use them: the table of a game's steps, and the fold of its events into positions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Generic, Protocol, TypeVar

from pbem.engine.data.events import Event
from pbem.engine.data.folds import Draft, Handlers, fold_events
from pbem.engine.run.steps import Did, Outcome, Task


class Stoppable(Draft, Protocol):
    """A position in which STOP IF may have struck."""

    stopped: bool


S = TypeVar("S", bound=Stoppable)
Table = Mapping[str, Callable[[S, Task], Outcome]]
"""Every task of a phase and the function that carries it out."""


class Chapters(Generic[S]):
    """The rules of a game: `steps` by the name of their task, `handlers` by the kind of the event.

    `orders` are the names of the tasks that carry out orders: once STOP IF has struck they are passed over.
    """

    def __init__(self, steps: Table[S], handlers: Handlers[S], orders: frozenset[str]) -> None:
        self._steps, self._handlers, self._orders = steps, handlers, orders

    def step(self, state: S, task: Task) -> Outcome:
        """Say what a task does."""
        if state.stopped and task.name in self._orders:
            return Did()
        return self._steps[task.name](state, task)

    def apply(self, state: S, happened: Event) -> S:
        """Return the state after the event."""
        return fold_events(self._handlers, state, (happened,))

    def fold(self, state: S, events: Iterable[Event]) -> S:
        """Return the state after the events, one after another."""
        return fold_events(self._handlers, state, events)
