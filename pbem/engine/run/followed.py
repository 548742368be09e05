"""Rules that note, while a phase is run, which orders it came to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from pbem.engine.data.events import Event
from pbem.engine.run.steps import Did, Outcome, Rules, Task

S = TypeVar("S")

BROKEN_OFF = "breaks off"
"""The kind of the event after which orders are passed over: STOP IF has struck."""
FAILED = "not carried out"
"""The kind of the event that an order came to nothing, which its author alone sees."""


class Followed(Generic[S]):
    """A game's rules as they are, to be used for one run. `said` are the events that orders themselves gave.

    `name` gives the line of the order that a task carries out, empty if it carries out none. An order that was passed
    over after STOP IF has struck was not come to.
    """

    def __init__(self, rules: Rules[S], name: Callable[[Task], str]) -> None:
        self._rules, self._name = rules, name
        self._begun: dict[int, tuple[Any, str]] = {}
        self._broken = False
        self.said: list[Event] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)

    @property
    def reached(self) -> tuple[str, ...]:
        """The lines of the orders that the run came to, in order."""
        return tuple(line for _, line in self._begun.values())

    def step(self, state: S, task: Task) -> Outcome:
        """Say what a task does, and note the order that it begins."""
        outcome, line = self._rules.step(state, task), self._name(task)
        if line and not (self._broken and outcome == Did()):
            # An order is one, however often it is looked at: its arguments stay the same.
            self._begun.setdefault(id(task.args), (task.args, line))
        if isinstance(outcome, Did) and outcome.events:
            self.said += [one for one in outcome.events if line or one.kind == FAILED]
            self._broken |= any(one.kind == BROKEN_OFF for one in outcome.events)
        return outcome

    def apply(self, state: S, happened: Event) -> S:
        """Return the state after the event."""
        return self._rules.apply(state, happened)
