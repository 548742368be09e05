"""E9 Compute monthly Glicko-2 ratings in decimals, equal to the last digit.

First comes Glicko-2, then the book of a pool as it is stored, then the ratings of a month.
"""

from __future__ import annotations

import decimal
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import NamedTuple

from pbem.engine.data.canon import Json, dumps

# E9 The arithmetic of Glicko-2 (Glickman, 2013), in decimals of 20 digits.
#
# Values are on the inner scale: 0 is 1500, 1 is 173.7178 points. Every function is a sum over games of one player in
# the given order; the caller sorts them. Call them within `EXACT`.
#
# `decimal` rounds sums, products, roots, exponentials and logarithms correctly, in C as in pure Python: no float is
# ever made, and all machines agree.


# A choice: values are kept with nine decimals and have few digits before them; the rest is for what comes between.
EXACT = decimal.Context(prec=20, rounding=decimal.ROUND_HALF_EVEN, Emin=-999999, Emax=999999)
QUANTUM = Decimal("1e-9")
_PI_SQUARED = Decimal("9.8696044010893586188")
_TAU = Decimal("0.5")
"""How much volatility may change within a month (Glicko-2: tau, from 0.3 to 1.2)."""
_CLOSE = Decimal("1e-12")
_ONE, _TWO, _THREE, _HALF = Decimal(1), Decimal(2), Decimal(3), Decimal("0.5")


class WeightedGame(NamedTuple):
    """A game as one player sees it.

    `lead` is how far the opponent is ahead by rating and ground, `variance` the uncertainty of that without the
    player's own, `score` the player's result from 0 to 1, `weight` how much the game counts.
    """

    lead: Decimal
    variance: Decimal
    score: Decimal
    weight: Decimal = _ONE


class RatingChange(NamedTuple):
    """The effect of games: variance of the estimate, and score above expectation."""

    variance: Decimal
    gain: Decimal


def round_value(value: Decimal) -> Decimal:
    """Round a value to nine decimals, half to even; zero has no sign."""
    return value.quantize(QUANTUM) + 0


def square(value: Decimal) -> Decimal:
    """Return the square as a product; powers are not rounded alike everywhere."""
    return value * value


def glicko_g(variance: Decimal) -> Decimal:
    """Return the factor by which an uncertain lead counts less (Glicko-2: g)."""
    return _ONE / (_ONE + _THREE * variance / _PI_SQUARED).sqrt()


def rating_change_from(games: Iterable[WeightedGame]) -> RatingChange | None:
    """Return the effect of games; None if there are none."""
    information, gain = Decimal(0), Decimal(0)
    for game in games:
        damped = glicko_g(game.variance)
        expected = _ONE / (_ONE + (damped * game.lead).exp())
        information += game.weight * square(damped) * expected * (_ONE - expected)
        gain += game.weight * damped * (game.score - expected)
    return RatingChange(_ONE / information, gain) if information else None


def grow_deviation(deviation: Decimal, drift: Decimal, most: Decimal) -> Decimal:
    """Return a deviation after a month of possible change; `most` is the upper limit."""
    return min((square(deviation) + square(drift)).sqrt(), most)


def new_volatility(deviation: Decimal, old_volatility: Decimal, moved: RatingChange) -> Decimal:
    """Return the volatility after a month (Glicko-2, step 5, by regula falsi)."""
    start = square(old_volatility).ln()
    delta = square(moved.variance * moved.gain)
    spread = square(deviation) + moved.variance

    def slope(x: Decimal) -> Decimal:
        power = x.exp()
        whole = spread + power
        return power * (delta - whole) / (_TWO * square(whole)) - (x - start) / square(_TAU)

    low = start
    if delta > spread:
        high = (delta - spread).ln()
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


# E9 The stored ratings of a pool, of players and grounds, as canonical JSON with its digest.
#
# ::
#
#     {"grounds":{"coast":["0.120000000","0.410000000"]},
#      "people":{"p17":["-0.210000000","1.150000000","0.059999000"]},"period":"2030-02","pool":"main"}


SCALE = Decimal("173.7178")
MIDDLE = Decimal(1500)
"""The points at 0 of the inner scale, and those of a new player (Glicko-2, steps 1 and 2)."""


class Rating(NamedTuple):
    """A player's strength, deviation and volatility, scaled, to nine decimals."""

    mu: Decimal
    phi: Decimal
    vol: Decimal


class FirstSideAdvantage(NamedTuple):
    """E9.1 How much an edition favours its first side, and the deviation of that."""

    mu: Decimal
    phi: Decimal


class PoolRatings(NamedTuple):
    """All ratings of a pool after a month, ``2030-02``; empty before the first one."""

    pool: str
    period: str
    people: Mapping[str, Rating]
    grounds: Mapping[str, FirstSideAdvantage]


def _to_scale(points: str | Decimal) -> Decimal:
    return EXACT.quantize(EXACT.divide(Decimal(points), SCALE), QUANTUM)


def rating_of(points: str, deviation: str, volatility: str = "0.06") -> Rating:
    """Return a rating from points as players see them: ``1500``, ``350``."""
    mu = _to_scale(EXACT.subtract(Decimal(points), MIDDLE))
    return Rating(mu, _to_scale(deviation), EXACT.quantize(Decimal(volatility), QUANTUM))


NEW_RATING = rating_of("1500", "350")
"""The rating of a player new to the pool."""
NEW_GROUND = FirstSideAdvantage(_to_scale("0"), _to_scale("100"))
"""The rating of an edition without games."""


def display_points(rating: Rating | FirstSideAdvantage) -> tuple[int, int]:
    """Return whole points and deviation as players see them.

    A new player has 1500 and 350, a new ground 0 and 100.
    """
    middle = MIDDLE if isinstance(rating, Rating) else Decimal(0)
    points = EXACT.add(EXACT.multiply(rating.mu, SCALE), middle)
    return _to_integer(points), _to_integer(EXACT.multiply(rating.phi, SCALE))


def _to_integer(value: Decimal) -> int:
    return int(value.to_integral_value(ROUND_HALF_EVEN))


def empty_pool_ratings(pool: str) -> PoolRatings:
    """Return the book of a pool without games."""
    return PoolRatings(pool, "", {}, {})


def pool_ratings_to_json(book: PoolRatings) -> Json:
    """Return a book as JSON; decimals are texts with nine places."""
    return {
        "pool": book.pool,
        "period": book.period,
        "people": {name: [f"{value:f}" for value in entry] for name, entry in book.people.items()},
        "grounds": {name: [f"{value:f}" for value in entry] for name, entry in book.grounds.items()},
    }


def canonical_pool_ratings(book: PoolRatings) -> str:
    """Return a book as canonical JSON, the text whose digest is in a leaf `rated`."""
    return dumps(pool_ratings_to_json(book))


def pool_ratings_from_json(value: Json) -> PoolRatings:
    """Read what `pool_ratings_to_json` wrote; raise ValueError if `value` is no book."""
    try:
        people = {str(name): Rating(*map(_decimal, entry)) for name, entry in value["people"].items()}
        grounds = {str(name): FirstSideAdvantage(*map(_decimal, entry)) for name, entry in value["grounds"].items()}
        return PoolRatings(str(value["pool"]), str(value["period"]), people, grounds)
    except (KeyError, TypeError, AttributeError) as wrong:
        raise ValueError(f"this is no book of ratings: {wrong}") from None


def _decimal(value: Json) -> Decimal:
    if not isinstance(value, str) or not re.fullmatch(r"-?\d{1,6}\.\d{9}", value):
        raise ValueError(f"a rating has nine decimals, got {value!r}")
    return Decimal(value)


# E9 A month: each rating from all games that ended in it, by the ratings before it.
#
# The ground of a game favours the first side: the second side plays against the first's strength and the ground's
# together, the first against the second's less the ground's; and the ground is rated as if it had played itself (E9.1).


# A choice (E9.2): by then next to nothing was played.
EARLY = 3
"""E9.2 A win by forfeit before this turn is unrated for the winner."""
_DRIFT = Decimal("0.034538775")
"""Six rating points a month, on the inner scale: how much an edition may change while players learn it."""
_WHOLE, _HALF_WEIGHT = Decimal(1), Decimal("0.5")
_SCORES = (Decimal(0), Decimal("0.5"), Decimal(1))
_NO_GROUND = FirstSideAdvantage(Decimal(0), Decimal(0))
"""The rating of a ground without games: it favours nobody."""


class RatedGame(NamedTuple):
    """A game to be rated: the players by side, and the half points of the first.

    `ground` is the edition, empty where grounds are not rated; `how` is ``played``, ``forfeit`` or ``adjudicated``;
    `turn` is the turn in which the game ended.
    """

    first: str
    second: str
    halves: int
    ground: str = ""
    how: str = "played"
    turn: int = EARLY


def rate_month(book: PoolRatings, period: str, games: Iterable[RatedGame]) -> PoolRatings:
    """E9 Return the ratings after a month, whatever the order of its games.

    The deviation of players who did not play grows; so does that of a ground. Raise ValueError for invalid half
    points.
    """
    with decimal.localcontext(EXACT):
        ordered = sorted(games)
        names = {name for game in ordered for name in (game.first, game.second)}
        people = {name: book.people.get(name, NEW_RATING) for name in sorted({*book.people, *names})}
        ground_names = sorted({*book.grounds, *(game.ground for game in ordered if game.ground)})
        grounds = {name: book.grounds.get(name, NEW_GROUND) for name in ground_names}
        by_player, by_ground = _games_by_player(ordered, people, grounds)
        new_people = {name: _rate_player(rating, by_player.get(name, ())) for name, rating in people.items()}
        new_grounds = {name: _rate_ground(ground, by_ground.get(name, ())) for name, ground in grounds.items()}
    return PoolRatings(book.pool, period, new_people, new_grounds)


def _games_by_player(
    games: Sequence[RatedGame], people: Mapping[str, Rating], grounds: Mapping[str, FirstSideAdvantage]
) -> tuple[dict[str, list[WeightedGame]], dict[str, list[WeightedGame]]]:
    """Return the games of each player and of each ground, as they see them."""
    by_player: dict[str, list[WeightedGame]] = {}
    by_ground: dict[str, list[WeightedGame]] = {}
    for game in games:
        if game.halves not in (0, 1, 2):
            raise ValueError(f"a table has 0, 1 or 2 halves for the first side, got {game.halves}")
        score = _SCORES[game.halves]
        first, second = people[game.first], people[game.second]
        ground = grounds[game.ground] if game.ground else _NO_GROUND
        weight = _HALF_WEIGHT if game.how == "adjudicated" else _WHOLE
        lead = second.mu - first.mu - ground.mu
        ground_variance = square(ground.phi)
        if not _is_unrated(game, 2):
            by_player.setdefault(game.first, []).append(
                WeightedGame(lead, square(second.phi) + ground_variance, score, weight)
            )
        if not _is_unrated(game, 0):
            by_player.setdefault(game.second, []).append(
                WeightedGame(-lead, square(first.phi) + ground_variance, _WHOLE - score, weight)
            )
        if game.ground and game.how != "forfeit":
            by_ground.setdefault(game.ground, []).append(
                WeightedGame(lead, square(first.phi) + square(second.phi), score, weight)
            )
    return by_player, by_ground


def _is_unrated(game: RatedGame, winner_halves: int) -> bool:
    """E9.2 Return whether a forfeit came too early to be rated for its winner.

    `winner_halves` are the first side's half points if that player won.
    """
    return game.how == "forfeit" and game.turn < EARLY and game.halves == winner_halves


def _rate_player(rating: Rating, games: Sequence[WeightedGame]) -> Rating:
    change = rating_change_from(games)
    if change is None:
        return rating._replace(phi=round_value(grow_deviation(rating.phi, rating.vol, NEW_RATING.phi)))
    vol = new_volatility(rating.phi, rating.vol, change)
    old_variance = square(rating.phi) + square(vol)
    new_variance = 1 / (1 / old_variance + 1 / change.variance)
    # No deviation is larger than that of a new player.
    phi = min(new_variance.sqrt(), NEW_RATING.phi)
    return Rating(round_value(rating.mu + new_variance * change.gain), round_value(phi), round_value(vol))


def _rate_ground(ground: FirstSideAdvantage, games: Sequence[WeightedGame]) -> FirstSideAdvantage:
    """E9.1 Rate a ground.

    A ground has no volatility, and its deviation grows equally every month.
    """
    phi = grow_deviation(ground.phi, _DRIFT, NEW_GROUND.phi)
    change = rating_change_from(games)
    if change is None:
        return ground._replace(phi=round_value(phi))
    new_variance = 1 / (1 / square(phi) + 1 / change.variance)
    return FirstSideAdvantage(round_value(ground.mu + new_variance * change.gain), round_value(new_variance.sqrt()))
