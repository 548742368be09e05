"""Runners: take a game's steps from a world to its end.

`play` rolls with given dice and decisions; `resume` does so again after a pause and requires the events
already sent; `advance` takes one step. All use the same steps, so a forecast, a dispute and the game itself
cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.canon import dumps
from pbem.engine.data.events import Event
from pbem.engine.run.labels import Label
from pbem.engine.run.steps import Ask, Choice, Did, Outcome, Roll, Rolled, Rules, Task, Window, World, fold_of

S = TypeVar("S")
T = TypeVar("T", contravariant=True)


class Dice(Protocol):
    """Dice found by label: the same label always gives the same values."""

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        """Return `n` values 1..`sides`."""
        ...


class Decisions(Protocol[T]):
    """Answers to windows: stored answers, standing orders, doctrine."""

    def answer(self, state: T, window: Window) -> Choice | None:
        """Return the choice, or None if its owner must be asked by letter."""
        ...


class Done(NamedTuple, Generic[S]):
    """A finished run: the events, the state after them, the rolls in order."""

    events: tuple[Event, ...]
    state: S
    rolls: tuple[Rolled, ...]


class Paused(NamedTuple, Generic[S]):
    """A run that waits for an answer: events so far, state, rolls, open windows.

    `world` is the present world: its first task asks for the first of `windows`.
    """

    events: tuple[Event, ...]
    state: S
    rolls: tuple[Rolled, ...]
    windows: tuple[Window, ...]
    world: World[S]


class Moment(NamedTuple, Generic[S]):
    """The result of one step: the world after it, and the roll or choice."""

    world: World[S]
    outcome: Outcome
    rolled: Rolled | None = None
    choice: Choice | None = None


class TracedEvent(NamedTuple):
    """An event and the name of the task that caused it; empty if no named task did."""

    event: Event
    origin: str


class Diverged(Exception):
    """Raised when a re-run changes an event already sent; `index` counts from 0."""

    def __init__(self, index: int, sent: Event, now: Event | None) -> None:
        super().__init__(f"event {index + 1} was sent as {sent} and came out as {now}")
        self.index = index
        self.sent = sent
        self.now = now


def advance(rules: Rules[S], world: World[S], dice: Dice, decisions: Decisions[S]) -> Moment[S]:
    """Take one step of `world`, which must have something left to do.

    At a window without an answer the world stays as it is and `choice` is None.
    """
    task, rest = world.agenda[0], world.agenda[1:]
    outcome = rules.step(world.state, task)
    if isinstance(outcome, Did):
        state = fold_of(rules)(world.state, outcome.events)
        return Moment(World(state, outcome.then + rest, world.used), outcome)
    used = dict(world.used)
    if isinstance(outcome, Roll):
        rolled = _roll(outcome, dice, used)
        waiting = Task(task.name, task.args, (*task.got, rolled))
        return Moment(World(world.state, (waiting, *rest), tuple(used.items())), outcome, rolled=rolled)
    window = count(outcome.window, used)
    choice = decisions.answer(world.state, window)
    if choice is None:
        return Moment(world, Ask(window))
    return Moment(answer(world, window, choice), Ask(window), choice=choice)


def walk(rules: Rules[S], world: World[S], dice: Dice, decisions: Decisions[S]) -> Iterator[tuple[Task, Moment[S]]]:
    """Yield each step with its task, to the end or to the first unanswered window."""
    while world.agenda:
        moment = advance(rules, world, dice, decisions)
        yield world.agenda[0], moment
        if isinstance(moment.outcome, Ask) and moment.choice is None:
            return
        world = moment.world


def answer(world: World[S], window: Window, choice: Choice) -> World[S]:
    """Return the world after the answer to the question of its first task."""
    task = world.agenda[0]
    used = {**dict(world.used), _question(window._replace(nth=1)): window.nth}
    waiting = Task(task.name, task.args, (*task.got, choice))
    return World(world.state, (waiting, *world.agenda[1:]), tuple(used.items()))


def _roll(wanted: Roll, dice: Dice, used: dict[str, int]) -> Rolled:
    """Roll under the label's next count, which is entered in `used`."""
    label = f"{wanted.where}/{wanted.what}"
    nth = used[label] = used.get(label, 0) + 1
    if nth > 1:
        label = str(Label(wanted.where, wanted.what, nth))
    return Rolled(label, wanted.n, wanted.sides, dice.roll(label, wanted.n, wanted.sides))


def count(window: Window, used: Mapping[str, int]) -> Window:
    """Number a window: how often it has been asked with this one (1 is left out).

    `used` counts the earlier times (see `World`).
    """
    nth = used.get(_question(window), 0) + 1
    return window if nth == 1 else window._replace(nth=nth)


def _question(window: Window) -> str:
    """Return the key under which a window's answers are counted."""
    return f"? {window.id}"


def play(rules: Rules[S], world: World[S], dice: Dice, decisions: Decisions[S]) -> Done[S] | Paused[S]:
    """Resolve `world` to its end, or to the first window to be asked by letter."""
    # The same as `advance` again and again, with the world's parts changed in place: a quarter faster.
    events: list[Event] = []
    rolls: list[Rolled] = []
    step, fold, used = rules.step, fold_of(rules), dict(world.used)
    state = world.state
    waiting = list(reversed(world.agenda))
    while waiting:
        task = waiting.pop()
        outcome = step(state, task)
        if isinstance(outcome, Did):
            happened = outcome.events
            if happened:
                state = fold(state, happened)
                events += happened
            if outcome.then:
                waiting += outcome.then[::-1]
            continue
        name, args, earlier = task
        got: Rolled | Choice | None
        if isinstance(outcome, Roll):
            got = _roll(outcome, dice, used)
            rolls.append(got)
        else:
            question = _question(outcome.window)
            nth = used.get(question, 0) + 1
            window = outcome.window if nth == 1 else outcome.window._replace(nth=nth)
            got = decisions.answer(state, window)
            if got is None:
                world = World(state, (task, *reversed(waiting)), tuple(used.items()))
                return Paused(tuple(events), state, tuple(rolls), (window,), world)
            used[question] = nth
        waiting.append(Task(name, args, (*earlier, got)))
    return Done(tuple(events), state, tuple(rolls))


def trace(
    rules: Rules[S], world: World[S], dice: Dice, decisions: Decisions[S], name: Callable[[Task], str]
) -> tuple[TracedEvent, ...]:
    """Resolve `world` as `play` does; return events with their cause.

    The cause is the name of the event's task or, if it has none (an empty string), of the nearest task that led
    to it.
    """
    traced: list[TracedEvent] = []
    origins = [name(task) for task in world.agenda]
    for _, moment in walk(rules, world, dice, decisions):
        if isinstance(moment.outcome, Did):
            origin = origins.pop(0)
            traced += [TracedEvent(happened, origin) for happened in moment.outcome.events]
            origins[:0] = [name(then) or origin for then in moment.outcome.then]
    return tuple(traced)


def resume(
    rules: Rules[S], world: World[S], dice: Dice, decisions: Decisions[S], sent: Sequence[Event]
) -> Done[S] | Paused[S]:
    """Resolve again from the phase's start, with the later answers.

    Raises Diverged if an event changes. Only the answers of a paused run are stored; the events in `sent` must
    be repeated byte for byte.
    """
    result = play(rules, world, dice, decisions)
    require_same(result.events, sent)
    return result


def require_same(events: Sequence[Event], sent: Sequence[Event]) -> None:
    """Raise Diverged unless the events begin with those sent, byte for byte."""
    for index, old in enumerate(sent):
        now = events[index] if index < len(events) else None
        if now is None or dumps(now.to_json()) != dumps(old.to_json()):
            raise Diverged(index, old, now)


# Foresight: run a phase up to its first die or another seat's first window.
#
# The steps are those of the game itself, so the forecast is exact as long as the state is the one seen.


class Foresight(NamedTuple, Generic[S]):
    """What is certain before the first roll or question.

    `events` come each with the state before it, `state` is the state after them. `stop` is the first roll or the
    first question to somebody else; None if the phase ends without either. `world` is the position there: its first
    task is the roll or question. `done` are the tasks that had an effect, in order.
    """

    events: tuple[tuple[Event, S], ...]
    state: S
    stop: Roll | Ask | None
    world: World[S]
    done: tuple[Task, ...] = ()


def foresee(rules: Rules[S], world: World[S], decisions: Decisions[S], own: Collection[str]) -> Foresight[S]:
    """Run `world` until a roll, or a question to others than `own` or by letter."""
    events: list[tuple[Event, S]] = []
    done: list[Task] = []
    while world.agenda:
        outcome = rules.step(world.state, world.agenda[0])
        if isinstance(outcome, Roll) or (isinstance(outcome, Ask) and outcome.window.seat not in own):
            return Foresight(tuple(events), world.state, outcome, world, tuple(done))
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
            return Foresight(tuple(events), world.state, outcome, world, tuple(done))
        world = moment.world
    return Foresight(tuple(events), world.state, None, world, tuple(done))


class _NoDice:
    """Dice that are never thrown: a run stops before each roll."""

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        raise AssertionError(f"{label} was to be foreseen")
