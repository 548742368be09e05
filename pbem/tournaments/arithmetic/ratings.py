"""E9 Ratings by months: Glicko-2 in decimal, so that whoever counts from the log has the same digits.

First Glicko-2, then the book of a pool as it is written down, then a month.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from pbem.engine.data.canon import Json, digest, dumps

# E9 The arithmetic of Glicko-2 (Glickman, 2013), in decimals of 20 digits.
#
# Values are on the inner scale: 0 is 1500, 1 is 173.7178 points. Every function is a sum over games of one player in
# the order in which they are handed in; who hands them in sorts them. Call them within `EXACT`.
#
# `decimal` rounds sums, products, roots, exponentials and logarithms correctly, in C as in pure Python: no float is
# ever made, and all machines agree.


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


# E9 What is written down of ratings: everybody's of a pool and the grounds', as canonical JSON with its digest.
#
# ::
#
#     {"grounds":{"coast":["0.120000000","0.410000000"]},
#      "people":{"p17":["-0.210000000","1.150000000","0.059999000"]},"period":"2030-02","pool":"main"}


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


# E9 A month: everybody's rating from all games that ended in it, each from what all had before it.
#
# The ground of a game counts for whom it serves: the second side plays against the first's strength and the ground's
# together, the first against the second's less the ground's; and the ground is rated as if it had played itself (E9.1).


EARLY = 3
"""E9.2 A win by forfeit before this turn is unrated for the winner."""
_DRIFT = Decimal("0.034538775")
"""Six points a month: how much an edition may change while players learn it."""
_WHOLE, _HALF_WEIGHT = Decimal(1), Decimal("0.5")
_SCORES = (Decimal(0), Decimal("0.5"), Decimal(1))
_NO_GROUND = GroundRating(Decimal(0), Decimal(0))


class RatedGame(NamedTuple):
    """A game as ratings see it: who had the edition's first side and who the second, and the halves of the first.

    `ground` is the edition, empty where none is rated; `how` is ``played``, ``forfeit`` or ``adjudicated``, `turn` the
    one in which it ended.
    """

    first: str
    second: str
    halves: int
    ground: str = ""
    how: str = "played"
    turn: int = EARLY


def rate_period(book: Book, period: str, games: Iterable[RatedGame]) -> Book:
    """E9 Return the ratings after a month: the same whatever order the games stand in.

    Who did not play is less sure than before; so is a ground. ValueError for halves that are none.
    """
    with decimal.localcontext(EXACT):
        ordered = sorted(games)
        names = {name for game in ordered for name in (game.first, game.second)}
        people = {name: book.people.get(name, NEW_RATING) for name in sorted({*book.people, *names})}
        places = sorted({*book.grounds, *(game.ground for game in ordered if game.ground)})
        grounds = {name: book.grounds.get(name, NEW_GROUND) for name in places}
        seen, served = _seen(ordered, people, grounds)
        rated = {name: _rated(rating, seen.get(name, ())) for name, rating in people.items()}
        moved = {name: _ground(ground, served.get(name, ())) for name, ground in grounds.items()}
    return Book(book.pool, period, rated, moved)


def replay(book: Book, periods: Iterable[tuple[str, Sequence[RatedGame]]]) -> Iterator[Book]:
    """Yield the book after each month, for who counts again from the log."""
    for period, games in periods:
        book = rate_period(book, period, games)
        yield book


def chances(first: Rating, second: Rating, ground: GroundRating = _NO_GROUND) -> Decimal:
    """Return the score expected of the first side, from 0 to 1, to nine decimals."""
    with decimal.localcontext(EXACT):
        variance = square(first.phi) + square(second.phi) + square(ground.phi)
        return rounded(expectation(second.mu - first.mu - ground.mu, variance))


def _seen(
    games: Sequence[RatedGame], people: Mapping[str, Rating], grounds: Mapping[str, GroundRating]
) -> tuple[dict[str, list[Game]], dict[str, list[Game]]]:
    """The games of each player and of each ground, as they see them."""
    seen: dict[str, list[Game]] = {}
    served: dict[str, list[Game]] = {}
    for game in games:
        if game.halves not in (0, 1, 2):
            raise ValueError(f"a table has 0, 1 or 2 halves for the first side, got {game.halves}")
        score = _SCORES[game.halves]
        first, second = people[game.first], people[game.second]
        ground = grounds[game.ground] if game.ground else _NO_GROUND
        weight = _HALF_WEIGHT if game.how == "adjudicated" else _WHOLE
        lead = second.mu - first.mu - ground.mu
        sure = square(ground.phi)
        if not _unrated(game, 2):
            seen.setdefault(game.first, []).append(Game(lead, square(second.phi) + sure, score, weight))
        if not _unrated(game, 0):
            seen.setdefault(game.second, []).append(Game(-lead, square(first.phi) + sure, _WHOLE - score, weight))
        if game.ground and game.how != "forfeit":
            served.setdefault(game.ground, []).append(Game(lead, square(first.phi) + square(second.phi), score, weight))
    return seen, served


def _unrated(game: RatedGame, winning: int) -> bool:
    """E9.2 Whether a game is a win by forfeit, too early to be rated, of who would have won at such halves."""
    return game.how == "forfeit" and game.turn < EARLY and game.halves == winning


def _rated(rating: Rating, games: Sequence[Game]) -> Rating:
    moved = moved_by(games)
    if moved is None:
        return rating._replace(phi=rounded(grown(rating.phi, rating.vol, NEW_RATING.phi)))
    vol = volatility(rating.phi, rating.vol, moved)
    before = square(rating.phi) + square(vol)
    after = 1 / (1 / before + 1 / moved.variance)
    # At the edge of what is known nobody is less sure than who never played.
    phi = min(after.sqrt(), NEW_RATING.phi)
    return Rating(rounded(rating.mu + after * moved.gain), rounded(phi), rounded(vol))


def _ground(ground: GroundRating, games: Sequence[Game]) -> GroundRating:
    """E9.1 The same without a volatility of its own: it may drift as far every month."""
    phi = grown(ground.phi, _DRIFT, NEW_GROUND.phi)
    moved = moved_by(games)
    if moved is None:
        return ground._replace(phi=rounded(phi))
    after = 1 / (1 / square(phi) + 1 / moved.variance)
    return GroundRating(rounded(ground.mu + after * moved.gain), rounded(after.sqrt()))
