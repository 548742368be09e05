"""Review a finished game: find where its expected result changed.

Orders and dice change the expected result. The expected result of a position is the share of games that a side wins
from there, drawn ones counting half, when bots play them to the end. Each phase has three expected results: before
it; after its orders with other dice; after it as it went. The first step is the effect of the orders, the second
that of the dice, compared with the play of these bots.

Each play has its own dice and chance, by its number, the turn, the phase and the label of the roll, whatever
position it begins in. So plays of one number from two positions differ by the positions as far as possible, and the
same game gives the same figures on every machine. So few plays give a share only to within its `error`; the steps
that seem to matter most are played again, more often and with other numbers, and only those results are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.autoplay import AutoplaySettings, play_on
from pbem.engine.bots import DiceFromSeed, Pick, seeded_pick
from pbem.engine.data.canon import digest, dumps
from pbem.engine.data.sums import sum_in_order
from pbem.engine.game import AnyGame
from pbem.engine.parts import PositionValues
from pbem.engine.run.runners import Decisions, Done, play
from pbem.engine.run.steps import World
from pbem.engine.terms import Seat

S = TypeVar("S")

ORDERS, DICE = "orders", "dice"
"""The cause of a change of an expected result: orders or dice."""
_SURE = 1.96
"""Standard errors within which a mean lies in 95 of 100 cases."""


class PlayCounts(NamedTuple):
    """The number of plays of a review.

    `first` games are played from each position, and `again` more for the `looked_at` steps that seem to matter
    most; at most `told` turning points are reported.
    """

    first: int
    again: int
    looked_at: int = 8
    told: int = 5


class ReviewedPhase(NamedTuple, Generic[S]):
    """A phase to be reviewed: name, turn, phase, side, and the positions around it.

    `side` gave orders, empty where both did; `world` and `decisions` are how it is carried out.
    """

    name: str
    turn: int
    phase: str
    side: str
    before: S
    world: World[S]
    decisions: Decisions[S]
    after: S


class MeanWithError(NamedTuple):
    """A mean and its likely error."""

    value: float
    error: float

    @property
    def certain(self) -> bool:
        """Return whether it differs from zero by more than its error."""
        return abs(self.value) > self.error


class TurningPoint(NamedTuple):
    """A step that changed a side's expected result.

    It has the place of its phase, the cause (ORDERS or DICE), the gain of the first side, and its expected
    result before and after.
    """

    place: int
    cause: str
    gain: MeanWithError
    before: float
    after: float


class Review(NamedTuple):
    """The result of a review, for the first of `sides`.

    `course` is the expected result before the first phase and after each, `turned` the turning points that are
    larger than their error, the largest first. `luck` is the gain by dice in all, `choice` the gain by the
    orders of each side. `plays` is how many games were played.
    """

    sides: tuple[str, ...]
    course: tuple[float, ...]
    turned: tuple[TurningPoint, ...]
    luck: MeanWithError
    choice: tuple[MeanWithError, ...]
    plays: int


def mean_with_error(values: Sequence[float]) -> MeanWithError:
    """Return the mean of values and its error, above zero even if all are equal."""
    count = len(values)
    mean = sum_in_order(values) / count
    # One value has no spread: the second part of the error, a choice, stands alone then.
    spread = sqrt(sum_in_order((value - mean) ** 2 for value in values) / max(1, count - 1))
    return MeanWithError(mean, max(_SURE * spread / sqrt(count), 2.0 / count))


def review_game(
    rules: AnyGame,
    scored: PositionValues[Any],
    played: Sequence[ReviewedPhase[Any]],
    plays: PlayCounts,
    progress: Callable[[int, int], None],
) -> Review:
    """Review the phases of a game, at least one.

    `progress` is called with the number of games played so far and in all. The bot is the first that the game
    names. It sees whole states, so the game must be open by now.
    """
    cache = _PlayCache(rules, scored, played)
    count = (2 * len(played) + 1) * plays.first
    total = count + 2 * plays.looked_at * plays.again
    progress(0, total)
    before, orders, after = [], [], []
    for index in range(len(played)):
        before.append(cache.before(index, 0, plays.first))
        orders.append(cache.orders(index, 0, plays.first))
        after.append(cache.after(index, 0, plays.first))
        progress(min(cache.count, count), total)
    steps = [
        (phase_index, cause, _less(late, early))
        for phase_index in range(len(played))
        for cause, late, early in (
            (ORDERS, orders[phase_index], before[phase_index]),
            (DICE, after[phase_index], orders[phase_index]),
        )
    ]
    turning_points = []
    # The greatest changes first, since only some are played again.
    ranked = sorted(steps, key=lambda step: -abs(sum_in_order(step[2])))[: plays.looked_at]
    for number, (index, cause, _) in enumerate(ranked, 1):
        turning_points.append(cache.again(index, cause, plays))
        progress(count + (total - count) * number // len(ranked), total)
    turning_points = [point for point in turning_points if point.gain.certain]
    # Anew by value: playing again has changed it.
    turning_points.sort(key=lambda point: -abs(point.gain.value))
    choice = (
        mean_with_error(
            _sum_steps(
                [step for phase_index, cause, step in steps if cause == ORDERS and played[phase_index].side == side],
                plays,
            )
        )
        for side in cache.sides
    )
    luck = mean_with_error(_sum_steps([step for _, cause, step in steps if cause == DICE], plays))
    course = (_mean(before[0]), *map(_mean, after))
    return Review(cache.sides, course, tuple(turning_points[: plays.told]), luck, tuple(choice), cache.count)


def _less(late: Sequence[float], early: Sequence[float]) -> list[float]:
    """Return each play's gain from one position to a later one."""
    return [late_value - early_value for late_value, early_value in zip(late, early, strict=True)]


def _sum_steps(steps: Sequence[Sequence[float]], plays: PlayCounts) -> list[float]:
    """Return each play's gain by all these steps together."""
    return [sum_in_order(step[number] for step in steps) for number in range(plays.first)]


def _mean(values: Sequence[float]) -> float:
    return sum_in_order(values) / len(values)


class _PlayCache:
    """The plays from the positions of a game.

    A play counts 1 if the first side wins, 0.5 if nobody does; `count` is the number of plays so far.
    """

    def __init__(self, rules: AnyGame, scored: PositionValues[object], played: Sequence[ReviewedPhase[object]]) -> None:
        start = played[0].before
        self.sides = tuple(scored.worth(start))
        self.count = 0
        self._rules, self._scored, self._played = rules, scored, played
        self._bot = rules.bots[next(iter(rules.bots))]
        self._seed = digest([played[0].name, rules.encode(start)])
        self._known: dict[tuple[str, int], float] = {}

    def before(self, place: int, first: int, last: int) -> list[float]:
        """Return the results of plays with these numbers from before a phase."""
        return self._results_from(self._played[place].before, first, last)

    def after(self, place: int, first: int, last: int) -> list[float]:
        """Return the results of plays from after a phase, as it went."""
        return self._results_from(self._played[place].after, first, last)

    def orders(self, place: int, first: int, last: int) -> list[float]:
        """Return the results of plays with a phase's orders and other dice."""
        phase, results = self._played[place], []
        if self._has_no_roll(phase):
            return self.after(place, first, last)
        for number in range(first, last):
            outcome = play(self._rules.rules, phase.world, self._dice(phase.before, number), phase.decisions)
            self.count += 1
            results.append(self._end(outcome.state, number))
        return results

    def again(self, place: int, cause: str, plays: PlayCounts) -> TurningPoint:
        """Return a step measured again, by plays of other numbers."""
        span = (place, plays.first, plays.first + plays.again)
        early = self.before(*span) if cause == ORDERS else self.orders(*span)
        late = self.orders(*span) if cause == ORDERS else self.after(*span)
        return TurningPoint(place, cause, mean_with_error(_less(late, early)), _mean(early), _mean(late))

    def _has_no_roll(self, phase: ReviewedPhase[object]) -> bool:
        """Return whether no die is thrown in a phase, so that it can only go as it went."""
        outcome = play(self._rules.rules, phase.world, _ConstantDice(), phase.decisions)
        return isinstance(outcome, Done) and not outcome.rolls

    def _results_from(self, state: object, first: int, last: int) -> list[float]:
        name = dumps(self._rules.encode(state))
        results = []
        for number in range(first, last):
            if (name, number) not in self._known:
                self.count += 1
                self._known[name, number] = self._end(state, number)
            results.append(self._known[name, number])
        return results

    def _end(self, state: object, number: int) -> float:
        """Play on to the end, and return the result for the first side."""

        def chance(position: object, seat: Seat) -> Pick:
            return seeded_pick(f"{self._moment(position, number)} {seat}".encode())

        playing = AutoplaySettings(self._rules, self._bot, lambda position: self._dice(position, number), chance)
        winner = self._scored.winner(play_on(playing, state))
        return 0.5 if winner not in self.sides else float(winner == self.sides[0])

    def _moment(self, state: object, number: int) -> str:
        name, turn = self._rules.phase(state) or ("over", 0)
        return f"{self._seed} {number} {turn} {name}"

    def _dice(self, state: object, number: int) -> DiceFromSeed:
        return DiceFromSeed(self._moment(state, number))


class _ConstantDice:
    """Dice that all show one, to find out whether any is thrown."""

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        return (1,) * n
