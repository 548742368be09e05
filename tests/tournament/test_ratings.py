"""E9 Ratings: the published example, laws, and the same bytes wherever they are counted."""

import random
import subprocess
import sys
import time
from decimal import Decimal
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbem.engine.data.canon import loads
from pbem.tournaments.arithmetic.ratings import (
    NEW_GROUND,
    NEW_RATING,
    FirstSideAdvantage,
    PoolRatings,
    RatedGame,
    Rating,
    canonical_pool_ratings,
    display_points,
    empty_pool_ratings,
    pool_ratings_from_json,
    rate_month,
    rating_of,
)

MONTH = "2030-01"


def played(seed, people=30, games=80):
    """Games of a month by lot."""
    luck = random.Random(seed)
    games_made = []
    for _ in range(games):
        first, second = luck.sample(range(people), 2)
        how = luck.choice(["played", "played", "played", "forfeit", "adjudicated"])
        game = RatedGame(f"p{first}", f"p{second}", luck.randrange(3), luck.choice(["", "coast", "pass"]), how)
        games_made.append(game._replace(turn=luck.randrange(1, 9)))
    return games_made


def test_the_published_example_to_its_digits():
    people = {"a": rating_of("1500", "200"), "b": rating_of("1400", "30"), "c": rating_of("1550", "100")}
    book = PoolRatings("p", "", {**people, "d": rating_of("1700", "300")}, {})
    games = [RatedGame("a", "b", 2), RatedGame("c", "a", 2), RatedGame("d", "a", 2)]
    person = rate_month(book, MONTH, games).people["a"]
    assert round(person.mu, 4) == Decimal("-0.2069")
    assert round(person.phi, 4) == Decimal("0.8722")
    assert str(person.vol)[:7] == "0.05999"
    assert display_points(person) == (1464, 152)


def test_who_did_not_play_is_less_sure_and_nothing_else():
    book = PoolRatings(
        "p",
        "",
        {"a": rating_of("1700", "100"), "b": NEW_RATING},
        {"coast": FirstSideAdvantage(Decimal("0.3"), Decimal("0.1"))},
    )
    rated = rate_month(book, MONTH, [])
    assert rated.people["a"].mu == book.people["a"].mu
    assert rated.people["a"].phi > book.people["a"].phi
    assert rated.people["b"] == NEW_RATING
    assert rated.grounds["coast"] == (Decimal("0.3"), Decimal("0.105796630"))


@given(seed=st.integers(0, 10**6), by=st.integers(-900, 900))
@settings(max_examples=20, deadline=None)
def test_to_shift_all_shifts_all_and_changes_nothing_else(seed, by):
    first = rate_month(empty_pool_ratings("p"), MONTH, played(seed))
    shift = Decimal(by) / 100
    moved = {name: person._replace(mu=person.mu + shift) for name, person in first.people.items()}
    games = [game for game in played(seed + 1) if {game.first, game.second} <= moved.keys()]
    first_way = rate_month(first, "2030-02", games)
    other = rate_month(first._replace(people=moved), "2030-02", games)
    assert other.people == {name: rating._replace(mu=rating.mu + shift) for name, rating in first_way.people.items()}
    assert other.grounds == first_way.grounds


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_the_order_of_results_does_not_matter(seed):
    games = played(seed)
    book_text = canonical_pool_ratings(rate_month(empty_pool_ratings("p"), MONTH, games))
    random.Random(seed).shuffle(games)
    assert canonical_pool_ratings(rate_month(empty_pool_ratings("p"), MONTH, games)) == book_text


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_a_book_comes_back_and_a_month_is_counted_again_to_the_digit(seed):
    months = [("2030-01", played(seed)), ("2030-02", played(seed + 1))]
    first = rate_month(empty_pool_ratings("p"), *months[0])
    second = rate_month(first, *months[1])
    again = pool_ratings_from_json(loads(canonical_pool_ratings(first)))
    assert again == first
    assert canonical_pool_ratings(rate_month(again, *months[1])) == canonical_pool_ratings(second)
    assert all(value == value.quantize(Decimal("1e-9")) for person in second.people.values() for value in person)


@pytest.mark.parametrize(
    "raw", [None, {}, {"pool": "p", "period": "", "people": {"a": ["1", "2", "3"]}, "grounds": {}}]
)
def test_what_is_no_book_is_refused(raw):
    with pytest.raises(ValueError, match=r"book of ratings|nine decimals"):
        pool_ratings_from_json(raw)


def test_halves_that_are_none_are_refused():
    with pytest.raises(ValueError, match="halves"):
        rate_month(empty_pool_ratings("p"), MONTH, [RatedGame("a", "b", 3)])


def test_the_side_that_wins_more_is_worth_something_and_takes_it_from_who_has_it():
    games = [RatedGame(f"a{n}", f"b{n}", 2 if n % 4 else 0, "coast") for n in range(40)]
    rated = rate_month(empty_pool_ratings("p"), MONTH, games)
    points, deviation = display_points(rated.grounds["coast"])
    assert points > 60
    assert deviation < display_points(NEW_GROUND)[1]
    flat = rate_month(empty_pool_ratings("p"), MONTH, [game._replace(ground="") for game in games])
    known = empty_pool_ratings("p")._replace(grounds=rated.grounds)
    # To win with the better side proves less.
    assert rate_month(known, MONTH, games).people["a1"].mu < flat.people["a1"].mu
    assert flat.grounds == {}


def test_an_early_forfeit_is_unrated_for_the_winner_and_no_forfeit_speaks_of_the_ground():
    for turn, rated in ((2, False), (3, True)):
        game = RatedGame("a", "b", 2, "coast", "forfeit", turn)
        book = rate_month(empty_pool_ratings("p"), MONTH, [game])
        assert (book.people["a"].mu > 0) is rated
        assert book.people["b"].mu < 0
        assert book.grounds["coast"].mu == 0
        turned = rate_month(empty_pool_ratings("p"), MONTH, [game._replace(halves=0)])
        assert (turned.people["b"].mu > 0) is rated
        assert turned.people["a"].mu < 0
    both = rate_month(empty_pool_ratings("p"), MONTH, [RatedGame("a", "b", 1, "", "forfeit", 1)])
    assert both.people["a"].phi < NEW_RATING.phi


def test_an_adjudication_weighs_half():
    known = PoolRatings("p", "", {name: rating_of("1500", "80") for name in "abcd"}, {})
    half = RatedGame("a", "b", 2, how="adjudicated")
    person = rate_month(known, MONTH, [half]).people["a"]
    twice = rate_month(known, MONTH, [half, half]).people["a"]
    whole = rate_month(known, MONTH, [RatedGame("a", "b", 2)]).people["a"]
    assert twice == whole
    assert 0 < person.mu < whole.mu


def test_ratings_find_who_is_stronger():
    luck = random.Random(3)
    true = {f"p{n}": luck.gauss(0, 200) for n in range(20)}
    book = empty_pool_ratings("p")
    for month in range(12):
        games = []
        for _ in range(60):
            a, b = luck.sample(sorted(true), 2)
            won = luck.random() < 1 / (1 + 10 ** ((true[b] - true[a] - 80) / 400))
            games.append(RatedGame(a, b, 2 * won, "coast"))
        book = rate_month(book, f"2030-{month + 1:02}", games)
    middle = median(true.values())
    errors = [abs(display_points(book.people[name])[0] - 1500 - value + middle) for name, value in true.items()]
    assert median(errors) < 90
    assert abs(display_points(book.grounds["coast"])[0] - 80) < 40


COUNT = """
import sys
if sys.argv[1] == "python":
    sys.modules["_decimal"] = None
import decimal
from tests.tournament.test_ratings import played
from pbem.tournaments.arithmetic.ratings import canonical_pool_ratings, empty_pool_ratings
from pbem.tournaments.arithmetic.ratings import rate_month
book = empty_pool_ratings("p")
for month in range(3):
    book = rate_month(book, str(month), played(month))
print(type(decimal.Decimal.exp).__name__, canonical_pool_ratings(book))
"""


def test_decimals_in_c_and_in_python_give_the_same_bytes():
    ran = [
        subprocess.run([sys.executable, "-c", COUNT, how], capture_output=True, text=True, check=True)
        for how in ("c", "python")
    ]
    (c, c_result), (python, other) = (each.stdout.split() for each in ran)
    assert (c, python) == ("method_descriptor", "function")
    assert c_result == other
    assert c_result.startswith('{"')


def test_a_thousand_players_and_two_thousand_games_take_seconds():
    began = time.process_time()
    book = rate_month(empty_pool_ratings("p"), MONTH, played(1, 1000, 2000))
    assert time.process_time() - began < 10
    assert len(book.people) > 950


def test_a_rating_has_three_values():
    assert [*NEW_RATING] == [Decimal("0E-9"), Decimal("2.014761872"), Decimal("0.060000000")]
    assert Rating(*NEW_RATING) == rating_of("1500", "350")
