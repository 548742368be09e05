"""Six million six-sided dice under one published key look as independent fair dice do.

No statistic proves dice fair: what does is that anybody can reckon them again. But a slip in the stream (a bias of the
mapping, a block used twice, neighbours that hang together) would show in a sample of this size, and the last test shows
that it does. The key is fixed, so the figures are always the same ones.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest

from pbem.audit.dice import DiceStream

KEY = bytes(range(64))
LABELS, EACH, SIDES = 1_000_000, 6, 6

# Chi-square by degrees of freedom: below the first and above the second lies one sample of fair dice in 100,000 each.
# So far out, since a dozen statistics are looked at, and a bias of one in sixty lies hundreds away.
BOUNDS = {5: (0.0325, 30.856), 10: (0.545, 41.296), 35: (9.966, 82.640)}


def chi_square(seen: Iterable[int], expected: Sequence[float]) -> float:
    return sum((count - mean) ** 2 / mean for count, mean in zip(seen, expected, strict=True))


def even(seen: Counter[int] | Counter[tuple[int, int]], kinds: int) -> float:
    """How far the counts lie from being all alike, over `kinds` kinds."""
    total = sum(seen.values())
    return chi_square([*seen.values(), *[0] * (kinds - len(seen))], [total / kinds] * kinds)


@pytest.fixture(scope="module")
def sample() -> bytes:
    """The dice in the order of their labels, six of each label, a byte a die."""
    stream, dice = DiceStream(KEY), bytearray()
    for number in range(LABELS):
        dice += bytes(stream.roll(f"S{number}/fire", EACH, SIDES))
    return bytes(dice)


def within(statistic: float, freedom: int) -> bool:
    low, high = BOUNDS[freedom]
    return low < statistic < high


@pytest.mark.full
def test_faces_come_alike(sample: bytes) -> None:
    assert len(sample) == LABELS * EACH
    assert within(even(Counter(sample), SIDES), 5)


@pytest.mark.full
def test_each_place_of_a_roll_is_fair(sample: bytes) -> None:
    for place in range(EACH):
        assert within(even(Counter(sample[place::EACH]), SIDES), 5), place


@pytest.mark.full
def test_neighbours_of_a_roll_do_not_hang_together(sample: bytes) -> None:
    assert within(even(Counter(zip(sample[0::EACH], sample[1::EACH], strict=True)), SIDES**2), 35)


@pytest.mark.full
def test_rolls_of_labels_that_differ_by_one_do_not_hang_together(sample: bytes) -> None:
    firsts = sample[0::EACH]
    assert within(even(Counter(zip(firsts[0::2], firsts[1::2], strict=True)), SIDES**2), 35)


@pytest.mark.full
def test_runs_of_high_and_low_dice_are_as_many_as_of_a_fair_coin(sample: bytes) -> None:
    high = [die > SIDES / 2 for die in sample]
    ups = sum(high)
    downs = len(high) - ups
    runs = 1 + sum(die != other for die, other in pairwise(high))
    mean = 1 + 2 * ups * downs / (ups + downs)
    deviation = ((mean - 1) * (mean - 2) / (ups + downs - 1)) ** 0.5
    assert abs(runs - mean) < 4.27 * deviation


@pytest.mark.full
def test_sums_of_two_dice_are_those_of_the_triangle(sample: bytes) -> None:
    sums = Counter(die + other for die, other in zip(sample[0::EACH], sample[1::EACH], strict=True))
    ways = [SIDES - abs(total - 7) for total in range(2, 13)]
    assert within(chi_square([sums[total] for total in range(2, 13)], [LABELS * way / 36 for way in ways]), 10)


@pytest.mark.full
def test_words_taken_by_remainder_alone_would_be_seen() -> None:
    """Four of the 256 words too many fall on the faces 1 to 4 if none is thrown away: a bias of one in sixty."""
    stream = DiceStream(KEY)
    words = b"".join(bytes(word - 1 for word in stream.roll(f"S{number}/fire", 10_000, 256)) for number in range(100))
    biased = Counter(1 + word % SIDES for word in words)
    assert len(words) == 1_000_000
    assert not within(even(biased, SIDES), 5)
