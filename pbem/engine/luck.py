"""Dice luck: the value of each roll of a phase, over all its faces.

The value of a roll is the expected result after it less the expected result before it, in the points of the
game. Such differences are 0 on average whatever is played, so they add up: over a combat to its result less
the expected one, over a game to the luck of a side, whose deviation is known as well. The weight of a roll
is the standard deviation of that difference over its faces.

A roll is followed to the end of its fight (`ScoredGame.engaged`), else to the end of its consequences. Its
effect on later fights shows in their expected results. Players choose as their standing orders and the
defaults say, on the faces that did not come up as well.

The cost is counted in steps of the rules, the same on every machine, and bounded: a roll that takes more is
not evaluated, and marked so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import exp, inf, lgamma, log, log1p, sqrt
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.events import Event
from pbem.engine.data.sums import sum_in_order
from pbem.engine.parts import PositionValues
from pbem.engine.reasons import roll_labels
from pbem.engine.run.odds import TooMuch, faces
from pbem.engine.run.runners import Decisions, Dice, Moment, walk
from pbem.engine.run.steps import Ask, Choice, Did, Roll, Rolled, Rules, Task, World, fold_of

S = TypeVar("S")
Points = tuple[Any, ...]
"""The points of each side, in the order of `ScoredGame.worth`."""


class StepLimits(NamedTuple):
    """The most steps of the rules for a roll, and for all rolls of a phase."""

    roll: int = 4_000
    phase: int = 12_000


TOO_LONG, UNSEEN = "too long", "unseen"
"""Why a roll is not evaluated: it takes too many steps, or depends on hidden data."""


class EvaluatedRoll(NamedTuple):
    """A roll and its effect.

    `luck` is each side's gain by the roll compared with all others; `variance` is the mean square of that over all
    faces, and `least` and `most` are its bounds, in the order of the sides. If the roll could not be evaluated,
    `left` is the reason, and the numbers are 0.
    """

    label: str
    values: tuple[int, ...]
    luck: Points
    variance: Points
    least: Points
    most: Points
    left: str = ""


class Combat(NamedTuple):
    """Rolls that are followed to the same end: expected and actual result by side.

    Both results are counted from the points before the first roll, and are empty unless all rolls of the combat
    were evaluated. If a player chose otherwise than assumed, they differ by more than the luck.
    """

    where: str
    rolls: tuple[EvaluatedRoll, ...]
    expected: Points = ()
    came: Points = ()


class EvaluatedPhase(NamedTuple):
    """The combats of a phase in order, and the steps used to evaluate them."""

    sides: tuple[str, ...]
    combats: tuple[Combat, ...]
    steps: int = 0


def luck_and_deviation(rolls: Sequence[EvaluatedRoll], side: int) -> tuple[float, float]:
    """Return the luck of a side in all these rolls, and its standard deviation."""
    luck = sum_in_order(float(roll.luck[side]) for roll in rolls)
    return luck, sqrt(sum_in_order(float(roll.variance[side]) for roll in rolls))


class ReaderKnowledge(Protocol[S]):
    """What a reader who asks about luck knows of states and events."""

    def know(self, state: S, happened: Sequence[Event] = ()) -> S:
        """Return the known part of `state`, given that the events `happened` were seen."""
        ...

    def see(self, happened: Sequence[Event], before: S) -> Sequence[Event]:
        """Return the events that are seen, all of one step in the state `before`."""
        ...


class _Everything:
    """Eyes that see all."""

    def know(self, state: Any, happened: Sequence[Event] = ()) -> Any:
        return state

    def see(self, happened: Sequence[Event], before: Any) -> Sequence[Event]:
        return happened


FULL_KNOWLEDGE: ReaderKnowledge[Any] = _Everything()


class PlayedPhase(NamedTuple, Generic[S]):
    """A phase as it was played: rules, world, dice and decisions."""

    rules: Rules[S]
    world: World[S]
    dice: Dice
    decisions: Decisions[S]


class LuckOptions(NamedTuple, Generic[S]):
    """How a phase is evaluated: whose eyes, whose decisions, step limits.

    `reckoned` decides for the players in forecasts. `one` sets the arithmetic: 1.0 or Fraction(1).
    """

    eyes: ReaderKnowledge[S]
    reckoned: Decisions[S]
    limits: StepLimits = StepLimits()
    one: Any = 1.0


def evaluate_phase(scored: PositionValues[Any], played: PlayedPhase[S], weighing: LuckOptions[S]) -> EvaluatedPhase:
    """Follow a phase as it was played, and evaluate the rolls that the eyes saw.

    `reckoned` decides for the players in forecasts. With EVERYTHING and the decisions of the phase all is known.
    With a seat's eyes and its own orders the result reveals nothing that the seat does not know: a roll is
    evaluated in the state before it, as far as the seat knows that state. If the rules then give other events than
    the seat saw, the roll depends on hidden data, and is not evaluated.
    """
    rules, world, dice, decisions = played
    eyes, limits = weighing.eyes, weighing.limits
    combats: list[_CombatTracker[S]] = []
    sides = tuple(scored.worth(world.state))
    current: _CombatTracker[S] | None = None
    steps_left = limits.phase
    trail: list[tuple[World[S], Moment[S]]] = []
    for _, moment in walk(rules, world, dice, decisions):
        trail.append((world, moment))
        world = moment.world
    for index, (before, moment) in enumerate(trail):
        if current is not None and current.over(before):
            current.end(before.state)
            current = None
        if moment.rolled is None:
            continue
        ending = next((later for later in trail[index:] if isinstance(later[1].outcome, Did)), (before, moment))
        seen_events = eyes.see(_events(ending[1]), before.state)
        if eyes is FULL_KNOWLEDGE or any(moment.rolled.label in roll_labels(happened.data) for happened in seen_events):
            if current is None:
                current = _CombatTracker(scored, rules, before, weighing)
                combats.append(current)
            steps_left -= current.add(
                before, moment.rolled, ending[0].agenda[0], seen_events, min(limits.roll, steps_left)
            )
    if current is not None:
        current.end(world.state)
    return EvaluatedPhase(sides, tuple(tracker.combat() for tracker in combats), limits.phase - steps_left)


def _events(moment: Moment[Any]) -> tuple[Event, ...]:
    return moment.outcome.events if isinstance(moment.outcome, Did) else ()


class _Todo:
    """An agenda as a linked list.

    Lists with the same end share it, and are compared by identity (`_shared_list`).
    """

    __slots__ = ("rest", "task")

    def __init__(self, task: Task, rest: _Todo | None) -> None:
        self.task, self.rest = task, rest


class _CombatTracker(Generic[S]):
    """A combat that is followed from its first roll on."""

    def __init__(self, scored: PositionValues[Any], rules: Rules[S], world: World[S], weighing: LuckOptions[S]) -> None:
        self._scored, self._rules = scored, rules
        self._eyes, self._reckoned, _, self._one = weighing
        start = self._eyes.know(world.state)
        self._fold = fold_of(self._rules)
        self._key: Callable[[S], Hashable] = scored.apart(start)
        self._engaged, self._depth = scored.engaged(world.state), len(world.agenda)
        self._known: dict[Hashable, Points] = {}
        self._lists: dict[tuple[Task, _Todo | None], _Todo] = {}
        self._start = self._points(start)
        self._expected: Points = ()
        self._came: Points = ()
        self._where = ""
        self._rolls: list[EvaluatedRoll] = []
        self._left = 0

    def over(self, world: World[S]) -> bool:
        """Return whether the combat has ended.

        This is when its fight is over; for a roll outside any fight, when all its consequences are.
        """
        return not self._scored.engaged(world.state) and (self._engaged or len(world.agenda) < self._depth)

    def end(self, state: S) -> None:
        """Record the points in `state`, with which the combat ended."""
        self._came = self._points(self._eyes.know(state))

    def combat(self) -> Combat:
        """Return the combat so far; its points only if all rolls were evaluated."""
        complete = not any(roll.left for roll in self._rolls)
        if not complete:
            return Combat(self._where, tuple(self._rolls))
        return Combat(self._where, tuple(self._rolls), self._gain(self._expected), self._gain(self._came))

    def add(self, world: World[S], rolled: Rolled, task: Task, shown: Sequence[Event], most: int) -> int:
        """Evaluate a roll, and return the number of steps used, at most `most`.

        `task` is the task that rolled, with all its results, and `shown` the events seen to follow.
        """
        self._where = self._where or rolled.label.partition("/")[0]
        self._left = most
        known_state, reason = self._eyes.know(world.state, shown), UNSEEN
        if known_state is world.state or self._agrees(known_state, task, shown):
            try:
                self._rolls.append(self._evaluate_roll(known_state, world, rolled))
                return most - self._left
            except TooMuch:
                # Over the budget: the roll is listed without values, with this reason.
                reason = TOO_LONG
        nothing = self._gain(self._start)
        self._rolls.append(EvaluatedRoll(rolled.label, rolled.values, nothing, nothing, nothing, nothing, reason))
        # The step that was too much has brought it below 0.
        return most - max(self._left, 0)

    def _agrees(self, known: S, task: Task, shown: Sequence[Event]) -> bool:
        """Return whether the rules, in the known state, give exactly the events seen."""
        outcome = self._rules.step(known, task)
        return isinstance(outcome, Did) and list(self._eyes.see(outcome.events, known)) == list(shown)

    def _evaluate_roll(self, state: S, world: World[S], rolled: Rolled) -> EvaluatedRoll:
        task = world.agenda[0]
        # Without a fight, the computation ends with the roll's own task.
        rest = self._shared_list(
            world.agenda[1:] if self._engaged else world.agenda[1 : len(world.agenda) - self._depth + 1]
        )
        results = tuple(_plain(result) if isinstance(result, Rolled) else result for result in task.got)
        total = rolled.sides**rolled.n
        outcomes: list[tuple[Points, int]] = []
        actual: Points = ()
        for values, ways in faces(rolled.n, rolled.sides):
            face_roll = Rolled("", rolled.n, rolled.sides, values)
            points = self._expected_points(state, self._shared_list((task._replace(got=(*results, face_roll)),), rest))
            outcomes.append((points, ways))
            # `faces` yields ascending faces.
            if values == tuple(sorted(rolled.values)):
                actual = points
        mean = tuple(sum_in_order(value[i] * ways for value, ways in outcomes) / total for i in range(len(actual)))
        self._expected = self._expected or mean
        leads = [(_leads(value, mean), ways) for value, ways in outcomes]
        indices = range(len(mean))
        variance = tuple(sum_in_order(lead[i] * lead[i] * ways for lead, ways in leads) / total for i in indices)
        bounds = [tuple(extreme(lead[i] for lead, _ in leads) for i in indices) for extreme in (min, max)]
        return EvaluatedRoll(rolled.label, rolled.values, _leads(actual, mean), variance, bounds[0], bounds[1])

    def _expected_points(self, state: S, todo: _Todo | None) -> Points:
        """Return the points to be expected at the end."""
        # The value of each state on the way is cached: other faces lead to the same states.
        trail: list[Hashable] = []
        points: Points | None = None
        while todo is not None and not (self._engaged and not self._scored.engaged(state)):
            key = (self._key(state), todo)
            points = self._known.get(key)
            if points is not None:
                break
            trail.append(key)
            outcome = self._step(state, todo.task, todo.rest)
            if not isinstance(outcome, Did):
                points = outcome
                break
            state = self._fold(state, outcome.events) if outcome.events else state
            todo = self._shared_list(outcome.then, todo.rest)
        points = self._points(state) if points is None else points
        for visited in trail:
            self._known[visited] = points
        return points

    def _step(self, state: S, task: Task, rest: _Todo | None) -> Did | Points:
        """Return a task's outcome; where it rolls, the points expected at the end."""
        while True:
            self._left -= 1
            if self._left < 0:
                raise TooMuch
            outcome = self._rules.step(state, task)
            if isinstance(outcome, Did):
                return outcome
            if isinstance(outcome, Roll):
                break
            task = task._replace(got=(*task.got, self._answer(state, outcome)))
        name, args, results = task
        n, sides = outcome.n, outcome.sides
        outcomes = [
            (
                self._expected_points(
                    state, self._shared_list((Task(name, args, (*results, Rolled("", n, sides, values))),), rest)
                ),
                ways,
            )
            for values, ways in faces(n, sides)
        ]
        total = sides**n
        return tuple(
            sum_in_order(points[i] * ways for points, ways in outcomes) / total for i in range(len(self._start))
        )

    def _shared_list(self, tasks: Sequence[Task], rest: _Todo | None = None) -> _Todo | None:
        """Return the list of these tasks and `rest`; equal lists are the same object."""
        for task in reversed(tasks):
            item = self._lists.get((task, rest))
            if item is None:
                item = self._lists[task, rest] = _Todo(task, rest)
            rest = item
        return rest

    def _answer(self, state: S, asked: Ask) -> Choice:
        choice = self._reckoned.answer(state, asked.window)
        if choice is None:
            raise TooMuch
        return choice

    def _points(self, state: S) -> Points:
        return tuple(self._one * value for value in self._scored.worth(state).values())

    def _gain(self, points: Points) -> Points:
        return tuple(now - then for now, then in zip(points, self._start, strict=True))


def _leads(points: Points, mean: Points) -> Points:
    """Return each side's gain over all the others."""
    gains = [now - then for now, then in zip(points, mean, strict=True)]
    return tuple(gain + gain - sum_in_order(gains) for gain in gains)


def _plain(rolled: Rolled) -> Rolled:
    """Return a roll without label and with sorted dice.

    Rolls that no rule distinguishes are then equal.
    """
    return Rolled("", rolled.n, rolled.sides, tuple(sorted(rolled.values)))


# E-values: evidence against fair dice, valid at any time of looking.
#
# An e-value is the present capital after starting with 1 and betting on the dice at fair odds. With fair dice it is
# 1 on the average, however long one plays and whenever one stops, so that it ever comes to 20 has at most one chance in
# 20, to 100 one in 100. Those of several games may be multiplied, where the dice of each are its own, or averaged.
#
# Two bets are made. `log_e_of_faces` bets that some faces come up more often than others, not knowing which (a mixture
# of multinomials over Dirichlet priors). `log_e_of_luck` bets that the rolls favour a side, by any means, so a server
# is seen as well whose faces come up alike, but not when it matters.
#
# All values are natural logarithms.


PRIOR_CONCENTRATIONS = (1, 10, 100)
"""Concentrations of the Dirichlet priors, each as likely: of dice that may be anything, and of nearly fair ones."""
BET_SHARES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
"""Shares of the capital that are bet on each roll; the e-value is the mean over them, each weighing the same."""


def log_e_of_faces(counts: Mapping[int, Sequence[int]]) -> float:
    """Return the log e-value of the faces, from their counts by number of sides."""
    return sum_in_order(_of_die(sides, faces) for sides, faces in counts.items())


def _of_die(sides: int, faces: Sequence[int]) -> float:
    if len(faces) != sides:
        raise ValueError(f"a die of {sides} sides has as many counts, got {len(faces)}")
    rolled = sum(faces)
    return _mean(
        [
            lgamma(sides * prior)
            - lgamma(sides * prior + rolled)
            + sum_in_order(lgamma(prior + face) - lgamma(prior) for face in faces)
            + rolled * log(sides)
            for prior in PRIOR_CONCENTRATIONS
        ]
    )


def log_e_of_luck(rolls: Iterable[tuple[float, float, float]]) -> float:
    """Return the log e-value for rolls that favour a side.

    Each roll has its luck, and the least and the most that this could be. The share at stake is relative to the
    worst result, so that no bet loses everything.
    """
    sums = [0.0] * len(BET_SHARES)
    for luck, least, most in rolls:
        largest = max(-least, most)
        if largest > 0:
            for index, stake in enumerate(BET_SHARES):
                sums[index] += log1p(stake * luck / largest)
    return _mean(sums)


def _mean(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + log(sum_in_order(exp(value - top) for value in logs) / len(logs))


def e_value(value: float) -> float:
    """Return an e-value from its logarithm, infinite where it is too large."""
    return exp(value) if value < 700 else inf
