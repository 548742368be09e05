"""E9 The arithmetic of Glicko-2 (Glickman, 2013), in decimals of 20 digits.

Values are on the inner scale: 0 is 1500, 1 is 173.7178 points. Every function is a sum over games of one player in the
order in which they are handed in; who hands them in sorts them. Call them within `EXACT`.

`decimal` rounds sums, products, roots, exponentials and logarithms correctly, in C as in pure Python: no float is ever
made, and all machines agree.
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable
from decimal import Decimal
from typing import NamedTuple

EXACT = decimal.Context(prec=20, rounding=decimal.ROUND_HALF_EVEN, Emin=-999999, Emax=999999)
QUANTUM = Decimal("1e-9")
_PI_SQUARED = Decimal("9.8696044010893586188")
_TAU = Decimal("0.5")
"""How much volatility may change within a month."""
_CLOSE = Decimal("1e-12")
_ONE, _TWO, _THREE, _HALF = Decimal(1), Decimal(2), Decimal(3), Decimal("0.5")


class Game(NamedTuple):
    """A game as one player sees it: the lead that the other has over him (by rating and ground), the variance of that
    lead but for his own, his score from 0 to 1, and how much the game weighs."""

    lead: Decimal
    variance: Decimal
    score: Decimal
    weight: Decimal = _ONE


class Moved(NamedTuple):
    """What games say of a player: variance of what they tell, and the sum of how much better he did than expected."""

    variance: Decimal
    gain: Decimal


def rounded(value: Decimal) -> Decimal:
    """Return a value to nine decimals, half to even, and nought without a sign."""
    return value.quantize(QUANTUM) + 0


def square(value: Decimal) -> Decimal:
    """Return a product with itself: powers are not rounded alike everywhere."""
    return value * value


def damping(variance: Decimal) -> Decimal:
    """Return by how much a lead counts less that is so uncertain."""
    return _ONE / (_ONE + _THREE * variance / _PI_SQUARED).sqrt()


def expectation(lead: Decimal, variance: Decimal) -> Decimal:
    """Return the score expected against such a lead, from 0 to 1."""
    return _ONE / (_ONE + (damping(variance) * lead).exp())


def moved_by(games: Iterable[Game]) -> Moved | None:
    """Return what games tell; None if there are none."""
    information, gain = Decimal(0), Decimal(0)
    for game in games:
        damped = damping(game.variance)
        expected = _ONE / (_ONE + (damped * game.lead).exp())
        information += game.weight * square(damped) * expected * (_ONE - expected)
        gain += game.weight * damped * (game.score - expected)
    return Moved(_ONE / information, gain) if information else None


def grown(deviation: Decimal, by: Decimal, most: Decimal) -> Decimal:
    """Return a deviation after a month in which its owner may have changed by so much; `most` is never exceeded."""
    return min((square(deviation) + square(by)).sqrt(), most)


def volatility(deviation: Decimal, before: Decimal, moved: Moved) -> Decimal:
    """Return the volatility after a month: Glickman's fifth step, by regula falsi (Illinois)."""
    start = square(before).ln()
    delta = square(moved.variance * moved.gain)
    known = square(deviation) + moved.variance

    def slope(x: Decimal) -> Decimal:
        power = x.exp()
        whole = known + power
        return power * (delta - whole) / (_TWO * square(whole)) - (x - start) / square(_TAU)

    low = start
    if delta > known:
        high = (delta - known).ln()
    else:
        steps = 1
        while slope(start - steps * _TAU) < 0:
            steps += 1
        high = start - steps * _TAU
    at_low, at_high = slope(low), slope(high)
    while abs(high - low) > _CLOSE:
        middle = low + (low - high) * at_low / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle * at_high <= 0:
            low, at_low = high, at_high
        else:
            at_low *= _HALF
        high, at_high = middle, at_middle
        if not at_high:
            break
    return (high * _HALF).exp()
