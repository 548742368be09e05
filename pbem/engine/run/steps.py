"""Steps: resolve a phase by pure functions over plain data.

Open work is a list of tasks, the *agenda*, stored next to the state as plain data. A step takes the state
and the first task and returns one of three things: a roll to make (`Roll`), a question to ask (`Ask`), or
the events and the next tasks (`Did`). Results of rolls and answers are added to the task, and the same step
is called again. Because a world is a value, it can be stored, compared, copied for all faces of a die, and
merged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.events import Draft, Event, Handlers, fold_events

S = TypeVar("S")
R = TypeVar("R")


LETTER, MORE, DONE = "letter", "MORE", "DONE"
"""The window after each letter of a phase resolved letter by letter, and its two answers."""


class Rolled(NamedTuple):
    """A roll that was made: whole label, number of dice, sides, and values 1..sides."""

    label: str
    n: int
    sides: int
    values: tuple[int, ...]


class Choice(NamedTuple):
    """An answer to a window: the words chosen and their origin.

    `by` is ``default``, ``standing N`` (rule N of the owner's standing orders) or ``answer`` (a letter).
    """

    value: tuple[str, ...]
    by: str = "default"


class Window(NamedTuple):
    """A moment at which a seat may choose.

    `where` is the address of the event, `what` the question in the words of the rules, `subject` the unit asked
    (or empty), `options` the possible answers; a game may allow combinations of them. `nth` counts the same
    question again inside one address; the runner sets it.
    """

    where: str
    what: str
    seat: str
    subject: str = ""
    options: tuple[str, ...] = ()
    nth: int = 1

    @property
    def id(self) -> str:
        """Return the key of an answer: ``B>C/vanguard morocco``.

        A repeated question has a number: ``B>C/approach Bujari#2``.
        """
        again = f"#{self.nth}" if self.nth > 1 else ""
        return f"{self.where}/{self.what} {self.subject or self.seat}{again}"


class Task(NamedTuple):
    """An open task: name of its step, arguments, results so far.

    Arguments are hashable plain data.
    """

    name: str
    args: tuple[Any, ...] = ()
    got: tuple[Rolled | Choice, ...] = ()


@cache
def procedure(names: tuple[str, ...]) -> tuple[Task, ...]:
    """Return the tasks of these names, which take no arguments."""
    return tuple(map(Task, names))


# Results of steps are no NamedTuples, which take twice as long to make: a phase makes some hundred.


@dataclass(slots=True)
class Roll:
    """A request for `n` dice of `sides` sides, under the label `where`/`what`."""

    where: str
    what: str
    n: int
    sides: int


@dataclass(slots=True)
class Ask:
    """A request for a choice."""

    window: Window


@dataclass(slots=True)
class Did:
    """The end of a step: events in order, and tasks that go before the agenda."""

    events: tuple[Event, ...] = ()
    then: tuple[Task, ...] = ()


Outcome = Roll | Ask | Did


class Rules(Protocol[S]):
    """A game's rules as the runners use them."""

    def step(self, state: S, task: Task) -> Outcome:
        """Return the result of `task` in `state`; pure."""
        ...

    def apply(self, state: S, happened: Event) -> S:
        """Return the state after the event; only this function changes states."""
        ...


class FoldingRules(Rules[S], Protocol[S]):
    """Rules that apply all events of a step at once, without intermediate positions."""

    def fold(self, state: S, events: Iterable[Event]) -> S:
        """Return the state after applying all events in order."""
        ...


def fold_of(rules: Rules[S]) -> Callable[[S, tuple[Event, ...]], S]:
    """Return the function from a state and a step's events to the state after them."""
    fold: Callable[[S, tuple[Event, ...]], S] | None = getattr(rules, "fold", None)
    if fold is not None:
        return fold

    def apply_each(state: S, events: tuple[Event, ...]) -> S:
        for happened in events:
            state = rules.apply(state, happened)
        return state

    return apply_each


class World(NamedTuple, Generic[R]):
    """A state, its open tasks, and the count of each roll and window so far."""

    state: R
    agenda: tuple[Task, ...]
    used: tuple[tuple[str, int], ...] = ()


# Reading what a task got: dice, coins and choices, in the order it asked for them.


def die(task: Task, index: int) -> tuple[str, int]:
    """Return label and value of the single die in the task's result number `index`."""
    rolled = _roll_result(task, index)
    return rolled.label, rolled.values[0]


def total(task: Task, index: int) -> tuple[str, int]:
    """Return label and sum of the dice in the task's result number `index`."""
    rolled = _roll_result(task, index)
    return rolled.label, sum(rolled.values)


def coins(task: Task, index: int) -> tuple[str, list[int]]:
    """Return label and coins (1 = heads, 0 = tails) in the result number `index`."""
    rolled = _roll_result(task, index)
    return rolled.label, [value - 1 for value in rolled.values]


def choice(task: Task, index: int) -> Choice:
    """Return the choice in the task's result number `index`."""
    answer = task.got[index]
    assert isinstance(answer, Choice)  # noqa: S101 - a step reads back what it asked for
    return answer


def _roll_result(task: Task, index: int) -> Rolled:
    rolled = task.got[index]
    assert isinstance(rolled, Rolled)  # noqa: S101 - a step reads back what it asked for
    return rolled


# Rules as the runners use them: the table of a game's steps, and the fold of its events into positions.


class Stoppable(Draft, Protocol):
    """A position with a flag that a STOP IF has applied."""

    stopped: bool


P = TypeVar("P", bound=Stoppable)
Table = Mapping[str, Callable[[P, Task], Outcome]]
"""Every task of a phase and the function that carries it out."""


class Chapters(Generic[P]):
    """The rules of a game as two tables: steps and handlers.

    `steps` has the functions by name of task, `handlers` those by kind of event. `orders` are the names of the
    tasks that carry out orders: they are skipped after a STOP IF has applied.
    """

    def __init__(self, steps: Table[P], handlers: Handlers[P], orders: frozenset[str]) -> None:
        self._steps, self._handlers, self._orders = steps, handlers, orders

    def step(self, state: P, task: Task) -> Outcome:
        """Return the result of a task."""
        if state.stopped and task.name in self._orders:
            return Did()
        return self._steps[task.name](state, task)

    def apply(self, state: P, happened: Event) -> P:
        """Return the state after the event."""
        return fold_events(self._handlers, state, (happened,))

    def fold(self, state: P, events: Iterable[Event]) -> P:
        """Return the state after the events, one after another."""
        return fold_events(self._handlers, state, events)


# Rules that record the orders reached while a phase is run.


BROKEN_OFF = "breaks off"
"""The kind of the event of a STOP IF that applies, after which orders are skipped."""
FAILED = "not carried out"
"""The kind of the event that an order failed, which only the author of the order sees."""


class OrderRecorder(Generic[S]):
    """A game's rules for one run that record the orders reached.

    `said` are the events that came directly from orders. `name` returns the line of the order that a task carries
    out, empty if it carries out none. An order skipped after a STOP IF is not reached.
    """

    def __init__(self, rules: Rules[S], name: Callable[[Task], str]) -> None:
        self._rules, self._name = rules, name
        self._check_starts: dict[int, tuple[object, str]] = {}
        self._broken = False
        self.said: list[Event] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._rules, name)

    @property
    def reached_lines(self) -> tuple[str, ...]:
        """Return the lines of the orders that the run reached, in order."""
        return tuple(line for _, line in self._check_starts.values())

    def step(self, state: S, task: Task) -> Outcome:
        """Return the result of a task, and record the order that it begins."""
        outcome, line = self._rules.step(state, task), self._name(task)
        if line and not (self._broken and outcome == Did()):
            # An order is one, however often it is looked at: its arguments stay the same.
            self._check_starts.setdefault(id(task.args), (task.args, line))
        if isinstance(outcome, Did) and outcome.events:
            self.said += [happened for happened in outcome.events if line or happened.kind == FAILED]
            self._broken |= any(happened.kind == BROKEN_OFF for happened in outcome.events)
        return outcome

    def apply(self, state: S, happened: Event) -> S:
        """Return the state after the event."""
        return self._rules.apply(state, happened)
