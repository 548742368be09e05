"""A game that is over, looked at again: where its expected result changed, by what was ordered and by the dice.

The expected result of a position is the share of games that a side wins from there, drawn ones counting half, when
bots play them to the end. Of each phase there are three: before it; with its orders carried out by other dice; after it
as it went. The first step is what the orders did, the second what the dice did, against what these bots make of it.

Each play has its own dice and chance, by its number, the turn, the phase and the label of the roll, whatever position
it begins in. So plays of one number from two positions differ by the positions as far as can be, and the same game
gives the same figures on every machine. So few plays tell a share no better than to its `error`; what seems to matter
is played again, more often and with numbers of its own, and only what came of that is told.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt
from typing import Any, Generic, NamedTuple, TypeVar

from pbem.engine.autoplay import Playing, play_on
from pbem.engine.bots import OwnDice, Pick, picks
from pbem.engine.data.canon import digest, dumps
from pbem.engine.data.sums import in_order
from pbem.engine.game import AnyGame
from pbem.engine.parts import ScoredGame
from pbem.engine.run.runners import Decisions, Done, play
from pbem.engine.run.steps import World
from pbem.engine.terms import Seat

S = TypeVar("S")

ORDERS, DICE = "orders", "dice"
"""What changed an expected result: what was ordered, or how the dice fell."""
_SURE = 1.96
"""Standard deviations within which a mean lies in 95 of 100 cases."""


class Plays(NamedTuple):
    """How many plays a review is made of: from each position `first`, of the `looked_at` steps that seem to matter most
    `again` more; at most `told` turning points are told."""

    first: int
    again: int
    looked_at: int = 8
    told: int = 5


class Reviewed(NamedTuple, Generic[S]):
    """A phase to be reviewed: its name, turn and phase, the side that gave orders (none where both did), the position
    before it, how it is carried out, the position after it."""

    name: str
    turn: int
    phase: str
    side: str
    before: S
    world: World[S]
    decisions: Decisions[S]
    after: S


class Share(NamedTuple):
    """A mean and how far it may well be off."""

    value: float
    error: float

    @property
    def certain(self) -> bool:
        """Whether it differs from nothing by more than its error."""
        return abs(self.value) > self.error


class TurningPoint(NamedTuple):
    """A step that changed what a side could expect: of which phase, by the place of that; by ORDERS or DICE.

    What it gained the first side, and what that could expect before it and after it.
    """

    place: int
    cause: str
    gain: Share
    before: float
    after: float


class Review(NamedTuple):
    """What came of it, all of it for the first of `sides`.

    `course` is the expected result before the first phase and after each, `turned` the turning points that are larger
    than their error, the largest first. `luck` is what the dice gave it in all, `choice` what the orders of each side
    gave it. `plays` is how many games were played.
    """

    sides: tuple[str, ...]
    course: tuple[float, ...]
    turned: tuple[TurningPoint, ...]
    luck: Share
    choice: tuple[Share, ...]
    plays: int


def share(values: Sequence[float]) -> Share:
    """Return the mean of values and its error, which is more than nothing even where all of them are alike."""
    count = len(values)
    mean = in_order(values) / count
    spread = sqrt(in_order((value - mean) ** 2 for value in values) / max(1, count - 1))
    return Share(mean, max(_SURE * spread / sqrt(count), 2.0 / count))


def reviewed(
    rules: AnyGame,
    scored: ScoredGame[Any],
    played: Sequence[Reviewed[Any]],
    plays: Plays,
    progress: Callable[[int, int], None],
) -> Review:
    """Review the phases of a game, at least one; `progress` is told how many of how many games are played so far.

    The bot is the first that the game names. It takes all of a state, so it is for games that are open by now.
    """
    tried = _Tried(rules, scored, played)
    count = (2 * len(played) + 1) * plays.first
    total = count + 2 * plays.looked_at * plays.again
    progress(0, total)
    before, orders, after = [], [], []
    for place in range(len(played)):
        before.append(tried.before(place, 0, plays.first))
        orders.append(tried.orders(place, 0, plays.first))
        after.append(tried.after(place, 0, plays.first))
        progress(min(tried.count, count), total)
    steps = [
        (place, cause, _less(late, early))
        for place in range(len(played))
        for cause, late, early in ((ORDERS, orders[place], before[place]), (DICE, after[place], orders[place]))
    ]
    turned = []
    ranked = sorted(steps, key=lambda step: -abs(in_order(step[2])))[: plays.looked_at]
    for at, (place, cause, _) in enumerate(ranked, 1):
        turned.append(tried.again(place, cause, plays))
        progress(count + (total - count) * at // len(ranked), total)
    turned = [one for one in turned if one.gain.certain]
    turned.sort(key=lambda one: -abs(one.gain.value))
    choice = (
        share(_summed([step for place, cause, step in steps if cause == ORDERS and played[place].side == side], plays))
        for side in tried.sides
    )
    luck = share(_summed([step for _, cause, step in steps if cause == DICE], plays))
    course = (_mean(before[0]), *map(_mean, after))
    return Review(tried.sides, course, tuple(turned[: plays.told]), luck, tuple(choice), tried.count)


def _less(late: Sequence[float], early: Sequence[float]) -> list[float]:
    """What each play gained from one position to the next."""
    return [one - other for one, other in zip(late, early, strict=True)]


def _summed(steps: Sequence[Sequence[float]], plays: Plays) -> list[float]:
    """What each play gained by all these steps together."""
    return [in_order(step[number] for step in steps) for number in range(plays.first)]


def _mean(values: Sequence[float]) -> float:
    return in_order(values) / len(values)


class _Tried:
    """The plays from the positions of a game, each worth 1 if the first side wins it, 0.5 if nobody does; `count` are
    those that were played."""

    def __init__(self, rules: AnyGame, scored: ScoredGame[object], played: Sequence[Reviewed[object]]) -> None:
        start = played[0].before
        self.sides = tuple(scored.worth(start))
        self.count = 0
        self._rules, self._scored, self._played = rules, scored, played
        self._bot = rules.bots[next(iter(rules.bots))]
        self._seed = digest([played[0].name, rules.encode(start)])
        self._known: dict[tuple[str, int], float] = {}

    def before(self, place: int, first: int, last: int) -> list[float]:
        """What plays of these numbers come to that begin with a phase."""
        return self._from(self._played[place].before, first, last)

    def after(self, place: int, first: int, last: int) -> list[float]:
        """What they come to if they begin after a phase, as it went."""
        return self._from(self._played[place].after, first, last)

    def orders(self, place: int, first: int, last: int) -> list[float]:
        """What they come to with the orders of a phase and dice of their own."""
        one, found = self._played[place], []
        if self._dull(one):
            return self.after(place, first, last)
        for number in range(first, last):
            done = play(self._rules.rules, one.world, self._dice(one.before, number), one.decisions)
            self.count += 1
            found.append(self._end(done.state, number))
        return found

    def again(self, place: int, cause: str, plays: Plays) -> TurningPoint:
        """A step once more, by plays of other numbers."""
        span = (place, plays.first, plays.first + plays.again)
        early = self.before(*span) if cause == ORDERS else self.orders(*span)
        late = self.orders(*span) if cause == ORDERS else self.after(*span)
        return TurningPoint(place, cause, share(_less(late, early)), _mean(early), _mean(late))

    def _dull(self, one: Reviewed[object]) -> bool:
        """Whether no die is thrown in a phase, so that it can only go as it went."""
        done = play(self._rules.rules, one.world, _Never(), one.decisions)
        return isinstance(done, Done) and not done.rolls

    def _from(self, state: object, first: int, last: int) -> list[float]:
        name = dumps(self._rules.encode(state))
        found = []
        for number in range(first, last):
            if (name, number) not in self._known:
                self.count += 1
                self._known[name, number] = self._end(state, number)
            found.append(self._known[name, number])
        return found

    def _end(self, state: object, number: int) -> float:
        """Play on to the end, and return what that is worth to the first side."""

        def chance(here: object, seat: Seat) -> Pick:
            return picks(f"{self._moment(here, number)} {seat}".encode())

        how = Playing(self._rules, self._bot, lambda here: self._dice(here, number), chance)
        winner = self._scored.winner(play_on(how, state))
        return 0.5 if winner not in self.sides else float(winner == self.sides[0])

    def _moment(self, state: object, number: int) -> str:
        name, turn = self._rules.phase(state) or ("over", 0)
        return f"{self._seed} {number} {turn} {name}"

    def _dice(self, state: object, number: int) -> OwnDice:
        return OwnDice(self._moment(state, number))


class _Never:
    """Dice that all show one: they are thrown to see whether any is."""

    def roll(self, label: str, n: int, sides: int) -> tuple[int, ...]:
        return (1,) * n
