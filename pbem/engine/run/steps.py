"""Steps: the resolution of a phase as pure functions over plain data.

What is still to be done is a list of tasks, the *agenda*, which lies beside the state as plain data. A step looks at
the state and the first task and says one of three things: roll this (`Roll`), ask this (`Ask`), or here is what
happened and what has to happen next (`Did`). Results of rolls and answers are added to the task, and the same step is
asked again. Because a world is a value, it can be stored, compared, forked over all faces of a die, and merged.
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
"""What a phase that is resolved letter by letter asks when one is carried out: its window, and the two answers."""


class Rolled(NamedTuple):
    """A roll that was made: its whole label, how many dice of how many sides, and the values 1..sides in order."""

    label: str
    n: int
    sides: int
    values: tuple[int, ...]


class Choice(NamedTuple):
    """An answer to a window: the words chosen and where they come from.

    `by` is ``default``, ``standing N`` (rule N of the owner's standing orders) or ``answer`` (a letter).
    """

    value: tuple[str, ...]
    by: str = "default"


class Window(NamedTuple):
    """A moment at which a seat may choose.

    `where` is the address of the event, `what` the question in the words of the rules, `subject` the unit asked (or
    empty), `options` the words that may be answered; a game may allow combinations of them. `nth` counts the same
    question again inside one address; the runner does so.
    """

    where: str
    what: str
    seat: str
    subject: str = ""
    options: tuple[str, ...] = ()
    nth: int = 1

    @property
    def id(self) -> str:
        """The name under which an answer is stored: ``B>C/vanguard morocco``, ``B>C/approach Bujari#2``."""
        again = f"#{self.nth}" if self.nth > 1 else ""
        return f"{self.where}/{self.what} {self.subject or self.seat}{again}"


class Task(NamedTuple):
    """Something to be done: the name of its step, its arguments (hashable plain data), and what it got so far."""

    name: str
    args: tuple[Any, ...] = ()
    got: tuple[Rolled | Choice, ...] = ()


@cache
def procedure(names: tuple[str, ...]) -> tuple[Task, ...]:
    """Return the tasks of these names, which take no arguments."""
    return tuple(map(Task, names))


# What a step says is no NamedTuple, which takes twice as long to make: a phase makes some hundred.


@dataclass(slots=True)
class Roll:
    """A step wants `n` dice of `sides` sides, under the label `where`/`what`; the runner counts repetitions."""

    where: str
    what: str
    n: int
    sides: int


@dataclass(slots=True)
class Ask:
    """A step wants a choice."""

    window: Window


@dataclass(slots=True)
class Did:
    """A step is over: what happened, in order, and the tasks that come before the rest of the agenda."""

    events: tuple[Event, ...] = ()
    then: tuple[Task, ...] = ()


Outcome = Roll | Ask | Did


class Rules(Protocol[S]):
    """A game's rules as the runners need them."""

    def step(self, state: S, task: Task) -> Outcome:
        """Say what `task` does in `state`; pure."""
        ...

    def apply(self, state: S, happened: Event) -> S:
        """Return the state after the event; the only place where state changes."""
        ...


class Folding(Rules[S], Protocol[S]):
    """Rules that take the events of a step in one go, which spares the positions between them."""

    def fold(self, state: S, events: Iterable[Event]) -> S:
        """Return the state that `apply` comes to, event after event."""
        ...


def folding(rules: Rules[S]) -> Callable[[S, tuple[Event, ...]], S]:
    """Return what takes a state and the events of a step to the state after them."""
    fold: Callable[[S, tuple[Event, ...]], S] | None = getattr(rules, "fold", None)
    if fold is not None:
        return fold

    def one_by_one(state: S, events: tuple[Event, ...]) -> S:
        for happened in events:
            state = rules.apply(state, happened)
        return state

    return one_by_one


class World(NamedTuple, Generic[R]):
    """A state, what is still to be done in it, and how often each label was rolled and each window asked so far."""

    state: R
    agenda: tuple[Task, ...]
    used: tuple[tuple[str, int], ...] = ()


# Reading what a task got: dice, coins and choices, in the order it asked for them.


def die(task: Task, index: int) -> tuple[str, int]:
    """Return label and value of the single die that is the task's answer number `index`."""
    rolled = _rolled(task, index)
    return rolled.label, rolled.values[0]


def total(task: Task, index: int) -> tuple[str, int]:
    """Return label and sum of the dice that are the task's answer number `index`."""
    rolled = _rolled(task, index)
    return rolled.label, sum(rolled.values)


def coins(task: Task, index: int) -> tuple[str, list[int]]:
    """Return label and coins (1 = heads, 0 = tails) of the throw that is the task's answer number `index`."""
    rolled = _rolled(task, index)
    return rolled.label, [value - 1 for value in rolled.values]


def choice(task: Task, index: int) -> Choice:
    """Return the choice that is the task's answer number `index`."""
    chosen = task.got[index]
    assert isinstance(chosen, Choice)  # noqa: S101 - a step reads back what it asked for
    return chosen


def _rolled(task: Task, index: int) -> Rolled:
    rolled = task.got[index]
    assert isinstance(rolled, Rolled)  # noqa: S101 - a step reads back what it asked for
    return rolled


# Rules as the runners use them: the table of a game's steps, and the fold of its events into positions.


class Stoppable(Draft, Protocol):
    """A position in which STOP IF may have struck."""

    stopped: bool


P = TypeVar("P", bound=Stoppable)
Table = Mapping[str, Callable[[P, Task], Outcome]]
"""Every task of a phase and the function that carries it out."""


class Chapters(Generic[P]):
    """The rules of a game: `steps` by the name of their task, `handlers` by the kind of the event.

    `orders` are the names of the tasks that carry out orders: once STOP IF has struck they are passed over.
    """

    def __init__(self, steps: Table[P], handlers: Handlers[P], orders: frozenset[str]) -> None:
        self._steps, self._handlers, self._orders = steps, handlers, orders

    def step(self, state: P, task: Task) -> Outcome:
        """Say what a task does."""
        if state.stopped and task.name in self._orders:
            return Did()
        return self._steps[task.name](state, task)

    def apply(self, state: P, happened: Event) -> P:
        """Return the state after the event."""
        return fold_events(self._handlers, state, (happened,))

    def fold(self, state: P, events: Iterable[Event]) -> P:
        """Return the state after the events, one after another."""
        return fold_events(self._handlers, state, events)


# Rules that note, while a phase is run, which orders it came to.


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
        self._check_starts: dict[int, tuple[object, str]] = {}
        self._broken = False
        self.said: list[Event] = []

    def __getattr__(self, name: str) -> object:
        return getattr(self._rules, name)

    @property
    def reached(self) -> tuple[str, ...]:
        """The lines of the orders that the run came to, in order."""
        return tuple(line for _, line in self._check_starts.values())

    def step(self, state: S, task: Task) -> Outcome:
        """Say what a task does, and note the order that it begins."""
        outcome, line = self._rules.step(state, task), self._name(task)
        if line and not (self._broken and outcome == Did()):
            # An order is one, however often it is looked at: its arguments stay the same.
            self._check_starts.setdefault(id(task.args), (task.args, line))
        if isinstance(outcome, Did) and outcome.events:
            self.said += [one for one in outcome.events if line or one.kind == FAILED]
            self._broken |= any(one.kind == BROKEN_OFF for one in outcome.events)
        return outcome

    def apply(self, state: S, happened: Event) -> S:
        """Return the state after the event."""
        return self._rules.apply(state, happened)
