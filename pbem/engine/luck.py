"""Luck: what each roll of a phase was worth, by the same steps over all the faces that it might have shown.

A roll is worth what is then to be expected less what was to be expected before it, in the points of the game. Such
differences are 0 on the average whatever is played, so they add up: over a combat to what came of it less what was to
be expected, over a game to the luck of a side, whose deviation is known as well. What hung on a roll is
the standard deviation of that difference over its faces.

A roll is followed to the end of the fight that it belongs to (`ScoredGame.engaged`), else to the end of what it
brings about. What it does to later fights shows in what is to be expected of them. Players choose as their standing
orders and the defaults say, on the faces that did not come up as well.

What it costs is counted in steps of the rules, the same on every machine, and bounded: a roll that takes more is not
weighed, and said to be so.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from math import exp, inf, lgamma, log, log1p, sqrt
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from pbem.engine.data.events import Event
from pbem.engine.data.sums import in_order
from pbem.engine.parts import ScoredGame
from pbem.engine.reasons import labels_of
from pbem.engine.run.odds import TooMuch, faces
from pbem.engine.run.runners import Decisions, Dice, Moment, walk
from pbem.engine.run.steps import Ask, Choice, Did, Roll, Rolled, Rules, Task, World, folding

S = TypeVar("S")
Points = tuple[Any, ...]
"""What each side has, in the order of `ScoredGame.worth`."""


class Limits(NamedTuple):
    """How many steps of the rules a roll may take, and all rolls of a phase together."""

    roll: int = 4_000
    phase: int = 12_000


TOO_LONG, UNSEEN = "too long", "unseen"
"""Why a roll is not weighed: it takes too many steps, or rests on what was hidden."""


class WeighedRoll(NamedTuple):
    """A roll and what hung on it.

    `luck` is what each side gained by it over all the others; `variance` the mean square of that over all faces, and
    `least` and `most` its bounds, alike by side. If it could not be weighed, `left` says why, and they are all 0.
    """

    label: str
    values: tuple[int, ...]
    luck: Points
    variance: Points
    least: Points
    most: Points
    left: str = ""


class Combat(NamedTuple):
    """Rolls that are followed to the same end: by side what was expected of them, and what came of them.

    Both are counted from the points before the first of them; they are told for a combat all of whose rolls were
    weighed, and else empty. Where somebody chose otherwise than was reckoned with, they differ by more than the luck.
    """

    where: str
    rolls: tuple[WeighedRoll, ...]
    expected: Points = ()
    came: Points = ()


class WeighedPhase(NamedTuple):
    """The combats of a phase in order, and the steps that it took to weigh them."""

    sides: tuple[str, ...]
    combats: tuple[Combat, ...]
    steps: int = 0


def standard(rolls: Sequence[WeighedRoll], side: int) -> tuple[float, float]:
    """Return the luck of a side in all these rolls together, and its standard deviation."""
    luck = in_order(float(one.luck[side]) for one in rolls)
    return luck, sqrt(in_order(float(one.variance[side]) for one in rolls))


class Eyes(Protocol[S]):
    """What somebody who asks about luck may know of states and events."""

    def know(self, state: S, happened: Sequence[Event] = ()) -> S:
        """Return what he knows of `state`, given that he has seen `happened`, the events that followed from it."""
        ...

    def see(self, happened: Sequence[Event], before: S) -> Sequence[Event]:
        """Return those of the events that he sees; all of them came of one step in the state `before`."""
        ...


class _Everything:
    """Eyes that see all."""

    def know(self, state: Any, happened: Sequence[Event] = ()) -> Any:
        return state

    def see(self, happened: Sequence[Event], before: Any) -> Sequence[Event]:
        return happened


EVERYTHING: Eyes[Any] = _Everything()


class Played(NamedTuple, Generic[S]):
    """A phase as it was played: by what rules, in what world, what was rolled, what was decided."""

    rules: Rules[S]
    world: World[S]
    dice: Dice
    decisions: Decisions[S]


class Weighing(NamedTuple, Generic[S]):
    """How a phase is weighed: by whose eyes, who answers for the players where it is foreseen, at most how far.

    `one` sets the arithmetic: 1.0 or Fraction(1).
    """

    eyes: Eyes[S]
    reckoned: Decisions[S]
    limits: Limits = Limits()
    one: Any = 1.0


def weigh(scored: ScoredGame[Any], played: Played[S], weighing: Weighing[S]) -> WeighedPhase:
    """Follow a phase as it was played, and weigh those of its rolls that the eyes saw.

    `reckoned` answers for the players where it is foreseen. With EVERYTHING and the decisions of the phase all is
    known; with a seat's eyes and its own orders what comes of it holds nothing that the seat does not know: a roll is
    weighed in what the seat knows of the state before it, by the rules alone. Where these then say that something else
    came of it than was seen, it rests on what is hidden, and is not weighed.
    """
    rules, world, dice, decisions = played
    eyes, limits = weighing.eyes, weighing.limits
    found: list[_Following[S]] = []
    sides = tuple(scored.worth(world.state))
    now: _Following[S] | None = None
    left = limits.phase
    trail: list[tuple[World[S], Moment[S]]] = []
    for _, moment in walk(rules, world, dice, decisions):
        trail.append((world, moment))
        world = moment.world
    for place, (here, moment) in enumerate(trail):
        if now is not None and now.over(here):
            now.end(here.state)
            now = None
        if moment.rolled is None:
            continue
        then = next((after for after in trail[place:] if isinstance(after[1].outcome, Did)), (here, moment))
        shown = eyes.see(_events(then[1]), here.state)
        if eyes is EVERYTHING or any(moment.rolled.label in labels_of(happened.data) for happened in shown):
            if now is None:
                now = _Following(scored, rules, here, weighing)
                found.append(now)
            left -= now.add(here, moment.rolled, then[0].agenda[0], shown, min(limits.roll, left))
    if now is not None:
        now.end(world.state)
    return WeighedPhase(sides, tuple(each.combat() for each in found), limits.phase - left)


def _events(moment: Moment[Any]) -> tuple[Event, ...]:
    return moment.outcome.events if isinstance(moment.outcome, Did) else ()


class _Todo:
    """An agenda as a linked list: lists with the same end share it, and are compared by identity (`_listed`)."""

    __slots__ = ("rest", "task")

    def __init__(self, task: Task, rest: _Todo | None) -> None:
        self.task, self.rest = task, rest


class _Following(Generic[S]):
    """A combat that is being followed from its first roll on."""

    def __init__(self, scored: ScoredGame[Any], rules: Rules[S], world: World[S], weighing: Weighing[S]) -> None:
        self._scored, self._rules = scored, rules
        self._eyes, self._reckoned, _, self._one = weighing
        start = self._eyes.know(world.state)
        self._fold = folding(self._rules)
        self._key: Callable[[S], Hashable] = scored.apart(start)
        self._engaged, self._depth = scored.engaged(world.state), len(world.agenda)
        self._known: dict[Hashable, Points] = {}
        self._lists: dict[tuple[Task, _Todo | None], _Todo] = {}
        self._start = self._points(start)
        self._expected: Points = ()
        self._came: Points = ()
        self._where = ""
        self._rolls: list[WeighedRoll] = []
        self._left = 0

    def over(self, world: World[S]) -> bool:
        """Whether it has ended: its fight is over or, for a roll outside any fight, all that followed from it."""
        return not self._scored.engaged(world.state) and (self._engaged or len(world.agenda) < self._depth)

    def end(self, state: S) -> None:
        """Note the points in `state`, with which the combat ended."""
        self._came = self._points(self._eyes.know(state))

    def combat(self) -> Combat:
        """Return the combat as followed so far; its points only if every one of its rolls was weighed."""
        whole = not any(one.left for one in self._rolls)
        if not whole:
            return Combat(self._where, tuple(self._rolls))
        return Combat(self._where, tuple(self._rolls), self._gain(self._expected), self._gain(self._came))

    def add(self, world: World[S], rolled: Rolled, task: Task, shown: Sequence[Event], most: int) -> int:
        """Weigh a roll, and return how many steps that took, at most `most`.

        `task` is what it was rolled for, with all that it got, and `shown` what was seen to come of it.
        """
        self._where = self._where or rolled.label.partition("/")[0]
        self._left = most
        known, why = self._eyes.know(world.state, shown), UNSEEN
        if known is world.state or self._agrees(known, task, shown):
            try:
                self._rolls.append(self._weighed(known, world, rolled))
                return most - self._left
            except TooMuch:
                why = TOO_LONG
        nothing = self._gain(self._start)
        self._rolls.append(WeighedRoll(rolled.label, rolled.values, nothing, nothing, nothing, nothing, why))
        return most - max(self._left, 0)

    def _agrees(self, known: S, task: Task, shown: Sequence[Event]) -> bool:
        """Whether the rules, in the state as it is known, give for the task exactly the events that were seen."""
        outcome = self._rules.step(known, task)
        return isinstance(outcome, Did) and list(self._eyes.see(outcome.events, known)) == list(shown)

    def _weighed(self, state: S, world: World[S], rolled: Rolled) -> WeighedRoll:
        task = world.agenda[0]
        # Where nobody fights, the end of the roll's own task is the end; what comes after it is of no account.
        rest = self._listed(
            world.agenda[1:] if self._engaged else world.agenda[1 : len(world.agenda) - self._depth + 1]
        )
        got = tuple(_plain(one) if isinstance(one, Rolled) else one for one in task.got)
        total = rolled.sides**rolled.n
        worth: list[tuple[Points, int]] = []
        actual: Points = ()
        for values, ways in faces(rolled.n, rolled.sides):
            shown = Rolled("", rolled.n, rolled.sides, values)
            came = self._worth(state, self._listed((task._replace(got=(*got, shown)),), rest))
            worth.append((came, ways))
            if values == tuple(sorted(rolled.values)):
                actual = came
        mean = tuple(in_order(came[i] * ways for came, ways in worth) / total for i in range(len(actual)))
        self._expected = self._expected or mean
        apart = [(_leads(came, mean), ways) for came, ways in worth]
        indices = range(len(mean))
        variance = tuple(in_order(lead[i] * lead[i] * ways for lead, ways in apart) / total for i in indices)
        bounds = [tuple(end(lead[i] for lead, _ in apart) for i in indices) for end in (min, max)]
        return WeighedRoll(rolled.label, rolled.values, _leads(actual, mean), variance, bounds[0], bounds[1])

    def _worth(self, state: S, todo: _Todo | None) -> Points:
        """The points that are to be expected at the end."""
        # What each place on the way comes to is kept: other faces lead to the same places.
        trail: list[Hashable] = []
        known: Points | None = None
        while todo is not None and not (self._engaged and not self._scored.engaged(state)):
            here = (self._key(state), todo)
            known = self._known.get(here)
            if known is not None:
                break
            trail.append(here)
            done = self._step(state, todo.task, todo.rest)
            if not isinstance(done, Did):
                known = done
                break
            state = self._fold(state, done.events) if done.events else state
            todo = self._listed(done.then, todo.rest)
        known = self._points(state) if known is None else known
        for place in trail:
            self._known[place] = known
        return known

    def _step(self, state: S, task: Task, rest: _Todo | None) -> Did | Points:
        """What a task does; where it rolls, what is to be expected at the end."""
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
        name, args, got = task
        n, sides = outcome.n, outcome.sides
        worth = [
            (self._worth(state, self._listed((Task(name, args, (*got, Rolled("", n, sides, values))),), rest)), ways)
            for values, ways in faces(n, sides)
        ]
        total = sides**n
        return tuple(in_order(came[i] * ways for came, ways in worth) / total for i in range(len(self._start)))

    def _listed(self, tasks: Sequence[Task], rest: _Todo | None = None) -> _Todo | None:
        """Return the list of these tasks followed by `rest`; equal lists are the same object."""
        for task in reversed(tasks):
            found = self._lists.get((task, rest))
            if found is None:
                found = self._lists[task, rest] = _Todo(task, rest)
            rest = found
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
    """What each side has gained over all the others."""
    gains = [now - then for now, then in zip(points, mean, strict=True)]
    return tuple(gain + gain - in_order(gains) for gain in gains)


def _plain(rolled: Rolled) -> Rolled:
    """Return a roll without its label and with its dice sorted, so that rolls no rule can tell apart are equal."""
    return Rolled("", rolled.n, rolled.sides, tuple(sorted(rolled.values)))


# E-values: what speaks against fair dice, in numbers that hold whenever one looks.
#
# An e-value is what one would have by now, had one begun with 1 and bet on the dice at fair odds. With fair dice it is
# 1 on the average, however long one plays and whenever one stops, so that it ever comes to 20 has at most one chance in
# 20, to 100 one in 100. Those of several games may be multiplied, where the dice of each are its own, or averaged.
#
# Two bets are made. `of_faces` bets that some faces come up more often than others, not knowing which (a mixture of
# multinomials over Dirichlet priors). `of_luck` bets that the rolls favour a side, by any means, so a server is seen as
# well whose faces come up alike, but not when it matters.
#
# All values are natural logarithms.


PRIORS = (1, 10, 100)
"""Concentrations of the Dirichlet priors, each as likely: of dice that may be anything, and of nearly fair ones."""
STAKES = (1 / 16, 1 / 8, 1 / 4, 1 / 2)
"""Shares of the capital that are bet on each roll; the e-value is the mean over them, each weighing the same."""


def of_faces(counts: Mapping[int, Sequence[int]]) -> float:
    """Return the log e-value of the faces: by the number of sides, how often each of 1..sides came up."""
    return in_order(_of_one(sides, faces) for sides, faces in counts.items())


def _of_one(sides: int, faces: Sequence[int]) -> float:
    if len(faces) != sides:
        raise ValueError(f"a die of {sides} sides has as many counts, got {len(faces)}")
    rolled = sum(faces)
    return _mean(
        [
            lgamma(sides * prior)
            - lgamma(sides * prior + rolled)
            + in_order(lgamma(prior + face) - lgamma(prior) for face in faces)
            + rolled * log(sides)
            for prior in PRIORS
        ]
    )


def of_luck(rolls: Iterable[tuple[float, float, float]]) -> float:
    """Return what says that rolls favour a side: each its luck, and the least and the most that this could be.

    Of each roll as large a share is at stake as the worst that could come, so no bet loses all there is.
    """
    sums = [0.0] * len(STAKES)
    for luck, least, most in rolls:
        largest = max(-least, most)
        if largest > 0:
            for place, stake in enumerate(STAKES):
                sums[place] += log1p(stake * luck / largest)
    return _mean(sums)


def _mean(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + log(in_order(exp(value - top) for value in logs) / len(logs))


def shown(value: float) -> float:
    """Return an e-value from its logarithm, infinite where no number is large enough."""
    return exp(value) if value < 700 else inf
