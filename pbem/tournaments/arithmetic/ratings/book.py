"""E9 What is written down of ratings: everybody's of a pool and the grounds', as canonical JSON with its digest.

::

    {"grounds":{"coast":["0.120000000","0.410000000"]},
     "people":{"p17":["-0.210000000","1.150000000","0.059999000"]},"period":"2030-02","pool":"main"}
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from pbem.engine.data.canon import Json, digest, dumps
from pbem.tournaments.arithmetic.ratings.glicko import EXACT, QUANTUM

SCALE = Decimal("173.7178")
MIDDLE = Decimal(1500)


class Rating(NamedTuple):
    """A player's: strength, deviation and volatility on the inner scale, each to nine decimals."""

    mu: Decimal
    phi: Decimal
    vol: Decimal


class GroundRating(NamedTuple):
    """E9.1 An edition's: how much its first side is worth, and how sure that is."""

    mu: Decimal
    phi: Decimal


class Book(NamedTuple):
    """All ratings of a pool after a month, ``2030-02``; before the first the month is empty."""

    pool: str
    period: str
    people: Mapping[str, Rating]
    grounds: Mapping[str, GroundRating]


def _inner(points: str | Decimal) -> Decimal:
    return EXACT.quantize(EXACT.divide(Decimal(points), SCALE), QUANTUM)


def rating_of(points: str, deviation: str, volatility: str = "0.06") -> Rating:
    """Return a rating from points as players see them: ``1500``, ``350``."""
    mu = _inner(EXACT.subtract(Decimal(points), MIDDLE))
    return Rating(mu, _inner(deviation), EXACT.quantize(Decimal(volatility), QUANTUM))


NEW_RATING = rating_of("1500", "350")
"""Of who has not played in the pool."""
NEW_GROUND = GroundRating(_inner("0"), _inner("100"))
"""Of an edition that nobody has played."""


def shown(rating: Rating | GroundRating) -> tuple[int, int]:
    """Return whole points and deviation as players see them: 1500 and 350 for a new one, 0 and 100 for a new ground."""
    middle = MIDDLE if isinstance(rating, Rating) else Decimal(0)
    points = EXACT.add(EXACT.multiply(rating.mu, SCALE), middle)
    return _whole(points), _whole(EXACT.multiply(rating.phi, SCALE))


def _whole(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_HALF_EVEN))


def empty_book(pool: str) -> Book:
    """Return a pool that nobody has played in."""
    return Book(pool, "", {}, {})


def book_to_json(book: Book) -> Json:
    """Return a book as JSON; decimals are texts with nine places."""
    return {
        "pool": book.pool,
        "period": book.period,
        "people": {name: [f"{value:f}" for value in one] for name, one in book.people.items()},
        "grounds": {name: [f"{value:f}" for value in one] for name, one in book.grounds.items()},
    }


def text_of_book(book: Book) -> str:
    """Return the canonical JSON, which the leaf `rated` opens."""
    return dumps(book_to_json(book))


def digest_of_book(book: Book) -> str:
    """Return ``sha256:`` of `text_of_book`."""
    return digest(book_to_json(book))


def book_from_json(value: Json) -> Book:
    """Read what `book_to_json` wrote; ValueError if it is no book."""
    try:
        people = {str(name): Rating(*map(_decimal, one)) for name, one in value["people"].items()}
        grounds = {str(name): GroundRating(*map(_decimal, one)) for name, one in value["grounds"].items()}
        return Book(str(value["pool"]), str(value["period"]), people, grounds)
    except (KeyError, TypeError, AttributeError) as wrong:
        raise ValueError(f"this is no book of ratings: {wrong}") from None


def _decimal(value: Json) -> Decimal:
    if not isinstance(value, str) or not re.fullmatch(r"-?\d{1,6}\.\d{9}", value):
        raise ValueError(f"a rating has nine decimals, got {value!r}")
    return Decimal(value)
