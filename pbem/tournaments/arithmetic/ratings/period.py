"""E9 A month: everybody's rating from all games that ended in it, each from what all had before it.

The ground of a game counts for whom it serves: the second side plays against the first's strength and the ground's
together, the first against the second's less the ground's; and the ground is rated as if it had played itself (E9.1).
"""

from __future__ import annotations

import decimal
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from pbem.tournaments.arithmetic.ratings.book import NEW_GROUND, NEW_RATING, Book, GroundRating, Rating
from pbem.tournaments.arithmetic.ratings.glicko import (
    EXACT,
    Game,
    expectation,
    grown,
    moved_by,
    rounded,
    square,
    volatility,
)

EARLY = 3
"""E9.2 A win by forfeit before this turn is unrated for the winner."""
_DRIFT = Decimal("0.034538775")
"""Six points a month: how much an edition may change while players learn it."""
_WHOLE, _HALF = Decimal(1), Decimal("0.5")
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
        weight = _HALF if game.how == "adjudicated" else _WHOLE
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
